//! An application of a test's own.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use app::{App, NewAccount, PasswordLifetime};
use domain::{Clock, DeviceKind, EmailAddress, Name, Random, Role, Timestamp};
use http::Method;
use jobs::{Context, Runner};
use mail::Email;
use serde_json::json;
use server::{Application, Config};
use store::{Brand, JobCounts};

use crate::database::{Database, Engine};
use crate::http::{Reply, Request};

/// The password of every account that tests make.
pub const PASSWORD: &str = "plum wagon sixty tiles";

/// An application over a database of its own, with a clock that stands until it is moved.
pub struct TestApp {
    /// The use cases.
    pub app: Arc<App>,
    /// The time.
    pub clock: Clock,
    /// How it is configured.
    pub config: Config,
    application: Application,
    database: Arc<Database>,
    allows_leftover_jobs: Arc<AtomicBool>,
}

/// What is looked at when a test is over.
pub struct LeftoverJobs {
    app: Arc<App>,
    allows_leftover_jobs: Arc<AtomicBool>,
    // Goes with its last owner.
    _database: Arc<Database>,
}

/// A user that a test made.
pub struct Account {
    /// To sign in with, and [`PASSWORD`].
    pub email: String,
    /// The cookie of a V1 session.
    pub cookie: String,
    /// The JWT of a V2 session.
    pub jwt: String,
    /// Its refresh token.
    pub refresh_token: String,
}

impl TestApp {
    /// Starts one over a fresh database.
    pub async fn start(engine: Engine) -> Self {
        Self::start_with(engine, |_| {}).await
    }

    /// Starts one with another configuration.
    pub async fn start_with(engine: Engine, change: impl FnOnce(&mut Config)) -> Self {
        let database = Database::migrated(engine).await;
        let mut config = database.config();
        config.mail.transport = mail::Transport::Memory;
        change(&mut config);
        // Noon of a Sunday in March, in the middle of a minute.
        let clock = Clock::manual_at(Timestamp::from_seconds(1_772_366_430));
        Self::build(Arc::new(database), config, clock).await
    }

    /// Starts one over a database that another program may have made: it is brought up to date first. Its clock stands at `at`.
    pub async fn open_existing(database: Database, at: Timestamp, change: impl FnOnce(&mut Config)) -> Self {
        let mut config = database.config();
        config.mail.transport = mail::Transport::Memory;
        change(&mut config);
        let (store, _) = database.open_with(&config).await;
        store.migrate(at).await.expect("migrations run");
        store.close().await;
        Self::build(Arc::new(database), config, Clock::manual_at(at)).await
    }

    async fn build(database: Arc<Database>, config: Config, clock: Clock) -> Self {
        let opened = database.open_with(&config).await;
        let application = Application::with_store(opened, &config, clock.clone(), Random::System)
            .await
            .expect("an application");
        let app = Arc::clone(&application.edge.app);
        Self { app, clock, config, application, database, allows_leftover_jobs: Arc::default() }
    }

    /// Another one over the same database and clock: what a second process would be. They share nothing but the rows.
    pub async fn second_instance(&self) -> Self {
        Self::build(Arc::clone(&self.database), self.config.clone(), self.clock.clone()).await
    }

    /// The same, of another configuration.
    pub async fn second_instance_with(&self, change: impl FnOnce(&mut Config)) -> Self {
        let mut config = self.config.clone();
        change(&mut config);
        Self::build(Arc::clone(&self.database), config, self.clock.clone()).await
    }

    /// The folder it keeps files in.
    pub fn data(&self) -> &Path {
        &self.config.data
    }

    /// The database it stands over.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// The HTTP side, for tests that build routes of their own.
    pub fn edge(&self) -> &Arc<web::Edge> {
        &self.application.edge
    }

    /// Does the jobs that are due by the test's clock, and tells how many attempts that were. Requests for new passwords are worked
    /// off before.
    pub async fn run_jobs(&self) -> u32 {
        self.app.flush_password_resets().await;
        self.runner().run_due().await.expect("jobs are done")
    }

    /// What does the jobs of this application.
    pub fn runner(&self) -> &Arc<Runner> {
        &self.application.runner
    }

    /// Another one that does the jobs of this application, to teach it more.
    pub fn new_runner(&self) -> Runner {
        let context = self.runner().context();
        let context = Context {
            app: Arc::clone(&self.app),
            mailer: context.mailer.clone(),
            base_url: context.base_url.clone(),
        };
        Runner::new(context, self.config.jobs.clone())
    }

    /// The mails that were sent, the oldest first.
    pub fn mails(&self) -> Vec<Email> {
        self.runner().context().mailer.sent_emails().into_iter().map(|delivered| delivered.message).collect()
    }

    /// Lets this test end with jobs that wait or have failed.
    pub fn allow_leftover_jobs(&self) {
        self.allows_leftover_jobs.store(true, Ordering::SeqCst);
    }

