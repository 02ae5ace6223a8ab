//! Facts.

mod fact_changes;
mod incursions_by_tag;
