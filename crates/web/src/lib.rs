//! Shared HTTP code: the accept loop, the middleware of all requests, authentication, extractors and errors.
//!
//! A request passes [`serve`] (connection), [`request_context_layer`] (id, address, log, headers) and the [`AuthLayer`] of its API
//! version (identity, rate limit, errors in the version's format) before a handler of `api_v1`, `api_v2` or the console.

// What only the documents name is unused without them; with them, the compiler says what nobody uses.
#![cfg_attr(not(feature = "openapi"), allow(unused_imports))]

// The macros refer to this crate by its name, here as well.
extern crate self as web;

mod auth;
mod connection;
mod request;
mod response;
mod shapes;

mod config;
mod router;
mod state;
#[cfg(not(feature = "openapi"))]
mod undocumented;

#[cfg(feature = "openapi")]
pub use macros::operation;
#[cfg(not(feature = "openapi"))]
pub use macros::undocumented_operation as operation;
pub use macros::{answer, body};

#[cfg(not(feature = "openapi"))]
pub use undocumented::{IntoParams, PartialSchema, ToSchema};
#[cfg(feature = "openapi")]
pub use utoipa::{IntoParams, PartialSchema, ToSchema};

pub use axum::routing::MethodFilter;

pub use auth::auth_layer::{
    AuthLayer, CredentialKind, OPEN_PAGE, SESSION_COOKIE, cookie, session_cookie_name,
};
pub use auth::caller::{Caller, FreshCaller, Reporter, Tester};
pub use auth::session::{
    AcceptedProof, EndedSession, LoginBody, ProofBody, SessionIdentity, SessionUser, set_session_cookie,
};
pub use config::{Config, Cors, Limits, Quota, Server};
pub use connection::body_budget::ReceivedBody;
pub use connection::cors::cors;
pub use connection::csrf::csrf;
pub use connection::health::{check_readiness, routes as health_routes};
pub use connection::long_polls::{LongPollLimiter, LongPollPermit};
pub use connection::metrics::Metrics;
pub use connection::rate_limits::RateLimitClass;
pub use connection::request_context::request_context_layer;
pub use connection::serve::{Peer, serve};
pub use request::body::{Body, CsvFile, DeferredBody, IdempotencyKeyHeader, IdempotentBody, JSON_API};
pub use request::body_field::{BodyField, FieldKind};
pub use request::csv_lines::{ColumnType, CsvCells, FromLine, MAX_LINES, read_cells, read_csv};
pub use request::fields::{Fields, id, integer_within, read_fields, text, year};
pub use request::from_fields::{BodyFormat, FromFields};
pub use request::last_event_id::LastEventId;
pub use request::page::{List, ListParams, PageInfo, list_response};
pub use request::params::{FromParams, NoParams, Params, Query};
pub use request::path::{PathId, PathIdText, PathIds, PathText};
pub use request::preconditions::{IfMatchHeader, IfNoneMatchHeader, with_etag, with_weak_etag};
pub use request::range::{Disposition, RangeOutcome, Representation, evaluate_range_request};
pub use request::record::{FixedMembers, Record};
pub use request::references::{Actor, NamedReference, PersonReference, Reference, TagReference};
pub use request::registry_list::{RegistryList, RegistryPageInfo, SortOrders, registry_list_response};
#[cfg(feature = "openapi")]
pub use response::document_completion::{complete_document, document_cross_site_refusals};
pub use response::enum_schemas;
pub use response::error::{Failure, Result, status, unknown_path_handler};
pub use response::error_body::take_failure;
pub use response::error_format::{ErrorFormat, Problem};
pub use response::error_page::{LinkErrors, or_link_page, preferred_language, prefers_page};
pub use response::error_responses::{json_api_errors, problem};
pub use response::event_stream::event_stream_response;
pub use response::success::{
    created_response, created_to_store, escape_path_segment, geo_json_response, json_response, render_stored,
    to_json,
};
pub use response::vary::vary_by_accept;
#[cfg(feature = "openapi")]
pub use router::describe_operation;
pub use router::{Operation, OperationRouter, PathRoutes};
pub use shapes::alerts::{OpenAlertRecord, shape_open_alert};
pub use shapes::binary_content::BinaryContent;
#[cfg(feature = "openapi")]
pub use shapes::boundary_schema::boundary_schema;
pub use shapes::cell_format::CellFormat;
pub use shapes::chart_enums::{ChartFormat, ChartTheme, ChartTitle};
pub use shapes::chart_format::{
    Accept, ChartImageParams, ChartImageQuery, OutputFormat, read_chart_image, svg_response,
};
pub use shapes::fact_filters::FactFilters;
pub use shapes::figures::{
    AnswerScope, DimensionValue, DimensionValueId, Metric, NamedMetrics, Sorting, json_number, metric_value,
    serialize_number,
};
pub use shapes::filter_fields::{
    FilterFields, default_filters, filters_or_default, list_in_given_order, optional_filters, read_filters,
};
pub use shapes::hexagons::{HexagonFeature, HexagonGeometry};
pub use shapes::incursion_order::reads_all_incursions;
pub use shapes::insights::breakdown::{BreakdownParams, BreakdownQuery, InsightBreakdown, shape_breakdown};
pub use shapes::insights::totals::{InsightTotals, TotalsParams, TotalsQuery, shape_totals};
pub use shapes::insights::trends::{InsightTrends, TrendsParams, TrendsQuery, shape_trends};
pub use shapes::pivot_fields::{NewPivot, PivotFields, optional_pivot};
pub use shapes::reports::{
    NewReportBody, NewReportBodyParts, ReportFields, ReportFieldsOfSchedule, ReportRecord, complete_report,
    report_file_response, resolve_saved_view, shape_report,
};
pub use shapes::station_parts::{read_cameras, reject_repeated_parts};
pub use shapes::timeline::{
    ClipSummary, GeoPosition, TimelineClip, TimelineEntry, TimelineFilters, TimelineHead, TimelineIncursion,
    TimelineList, TimelineLogEntry, TimelineMessage, TimelineParams, TimelineRuntime, TimelineStatus,
    TimelineTagBattery, TimelineTagTest, shape_clip, shape_timeline_entry,
};
pub use shapes::view_definition::{parse_stored_view, read_view_definition};
pub use state::{Edge, EdgeState};
