//! Jobs for insights: exports; and the loop that follows brands into a warehouse.

pub(crate) mod export_build;
pub(crate) mod warehouse_loop;
