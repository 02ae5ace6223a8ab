//! What the facts come to in numbers, charts and files.

pub(crate) mod export_build;
