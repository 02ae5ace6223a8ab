//! The database layer: SQLite and PostgreSQL behind one set of SQL statements.
//!
//! This is the only crate that knows `sqlx`. Queries are grouped in one module per resource, as methods of an accessor that a
//! transaction hands out for a [`Scope`] (tables of a brand) or against a [`Platform`] (tables without a brand).
//! Only the modules of `engine/dialect` may branch on the engine.

mod accounts;
mod engine;
mod facts;
mod insights;
mod people;
mod platform;
mod registry;
mod video;

pub use accounts::account_links::{AccountLink, AccountLinkDetails, AccountLinks, NewAccountLink};
pub use accounts::failed_logins::{FailedLoginCount, FailedLogins};
pub use accounts::login_throttle::{FailedAttempts, LoginThrottle};
pub use accounts::second_factors::{SecondFactor, SecondFactors};
pub use accounts::sessions::{NewSession, OpenSession, Session, SessionKind, SessionWithUser, Sessions};
pub use accounts::user_preferences::{PreferencesOfUser, UserPreferences};
pub use accounts::users::{NewUser, User, UserFilter, UserWithSecret, Users, UsersOfBrand};
pub use engine::checksums::TableChecksum;
pub use engine::config::{Address, Config, Engine};
pub use engine::database_copy::DatabaseCopy;
pub use engine::dialect::{ColumnShape, Restore, Table, checksum_dump, ensure_empty};
pub use engine::error::{Error, StorageFault};
pub use engine::migrate::{SchemaState, ensure_not_newer};
pub use engine::page::{Cursor, Page, PageRequest};
pub use engine::pool::{PoolState, Store};
pub use engine::scope::{Platform, Projects, Scope};
pub use engine::shares::{Grant, Shares};
pub use engine::snapshot::Snapshot;
pub use engine::task_owner::{Principal, TaskOwner, Tenant};
pub use engine::tx::Tx;
pub use engine::window::{Direction, Slice, SortKey, Sorting, Window, WindowPosition};
pub use facts::device_events::{DeviceEventKey, DeviceEvents, NewDeviceEvent};
pub use facts::fact_changes::{FactChange, FactChanges, FactState, RegistryKinds};
pub use facts::fact_links::{DatedLink, FactLinks, SerialEntry, SiteTerm};
pub use facts::fact_retention::{FactRetention, FactWatermark, RetentionKind};
pub use facts::gps_chunks::{GpsChunk, GpsChunks, StationPosition};
pub use facts::incursion_details::{
    IncursionChange, IncursionClip, IncursionDetails, IncursionVersion, IncursionWithFlags,
    IncursionsInDetail, StoredReview,
};
pub use facts::incursion_feed::{FeedEntry, FeedPage, IncursionFeed};
pub use facts::incursion_pages::IncursionPages;
pub use facts::incursion_scans::{IncursionScans, ScanBy, ScanPosition};
pub use facts::incursion_summaries::{IncursionSummaries, IncursionSummary};
pub use facts::incursions::{Attribution, ChangeCause, IncursionRow, Incursions, StoredIncursion};
pub use facts::incursions_as_of::{AsOfPageRequest, IncursionsAsOf};
pub use facts::out_of_scope::{BoundingBox, OutOfScope, ScopePlacement};
pub use facts::runtime::{ReportedRuntime, Runtime, RuntimePiece, RuntimeWindow, StoredRuntimePiece};
pub use facts::station_figures::StationFigures;
pub use facts::timeline::{
    DeviceEvent, StationClip, StationMessage, StationRuntime, Timeline, TimelinePosition, TimelineSelection,
};
pub use insights::expired_exports::{ExpiredExports, ExportObject, StoredExport};
pub use insights::exports::{Export, ExportContent, ExportStart, ExportsOfBrand, NewExport, OwnExports};
pub use insights::labels::Labels;
pub use insights::saved_views::{NewSavedView, SavedView, SavedViewFilter, SavedViews};
pub use insights::{AnswerWithSeq, Insights, MachineRuntimePiece, QueryLimits};
pub use people::open_visits::{OpenVisit, OpenVisits};
pub use people::person_name::PersonName;
pub use people::visitor_sessions::{
    NewVisit, Visit, VisitFilter, VisitValues, VisitorSessions, WorksiteName,
};
pub use people::worksite_presence::{LastSeenAt, MachinePosition, WorksitePresence};
pub use people::{NewPerson, People, PeopleFilter, Person, ShownAs};
pub use platform::audit::{
    AuditFilter, AuditRow, Audits, AuditsOfBrand, ChainState, NewAudit, RecordedChain, Seal,
};
pub use platform::audit_marks::{AuditMark, AuditMarks};
pub use platform::idempotency::{IdempotencyKey, IdempotencyKeys, StoredResponse};
pub use platform::installation::{Installation, Installations, KeyState, SigningKey};
pub use platform::job_claims::{Claimable, Claimant};
pub use platform::jobs::{ClaimedJob, JobCounts, Jobs, NewJob};
pub use platform::key_epochs::{KeyEpoch, KeyEpochs, SEALED_COLUMNS, SealedColumn, SealedValue};
pub use platform::visibility::Visibility;
pub use registry::actor::Actor;
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
pub use registry::serials::SerialOwner;
pub use registry::station_installations::{StationInstallation, StationInstallations};
pub use registry::station_visibility::VisibleStation;
pub use registry::station_zones::{StationZones, ZonesOfStations};
pub use registry::tag_assignments::{Assignment, AssignmentFilter, AssignmentPeriod, TagAssignments};
pub use registry::tag_details::{ExcludedWearers, LastTest, TagDetails, TagFilter, TagsInDetail};
pub use registry::tag_tests::{NewTagTest, Sighting, TagTest, TagTests};
pub use registry::tags::{Tag, Tags};
pub use registry::tester_devices::{NewTesterDevice, TesterDevice, TesterDevices};
pub use registry::tokens::{LiveToken, Token, TokenSummary, Tokens};
pub use registry::worksite_terms::{DatedBoundary, TermChange, WorksiteTerm, WorksiteTerms};
pub use registry::worksites::{
    NewWorksite, StoredBoundary, Worksite, WorksiteFilter, WorksiteVersion, Worksites,
};
pub use video::expired_clips::{ClipObject, ExpiredClips, StoredClip};
pub use video::video_clips::{ClipContent, ClipFilter, FilmedIncursion, NewClip, VideoClip, VideoClips};
