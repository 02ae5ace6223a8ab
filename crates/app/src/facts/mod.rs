//! Facts: incursions, runtime, positions and device events.

pub(crate) mod fact_retention;
pub(crate) mod incursion_clips;
pub(crate) mod incursion_relations;
pub(crate) mod incursion_reviews;
pub(crate) mod incursions;
mod incursions_at_hours;
pub(crate) mod ingest;
pub(crate) mod loading_history;
pub(crate) mod machine_timeline;
pub(crate) mod reattribution;
pub(crate) mod related_cache;
pub(crate) mod timeline;
