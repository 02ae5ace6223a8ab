//! `keepclear check`

use std::path::PathBuf;

use app::{App, Depth, HeadsLog};
use domain::{Clock, Random};
use mail::Mailer;
use store::{Address, SchemaState};

use super::{Failure, say};
use crate::application;
use crate::config::Config;

/// Says what holds and what does not. The configuration has been checked by being loaded.
pub async fn run(config: &Config, depth: Depth, heads: &[PathBuf]) -> Result<(), Failure> {
    let mails = Mailer::new(&config.mail, &config.data)
        .map_err(|(key, reason)| Failure(format!("{key}: {reason}")))?;
    say("configuration   good")?;
    say(&format!("mails           go to {}", mails.describe()))?;
    let address = config.database.address(&config.data).map_err(|invalid| Failure(invalid.to_string()))?;
    if let Address::Sqlite(path) = &address
        && !path.exists()
    {
        return say(&format!("database        none yet at {}; serve will make it", path.display()));
    }
    let (store, platform) = application::open(config).await?;
    if let SchemaState::Behind(missing) = store.schema().await? {
        return Err(Failure(format!("the database lacks {}; run keepclear migrate", missing.join(", "))));
    }
    store.check_integrity(depth == Depth::Bytes).await?;
    say(&format!("database        good ({}, schema is current)", store.engine()))?;
    if store.has_data_checksums().await? == Some(false) {
        say(
            "warning         PostgreSQL runs without data_checksums: what a disk changes by itself goes unnoticed. \
             Stop the server and run pg_checksums --enable.",
        )?;
    }
    let blobs = application::blobs(config)?;
    blobs.probe().await.map_err(|error| Failure(format!("{} cannot be used: {error}", blobs.describe())))?;
    say(&format!("objects         good ({})", blobs.describe()))?;
    // Looking must not make a key: it may happen where the service will not run, and the key would be lost with that place.
    if !store.read().await?.installation(&platform).is_sealed().await? {
        return say(
            "key             none yet: the first start of the service makes it and seals the secrets of the database with it. \
             Run the check again after that; the audit log, video and exports were not checked.",
        );
    }
    let app = application::use_cases((store, platform), config, blobs, Clock::System, Random::System).await?;
    let (key, place) = app.describe_key();
    say(&format!("key             good ({key}, from {place})"))?;
    check_audit_log(&app, heads).await?;
    let report = app.check_clips(depth).await?;
    if !report.faults.is_empty() {
        return Err(Failure(format!("video does not hold:\n  {}", report.faults.join("\n  "))));
    }
    let how = match depth {
        Depth::Sizes => "with their sizes",
        Depth::Bytes => "byte by byte",
    };
    say(&format!("video           good ({} clips are there, {how})", report.objects))?;
    let report = app.check_exports(depth).await?;
    if !report.faults.is_empty() {
        return Err(Failure(format!("exports do not hold:\n  {}", report.faults.join("\n  "))));
    }
    say(&format!("exports         good ({} files are there, {how})", report.objects))
}

/// The audit log by itself, and against the heads that this host and others recorded.
async fn check_audit_log(app: &App, heads: &[PathBuf]) -> Result<(), Failure> {
    let own = app.heads_path();
    let mut logs = Vec::new();
    // Before the chains are read: what is recorded meanwhile may be further than they were.
    for path in heads {
        let log = HeadsLog::read(path)?;
        logs.push(log.ok_or_else(|| Failure(format!("there is no file {}", path.display())))?);
    }
    if !heads.iter().any(|path| path == own) {
        logs.extend(HeadsLog::read(own)?);
    }
    let report = app.check_audit_log_with(&logs).await?;
    if !report.faults.is_empty() {
        return Err(Failure(format!("the audit log does not hold: {}", report.faults.join("; "))));
    }
    let unchecked = match report.unchecked {
        0 => String::new(),
        rows => format!(", {rows} cannot be checked"),
    };
    say(&format!("audit log       good ({} rows sealed{unchecked})", report.sealed))?;
    match report.newest_head {
        Some(at) => {
            say(&format!("audit heads     good ({} are where they were, the newest of {at})", report.heads))?;
        }
        None => say(&format!("audit heads     none recorded yet in {}", own.display()))?,
    }
    for notice in report.notices {
        say(&format!("                {notice}"))?;
    }
    Ok(())
}
