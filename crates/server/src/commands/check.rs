//! `keepclear check`

use std::path::PathBuf;

use app::{App, AuditReport, Depth};
use domain::{Clock, Random};
use mail::Mailer;
use store::{Address, Platform, SchemaState, Store};

use super::{Failure, say};
use crate::application;
use crate::config::Config;

/// What is looked at.
pub struct Scope<'a> {
    /// How closely.
    pub depth: Depth,
    /// Files of heads that other hosts recorded.
    pub heads: &'a [PathBuf],
    /// Whether to take the audit chains as they are first.
    pub accept_heads: bool,
}

/// What does not hold. A fault does not keep the rest from being looked at.
#[derive(Default)]
struct Faults(Vec<String>);

impl Faults {
    fn add(&mut self, fault: impl Into<String>) {
        self.0.push(fault.into());
    }

    /// What came of a look; none, and a fault, if it failed.
    fn take<T, E: Into<Failure>>(&mut self, looked: Result<T, E>) -> Option<T> {
        looked.map_err(|error| self.add(error.into().0)).ok()
    }

    fn into_result(self) -> Result<(), Failure> {
        match self.0.as_slice() {
            [] => Ok(()),
            [one] => Err(Failure(one.clone())),
            many => Err(Failure(format!("{} things do not hold:\n  {}", many.len(), many.join("\n  ")))),
        }
    }
}

/// Says what holds and what does not, all of it. The configuration has been checked by being loaded.
pub async fn run(config: &Config, scope: Scope<'_>) -> Result<(), Failure> {
    let mut faults = Faults::default();
    let mails = Mailer::new(&config.mail, &config.data);
    match faults.take(mails.map_err(|(key, reason)| Failure(format!("{key}: {reason}")))) {
        Some(mails) => {
            say("configuration   good")?;
            say(&format!("mails           go to {}", mails.describe()))?;
        }
        None => say("configuration   bad")?,
    }
    let address = config.database.address(&config.data).map_err(|invalid| Failure(invalid.to_string()))?;
    if let Address::Sqlite(path) = &address
        && !path.exists()
    {
        say(&format!("database        none yet at {}; serve will make it", path.display()))?;
        return faults.into_result();
    }
    let opened = faults.take(application::open(config).await);
    let is_current = match &opened {
        Some((store, _)) => check_database(store, scope.depth, &mut faults).await?,
        None => false,
    };
    let blobs = faults.take(application::blobs(config));
    if let Some(blobs) = &blobs {
        match blobs.probe().await {
            Ok(()) => say(&format!("objects         good ({})", blobs.describe()))?,
            Err(error) => faults.add(format!("{} cannot be used: {error}", blobs.describe())),
        }
    }
    if let (Some(opened), Some(blobs), true) = (opened, blobs, is_current) {
        check_inside(opened, config, blobs, &scope, &mut faults).await?;
    }
    faults.into_result()
}

/// The database by itself; tells whether its schema is the one that the rest is looked at with.
async fn check_database(store: &Store, depth: Depth, faults: &mut Faults) -> Result<bool, Failure> {
    match store.schema().await {
        Ok(SchemaState::Behind(missing)) => {
            faults.add(format!("the database lacks {}; run keepclear migrate", missing.join(", ")));
            return Ok(false);
        }
        Ok(_) => {}
        Err(error) => {
            faults.add(error.to_string());
            return Ok(false);
        }
    }
    let how = match (store.engine(), depth) {
        ("SQLite", Depth::Bytes) => "every page and index was read",
        ("SQLite", Depth::Sizes) => "its outline was looked at",
        _ => "its pages are PostgreSQL's to check",
    };
    if faults.take(store.check_integrity(depth == Depth::Bytes).await).is_some() {
        say(&format!("database        good ({}, schema is current, {how})", store.engine()))?;
    }
    if faults.take(store.has_data_checksums().await) == Some(Some(false)) {
        say(
            "warning         PostgreSQL runs without data_checksums: what a disk changes by itself goes unnoticed. \
             Stop the server and run pg_checksums --enable.",
        )?;
    }
    Ok(true)
}

/// What takes the installation key to look at, and the objects that rows name.
async fn check_inside(
    opened: (Store, Platform),
    config: &Config,
    blobs: blobs::Blobs,
    scope: &Scope<'_>,
    faults: &mut Faults,
) -> Result<(), Failure> {
    // Looking must not make a key: it may happen where the service will not run, and the key would be lost with that place.
    let (store, platform) = &opened;
    if !store.read().await?.installation(platform).is_sealed().await? {
        return say(
            "key             none yet: the first start of the service makes it and seals the secrets of the database with it. \
             Run the check again after that; the audit log, video and exports were not checked.",
        );
    }
    let made = application::use_cases(opened, config, blobs, Clock::System, Random::System).await;
    let Some(app) = faults.take(made) else { return Ok(()) };
    let (key, place) = app.describe_key();
    say(&format!("key             good ({key}, from {place})"))?;
    if scope.accept_heads && faults.take(app.accept_heads().await).is_some() {
        say("audit heads     accepted: the chains count as they are from here on")?;
    }
    check_audit_log(&app, scope.heads, faults).await?;
    let how = match scope.depth {
        Depth::Sizes => "with their sizes",
        Depth::Bytes => "byte by byte",
    };
    for (name, what, looked) in [
        ("video", "clips", app.check_clips(scope.depth).await),
        ("exports", "files", app.check_exports(scope.depth).await),
    ] {
        let Some(report) = faults.take(looked) else { continue };
        if report.faults.is_empty() {
            say(&format!("{name:<15} good ({} {what} are there, {how})", report.objects))?;
        }
        report.faults.into_iter().for_each(|fault| faults.add(format!("{name}: {fault}")));
    }
    Ok(())
}

/// The audit log by itself, and against the heads that this host and others recorded.
async fn check_audit_log(app: &App, others: &[PathBuf], faults: &mut Faults) -> Result<(), Failure> {
    let heads = faults.take(app.read_heads(others).await);
    let looked = match &heads {
        Some(heads) => app.check_audit_log_with(heads).await,
        None => app.check_audit_log().await,
    };
    let Some(report) = faults.take(looked) else { return Ok(()) };
    if report.faults.is_empty() {
        say_audit_log(&report)?;
        match (report.newest_head, heads) {
            (Some(at), _) => {
                say(&format!(
                    "audit heads     good ({} are where they were, the newest of {at})",
                    report.heads
                ))?;
            }
            (None, Some(heads)) if heads.is_empty() => {
                say(&format!("audit heads     none recorded yet in {}", app.heads_path().display()))?;
            }
            (None, _) => {}
        }
    }
    for notice in report.notices {
        say(&format!("                {notice}"))?;
    }
    report.faults.into_iter().for_each(|fault| faults.add(format!("the audit log does not hold: {fault}")));
    Ok(())
}

fn say_audit_log(report: &AuditReport) -> Result<(), Failure> {
    let unchecked = match report.unchecked {
        0 => String::new(),
        rows => format!(", {rows} cannot be checked"),
    };
    say(&format!("audit log       good ({} rows sealed{unchecked})", report.sealed))
}
