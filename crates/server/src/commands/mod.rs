//! What each command does.

mod access;
mod backup;
mod check;
mod import;
mod key;
mod progress;
mod serve;
mod simulate;
mod worker;

use std::fmt;
use std::io::Write;
use std::sync::Arc;

use app::{App, Depth, Run};
use domain::{Clock, Random};
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::{Cli, Command, Import, Place, SigningKey, Version};
use crate::config::{Config, ConfigError, Layers};
use crate::{application, logging};

/// Why a command failed, in a sentence for standard error.
pub struct Failure(String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<app::Error> for Failure {
    fn from(error: app::Error) -> Self {
        Self(error.for_operator())
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

/// Runs a command.
pub async fn run(cli: Cli) -> Result<(), Failure> {
    if let Command::Openapi { version } = cli.command {
        return say(&openapi(version)?);
    }
    let place = named_place(&cli.place);
    let mut layers = layers(cli.place);
    if let Command::Serve { listen, .. } = &cli.command {
        layers.listen = *listen;
    }
    let config = Config::load(&layers)?;
    logging::start(&config.log);
    match cli.command {
        Command::Serve { demo, .. } => serve::run(&config, &place, demo).await,
        Command::Simulate(options) => simulate::run(&use_cases(&config).await?, &options).await,
        Command::Worker => worker::run(&config).await,
        Command::Check { backup: Some(folder), .. } => backup::check(&config, &folder).await,
        Command::Check { backup: None, deep, heads, accept_heads } => {
            let depth = if deep { Depth::Bytes } else { Depth::Sizes };
            check::run(&config, check::Scope { depth, heads: &heads, accept_heads }).await
        }
        Command::Backup { folder, with_key } => backup::make(&config, &folder, with_key).await,
        Command::Restore { folder, new_key } => backup::restore(&config, &folder, new_key).await,
        Command::Migrate => migrate(&config).await,
        Command::Brand(command) => access::brand(&*use_cases(&config).await?, command).await,
        Command::User(command) => access::user(&*use_cases(&config).await?, command).await,
        Command::Token(command) => access::token(&*use_cases(&config).await?, command).await,
        Command::Import(Import::Registry { brand, kind, file, dry_run }) => {
            let run = if dry_run { Run::Dry } else { Run::Real };
            import::registry(&*use_cases(&config).await?, &brand, kind, &file, run).await
        }
        Command::Import(Import::Events { brand, file, dry_run, from_line }) => {
            let run = if dry_run { Run::Dry } else { Run::Real };
            let file = import::EventFile { brand, path: file, from_line };
            import::events(&use_cases(&config).await?, file, run).await
        }
        Command::SigningKey(SigningKey::Rotate) => {
            let kid = use_cases(&config).await?.rotate_signing_key().await?;
            say(&format!("The key {kid} signs from now on."))
        }
        Command::Key(command) => key::run(&*use_cases(&config).await?, command).await,
        Command::Openapi { .. } => Ok(()),
    }
}

/// The arguments that say where data and configuration are. An address of a database may hold a password, and is only named.
fn named_place(place: &Place) -> Vec<String> {
    let named = [("--data", &place.data), ("--config", &place.config)];
    let arguments = named.into_iter().filter_map(|(name, path)| Some((name, path.as_ref()?)));
    let database = place.database.as_ref().map(|_| ["--database".to_owned(), "ADDRESS".to_owned()]);
    arguments
        .flat_map(|(name, path)| [name.to_owned(), path.display().to_string()])
        .chain(database.into_iter().flatten())
        .collect()
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
fn layers(place: Place) -> Layers {
    Layers {
        file: place.config,
        // Others' variables need not even be text.
        environment: std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect(),
        listen: None,
        data: place.data,
        database: place.database,
    }
}

/// The use cases over the configured database, brought up to date first.
async fn use_cases(config: &Config) -> Result<Arc<App>, Failure> {
    let opened = application::open(config).await?;
    let clock = Clock::System;
    opened.0.migrate(clock.now()).await?;
    let blobs = application::blobs(config)?;
    Ok(application::use_cases(opened, config, blobs, clock, Random::System).await?)
}

async fn migrate(config: &Config) -> Result<(), Failure> {
    let (store, _) = application::open(config).await?;
    let ran = store.migrate(Clock::System.now()).await?;
    if ran.is_empty() {
        return say("The database is up to date.");
    }
    say(&format!("Ran {}.", ran.join(", ")))
}

fn openapi(version: Version) -> Result<String, Failure> {
    let document = match version {
        Version::V1 => api_v1::openapi(),
        Version::V2 => api_v2::openapi(),
        Version::Ingest => ingest::openapi(),
    };
    document.to_pretty_json().map_err(|error| Failure(error.to_string()))
}

/// Done when someone asks the process to stop. Listens from the moment it is made.
fn asked_to_stop() -> Result<impl Future<Output = ()> + Send, Failure> {
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

/// Prints a line on standard output. A reader that has gone away, such as `head`, is no failure.
fn say(text: &str) -> Result<(), Failure> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}
