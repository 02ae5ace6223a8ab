//! Use cases of the service: all business rules live here.
//!
//! Each file covers one resource, and its functions are methods of [`App`]. They take a [`Caller`] or a device, whose type
//! carries the permission and which contains the scope, so that no use case can be called without the right to it.

mod accounts;
mod alerts;
mod facts;
pub mod insights;
mod live;
mod people;
mod platform;
mod registry;
pub mod reports;
mod video;

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, RwLock};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use blobs::Blobs;
use domain::{Clock, IdempotencyKey, Opaque, Random};
use store::Platform;
use tokio::sync::Notify;

pub use ::exports::Format as ExportFormat;
pub use ::store::{Grant, Principal, Shares, Store, TaskOwner, Tenant};
pub use accounts::account_links::AccountEmail;
pub use accounts::account_notices::NoticeEmail;
pub use accounts::actor::Actor;
pub use accounts::caller::{Caller, Origin, Reporter, ReporterKind, Tester, UserIdentity};
pub use accounts::identity::{Authenticated, Credential, CredentialError, DeviceIdentity, Identity};
pub use accounts::invitations::{NewInvitation, OpenInvitation};
pub use accounts::jwt::{AccessToken, EarlierTokens};
pub use accounts::login::Credentials;
pub use accounts::names::Names;
pub use accounts::password_policy::PasswordPolicy;
pub use accounts::proof::{FreshCaller, Proof};
pub use accounts::registry_access::{Editor, Reader};
pub use accounts::second_factor::{Enrolment, SecondFactorState};
pub use accounts::service_accounts::{ServiceAccountChange, ServiceAccountWithProjects};
pub use accounts::service_tokens::{IssuedServiceToken, ServiceTokenRequest};
pub use accounts::sessions::{CookieLogin, TokenLogin};
pub use accounts::user_access::UserChange;
pub use accounts::user_preferences::PreferencesChange;
pub use accounts::users::{FirstAdmin, NewAccount, PasswordLifetime, UserWithProjects};
pub use alerts::{
    AlertChange, AlertEmail, AlertEmailRow, AlertStats, AlertView, AlertsConfig, AlertsSetup, DryRun,
    DryRunFiring, DryRunSplit, EvaluationSummary, FiringFact, FiringLabels, FiringView,
    MAX_CONCURRENT_EVALUATIONS, NewAlert, NewWebhook, Unsubscription, WebhookCall, WebhookChange,
    WebhookNoticeEmail, WebhookView, explain_firing,
};
pub use charts::MIN_READABLE_SIDE as MIN_READABLE_CHART_SIDE;
pub use facts::incursion_clips::IncursionView;
pub use facts::incursion_relations::{IncursionRelations, RelatedRecords};
pub use facts::incursion_reviews::NewReview;
pub use facts::incursions::{
    IncursionChanges, IncursionList, IncursionRecord, IncursionSlice, IncursionsWithRelated,
};
pub use facts::ingest::{BatchOutcome, EventOutcome, IngestState, MAX_BATCH_EVENTS, ReceivedEvent};
pub use facts::loading_history::LoadingHistory;
pub use facts::machine_timeline::{MachineTimeline, MovedMessage};
pub use facts::timeline::{TimelineEntry, TimelineFilter};
pub use insights::columns::{AnalyticsConfig, Engine};
pub use insights::exports::{ExportDownload, ExportRequest, ExportSource, ExportsConfig};
pub use insights::saved_views::{MissingReference, NewView, ViewChange, ViewDefinition, ViewQuery};
pub use insights::warehouse::{WarehouseFollowers, check_warehouse};
pub use live::{DeviceStates, LiveEvent, LiveStats, LiveStream};
pub use people::PersonChange;
pub use people::visit_corrections::VisitCorrection;
pub use people::visitor_sessions::{CheckIn, Visitor};
pub use people::worksite_presence::{MachineAtWorksite, SeenAtWorksite};
pub use platform::audit_heads::{HeadsLog, RecordedHeads};
pub use platform::audit_report::AuditReport;
pub use platform::config::AuthConfig;
pub use platform::error::{Error, ErrorKind, FieldError, FieldLocation};
pub use platform::feed_lags::{Feed, FeedLags};
pub use platform::hosts::Fleet;
pub use platform::idempotency::{Idempotent, STILL_RUNNING};
pub use platform::if_match::IfMatch;
pub use platform::installation_key::{InstallationConfig, InstallationKey, KEY_FILE, KeySource};
pub use platform::key_epochs::{LostSecrets, RotatedKey, replace_lost_key};
pub use platform::object_check::{Depth, ObjectReport};
pub use platform::readiness::check_readiness;
pub use platform::shown_once::ShownOnce;
pub use registry::base_stations::{BaseStationChange, BaseStationView};
pub use registry::brand_settings::BrandChange;
pub use registry::commands::Commands;
pub use registry::device_overview::{StationOverview, TagOverview};
pub use registry::entities::{EntityDetails, EntityEntry, EntityFilter, EntityOrder, EntityRole, EntitySort};
pub use registry::imports::{
    BaseStationEntry, ImportEntry, ImportLine, ImportMode, ImportSummary, TagEntry, line_field,
};
pub use registry::machines::{MachineChange, MachineCreation};
pub use registry::projects::ProjectChange;
pub use registry::registry_links::LinkEdit;
pub use registry::registry_seed::{
    RegistrySeed, SeedStation, SeedTagTest, SeedVisit, SimulationState, ValidPeriod,
};
pub use registry::station_details::{Involvement, StationDetails, StationEvent};
pub use registry::station_installations::{InstallationChange, LaterInstallations};
pub use registry::station_tracks::{TrackLine, TrackRequest};
pub use registry::tag_assignments::{IfAssigned, NewAssignment, TagReference};
pub use registry::tag_corrections::AssignmentCorrection;
pub use registry::tags::{TagChange, TagTestResult, TagView};
pub use registry::tester_devices::TesterDeviceChange;
pub use registry::tokens::IssuedToken;
pub use registry::unrestricted_actions as unrestricted;
pub use registry::worksites::{Deletion, WorksiteChange, WorksiteCreation, stored_boundary};
pub use reports::{
    AuthorLookup, Delivery, FactView, KeyFigure, KeyFigures, NewReport, NewReportSchedule, NewSiteReport,
    NoAnswer, ReportDownload, ReportEmail, ReportScheduleChange, ReportView, ReportsConfig, ReportsSetup,
    RunFailureEmail, ScheduleReach, ScheduleView, SentenceView, SiteReportDraft, SiteReportStep,
    SiteReportView, SiteReportWriting, WrittenSiteReport,
};
pub use video::clip_uploads::ClipStream;
pub use video::video_clips::{ClipSubject, PlayableClip};

