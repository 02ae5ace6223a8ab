//! The application under test.

use std::net::{Ipv4Addr, SocketAddr};
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
use tokio::net::TcpListener;

use crate::database::{Database, Engine};
use crate::http::{Reply, Request};

/// The password of all accounts that tests create.
pub const PASSWORD: &str = "plum wagon sixty tiles";

/// An application over a database of its own, with a clock that stands still until a test moves it.
pub struct TestApp {
    pub app: Arc<App>,
    pub clock: Clock,
    pub config: Config,
    application: Application,
    database: Arc<Database>,
    allows_leftover_jobs: Arc<AtomicBool>,
}

/// The check that no jobs are left over when a test ends.
pub struct LeftoverJobs {
    app: Arc<App>,
    allows_leftover_jobs: Arc<AtomicBool>,
    // The last owner deletes it.
    _database: Arc<Database>,
}

/// A user that a test created and signed in.
pub struct Account {
    /// Email address, to sign in with [`PASSWORD`].
    pub email: String,
    /// Session cookie of V1.
    pub cookie: String,
    /// Access token of V2.
    pub jwt: String,
    pub refresh_token: String,
}

impl TestApp {
    /// Starts an application over a fresh database.
    pub async fn start(engine: Engine) -> Self {
        Self::start_with(engine, |_| {}).await
    }

    /// Starts an application with a changed configuration.
    pub async fn start_with(engine: Engine, change: impl FnOnce(&mut Config)) -> Self {
        let database = Database::migrated(engine).await;
        let mut config = database.config();
        config.mail.transport = mail::Transport::Memory;
        change(&mut config);
        // Noon on Sunday, 1 March 2026, in the middle of a minute.
        let clock = Clock::manual_at(Timestamp::from_seconds(1_772_366_430));
        Self::build(Arc::new(database), config, clock).await
    }

    /// Starts an application over a database that another version may have made, and migrates it first. The clock stands at `at`.
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

    /// Starts another application over the same database and clock, as a second process would be. They share nothing but the rows.
    pub async fn second_instance(&self) -> Self {
        Self::build(Arc::clone(&self.database), self.config.clone(), self.clock.clone()).await
    }

    /// The same with a changed configuration.
    pub async fn second_instance_with(&self, change: impl FnOnce(&mut Config)) -> Self {
        let mut config = self.config.clone();
        change(&mut config);
        Self::build(Arc::clone(&self.database), config, self.clock.clone()).await
    }

    /// Returns the data folder.
    pub fn data(&self) -> &Path {
        &self.config.data
    }

    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Returns the HTTP state, for tests that build routes of their own.
    pub fn edge(&self) -> &Arc<web::Edge> {
        &self.application.edge
    }

    /// Serves the application on a free port of this host until the test ends, for programs that are no part of it, such as a browser.
    pub async fn listen(&self) -> SocketAddr {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (router, edge) = (self.application.router.clone(), Arc::clone(&self.application.edge));
        tokio::spawn(web::serve(listener, router, edge, std::future::pending()));
        address
    }

    /// Runs the jobs that are due by the test's clock and returns the number of attempts. Queued password-reset requests are processed
    /// first.
    pub async fn run_jobs(&self) -> u32 {
        self.app.flush_password_resets().await;
        self.runner().run_due().await.expect("jobs are done")
    }

    /// Evaluates the alerts that are due by the test's clock, as a worker of this application.
    pub async fn evaluate_alerts(&self) -> app::EvaluationSummary {
        self.runner().evaluate_alerts().await.expect("alerts are evaluated")
    }

    pub fn runner(&self) -> &Arc<Runner> {
        &self.application.runner
    }

    /// Returns a new job runner for this application, to which a test can add handlers.
    pub fn new_runner(&self) -> Runner {
        let context = self.runner().context();
        let context = Context {
            app: Arc::clone(&self.app),
            mailer: context.mailer.clone(),
            base_url: context.base_url.clone(),
            ai: context.ai.clone(),
            webhooks: context.webhooks.clone(),
        };
        Runner::new(context, self.config.jobs.clone())
    }

