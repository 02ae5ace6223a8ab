//! A migrated database for each test: a copy of a template, of either engine.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use domain::{Clock, Timestamp};
use server::{Config, Layers};
use store::{Platform, Store};
use tempfile::TempDir;
use testbed::PostgresCluster;

/// Which engine a test runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// A file of its own.
    Sqlite,
    /// A database of its own in the cluster of this test run.
    Postgres,
}

/// A database of a test, with the folder it may keep things in.
pub struct Database {
    folder: TempDir,
    url: String,
}

/// The installation key of tests, unless they say otherwise.
pub const INSTALLATION_KEY: &str = "4b656570636c65617220697320746573746564207769746820746869732e2e2e";

const TEMPLATE: &str = "keepclear_template";

impl Database {
    /// A copy of the migrated template.
    pub async fn migrated(engine: Engine) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = match engine {
            Engine::Sqlite => {
                let file = folder.path().join("keepclear.db");
                std::fs::write(&file, sqlite_template()).expect("a copy of the template");
                format!("sqlite:{}", file.display())
            }
            Engine::Postgres => {
                let name = unique_database_name();
                // Outside the runtime's threads: making a copy takes a moment.
                let made = name.clone();
                tokio::task::spawn_blocking(move || shared_cluster().create_database(&made, Some(TEMPLATE)))
                    .await
                    .expect("no panic")
                    .expect("a copy of the template");
                shared_cluster().url(&name)
            }
        };
        Self { folder, url }
    }

    /// An empty database.
    pub fn empty(engine: Engine) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = match engine {
            Engine::Sqlite => format!("sqlite:{}", folder.path().join("keepclear.db").display()),
            Engine::Postgres => {
                let name = unique_database_name();
                shared_cluster().create_database(&name, None).expect("an empty database");
                shared_cluster().url(&name)
            }
        };
        Self { folder, url }
    }

    /// An empty one in a cluster of the test's own.
    pub fn in_cluster(cluster: &PostgresCluster) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let name = unique_database_name();
        cluster.create_database(&name, None).expect("an empty database");
        Self { folder, url: cluster.url(&name) }
    }

    /// An empty one whose files lie in that folder, on SQLite with everything else that is kept; PostgreSQL is a cluster of the test's own.
    pub fn in_folder(cluster: Option<&PostgresCluster>, parent_folder: &Path) -> Self {
        let folder = tempfile::tempdir_in(parent_folder).expect("a temporary folder");
        let url = match cluster {
            None => format!("sqlite:{}", folder.path().join("keepclear.db").display()),
            Some(cluster) => {
                let name = unique_database_name();
                cluster.create_database_in(&name, parent_folder).expect("an empty database");
                cluster.url(&name)
            }
        };
        Self { folder, url }
    }

    /// Fills an empty one of PostgreSQL with a dump.
    pub fn load_dump(&self, dump: &Path) {
        let name = self.url.trim_start_matches("postgres:///").split('?').next().unwrap_or_default();
        shared_cluster().load_dump(name, dump).expect("a dump that can be loaded");
    }

    /// The same database as another host sees it: with a data folder of its own.
    pub fn on_another_host(&self) -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder"), url: self.url.clone() }
    }

    /// Its address, as `--database` takes it.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where its data folder is.
    pub fn folder(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// The configuration of tests over this database: cheap hashes, wide limits, short waits; and logins that stay a fresh proof,
    /// since many tests move the clock far. Those about proof set `auth.proof_max_age_minutes` themselves.
    pub fn config(&self) -> Config {
        let environment = [
            ("KEEPCLEAR__AUTH__ARGON2__MEMORY_KIB", "8"),
            ("KEEPCLEAR__AUTH__ARGON2__ITERATIONS", "1"),
            ("KEEPCLEAR__AUTH__ATTEMPTS__MAX_DELAY_MS", "1"),
            ("KEEPCLEAR__AUTH__PROOF_MAX_AGE_MINUTES", "5256000"),
            ("KEEPCLEAR__DATABASE__MAX_CONNECTIONS", "5"),
            ("KEEPCLEAR__INSTALLATION__KEY", INSTALLATION_KEY),
            ("KEEPCLEAR__LIMITS__ANALYTICS_PER_MINUTE", "1000000"),
            ("KEEPCLEAR__LIMITS__LOGIN_PER_MINUTE", "1000000"),
            ("KEEPCLEAR__LIMITS__READ_PER_MINUTE", "1000000"),
            ("KEEPCLEAR__LIMITS__WRITE_PER_MINUTE", "1000000"),
        ];
        let layers = Layers {
            environment: environment.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            data: Some(self.folder()),
            database: Some(self.url.clone()),
            ..Layers::default()
        };
        Config::load(&layers).expect("the configuration of tests")
    }

    /// Opens it.
    pub async fn open(&self) -> (Store, Platform) {
        self.open_with(&self.config()).await
    }

    /// Opens it as it is configured.
    pub(crate) async fn open_with(&self, config: &Config) -> (Store, Platform) {
        let address = config.database.address(&config.data).expect("an address");
        Store::open(&address, &config.database).await.expect("a database")
    }

    async fn migrate(&self) {
        let (store, _) = self.open().await;
        let now = Clock::manual_at(Timestamp::from_seconds(1_772_352_000)).now();
        store.migrate(now).await.expect("migrations run");
        store.close().await;
    }
}

/// The cluster of this test run; stops with the process.
fn shared_cluster() -> &'static PostgresCluster {
    static CLUSTER: OnceLock<PostgresCluster> = OnceLock::new();
    CLUSTER.get_or_init(|| {
        let cluster = PostgresCluster::start().expect("a private PostgreSQL");
        cluster.create_database(TEMPLATE, None).expect("a template");
        let folder = tempfile::tempdir().expect("a temporary folder");
        let template = Database { folder, url: cluster.url(TEMPLATE) };
        migrate_on_own_thread(move || template);
        cluster
    })
}

/// The bytes of a migrated file.
fn sqlite_template() -> &'static [u8] {
    static TEMPLATE_FILE: OnceLock<Vec<u8>> = OnceLock::new();
    TEMPLATE_FILE.get_or_init(|| {
        let template = migrate_on_own_thread(|| Database::empty(Engine::Sqlite));
        std::fs::read(template.folder.path().join("keepclear.db")).expect("a template")
    })
}

/// Migrates a database on a thread of its own: the caller may be inside a runtime.
fn migrate_on_own_thread(create: impl FnOnce() -> Database + Send + 'static) -> Database {
    std::thread::spawn(|| {
        let template = create();
        super::runtime().block_on(template.migrate());
        template
    })
    .join()
    .expect("the template is migrated")
}

fn unique_database_name() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("test_{}", NEXT.fetch_add(1, Ordering::Relaxed))
}
