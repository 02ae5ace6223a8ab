//! The application: everything `serve` runs, built the same way for tests.

use std::fs::{DirBuilder, OpenOptions};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use app::App;
use axum::{Router, middleware};
use blobs::Blobs;
use domain::{Clock, Random};
use jobs::{Context, Runner};
use mail::Mailer;
use store::{Platform, Store};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};
use web::{Edge, EdgeState};

use crate::config::Config;
use crate::{background, docs};

/// Answers shorter than this are sent as they are: a packet holds them anyway.
const MIN_COMPRESSED_BYTES: u64 = 1024;

/// How long sealing and closing may take at a stop.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// A process that can serve.
pub struct Application {
    /// The HTTP side.
    pub edge: Arc<Edge>,
    /// Every route with every layer.
    pub router: Router,
    /// Does jobs and periodic work.
    pub runner: Arc<Runner>,
}

impl Application {
    /// Opens the database, migrates it, and sets everything up.
    pub async fn build(config: &Config, clock: Clock, random: Random) -> Result<Self, app::Error> {
        let opened = open_store(config).await?;
        let ran = opened.0.migrate(clock.now()).await?;
        for name in ran {
            tracing::info!("ran the migration {name}");
        }
        Self::with_store(opened, config, clock, random).await
    }

    /// Sets everything up over a database that is current.
    pub async fn with_store(
        opened: (Store, Platform),
        config: &Config,
        clock: Clock,
        random: Random,
    ) -> Result<Self, app::Error> {
        let app = build_app(opened, config, open_blobs(config)?, clock, random).await?;
        let runner = Arc::new(build_runner(Arc::clone(&app), config)?);
        let web_config = web::Config {
            server: config.server.clone(),
            limits: config.limits.clone(),
            cors: config.cors.clone(),
        };
        let edge = Edge::new(app, web_config);
        let router = routes(&edge);
        Ok(Self { edge, router, runner })
    }

    /// Serves, works and keeps house until `stop` is done.
    pub async fn serve(self, listener: TcpListener, stop: impl Future<Output = ()> + Send) {
        let (stop_sender, stop_receiver) = oneshot::channel();
        let stop = async {
            stop.await;
            let _ = stop_sender.send(());
        };
        let worker = tokio::spawn(run_worker(self.runner, async { stop_receiver.await.unwrap_or(()) }));
        web::serve(listener, self.router, Arc::clone(&self.edge), stop).await;
        let _ = worker.await;
        close(&self.edge.app).await;
    }
}

/// The use cases over a database whose schema is current, as they are configured.
pub async fn build_app(
    opened: (Store, Platform),
    config: &Config,
    blobs: Blobs,
    clock: Clock,
    random: Random,
) -> Result<Arc<App>, app::Error> {
    let keys = app::KeySource::new(&config.installation, &config.data)?;
    App::new(opened, config.auth.clone(), analytics_config(config), blobs, keys, clock, random).await
}

/// How questions are answered, how long exports are kept, and in which folder the columns of the former are.
fn analytics_config(config: &Config) -> (app::AnalyticsConfig, app::ExportsConfig, PathBuf) {
    let analytics = config.analytics.clone().with_connection_defaults(config.database.max_connections);
    (analytics, config.exports.clone(), config.data.clone())
}

/// Where objects are kept, as it is configured.
pub fn open_blobs(config: &Config) -> Result<Blobs, app::Error> {
    let fault = |(key, reason): (&str, String)| app::Error::internal(format!("{key}: {reason}"));
    Blobs::new(&config.blobs, &config.data).map_err(fault)
}

/// What does jobs over these use cases.
pub fn build_runner(app: Arc<App>, config: &Config) -> Result<Runner, app::Error> {
    let fault = |(key, reason): (&str, String)| app::Error::internal(format!("{key}: {reason}"));
    let mailer = Mailer::new(&config.mail, &config.data).map_err(fault)?;
    let context = Context { app, mailer, base_url: config.server.base_url() };
    Ok(Runner::new(context, config.jobs.clone()))
}

/// Does jobs and keeps house until `stop` is done.
pub async fn run_worker(runner: Arc<Runner>, stop: impl Future<Output = ()>) {
    let housekeeping = tokio::spawn(background::run_housekeeping(Arc::clone(&runner.context().app)));
    runner.run(stop).await;
    housekeeping.abort();
}

/// Leaves nothing undone that a stop must not.
pub async fn close(app: &Arc<App>) {
    let close = async {
        background::finish_pending(app).await;
        app.store.close().await;
    };
    if tokio::time::timeout(CLOSE_TIMEOUT, close).await.is_err() {
        tracing::warn!("the database did not answer in time and was left as it is");
    }
}

/// Opens the configured database without touching its schema.
pub async fn open_store(config: &Config) -> Result<(Store, Platform), app::Error> {
    let address = config.database.address(&config.data).map_err(app::Error::internal)?;
    if let store::Address::Sqlite(path) = &address
        && let Some(folder) = path.parent()
    {
        create_private_file(folder, path)
            .map_err(|error| app::Error::internal(format!("{} cannot be made: {error}", path.display())))?;
    }
    Ok(Store::open(&address, &config.database).await?)
}

/// Makes folder and file so that only their owner can read them: the database holds hashes, keys and names. What is there
/// already keeps the rights its owner gave it; SQLite gives its other files those of the first.
fn create_private_file(folder: &Path, file: &Path) -> std::io::Result<()> {
    create_private_folder(folder)?;
    let mut files = OpenOptions::new();
    files.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut files, 0o600);
    match files.open(file) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        other => other.map(drop),
    }
}

/// Makes a folder, with those above it, unless it is there.
pub fn create_private_folder(folder: &Path) -> std::io::Result<()> {
    let mut folders = DirBuilder::new();
    folders.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
    if folder.as_os_str().is_empty() || folder.exists() { Ok(()) } else { folders.create(folder) }
}

fn routes(edge: &Arc<Edge>) -> Router {
    let state = EdgeState(Arc::clone(edge));
    // Files can be asked for in parts, which are parts of what is kept; and video is as short as it gets.
    let compressible = SizeAbove::new(MIN_COMPRESSED_BYTES)
        .and(NotForContentType::const_new("video/"))
        .and(NotForContentType::const_new("text/csv"))
        .and(NotForContentType::const_new("application/x-ndjson"))
        .and(NotForContentType::const_new("application/vnd.apache.parquet"))
        .and(NotForContentType::const_new("application/vnd.openxmlformats-officedocument"));
    Router::new()
        .merge(api_v1::routes(edge))
        .merge(api_v2::routes(edge))
        .merge(ingest::routes(edge))
        .merge(web::health_routes(Arc::clone(edge)))
        .merge(docs::routes(edge))
        .fallback(web::unknown_path_handler)
        .layer(CompressionLayer::new().compress_when(compressible))
        .layer(middleware::from_fn_with_state(state.clone(), web::request_context_layer))
        .with_state(state)
}
