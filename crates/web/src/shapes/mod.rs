//! Representations that both API versions share: filters, orders, metrics, insights, timelines, boundaries, charts, reports, alerts,
//! live events and imported lines.

pub(crate) mod alerts;
pub(crate) mod binary_content;
#[cfg(feature = "openapi")]
pub(crate) mod boundary_schema;
pub(crate) mod cell_format;
pub(crate) mod chart_enums;
pub(crate) mod chart_format;
pub(crate) mod fact_filters;
pub(crate) mod figures;
pub(crate) mod filter_fields;
pub(crate) mod hexagons;
mod imports;
pub(crate) mod incursion_order;
pub(crate) mod insights;
pub(crate) mod live_events;
pub(crate) mod pivot_fields;
pub(crate) mod reports;
pub(crate) mod station_parts;
pub(crate) mod timeline;
#[cfg(feature = "openapi")]
mod timeline_kinds;
pub(crate) mod view_definition;
