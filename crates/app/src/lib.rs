//! Use cases: the only place where rules live.
//!
//! Each file is a resource; its functions are methods of [`App`]. They take a [`Caller`] (or a device), which carries
//! the permission in its type and the scope inside, so that no use case can be reached without the right to it.

mod accounts;
mod facts;
pub mod insights;
mod people;
mod platform;
mod registry;
mod video;

use std::path::PathBuf;
use std::sync::{Arc, RwLock};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use blobs::Blobs;
use domain::{Clock, Random};
use store::{Platform, Store};
use tokio::sync::Notify;

/// What a table is written as.
pub use ::exports::Format as ExportFormat;
/// How what is shared is divided, and on whose behalf work is done.
pub use ::store::{Grant, Holder, Principal, Shares, Tenant};
pub use accounts::account_links::AccountLetter;
pub use accounts::account_notices::NoticeLetter;
pub use accounts::caller::{Caller, Origin, Reporter, ReporterKind, Tester, UserIdentity};
pub use accounts::hand::{Hand, Reader};
pub use accounts::identity::{Credential, DeviceIdentity, Identity, Known, Refusal};
pub use accounts::invitations::{Invitation, OpenInvitation};
pub use accounts::jwt::AccessToken;
pub use accounts::login::Credentials;
pub use accounts::names::Names;
pub use accounts::passwords::PasswordPolicy;
pub use accounts::proof::{FreshCaller, Proof};
pub use accounts::second_factor::{Enrolment, SecondFactorState};
pub use accounts::sessions::{CookieLogin, TokenLogin};
pub use accounts::user_access::UserChange;
pub use accounts::user_preferences::PreferencesChange;
pub use accounts::users::{FirstAdmin, NewAccount, PasswordLasts, UserWithProjects};
pub use facts::incursion_reviews::NewReview;
pub use facts::incursions::{FeedView, IncursionList, IncursionRecord, IncursionView};
pub use facts::intake::{Arrival, IntakeState, MOST_EVENTS, Taken, Verdict};
pub use facts::timeline::{TimelineEntry, TimelineFilter};
pub use insights::columns::{AnalyticsConfig, Engine};
pub use insights::exports::{Downloadable, ExportOf, ExportRequest, ExportsConfig};
pub use insights::saved_views::{Missing, NewView, ViewChange, ViewDefinition, ViewOf};
pub use people::PersonChange;
pub use people::visit_corrections::VisitCorrection;
pub use people::visitor_sessions::{CheckIn, Visitor};
pub use people::worksite_presence::{MachineThere, SeenThere};
pub use platform::audit::Actor;
pub use platform::audit_check::AuditReport;
pub use platform::audit_heads::{Heads, HeadsLog};
pub use platform::config::Config;
pub use platform::error::{Error, FieldError, FieldsOf, Kind};
pub use platform::installation_key::{InstallationConfig, InstallationKey, KEY_FILE, KeySource};
pub use platform::key_epochs::{LostSecrets, RotatedKey, replace_lost_key};
pub use platform::object_check::{Depth, ObjectReport};
pub use platform::once::Once;
pub use platform::versions::IfMatch;
pub use registry::base_stations::{BaseStationChange, BaseStationView};
pub use registry::brand_settings::BrandChange;
pub use registry::commands::Commands;
pub use registry::entities::{EntityEntry, EntityFilter, EntityOrder, EntityPage, EntityRole, EntitySort};
pub use registry::founding::{FoundedStation, FoundedTest, FoundedVisit, Founding, Held, Simulation};
pub use registry::imports::{BaseStationEntry, Entry, Imported, Line, Run, TagEntry, line_field};
pub use registry::machines::{Assignment, MachineChange};
pub use registry::projects::ProjectChange;
pub use registry::registry_links::LinkEdit;
pub use registry::station_installations::{IfLater, Move};
pub use registry::station_page::{Part, StationEvent, StationPage};
pub use registry::station_tracks::{Line as TrackLine, TrackRequest};
pub use registry::tag_assignments::{IfOut, NewAssignment, TagName};
pub use registry::tag_corrections::AssignmentCorrection;
pub use registry::tags::{TagChange, TagView, TestResult};
pub use registry::tester_devices::TesterDeviceChange;
pub use registry::tokens::IssuedToken;
pub use registry::worksites::{Deletion, WorksiteChange, kept};
pub use video::video_clips::{Subject, Watchable};

