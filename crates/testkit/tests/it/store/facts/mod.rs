//! Facts.

mod fact_changes;
mod incursion_evidence;
mod incursions_by_tag;
