//! Rows: SQLite and PostgreSQL behind one SQL text.
//!
//! This is the only crate that knows `sqlx`. Queries stand in one module per resource, as methods of an accessor
//! that a transaction gives out for a [`Scope`] (brand tables) or against a [`Platform`] (what has no brand yet).
//! Only `dialect.rs` may branch on the engine.

mod accounts;
mod engine;
mod facts;
mod insights;
mod people;
mod platform;
mod registry;
mod video;

pub use accounts::account_links::{AccountLink, AccountLinks, AddressedLink, NewAccountLink};
pub use accounts::login_refusals::{LoginRefusals, Refusals};
pub use accounts::login_throttle::{LoginThrottle, Pressure};
pub use accounts::second_factors::{SecondFactor, SecondFactors};
pub use accounts::sessions::{NewSession, OpenSession, Session, SessionKind, Sessions, SignedIn};
pub use accounts::user_preferences::{PreferencesOfUser, UserPreferences};
pub use accounts::users::{NewUser, User, UserFilter, UserWithSecret, Users, UsersOfBrand};
pub use engine::config::{Address, Config, Engine};
pub use engine::database_copy::DatabaseCopy;
pub use engine::dialect::{ColumnShape, Filling, Table, refuse_unless_empty, sums_of_dump};
pub use engine::error::{Error, Fault};
pub use engine::holder::{Holder, Principal, Tenant};
pub use engine::migrate::{SchemaState, refuse_newer};
pub use engine::page::{Cursor, Page, PageRequest};
pub use engine::pool::{PoolState, Store};
pub use engine::scope::{Platform, Projects, Scope};
pub use engine::shares::{Grant, Shares};
pub use engine::snapshot::Snapshot;
pub use engine::sums::TableSum;
pub use engine::tx::Tx;
pub use engine::window::{Direction, Place, Slice, SortKey, Sorting, Window};
pub use facts::device_events::{DeviceEventKey, DeviceEvents, NewDeviceEvent};
pub use facts::fact_changes::{FactChange, FactChanges, FactState, Kinds};
pub use facts::fact_links::{DatedLink, FactLinks, SerialOf, SiteTerm};
pub use facts::fact_retention::{AgedFact, FactMark, FactRetention};
pub use facts::gps_chunks::{GpsChunk, GpsChunks, StationPosition};
pub use facts::incursion_details::{
    IncursionChange, IncursionClip, IncursionDetails, IncursionFound, IncursionVersion, IncursionsInDetail,
    Reviewed,
};
pub use facts::incursion_feed::{Feed, FeedEntry, IncursionFeed};
pub use facts::incursion_pages::IncursionPages;
pub use facts::incursion_summaries::{IncursionSummaries, IncursionSummary};
pub use facts::incursion_walks::{IncursionWalks, WalkPosition, WalkedBy};
pub use facts::incursions::{Attribution, ChangeCause, IncursionRow, Incursions, KeptIncursion};
pub use facts::incursions_as_of::{AsOf, IncursionsAsOf};
pub use facts::outside::{GroundBox, Outside, Standing};
pub use facts::runtime::{KeptPiece, Runtime, RuntimePiece, RuntimeSpan, RuntimeWindow};
pub use facts::station_figures::StationFigures;
pub use facts::timeline::{
    Among, DeviceEvent, StationClip, StationMessage, StationRuntime, Timeline, TimelinePlace,
};
pub use insights::exports::{BeganExport, Export, ExportContent, ExportsOfBrand, NewExport, OwnExports};
pub use insights::labels::Labels;
pub use insights::old_exports::{ExportObject, KeptExport, OldExports};
pub use insights::saved_views::{NewSavedView, SavedView, SavedViewFilter, SavedViews};
pub use insights::{Answered, Insights, Limits, RuntimeStretch};
pub use people::open_visits::{OpenVisit, OpenVisits};
pub use people::visitor_sessions::{
    NewVisit, Visit, VisitFilter, VisitValues, VisitorSessions, WorksiteName,
};
pub use people::worksite_presence::{MachinePosition, Seen, WorksitePresence};
pub use people::{KnownBy, NewPerson, People, PeopleFilter, Person};
pub use platform::audit::{
    AuditFilter, AuditRow, Audits, AuditsOfBrand, ChainState, NewAudit, RecordedChain, Seal,
};
pub use platform::audit_marks::{AuditMark, AuditMarks};
pub use platform::idempotency::{Answer, IdempotencyKey, IdempotencyKeys};
pub use platform::installation::{Installation, Installations, KeyState, SigningKey};
pub use platform::job_claims::{Claimable, Claimant};
pub use platform::jobs::{ClaimedJob, JobCounts, Jobs, NewJob};
pub use platform::key_epochs::{KeyEpoch, KeyEpochs, SEALED_COLUMNS, SealedColumn, SealedValue};
pub use platform::reach::Reach;
pub use registry::base_stations::{
    BaseStation, BaseStationFilter, BaseStations, ChangedBaseStation, Contact, NewBaseStation,
};
pub use registry::brand_settings::{BrandSettings, Logo, Retention, SettingValues};
pub use registry::brands::{Brand, Brands, Counters};
pub use registry::devices::{Device, Devices};
pub use registry::entities::{Entities, Entity, EntityDevice, EntityLink, LinkKind};
pub use registry::gateways::{Gateway, Gateways};
pub use registry::machine_assignments::{MachineAssignment, MachineAssignments};
pub use registry::machines::{Machine, MachineFilter, Machines, NewMachine};
pub use registry::messages::{Message, Messages};
pub use registry::notes::{Note, Notes};
pub use registry::projects::{NewProject, Project, ProjectFilter, ProjectsOfBrand};
pub use registry::serials::Registered;
pub use registry::station_installations::{StationInstallation, StationInstallations};
pub use registry::station_times::SeenStation;
pub use registry::station_zones::{StationZones, ZonesOfStations};
pub use registry::tag_assignments::{Actor, Assignment, AssignmentFilter, TagAssignments, Wearing};
pub use registry::tag_details::{LastTest, PersonName, TagDetails, TagFilter, TagsInDetail, UnwornBy};
pub use registry::tag_tests::{NewTagTest, Sighting, TagTest, TagTests};
pub use registry::tags::{Tag, Tags};
pub use registry::tester_devices::{NewTesterDevice, TesterDevice, TesterDevices};
pub use registry::tokens::{LiveToken, Token, TokenSummary, Tokens};
pub use registry::worksite_terms::{DatedBoundary, TermChange, WorksiteTerm, WorksiteTerms};
pub use registry::worksites::{
    KeptBoundary, NewWorksite, Worksite, WorksiteFilter, WorksiteVersion, Worksites,
};
pub use video::old_clips::{ClipObject, KeptClip, OldClips};
pub use video::video_clips::{ClipContent, ClipFilter, FilmedIncursion, NewClip, VideoClip, VideoClips};
