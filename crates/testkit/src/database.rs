//! A migrated database for each test, copied from a template, on either engine.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use domain::{Clock, Timestamp};
use server::{Config, Layers};
use store::{Platform, Store};
use tempfile::TempDir;
use testbed::{PostgresCluster, PostgresProxy};

/// The database engine that a test runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Each test has a file of its own.
    Sqlite,
    /// Each test has a database of its own in the shared cluster of the test run.
    Postgres,
}

/// A database of a test, with its data folder.
pub struct Database {
    folder: TempDir,
    url: String,
    /// Present if the database is in the shared cluster.
    shared_copy: Option<Arc<SharedClusterDatabase>>,
}

/// A database in the shared cluster, which is dropped when no host uses it any more.
struct SharedClusterDatabase(String);

impl Drop for SharedClusterDatabase {
    fn drop(&mut self) {
        shared_cluster().drop_database_later(&self.0);
    }
}

/// The default installation key of tests.
pub const INSTALLATION_KEY: &str = "4b656570636c65617220697320746573746564207769746820746869732e2e2e";

const TEMPLATE: &str = "keepclear_template";

impl Database {
    /// Copies the migrated template.
    pub async fn migrated(engine: Engine) -> Self {
        let folder = testbed::temporary_folder();
        match engine {
            Engine::Sqlite => {
                let file = folder.path().join("keepclear.db");
                std::fs::write(&file, sqlite_template()).expect("a copy of the template");
                Self { folder, url: format!("sqlite:{}", file.display()), shared_copy: None }
            }
            Engine::Postgres => {
                let name = unique_database_name();
                // Copying takes a moment, so it must not block the runtime's threads.
                let made = name.clone();
                tokio::task::spawn_blocking(move || shared_cluster().create_database(&made, Some(TEMPLATE)))
                    .await
                    .expect("no panic")
                    .expect("a copy of the template");
                Self::in_shared_cluster(folder, name)
            }
        }
    }

    /// Creates an empty database.
    pub fn empty(engine: Engine) -> Self {
        let folder = testbed::temporary_folder();
        match engine {
            Engine::Sqlite => {
                let url = format!("sqlite:{}", folder.path().join("keepclear.db").display());
                Self { folder, url, shared_copy: None }
            }
            Engine::Postgres => {
                let name = unique_database_name();
                shared_cluster().create_database(&name, None).expect("an empty database");
                Self::in_shared_cluster(folder, name)
            }
        }
    }

    fn in_shared_cluster(folder: TempDir, name: String) -> Self {
        let url = shared_cluster().url(&name);
        Self { folder, url, shared_copy: Some(Arc::new(SharedClusterDatabase(name))) }
    }

    /// Creates an empty database in a cluster of the test's own.
    pub fn in_cluster(cluster: &PostgresCluster) -> Self {
        let folder = testbed::temporary_folder();
        let name = unique_database_name();
        cluster.create_database(&name, None).expect("an empty database");
        Self { folder, url: cluster.url(&name), shared_copy: None }
    }

    /// Returns the PostgreSQL database at a URL, which somebody else has created, with a data folder of its own.
    pub fn at(url: String) -> Self {
        Self { folder: testbed::temporary_folder(), url, shared_copy: None }
    }

    /// Creates an empty database whose files are in this folder, on SQLite together with the data folder. For PostgreSQL the test brings
    /// its own cluster.
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
        Self { folder, url, shared_copy: None }
    }

    /// Restores a dump into an empty PostgreSQL database.
    pub fn load_dump(&self, dump: &Path) {
        shared_cluster().load_dump(self.name(), dump).expect("a dump that can be loaded");
    }

    /// Returns the name of a PostgreSQL database.
    fn name(&self) -> &str {
        self.url.trim_start_matches("postgres:///").split('?').next().unwrap_or_default()
    }

    /// Starts a proxy that leads to the shared cluster.
    pub fn start_proxy() -> PostgresProxy {
        PostgresProxy::start(shared_cluster())
    }

    /// Returns the same database by way of a proxy, with a data folder of its own.
    pub fn through(&self, proxy: &PostgresProxy) -> Self {
        Self { url: proxy.url(self.name()), ..self.on_another_host() }
    }

    /// Returns the same database as another host sees it, with a data folder of its own.
    pub fn on_another_host(&self) -> Self {
        Self {
            folder: testbed::temporary_folder(),
            url: self.url.clone(),
            shared_copy: self.shared_copy.clone(),
        }
    }

    /// Returns the URL, as `--database` takes it.
    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn folder(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// Returns the default configuration of tests: cheap password hashes, high limits and short waits. A login stays a fresh proof, because
    /// many tests move the clock far; tests about proof set `auth.proof_max_age_minutes` themselves.
    pub fn config(&self) -> Config {
        static WITHOUT_PLACES: OnceLock<Config> = OnceLock::new();
        let mut config = WITHOUT_PLACES.get_or_init(config_without_places).clone();
        config.data = self.folder();
        config.database.url.clone_from(&self.url);
        config
    }

    pub async fn open(&self) -> (Store, Platform) {
        self.open_with(&self.config()).await
    }

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

fn config_without_places() -> Config {
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
    let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    Config::load(&Layers { environment, ..Layers::default() }).expect("the configuration of tests")
}

/// Returns the shared cluster of this test run, which stops with the process.
fn shared_cluster() -> &'static PostgresCluster {
    static CLUSTER: OnceLock<PostgresCluster> = OnceLock::new();
    CLUSTER.get_or_init(|| {
        let cluster = PostgresCluster::start().expect("a private PostgreSQL");
        cluster.create_database(TEMPLATE, None).expect("a template");
        let folder = testbed::temporary_folder();
        let template = Database { folder, url: cluster.url(TEMPLATE), shared_copy: None };
        migrate_on_own_thread(move || template);
        cluster
    })
}

/// Returns the bytes of a migrated SQLite file.
fn sqlite_template() -> &'static [u8] {
    static TEMPLATE_FILE: OnceLock<Vec<u8>> = OnceLock::new();
    TEMPLATE_FILE.get_or_init(|| {
        let template = migrate_on_own_thread(|| Database::empty(Engine::Sqlite));
        std::fs::read(template.folder.path().join("keepclear.db")).expect("a template")
    })
}

/// Migrates a database on a thread of its own, because the caller may be inside a runtime.
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