    /// What to look at when the test is over.
    pub(crate) fn leftover_jobs(&self) -> LeftoverJobs {
        let (app, leaves_jobs) = (Arc::clone(&self.app), Arc::clone(&self.allows_leftover_jobs));
        LeftoverJobs { app, allows_leftover_jobs: leaves_jobs, _database: Arc::clone(&self.database) }
    }

    /// A GET that is being put together.
    pub fn get(&self, path: &str) -> Request {
        self.request(Method::GET, path)
    }

    /// A POST that is being put together.
    pub fn post(&self, path: &str) -> Request {
        self.request(Method::POST, path)
    }

    /// A PATCH that is being put together.
    pub fn patch(&self, path: &str) -> Request {
        self.request(Method::PATCH, path)
    }

    /// A DELETE that is being put together.
    pub fn delete(&self, path: &str) -> Request {
        self.request(Method::DELETE, path)
    }

    /// Any request that is being put together.
    pub fn request(&self, method: Method, path: &str) -> Request {
        Request::new(self.application.router.clone(), method, path)
    }

    /// The brand of that name, made if there is none.
    pub async fn ensure_brand(&self, name: &str) -> Brand {
        let name = Name::parse(name).expect("a name");
        match self.app.find_brand(&name).await {
            Ok(brand) => brand,
            Err(_) => self.app.create_brand(&name).await.expect("a brand"),
        }
    }

    /// Makes a user of the brand "Acme" with [`PASSWORD`].
    pub async fn create_user(&self, email: &str, role: Role) {
        self.create_user_in_brand("Acme", email, role).await;
    }

    /// Makes a user of a brand with [`PASSWORD`].
    pub async fn create_user_in_brand(&self, brand: &str, email: &str, role: Role) {
        let account = NewAccount {
            email: EmailAddress::parse(email).expect("an email"),
            name: Name::parse(email.split('@').next().unwrap_or_default()).expect("a name"),
            role,
            password: PASSWORD.to_owned(),
            password_lifetime: PasswordLifetime::Permanent,
        };
        self.app.create_user(&self.ensure_brand(brand).await, &account).await.expect("a user");
    }

    /// Makes a user and signs them in by both ways.
    pub async fn sign_in_new_user(&self, email: &str, role: Role) -> Account {
        self.sign_in_new_user_in_brand("Acme", email, role).await
    }

    /// Makes a user of a brand and signs them in by both ways.
    pub async fn sign_in_new_user_in_brand(&self, brand: &str, email: &str, role: Role) -> Account {
        self.create_user_in_brand(brand, email, role).await;
        let cookie = self.log_in_v1(email, PASSWORD).await.expect(201).session_cookie();
        let reply = self.log_in_v2(email, PASSWORD).await.expect(200);
        Account {
            email: email.to_owned(),
            cookie,
            jwt: reply.header("accesstoken").to_owned(),
            refresh_token: reply.header("refreshtoken").to_owned(),
        }
    }

    /// POST /api/v1/session.
    pub async fn log_in_v1(&self, email: &str, password: &str) -> Reply {
        self.post("/api/v1/session").json(&json!({ "email": email, "password": password })).send().await
    }

    /// POST /api/v2/login.
    pub async fn log_in_v2(&self, email: &str, password: &str) -> Reply {
        self.post("/api/v2/login").json(&json!({ "email": email, "password": password })).send().await
    }

    /// The code that an authenticator app shows now, for a secret in base32.
    pub fn otp(&self, secret: &str) -> String {
        let (mut bits, mut count, mut seed) = (0_u32, 0, Vec::new());
        for character in secret.bytes() {
            let value = match character {
                b'A'..=b'Z' => character - b'A',
                b'2'..=b'7' => character - b'2' + 26,
                _ => panic!("{secret} is not base32"),
            };
            bits = (bits << 5 | u32::from(value)) & 0xFFF;
            count += 5;
            if count >= 8 {
                count -= 8;
                seed.push((bits >> count & 0xFF) as u8);
            }
        }
        app::totp::code(&seed, app::totp::step(self.clock.now()))
    }

    /// Issues a token for a device of a brand.
    pub async fn issue_token(&self, brand: &str, kind: DeviceKind, name: &str) -> String {
        let brand = self.ensure_brand(brand).await;
        self.app
            .issue_token_by_name(&brand, kind, &Name::parse(name).expect("a name"))
            .await
            .expect("a token")
            .secret
    }
}

impl LeftoverJobs {
    /// Fails if jobs are left that the test did not say it leaves.
    pub(crate) async fn check(self) {
        if self.allows_leftover_jobs.load(Ordering::SeqCst) {
            return;
        }
        // A test may have done away with its database.
        if let Ok(jobs) = self.app.job_counts().await {
            assert_eq!(
                jobs,
                JobCounts::default(),
                "jobs are left; run_jobs() does them, leave_jobs() leaves them"
            );
        }
    }
}
