//! Shared HTTP: the accept loop, the edge that every request passes, the gate of each face, extractors and errors.
//!
//! A request travels: [`serve`] (connection) -> [`edge`] (id, address, log, headers) -> [`gate`] (who, how often, errors in
//! the face's format) -> a handler of `api_v1` or `api_v2`.

mod answer;
mod body;
mod caller;
mod conditions;
mod config;
mod connections;
mod cors;
mod csv_lines;
mod edge;
mod error;
mod face;
mod fact_filters;
mod fields;
mod figures;
mod filter_fields;
mod gate;
mod health;
mod hexagons;
mod host;
mod json;
mod limits;
mod long_polls;
mod metrics;
mod pace;
mod page;
mod params;
mod path;
mod pictures;
mod proxy;
mod range;
mod receiving;
mod references;
mod refusals;
mod serve;
mod stall;
mod state;
mod timeline;
mod who;
pub mod words;
mod worksite_fields;

pub use answer::{answer, created, json, made, path_segment, reply};
pub use body::{Body, Creation, CsvFile, Format, FromFields, JSON_API, Repeatable, Unread};
pub use caller::{Caller, FreshCaller, Reporter, Tester};
pub use conditions::{Condition, Known, versioned};
pub use config::{Config, Cors, Limits, Quota, Server};
pub use cors::cors;
pub use csv_lines::{Cell, FromLine, MOST_LINES, read_csv};
pub use edge::edge;
pub use error::{Failure, Result, nothing_here};
pub use face::{Face, Problem};
pub use fact_filters::FactFilters;
pub use fields::{Fields, flag, id, percent, read_fields, text, whole};
pub use figures::{AnswerOf, Metric, NamedMetrics, Part, PartId, Sorting, value_of};
pub use filter_fields::{
    FilterFields, filters, list_as_given, optional_filters, read_filters, usual_filters,
};
pub use gate::{Gate, Kind as CredentialKind, SESSION_COOKIE, cookie, session_cookie_name};
pub use health::{readiness, routes as health_routes};
pub use hexagons::{HexagonFeature, HexagonGeometry};
pub use limits::Class;
pub use long_polls::{LongPoll, LongPolls};
pub use metrics::Metrics;
pub use page::{ListParams, PageInfo, list_answer};
pub use params::{FromParams, NoParams, Params, Query};
pub use path::{PathId, PathIdText, PathIds, PathText};
pub use pictures::{
    Accept, PictureFilters, PictureFormat, PictureParams, PictureTheme, Wish, by_accept, picture,
};
pub use range::{Asked, Disposition, Stored, asked};
pub use receiving::Received;
pub use references::{Actor, NamedReference, PersonReference, Reference, TagReference};
pub use refusals::{document_forbidden, json_api, problem};
pub use serve::{Peer, serve};
pub use state::{Edge, EdgeState};
pub use timeline::{
    ClipSummary, GeoPosition, TimelineClip, TimelineEntry, TimelineFilters, TimelineHead, TimelineIncursion,
    TimelineList, TimelineMessage, TimelineParams, TimelineRemark, TimelineRuntime, TimelineStatus,
    TimelineTagBattery, TimelineTagTest, shape_clip, shape_timeline_entry,
};
pub use who::{EndedSession, Login, LoginFields, ProofAgain, ProofFields, Proven, Who, WhoBrand, WhoUser};
pub use worksite_fields::{NewWorksiteFields, boundary_schema};