/// Everything a use case needs. One per process.
pub struct App {
    /// The rows.
    pub store: Store,
    /// The time.
    pub clock: Clock,
    /// Chance.
    pub random: Random,
    platform: Platform,
    config: Config,
    passwords: accounts::passwords::Passwords,
    password_resets: accounts::password_reset_queue::PasswordResetQueue,
    identities: accounts::identities::Identities,
    keys: RwLock<Arc<platform::sealing::Ring>>,
    key_source: KeySource,
    heads: platform::audit_heads::AuditHeads,
    store_id: String,
    enqueued: Arc<Notify>,
    running: platform::once::Running,
    clock_watch: platform::clock_watch::ClockWatch,
    site_indexes: registry::site_index::SiteIndexes,
    intake: facts::intake::Intake,
    blobs: Blobs,
    uploads: video::upload_places::UploadPlaces,
    bells: Arc<registry::commands::Bells>,
    columns: insights::columns::Columns,
    computing: insights::computing::Computing,
    exports_config: ExportsConfig,
    /// One page is attributed anew at a time: what comes in would wait for as many as there are jobs.
    reattribution_turn: tokio::sync::Mutex<()>,
}

impl App {
    /// Sets up the use cases over a database whose schema is current; makes the installation's secrets on the first start. Fails if
    /// the database is sealed with another installation key than the one that is found.
    pub async fn new(
        (store, platform): (Store, Platform),
        config: Config,
        (analytics, exports, data): (AnalyticsConfig, ExportsConfig, PathBuf),
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
            platform::key_epochs::open(&mut tx, &platform, &key_source, (&random, now)).await?;
        if tx.installation(&platform).signing_keys().await?.is_empty() {
            accounts::jwt::add_signing_key(&mut tx, &platform, (&keys, &random), now).await?;
        }
        tx.commit().await?;

        let passwords = accounts::passwords::Passwords::new(&config, &random)?;
        let identities = accounts::identities::Identities::default();
        let clock_watch = platform::clock_watch::ClockWatch::new(&clock);
        let columns =
            insights::columns::Columns::new(analytics, store.clone(), &installation.store_id, &data);
        Ok(Arc::new(Self {
            columns,
            exports_config: exports,
            reattribution_turn: tokio::sync::Mutex::default(),
            store,
            clock,
            random,
            platform,
            config,
            passwords,
            password_resets: accounts::password_reset_queue::PasswordResetQueue::default(),
            identities,
            keys: RwLock::new(Arc::new(keys)),
            heads: platform::audit_heads::AuditHeads::at(key_source.heads.clone()),
            key_source,
            store_id: installation.store_id,
            enqueued: Arc::default(),
            running: platform::once::Running::default(),
            clock_watch,
            site_indexes: registry::site_index::SiteIndexes::default(),
            intake: facts::intake::Intake::default(),
            uploads: video::upload_places::UploadPlaces::new(blobs.upload_limits()),
            blobs,
            bells: Arc::default(),
            computing: insights::computing::Computing::default(),
        }))
    }

    /// What this installation's database is called; no other's is called the same.
    pub fn store_id(&self) -> &str {
        &self.store_id
    }

    /// For how many brands columns are held in memory, and how many bytes they take, for /metrics.
    pub fn columns_state(&self) -> (usize, usize) {
        self.columns.state()
    }

    /// How many password hashes this process has computed, for /metrics.
    pub fn password_hashes(&self) -> u64 {
        self.passwords.computed()
    }

    /// A secret of 256 bits in letters, digits, `-` and `_`.
    fn secret(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.random.bytes::<32>())
    }
}
pub use accounts::totp;
pub use insights::pictures;
pub use platform::jobs;
