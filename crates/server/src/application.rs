//! The application that `serve` runs. Tests build it the same way.

use std::fs::{DirBuilder, OpenOptions};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use app::App;
use axum::{Router, middleware};
use blobs::Blobs;
use domain::{Clock, HostRole, Random};
use http::{Extensions, HeaderMap, StatusCode, Version, header};
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

/// Shorter responses are not compressed, because they fit into one packet anyway.
const MIN_COMPRESSED_BYTES: u64 = 1024;

/// The time limit for sealing the audit log and closing the database at a stop.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// A process that is ready to serve.
pub struct Application {
    pub edge: Arc<Edge>,
    /// All routes with all layers.
    pub router: Router,
    /// Runs jobs and reconcilers.
    pub runner: Arc<Runner>,
}

impl Application {
    /// Opens the database, runs its migrations and builds the application.
    pub async fn build(config: &Config, clock: Clock, random: Random) -> Result<Self, app::Error> {
        let opened = open_store(config).await?;
        let ran = opened.0.migrate_and_report(clock.now(), warn_of_wait).await?;
        for name in ran {
            tracing::info!("ran the migration {name}");
        }
        Self::with_store(opened, config, clock, random).await
    }

    /// Builds the application on a database whose schema is current.
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
        let router = routes(&edge, &config.console);
        Ok(Self { edge, router, runner })
    }

    /// Serves requests, runs jobs and housekeeping until `stop` completes and the drain that follows is over. `second_stop`, which
    /// is polled from then on, ends the drain.
    pub async fn serve(
        self,
        listener: TcpListener,
        stop: impl Future<Output = ()> + Send,
        second_stop: impl Future<Output = ()> + Send,
    ) {
        let (stop_sender, stop_receiver) = oneshot::channel();
        let edge = Arc::clone(&self.edge);
        let stop = async move {
            stop.await;
            tokio::select! {
                // First, so that it counts from the moment at which the drain is announced.
                biased;
                () = second_stop => {}
                () = edge.drain() => {}
            }
            let _ = stop_sender.send(());
        };
        let until_stop = async { stop_receiver.await.unwrap_or(()) };
        let worker = tokio::spawn(run_worker(self.runner, HostRole::Serve, until_stop));
        web::serve(listener, self.router, Arc::clone(&self.edge), stop).await;
        let _ = worker.await;
        close(&self.edge.app).await;
    }
}

/// Logs that a migration is held up.
pub fn warn_of_wait(migration: &'static str) {
    tracing::warn!("the migration {migration} waits for another session, such as a backup, and begins again");
}

/// Builds the use cases on a database whose schema is current.
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

/// Returns the sections for analytics, exports, reports and alerts, and the folder of the columns.
fn analytics_config(
    config: &Config,
) -> (app::AnalyticsConfig, app::ExportsConfig, app::ReportsSetup, app::AlertsSetup, PathBuf) {
    let analytics = config.analytics.clone().with_connection_defaults(config.database.max_connections);
    let reports = app::ReportsSetup { config: config.reports.clone(), base_url: config.server.base_url() };
    let alerts = app::AlertsSetup { config: config.alerts.clone(), base_url: config.server.base_url() };
    (analytics, config.exports.clone(), reports, alerts, config.data.clone())
}

/// Opens the configured object storage.
pub fn open_blobs(config: &Config) -> Result<Blobs, app::Error> {
    let fault = |(key, reason): (&str, String)| app::Error::internal(format!("{key}: {reason}"));
    Blobs::new(&config.blobs, &config.data).map_err(fault)
}

/// Builds the runner of jobs and reconcilers.
pub fn build_runner(app: Arc<App>, config: &Config) -> Result<Runner, app::Error> {
    let fault = |(key, reason): (&str, String)| app::Error::internal(format!("{key}: {reason}"));
    let mailer = Mailer::new(&config.mail, &config.data).map_err(fault)?;
    let ai = ai::Client::new(&config.ai).map_err(fault)?;
    let limits = webhooks::Limits {
        timeout_s: config.alerts.webhook_timeout_s,
        allow_http: config.alerts.webhook_allow_http,
        allow_private: config.alerts.webhook_allow_private,
    };
    let webhooks = webhooks::Client::new(limits).map_err(fault)?;
    let context = Context { app, mailer, base_url: config.server.base_url(), ai, webhooks };
    Ok(Runner::new(context, config.jobs.clone()))
}

/// Runs jobs and housekeeping until `stop` completes.
pub async fn run_worker(runner: Arc<Runner>, role: HostRole, stop: impl Future<Output = ()>) {
    let housekeeping = tokio::spawn(background::run_housekeeping(Arc::clone(&runner.context().app), role));
    runner.run(stop).await;
    housekeeping.abort();
}

/// Seals the audit log and closes the database, within a time limit.
pub async fn close(app: &Arc<App>) {
    let close = async {
        background::finish_pending(app).await;
        app.store.close().await;
    };
    if tokio::time::timeout(CLOSE_TIMEOUT, close).await.is_err() {
        tracing::warn!("the database did not respond in time and was not closed");
    }
}

/// Opens the configured database without touching its schema.
pub async fn open_store(config: &Config) -> Result<(Store, Platform), app::Error> {
    let address = config.database.address(&config.data).map_err(app::Error::internal)?;
    if let store::Address::Sqlite(path) = &address
        && let Some(folder) = path.parent()
    {
        create_private_file(folder, path).map_err(|error| {
            app::Error::internal(format!("{} cannot be created: {error}", path.display()))
        })?;
    }
    Ok(Store::open(&address, &config.database).await?)
}

/// Creates the folder and the file so that only their owner can read them, because the database holds hashes, keys and names. Existing ones
/// keep their permissions. SQLite gives its other files the permissions of the first.
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

/// Creates a folder and its parents, unless it exists.
pub fn create_private_folder(folder: &Path) -> std::io::Result<()> {
    let mut folders = DirBuilder::new();
    folders.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
    if folder.as_os_str().is_empty() || folder.exists() { Ok(()) } else { folders.create(folder) }
}

/// Whether a response has no ranges. A file in ranges is sent as it is stored, whatever its type.
fn is_without_ranges(_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions) -> bool {
    !headers.contains_key(header::ACCEPT_RANGES)
}

fn routes(edge: &Arc<Edge>, console: &console::Config) -> Router {
    let state = EdgeState(Arc::clone(edge));
    // Files are served in ranges of the stored bytes, and video is compressed already.
    let compressible = SizeAbove::new(MIN_COMPRESSED_BYTES)
        // Its events would wait in the compressor.
        .and(NotForContentType::SSE)
        .and(NotForContentType::const_new("video/"))
        .and(NotForContentType::const_new("text/csv"))
        .and(NotForContentType::const_new("application/x-ndjson"))
        .and(NotForContentType::const_new("application/vnd.apache.parquet"))
        .and(NotForContentType::const_new("application/vnd.openxmlformats-officedocument"))
        .and(is_without_ranges);
    Router::new()
        .merge(api_v1::routes(edge))
        .merge(api_v2::routes(edge))
        .merge(ingest::routes(edge))
        .merge(web::health_routes(Arc::clone(edge)))
        .merge(console::routes(edge, console))
        .merge(docs::routes(edge))
        .fallback(web::unknown_path_handler)
        .layer(CompressionLayer::new().compress_when(compressible))
        .layer(middleware::from_fn_with_state(state.clone(), web::request_context_layer))
        .with_state(state)
}
