//! Shared HTTP: the accept loop, the edge that every request passes, the gate of each face, extractors and errors.
//!
//! A request travels: [`serve`] (connection) -> [`edge`] (id, address, log, headers) -> [`gate`] (who, how often, errors in
//! the face's format) -> a handler of `api_v1` or `api_v2`.

mod auth;
mod connection;
mod request;
mod response;
mod shapes;

mod config;
mod state;

pub use auth::caller::{Caller, FreshCaller, Reporter, Tester};
pub use auth::gate::{Gate, Kind as CredentialKind, SESSION_COOKIE, cookie, session_cookie_name};
pub use auth::who::{
    EndedSession, Login, LoginFields, ProofAgain, ProofFields, Proven, Who, WhoBrand, WhoUser,
};
pub use config::{Config, Cors, Limits, Quota, Server};
pub use connection::cors::cors;
pub use connection::edge::edge;
pub use connection::health::{readiness, routes as health_routes};
pub use connection::limits::Class;
pub use connection::long_polls::{LongPoll, LongPolls};
pub use connection::metrics::Metrics;
pub use connection::receiving::Received;
pub use connection::serve::{Peer, serve};
pub use request::body::{Body, Creation, CsvFile, Format, FromFields, JSON_API, Repeatable, Unread};
pub use request::conditions::{Condition, Known, versioned};
pub use request::csv_lines::{Cell, FromLine, MOST_LINES, read_csv};
pub use request::fields::{Fields, flag, id, percent, read_fields, text, whole};
pub use request::page::{ListParams, PageInfo, list_answer};
pub use request::params::{FromParams, NoParams, Params, Query};
pub use request::path::{PathId, PathIdText, PathIds, PathText};
pub use request::range::{Asked, Disposition, Stored, asked};
pub use request::references::{Actor, NamedReference, PersonReference, Reference, TagReference};
pub use response::answer::{answer, created, json, made, path_segment, reply};
pub use response::error::{Failure, Result, nothing_here};
pub use response::face::{Face, Problem};
pub use response::refusals::{document_forbidden, json_api, problem};
pub use response::words;
pub use shapes::fact_filters::FactFilters;
pub use shapes::figures::{AnswerOf, Metric, NamedMetrics, Part, PartId, Sorting, value_of};
pub use shapes::filter_fields::{
    FilterFields, filters, list_as_given, optional_filters, read_filters, usual_filters,
};
pub use shapes::hexagons::{HexagonFeature, HexagonGeometry};
pub use shapes::pictures::{
    Accept, PictureFilters, PictureFormat, PictureParams, PictureTheme, Wish, by_accept, picture,
};
pub use shapes::timeline::{
    ClipSummary, GeoPosition, TimelineClip, TimelineEntry, TimelineFilters, TimelineHead, TimelineIncursion,
    TimelineList, TimelineMessage, TimelineParams, TimelineRemark, TimelineRuntime, TimelineStatus,
    TimelineTagBattery, TimelineTagTest, shape_clip, shape_timeline_entry,
};
pub use shapes::worksite_fields::{NewWorksiteFields, boundary_schema};
pub use state::{Edge, EdgeState};
