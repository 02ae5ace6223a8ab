//! Jobs for insights: exports.

pub(crate) mod export_build;
