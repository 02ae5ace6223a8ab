//! Facts.

mod fact_changes;
