//! Facts: incursions, runtime, positions and device events.

pub(crate) mod fact_retention;
pub(crate) mod incursion_clips;
pub(crate) mod incursion_relations;
pub(crate) mod incursion_reviews;
pub(crate) mod incursions;
pub(crate) mod ingest;
pub(crate) mod reattribution;
pub(crate) mod timeline;
