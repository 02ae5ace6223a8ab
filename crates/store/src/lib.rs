//! Rows: SQLite and PostgreSQL behind one SQL text.
//!
//! This is the only crate that knows `sqlx`. Queries stand in one module per resource, as methods of an accessor
//! that a transaction gives out for a [`Scope`] (brand tables) or against a [`Platform`] (what has no brand yet).
//! Only `dialect.rs` may branch on the engine.

mod account_links;
mod audit;
mod base_stations;
mod brand_settings;
mod brands;
mod config;
mod database_copy;
mod device_events;
mod devices;
mod dialect;
mod entities;
mod error;
mod fact_changes;
mod fact_links;
mod fact_retention;
mod gateways;
mod gps_chunks;
mod idempotency;
mod incursion_details;
mod incursion_feed;
mod incursion_filter;
mod incursion_pages;
mod incursion_summaries;
mod incursion_walks;
mod incursions;
mod insights;
mod installation;
mod jobs;
mod labels;
mod login_refusals;
mod machine_assignments;
mod machines;
mod messages;
mod migrate;
mod notes;
mod old_clips;
mod open_visits;
mod page;
mod people;
mod pool;
mod projects;
mod row;
mod runtime;
mod scope;
mod serials;
mod sessions;
mod snapshot;
mod statement;
mod station_figures;
mod station_installations;
mod station_zones;
mod sums;
mod tag_assignments;
mod tag_details;
mod tag_tests;
mod tags;
mod tester_devices;
mod timeline;
mod tokens;
mod turns;
mod tx;
mod users;
mod video_clips;
mod visitor_sessions;
mod worksite_presence;
mod worksite_terms;
mod worksites;

pub use account_links::{AccountLink, AccountLinks, AddressedLink, NewAccountLink};
pub use audit::{AuditFilter, AuditRow, Audits, AuditsOfBrand, ChainState, NewAudit, RecordedChain, Seal};
pub use base_stations::{
    BaseStation, BaseStationFilter, BaseStations, ChangedBaseStation, Contact, NewBaseStation,
};
pub use brand_settings::{BrandSettings, Logo, Retention, SettingValues};
pub use brands::{Brand, Brands, Counters};
pub use config::{Address, Config, Engine};
pub use database_copy::DatabaseCopy;
pub use device_events::{DeviceEventKey, DeviceEvents, NewDeviceEvent};
pub use devices::{Device, Devices};
pub use dialect::{ColumnShape, Filling, Table, refuse_unless_empty, sums_of_dump};
pub use entities::{Entities, Entity, EntityDevice, EntityLink, LinkKind};
pub use error::Error;
pub use fact_changes::{FactChange, FactChanges, FactState, Kinds};
pub use fact_links::{DatedLink, FactLinks, SerialOf, SiteTerm};
pub use fact_retention::{AgedFact, FactMark, FactRetention};
pub use gateways::{Gateway, Gateways};
pub use gps_chunks::{GpsChunk, GpsChunks, StationPosition};
pub use idempotency::{Answer, IdempotencyKey, IdempotencyKeys};
pub use incursion_details::{
    IncursionChange, IncursionClip, IncursionDetails, IncursionFound, IncursionVersion, IncursionsInDetail,
    Reviewed,
};
pub use incursion_feed::{Feed, FeedEntry, IncursionFeed};
pub use incursion_pages::IncursionPages;
pub use incursion_summaries::{IncursionSummaries, IncursionSummary};
pub use incursion_walks::{IncursionWalks, WalkPosition, WalkedBy};
pub use incursions::{Attribution, ChangeCause, IncursionRow, Incursions, KeptIncursion};
pub use insights::{Answered, Insights, Limits, RuntimeStretch};
pub use installation::{Installation, Installations, SigningKey};
pub use jobs::{ClaimedJob, JobCounts, Jobs, NewJob};
pub use labels::Labels;
pub use login_refusals::{LoginRefusals, Pressure, Refusals};
pub use machine_assignments::{MachineAssignment, MachineAssignments};
pub use machines::{Machine, MachineFilter, Machines, NewMachine};
pub use messages::{Message, Messages};
pub use migrate::{SchemaState, refuse_newer};
pub use notes::{Note, Notes};
pub use old_clips::{ClipObject, KeptClip, OldClips};
pub use open_visits::{OpenVisit, OpenVisits};
pub use page::{Cursor, Page, PageRequest};
pub use people::{KnownBy, NewPerson, People, PeopleFilter, Person};
pub use pool::{PoolState, Store};
pub use projects::{NewProject, Project, ProjectFilter, ProjectsOfBrand};
pub use runtime::{KeptPiece, Runtime, RuntimePiece, RuntimeSpan, RuntimeWindow};
pub use scope::{Platform, Projects, Scope};
pub use serials::Registered;
pub use sessions::{NewSession, OpenSession, Session, SessionKind, Sessions, SignedIn};
pub use snapshot::Snapshot;
pub use station_figures::StationFigures;
pub use station_installations::{StationInstallation, StationInstallations};
pub use station_zones::{StationZones, ZonesOfStations};
pub use sums::TableSum;
pub use tag_assignments::{Actor, Assignment, AssignmentFilter, TagAssignments, Wearing};
pub use tag_details::{LastTest, PersonName, TagDetails, TagFilter, TagsInDetail};
pub use tag_tests::{NewTagTest, Sighting, TagTest, TagTests};
pub use tags::{Tag, Tags};
pub use tester_devices::{NewTesterDevice, TesterDevice, TesterDevices};
pub use timeline::{
    Among, DeviceEvent, StationClip, StationMessage, StationRuntime, Timeline, TimelinePlace,
};
pub use tokens::{LiveToken, Token, TokenSummary, Tokens};
pub use tx::Tx;
pub use users::{NewUser, User, UserFilter, UserWithSecret, Users, UsersOfBrand};
pub use video_clips::{ClipContent, ClipFilter, FilmedIncursion, NewClip, VideoClip, VideoClips};
pub use visitor_sessions::{NewVisit, Visit, VisitFilter, VisitValues, VisitorSessions, WorksiteName};
pub use worksite_presence::{MachinePosition, Seen, WorksitePresence};
pub use worksite_terms::{DatedBoundary, TermChange, WorksiteTerm, WorksiteTerms};
pub use worksites::{KeptBoundary, NewWorksite, Worksite, WorksiteFilter, WorksiteVersion, Worksites};