    /// Returns the mails that were sent, oldest first.
    pub fn mails(&self) -> Vec<Email> {
        self.runner().context().mailer.sent_emails().into_iter().map(|delivered| delivered.message).collect()
    }

    /// Allows this test to end with jobs that wait or have failed.
    pub fn allow_leftover_jobs(&self) {
        self.allows_leftover_jobs.store(true, Ordering::SeqCst);
    }

    /// Returns the check that runs after the test.
    pub(crate) fn leftover_jobs(&self) -> LeftoverJobs {
        let (app, leaves_jobs) = (Arc::clone(&self.app), Arc::clone(&self.allows_leftover_jobs));
        LeftoverJobs { app, allows_leftover_jobs: leaves_jobs, _database: Arc::clone(&self.database) }
    }

    pub fn get(&self, path: &str) -> Request {
        self.request(Method::GET, path)
    }

    pub fn post(&self, path: &str) -> Request {
        self.request(Method::POST, path)
    }

    pub fn patch(&self, path: &str) -> Request {
        self.request(Method::PATCH, path)
    }

    pub fn delete(&self, path: &str) -> Request {
        self.request(Method::DELETE, path)
    }

    pub fn request(&self, method: Method, path: &str) -> Request {
        Request::new(self.application.router.clone(), method, path)
    }

    /// Returns the brand of this name, which is created if it does not exist.
    pub async fn ensure_brand(&self, name: &str) -> Brand {
        let name = Name::parse(name).expect("a name");
        match self.app.find_brand(&name).await {
            Ok(brand) => brand,
            Err(_) => self.app.create_brand(&name).await.expect("a brand"),
        }
    }

    /// Creates a user of the brand "Acme" with [`PASSWORD`].
    pub async fn create_user(&self, email: &str, role: Role) {
        self.create_user_in_brand("Acme", email, role).await;
    }

    /// Creates a user of a brand with [`PASSWORD`].
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

    /// Creates a user and signs in through V1 and V2.
    pub async fn sign_in_new_user(&self, email: &str, role: Role) -> Account {
        self.sign_in_new_user_in_brand("Acme", email, role).await
    }

    /// Creates a user of a brand and signs in through V1 and V2.
    pub async fn sign_in_new_user_in_brand(&self, brand: &str, email: &str, role: Role) -> Account {
        self.sign_in_new_user_from("127.0.0.1", brand, email, role).await
    }

    /// Creates a user of a brand and signs in through V1 and V2 from this address.
    pub async fn sign_in_new_user_from(
        &self,
        address: &str,
        brand: &str,
        email: &str,
        role: Role,
    ) -> Account {
        self.create_user_in_brand(brand, email, role).await;
        let log_in = |path| {
            let credentials = json!({ "email": email, "password": PASSWORD });
            self.post(path).with_address(address).json(&credentials).send()
        };
        let cookie = log_in("/api/v1/session").await.expect(201).session_cookie();
        let reply = log_in("/api/v2/login").await.expect(200);
        Account {
            email: email.to_owned(),
            cookie,
            jwt: reply.header("accesstoken").to_owned(),
            refresh_token: reply.header("refreshtoken").to_owned(),
        }
    }

    /// Calls `POST /api/v1/session`.
    pub async fn log_in_v1(&self, email: &str, password: &str) -> Reply {
        self.post("/api/v1/session").json(&json!({ "email": email, "password": password })).send().await
    }

    /// Calls `POST /api/v2/login`.
    pub async fn log_in_v2(&self, email: &str, password: &str) -> Reply {
        self.post("/api/v2/login").json(&json!({ "email": email, "password": password })).send().await
    }

    /// Returns the code that an authenticator app shows now, for a secret in base32.
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
    /// Panics if jobs are left over and the test did not allow that.
    pub(crate) async fn check(self) {
        if self.allows_leftover_jobs.load(Ordering::SeqCst) {
            return;
        }
        // A test may have removed its database.
        if let Ok(jobs) = self.app.job_counts().await {
            assert_eq!(
                jobs,
                JobCounts::default(),
                "jobs are left; run_jobs() does them, leave_jobs() leaves them"
            );
        }
    }
}