/// The use cases. There is one per process. Opaque, because every crate above drops it, and with it caches, clients and connections.
pub struct App(Opaque<Parts>);

/// Everything that use cases need; see [`App`].
pub struct Parts {
    pub store: Store,
    pub clock: Clock,
    pub random: Random,
    platform: Platform,
    config: AuthConfig,
    passwords: accounts::passwords::PasswordHashingPool,
    password_reset_queue: accounts::password_reset_queue::PasswordResetQueue,
    identity_cache: accounts::identity_cache::IdentityCache,
    unrecorded_expiries: accounts::expired_credentials::UnrecordedExpiries,
    keys: RwLock<Arc<platform::sealing::KeyRing>>,
    key_source: KeySource,
    audit_heads: platform::audit_heads::AuditHeads,
    store_id: String,
    job_notify: Arc<Notify>,
    call_notify: Arc<Notify>,
    idempotency_in_flight: platform::in_flight::InFlight<IdempotencyKey>,
    recent_secrets: platform::shown_once::RecentSecrets,
    recent_proofs: accounts::recent_proofs::RecentProofs,
    clock_watch: platform::clock_watch::ClockWatch,
    site_indexes: registry::site_index::SiteIndexes,
    related_cache: facts::related_cache::RelatedCache,
    ingest_queue: facts::ingest::IngestQueue,
    loading_histories: facts::loading_history::LoadingHistories,
    blobs: Blobs,
    upload_permits: video::upload_permits::UploadPermits,
    command_notifier: Arc<registry::commands::CommandNotifier>,
    columns: insights::columns::Columns,
    /// None if none is configured.
    warehouse: Option<Arc<insights::warehouse::Warehouse>>,
    compute_pool: insights::compute_pool::ComputePool,
    exports_config: ExportsConfig,
    reports_setup: ReportsSetup,
    render_pool: reports::RenderPool,
    alerts: alerts::Alerts,
    live: live::LiveHubs,
    feed_lags: FeedLags,
    this_host: platform::hosts::ThisHost,
    max_sorted_incursions: u32,
    /// Lets one page be reattributed at a time, so that ingested batches never wait for more than one such transaction.
    reattribution_lock: tokio::sync::Mutex<()>,
}

impl Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

