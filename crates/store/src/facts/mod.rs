//! Facts: incursions, runtime, positions and device events as they were reported, attributed and changed.

pub(crate) mod change_counts;
pub(crate) mod device_events;
pub(crate) mod fact_changes;
pub(crate) mod fact_links;
pub(crate) mod fact_retention;
pub(crate) mod gps_chunks;
pub(crate) mod incursion_cursors;
pub(crate) mod incursion_details;
pub(crate) mod incursion_evidence;
pub(crate) mod incursion_feed;
pub(crate) mod incursion_filter;
pub(crate) mod incursion_pages;
pub(crate) mod incursion_scans;
pub(crate) mod incursion_summaries;
pub(crate) mod incursions;
pub(crate) mod incursions_as_of;
pub(crate) mod out_of_scope;
pub(crate) mod runtime;
pub(crate) mod runtime_reports;
pub(crate) mod sorted_incursions;
pub(crate) mod station_figures;
pub(crate) mod timeline;
