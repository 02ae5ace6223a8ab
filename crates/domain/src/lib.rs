//! The domain types: ids, records, registry, accounts, facts, insights, alerts, and the clock and random source.
//!
//! Nothing here does I/O or is async. Every other crate builds on these types, and a value that has become one of them is
//! already validated. Records that use cases exchange with handlers are declared here; `store` reads them from its rows ([`row`]).

// `#[derive(macros::FromRow)]` names this crate by `::domain`, here as in `store`.
extern crate self as domain;

mod accounts;
mod alerts;
mod facts;
pub mod insights;
mod live;
mod people;
mod platform;
mod registry;
mod reports;
mod values;
pub mod video;

pub use accounts::access;
pub use accounts::access::{Permission, Role};
pub use accounts::account_link;
pub use accounts::account_link::{AccountChange, LinkPurpose};
pub use accounts::preferences;
pub use accounts::preferences::UserPreferences;
pub use accounts::secret;
pub use accounts::secret::Secret;
pub use accounts::service_account::{
    NewServiceAccount, SERVICE_ACCOUNT_MAX_LIFETIME, ServiceAccount, ServiceAccountFilter, ServiceToken,
};
pub use accounts::session::{OpenSession, SessionKind};
pub use accounts::user;
pub use accounts::user::{UNUSED_PASSWORD_LIFETIME, User, UserFilter, UserState};
pub use alerts::active_hours::{ActiveHours, OutsideHours};
pub use alerts::firing::{
    AlertFiring, AlertFiringFilter, ClearReason, FiringScope, FiringState, FiringSubject, OpenAlert,
};
pub use alerts::given_terms::GivenTerms;
pub use alerts::judge;
pub use alerts::judge::{Crossing, Judgement, Measurement, SplitState};
pub use alerts::level::AlertLevel;
pub use alerts::message::{
    AlertDelivery, AlertEvent, AlertMessage, AlertMessageKind, AlertMessageState, DeliveryState, MessageEvent,
};
pub use alerts::metric::{AlertComparison, AlertMetric, AlertUnit, MetricSource};
pub use alerts::not_notified::NotNotifiedReason;
pub use alerts::recipient::{AlertRecipient, NewRecipient};
pub use alerts::rule::{AlertRule, AlertRuleFilter, AlertSeverity, AlertStatus, AlertTerms};
pub use alerts::scope::{AlertScope, AlertSplit, ScopeList, SplitKey};
pub use alerts::webhook::{Webhook, WebhookDisabled};
pub use alerts::webhook_address::{WebhookAddress, is_public_address};
pub use alerts::window::{AlertWindow, CalendarUnit};
pub use facts::event;
pub use facts::event::{Event, EventPayload, Fix, TimeWindow, Uid};
pub use facts::incursion;
pub use facts::incursion::{Review, Zone};
pub use facts::incursion_order::{IncursionOrder, IncursionSort};
pub use facts::incursion_record::{
    Attribution, ChangeCause, IncursionChange, IncursionClip, IncursionDetails, IncursionRow,
    IncursionSummary, IncursionVersion, ReviewedIncursion, StoredIncursion, StoredReview,
};
pub use facts::position::StationPosition;
pub use facts::station_figures::StationFigures;
pub use facts::timeline;
pub use facts::timeline::{
    DeviceEvent, StationClip, StationMessage, StationRuntime, TimelineId, TimelineKind,
};
pub use insights::export;
pub use insights::export::{Export, ExportContent, ExportKind, ExportState};
pub use insights::saved_view;
pub use insights::saved_view::{SavedView, SavedViewFilter, SavedViewKind};
pub use live::{ChangeCount, SiteChanges, StationTrouble, StatusCounts, WorkKind, WorkProgress};
pub use people::person;
pub use people::person::{NewPerson, PeopleFilter, Person, PersonKind, PersonName};
pub use people::presence::{LastSeenAt, MachinePosition};
pub use people::visit;
pub use people::visit::{Visit, VisitFilter, VisitPeriod, VisitState, WorksiteName};
pub use platform::audit::{AuditFilter, AuditLogEntry, AuditRow};
pub use platform::clock;
pub use platform::clock::{Clock, ManualClock, Monotonic};
pub use platform::hosts::{Host, HostRole, ServerConnections, is_wrong_clock};
pub use platform::idempotency::{IdempotencyKey, StoredResponse};
pub use platform::opaque::Opaque;
pub use platform::random;
pub use platform::random::Random;
pub use registry::actor::{Actor, ActorKind};
pub use registry::antenna;
pub use registry::antenna::{AntennaZones, PartName, StationZones, ZoneRadius};
pub use registry::base_station;
pub use registry::base_station::{BaseStation, BaseStationFilter, Heartbeat, StationHealth, StationStatus};
pub use registry::brand_settings::{BrandSettings, Logo, Retention, SettingValues};
pub use registry::device;
pub use registry::device::{DeviceFilter, DeviceKind, Gateway, NewTesterDevice, TesterDevice, TokenSummary};
pub use registry::entity;
pub use registry::entity::{Activity, Entity, EntityDevice, EntityLink, EntityType, LinkKind};
pub use registry::found::{Found, FoundBaseStation, FoundPerson, FoundTag};
pub use registry::listing::{ListOrder, ListRequest, Listing, RegistryChanges, RegistryRows, VersionRange};
pub use registry::machine;
pub use registry::machine::{Machine, MachineAssignment, MachineFilter, MachineKind, NewMachine, Year};
pub use registry::message;
pub use registry::message::{Message, MessageState, MessageText};
pub use registry::note::Note;
pub use registry::project::{NewProject, Project, ProjectFilter};
pub use registry::station_installation::StationInstallation;
pub use registry::tag;
pub use registry::tag::{LastTest, Tag, TagDetails, TagFilter, TagRole};
pub use registry::tag_assignment::{Assignment, AssignmentFilter};
pub use registry::tag_state;
pub use registry::tag_state::{TagFacts, TagFlag, TagState, TagThresholds};
pub use registry::tag_test::TagTest;
pub use registry::worksite;
pub use registry::worksite::{
    NewWorksite, StoredBoundary, Worksite, WorksiteFilter, WorksiteKind, WorksiteTerm,
};
pub use reports::report;
pub use reports::report::{
    Paper, Report, ReportContent, ReportFilter, ReportFormat, ReportKind, ReportState, ReportSubject,
};
pub use reports::run_times::RunTimes;
pub use reports::schedule;
pub use reports::schedule::{
    Cadence, NextRun, PauseReason, ReportPeriod, ReportRecipient, ReportSchedule, ReportScheduleFilter,
    RunState, ScheduleRule,
};
pub use reports::site_report;
pub use reports::site_report::{SiteReport, SiteReportFilter, SiteReportGenerator};
pub use values::change;
pub use values::change::Change;
pub use values::colour::Colour;
pub use values::coordinates;
pub use values::coordinates::Coordinates;
pub use values::crc32::crc32;
pub use values::day;
pub use values::day::Day;
pub use values::email_address::EmailAddress;
pub use values::hex::{decode_hex, encode_hex};
pub use values::ids;
pub use values::ids::*;
pub use values::invalid;
pub use values::invalid::Invalid;
pub use values::locale;
pub use values::network;
pub use values::network::network_of;
pub use values::page::{Cursor, Page, PageRequest};
pub use values::percent::Percent;
pub use values::period::{Period, PreviousPeriod};
pub use values::period_bound::{LocalBound, PeriodBound};
pub use values::png;
pub use values::row;
pub use values::serial::Serial;
pub use values::sorted;
pub use values::sorted::{SortedMap, SortedSet};
pub use values::text;
pub use values::text::{MultilineText, Name};
pub use values::time;
pub use values::time::{Span, Timestamp};
pub use values::time_zone;
pub use values::time_zone::{LocalTime, TimeZone};
pub use values::window::{Direction, Slice, SortKey, Sorting, Window, WindowPosition};
pub use video::{ClipContent, ClipFilter, ClipRange, ClipState, VideoClip, VideoType};