#[macros::boxed]
impl App {
    /// Sets up the use cases over a database whose schema is current, and creates the installation's secrets on the first start.
    /// Fails if the database is sealed with a different installation key than the one found.
    pub async fn new(
        (store, platform): (Store, Platform),
        config: AuthConfig,
        (analytics, exports, reports, alerts, data): (
            AnalyticsConfig,
            ExportsConfig,
            ReportsSetup,
            AlertsSetup,
            PathBuf,
        ),
        blobs: Blobs,
        key_source: KeySource,
        clock: Clock,
        random: Random,
    ) -> Result<Arc<Self>, Error> {
        let store_id = BASE64_URL_SAFE_NO_PAD.encode(random.bytes::<16>());
        let now = clock.now();
        let mut tx = store.begin().await?;
        tx.installation(&platform).ensure(&store_id, &random.bytes::<32>(), now).await?;
        tx.installation(&platform).lock().await?;
        let (keys, installation) =
            platform::key_epochs::open_keys(&mut tx, &platform, &key_source, (&random, now)).await?;
        if tx.installation(&platform).signing_keys().await?.is_empty() {
            accounts::jwt::add_signing_key(&mut tx, &platform, (&keys, &random), now).await?;
        }
        tx.commit().await?;

        let passwords = accounts::passwords::PasswordHashingPool::new(&config, &random)?;
        let identities = accounts::identity_cache::IdentityCache::default();
        let clock_watch = platform::clock_watch::ClockWatch::new(&clock);
        let max_sorted_incursions = analytics.max_sorted_incursions;
        let warehouse = insights::warehouse::Warehouse::new(&analytics.warehouse, &store)?;
        let feed_lags = FeedLags::default();
        let setup = insights::columns::ColumnsSetup {
            blobs: blobs.clone(),
            data,
            clock: clock.clone(),
            random: random.clone(),
            feed_lags: feed_lags.clone(),
            warehouse: warehouse.clone(),
            store_id: installation.store_id.clone(),
        };
        let columns = insights::columns::Columns::new(analytics, store.clone(), setup);
        Ok(Arc::new(Self(Opaque::new(Parts {
            columns,
            warehouse,
            exports_config: exports,
            render_pool: reports::RenderPool::new(&reports.config),
            reports_setup: reports,
            alerts: alerts::Alerts::new(alerts),
            live: live::LiveHubs::default(),
            feed_lags,
            this_host: platform::hosts::ThisHost::new(&clock, &random),
            max_sorted_incursions,
            reattribution_lock: tokio::sync::Mutex::default(),
            store,
            clock,
            random,
            platform,
            config,
            passwords,
            password_reset_queue: accounts::password_reset_queue::PasswordResetQueue::default(),
            identity_cache: identities,
            unrecorded_expiries: accounts::expired_credentials::UnrecordedExpiries::default(),
            keys: RwLock::new(Arc::new(keys)),
            audit_heads: platform::audit_heads::AuditHeads::at(key_source.heads_path.clone()),
            key_source,
            store_id: installation.store_id,
            job_notify: Arc::default(),
            call_notify: Arc::default(),
            idempotency_in_flight: platform::in_flight::InFlight::default(),
            recent_secrets: platform::shown_once::RecentSecrets::default(),
            recent_proofs: accounts::recent_proofs::RecentProofs::default(),
            clock_watch,
            site_indexes: registry::site_index::SiteIndexes::default(),
            related_cache: facts::related_cache::RelatedCache::default(),
            ingest_queue: facts::ingest::IngestQueue::default(),
            loading_histories: facts::loading_history::LoadingHistories::default(),
            upload_permits: video::upload_permits::UploadPermits::new(blobs.upload_limits()),
            blobs,
            command_notifier: Arc::default(),
            compute_pool: insights::compute_pool::ComputePool::default(),
        }))))
    }

    /// Returns the random id that distinguishes this installation's database from all others.
    pub fn store_id(&self) -> &str {
        &self.store_id
    }

    /// Returns the number of brands whose columns are in memory and the bytes they take, for /metrics.
    pub fn column_cache_stats(&self) -> (usize, usize) {
        self.columns.stats()
    }

    /// Returns the number of password hashes that this process has computed, for /metrics.
    pub fn password_hash_count(&self) -> u64 {
        self.passwords.hashes_computed()
    }

    /// Returns a random secret of 256 bits, written in letters, digits, `-` and `_`.
    fn generate_secret(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.random.bytes::<32>())
    }
}
pub use accounts::totp;
pub use insights::chart_images;
pub use platform::jobs;
