//! Use cases: the only place where rules live.
//!
//! Each file is a resource; its functions are methods of [`App`]. They take a [`Caller`] (or a device), which carries
//! the permission in its type and the scope inside, so that no use case can be reached without the right to it.

mod account_links;
mod account_notices;
mod audit;
mod audit_chain;
mod audit_check;
mod audit_ends;
mod audit_heads;
mod base_stations;
mod brand_settings;
mod brands;
mod caller;
mod clip_expiry;
mod clip_uploads;
mod clock_watch;
mod columns;
mod commands;
mod computing;
mod config;
mod dated;
mod elsewhere;
mod entities;
mod error;
mod exports;
mod fact_retention;
mod founding;
mod gateways;
mod granting;
mod hand;
mod housekeeping;
mod identities;
mod identity;
mod imports;
mod incursion_reviews;
mod incursions;
pub mod insights;
mod installation_key;
mod intake;
mod invitations;
pub mod jobs;
mod jwt;
mod key_epochs;
mod login;
mod login_buckets;
mod machine_assignments;
mod machines;
mod messages;
mod names;
mod notes;
mod object_check;
mod once;
mod orphans;
mod password_reset_queue;
mod password_resets;
mod passwords;
mod people;
mod people_erasure;
pub mod pictures;
mod projects;
mod proof;
mod reattribution;
mod registry_links;
mod restoring;
mod restriction;
mod saved_views;
mod sealing;
mod second_factor;
mod sessions;
mod site_index;
mod station_installations;
mod station_page;
mod station_tracks;
mod station_zones;
mod tag_assignments;
mod tag_corrections;
mod tags;
mod tester_devices;
mod timeline;
mod tokens;
pub mod totp;
mod upload_places;
mod user_access;
mod user_preferences;
mod users;
mod versions;
mod video_clips;
mod visit_closing;
mod visit_corrections;
mod visitor_sessions;
mod worksite_presence;
mod worksite_terms;
mod worksites;

use std::path::PathBuf;
use std::sync::{Arc, RwLock};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use blobs::Blobs;
use domain::{Clock, Random};
use store::{Platform, Store};
use tokio::sync::Notify;

pub use self::exports::{Downloadable, ExportOf, ExportRequest, ExportsConfig};
/// What a table is written as.
pub use ::exports::Format as ExportFormat;
/// How what is shared is divided, and on whose behalf work is done.
pub use ::store::{Grant, Holder, Principal, Shares, Tenant};
pub use account_links::AccountLetter;
pub use account_notices::NoticeLetter;
pub use audit::Actor;
pub use audit_check::AuditReport;
pub use audit_heads::{Heads, HeadsLog};
pub use base_stations::{BaseStationChange, BaseStationView};
pub use brand_settings::BrandChange;
pub use caller::{Caller, Origin, Reporter, ReporterKind, Tester, UserIdentity};
pub use columns::{AnalyticsConfig, Engine};
pub use commands::Commands;
pub use config::Config;
pub use entities::{EntityEntry, EntityFilter, EntityOrder, EntityPage, EntityRole, EntitySort};
pub use error::{Error, FieldError, FieldsOf, Kind};
pub use founding::{FoundedStation, FoundedTest, FoundedVisit, Founding, Held, Simulation};
pub use hand::{Hand, Reader};
pub use identity::{Credential, DeviceIdentity, Identity, Known, Refusal};
pub use imports::{BaseStationEntry, Entry, Imported, Line, Run, TagEntry, line_field};
pub use incursion_reviews::NewReview;
pub use incursions::{FeedView, IncursionList, IncursionRecord, IncursionView};
pub use installation_key::{InstallationConfig, InstallationKey, KEY_FILE, KeySource};
pub use intake::{Arrival, IntakeState, MOST_EVENTS, Taken, Verdict};
pub use invitations::{Invitation, OpenInvitation};
pub use jwt::AccessToken;
pub use key_epochs::{LostSecrets, RotatedKey, replace_lost_key};
pub use login::Credentials;
pub use machines::{Assignment, MachineChange};
pub use names::Names;
pub use object_check::{Depth, ObjectReport};
pub use once::Once;
pub use passwords::PasswordPolicy;
pub use people::PersonChange;
pub use projects::ProjectChange;
pub use proof::{FreshCaller, Proof};
pub use registry_links::LinkEdit;
pub use saved_views::{Missing, NewView, ViewChange, ViewDefinition, ViewOf};
pub use second_factor::{Enrolment, SecondFactorState};
pub use sessions::{CookieLogin, TokenLogin};
pub use station_installations::{IfLater, Move};
pub use station_page::{Part, StationEvent, StationPage};
pub use station_tracks::{Line as TrackLine, TrackRequest};
pub use tag_assignments::{IfOut, NewAssignment, TagName};
pub use tag_corrections::AssignmentCorrection;
pub use tags::{TagChange, TagView, TestResult};
pub use tester_devices::TesterDeviceChange;
pub use timeline::{TimelineEntry, TimelineFilter};
pub use tokens::IssuedToken;
pub use user_access::UserChange;
pub use user_preferences::PreferencesChange;
pub use users::{FirstAdmin, NewAccount, PasswordLasts, UserWithProjects};
pub use versions::IfMatch;
pub use video_clips::{Subject, Watchable};
pub use visit_corrections::VisitCorrection;
pub use visitor_sessions::{CheckIn, Visitor};
pub use worksite_presence::{MachineThere, SeenThere};
pub use worksites::{Deletion, WorksiteChange, kept};

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
    passwords: passwords::Passwords,
    password_resets: password_reset_queue::PasswordResetQueue,
    identities: identities::Identities,
    keys: RwLock<Arc<sealing::Ring>>,
    key_source: KeySource,
    heads: audit_heads::AuditHeads,
    store_id: String,
    enqueued: Arc<Notify>,
    running: once::Running,
    clock_watch: clock_watch::ClockWatch,
    site_indexes: site_index::SiteIndexes,
    intake: intake::Intake,
    blobs: Blobs,
    uploads: upload_places::UploadPlaces,
    bells: Arc<commands::Bells>,
    columns: columns::Columns,
    computing: computing::Computing,
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
        let (keys, installation) = key_epochs::open(&mut tx, &platform, &key_source, (&random, now)).await?;
        if tx.installation(&platform).signing_keys().await?.is_empty() {
            jwt::add_signing_key(&mut tx, &platform, (&keys, &random), now).await?;
        }
        tx.commit().await?;

        let passwords = passwords::Passwords::new(&config, &random)?;
        let identities = identities::Identities::default();
        let clock_watch = clock_watch::ClockWatch::new(&clock);
        let columns = columns::Columns::new(analytics, store.clone(), &installation.store_id, &data);
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
            password_resets: password_reset_queue::PasswordResetQueue::default(),
            identities,
            keys: RwLock::new(Arc::new(keys)),
            heads: audit_heads::AuditHeads::at(key_source.heads.clone()),
            key_source,
            store_id: installation.store_id,
            enqueued: Arc::default(),
            running: once::Running::default(),
            clock_watch,
            site_indexes: site_index::SiteIndexes::default(),
            intake: intake::Intake::default(),
            uploads: upload_places::UploadPlaces::new(blobs.upload_limits()),
            blobs,
            bells: Arc::default(),
            computing: computing::Computing::default(),
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
