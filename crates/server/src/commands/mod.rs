//! The commands of the program.

mod accounts;
mod backup;
mod check;
mod check_hosts;
mod import;
mod key;
mod progress;
mod serve;
mod simulate;
mod worker;

use std::fmt;
use std::io::Write;
use std::sync::Arc;

use app::{App, Depth, EarlierTokens, ImportMode};
use domain::{Clock, Random};
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::{ApiDocument, Cli, Command, GlobalOptions, ImportCommand, SigningKeyCommand};
use crate::config::{Config, ConfigError, Layers};
#[cfg(not(feature = "openapi"))]
use crate::docs;
use crate::{application, logging};

/// The reason why a command failed, as a sentence for standard error.
pub struct Failure(String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<app::Error> for Failure {
    fn from(error: app::Error) -> Self {
        Self(error.operator_message())
    }
}

impl From<store::Error> for Failure {
    fn from(error: store::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<blobs::Error> for Failure {
    fn from(error: blobs::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self(error.to_string())
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}

pub async fn run(cli: Cli) -> Result<(), Failure> {
    if let Command::Openapi { version } = cli.command {
        return print_line(&openapi(version)?);
    }
    let place = location_arguments(&cli.global);
    let mut layers = config_layers(cli.global);
    if let Command::Serve { listen, .. } = &cli.command {
        layers.listen = *listen;
    }
    let config = Config::load(&layers)?;
    let bars = logging::start(&config.log);
    match cli.command {
        Command::Serve { demo, .. } => serve::run(&config, &place, &bars, demo).await,
        Command::Simulate(options) => simulate::run(&open_app(&config).await?, &options).await,
        Command::Worker => worker::run(&config).await,
        Command::Check { backup: Some(folder), .. } => backup::check(&config, &folder).await,
        Command::Check { backup: None, deep, heads, accept_heads } => {
            let depth = if deep { Depth::Bytes } else { Depth::Sizes };
            check::run(&config, check::CheckOptions { depth, heads: &heads, accept_heads }).await
        }
        Command::Backup { folder, with_key } => backup::create(&config, &folder, with_key).await,
        Command::Restore { folder, new_key } => backup::restore(&config, &folder, new_key).await,
        Command::Migrate => migrate(&config).await,
        Command::Brand(command) => accounts::brand(&*open_app(&config).await?, command).await,
        Command::User(command) => accounts::user(&*open_app(&config).await?, command).await,
        Command::Token(command) => accounts::token(&*open_app(&config).await?, command).await,
        Command::Import(ImportCommand::Registry { brand, kind, file, dry_run }) => {
            let run = if dry_run { ImportMode::DryRun } else { ImportMode::Commit };
            import::import_registry(&*open_app(&config).await?, &brand, kind, &file, run).await
        }
        Command::Import(ImportCommand::Events { brand, file, dry_run, from_line }) => {
            let run = if dry_run { ImportMode::DryRun } else { ImportMode::Commit };
            let file = import::EventFile { brand, path: file, from_line };
            import::import_events(&open_app(&config).await?, file, run).await
        }
        Command::SigningKey(SigningKeyCommand::Rotate { revoke }) => {
            let earlier = if revoke { EarlierTokens::Revoke } else { EarlierTokens::Keep };
            let (kid, ended) = open_app(&config).await?.rotate_signing_key(earlier).await?;
            print_line(&format!("The key {kid} signs access tokens from now on."))?;
            match earlier {
                EarlierTokens::Keep => Ok(()),
                EarlierTokens::Revoke => print_line(&format!(
                    "All earlier access tokens are invalid; {ended} tokens of service accounts have ended."
                )),
            }
        }
        Command::Key(command) => key::run(&*open_app(&config).await?, command).await,
        Command::Openapi { .. } => Ok(()),
    }
}

/// Returns the options that locate data and configuration. The URL of a database may hold a password, so a placeholder stands for it.
fn location_arguments(place: &GlobalOptions) -> Vec<String> {
    let named = [("--data", &place.data), ("--config", &place.config)];
    let arguments = named.into_iter().filter_map(|(name, path)| Some((name, path.as_ref()?)));
    let database = place.database.as_ref().map(|_| ["--database".to_owned(), "ADDRESS".to_owned()]);
    arguments
        .flat_map(|(name, path)| [name.to_owned(), path.display().to_string()])
        .chain(database.into_iter().flatten())
        .collect()
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
fn config_layers(place: GlobalOptions) -> Layers {
    Layers {
        file: place.config,
        // Other variables may not be valid Unicode.
        environment: std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect(),
        listen: None,
        data: place.data,
        database: place.database,
    }
}

/// Runs the migrations of the configured database and builds the use cases.
async fn open_app(config: &Config) -> Result<Arc<App>, Failure> {
    let opened = application::open_store(config).await?;
    let clock = Clock::System;
    opened.0.migrate_and_report(clock.now(), application::warn_of_wait).await?;
    let blobs = application::open_blobs(config)?;
    Ok(application::build_app(opened, config, blobs, clock, Random::System).await?)
}

async fn migrate(config: &Config) -> Result<(), Failure> {
    let (store, _) = application::open_store(config).await?;
    let ran = store.migrate_and_report(Clock::System.now(), application::warn_of_wait).await?;
    if ran.is_empty() {
        return print_line("The database is up to date.");
    }
    print_line(&format!("Ran {}.", ran.join(", ")))
}

/// Makes a document from the code, so that it can be committed.
#[cfg(feature = "openapi")]
fn openapi(version: ApiDocument) -> Result<String, Failure> {
    let document = match version {
        ApiDocument::V1 => api_v1::openapi(),
        ApiDocument::V2 => api_v2::openapi(),
        ApiDocument::Ingest => ingest::openapi(),
    };
    document.to_pretty_json().map_err(|error| Failure(error.to_string()))
}

/// Returns the committed document.
#[cfg(not(feature = "openapi"))]
fn openapi(version: ApiDocument) -> Result<String, Failure> {
    let document = match version {
        ApiDocument::V1 => &docs::V1,
        ApiDocument::V2 => &docs::V2,
        ApiDocument::Ingest => &docs::INGEST,
    };
    Ok(document.text()?.trim_end().to_owned())
}

/// Completes when the process is asked to stop. It listens from the moment of the call.
fn shutdown_signal() -> Result<impl Future<Output = ()> + Send, Failure> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        tracing::info!("stopping");
    })
}

/// Prints a line on standard output. It is not an error if the reader is gone, such as `head`.
fn print_line(text: &str) -> Result<(), Failure> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}
