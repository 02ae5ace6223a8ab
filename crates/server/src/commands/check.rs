//! `keepclear check`

use std::path::PathBuf;

use app::{App, AuditReport, Depth};
use domain::{Clock, Random};
use mail::Mailer;
use store::{Address, Platform, SchemaState, Store};

use super::{Failure, check_hosts, print_line};
use crate::application;
use crate::config::Config;

pub struct CheckOptions<'a> {
    pub depth: Depth,
    /// Files of audit heads that other hosts recorded.
    pub heads: &'a [PathBuf],
    /// Whether to accept the audit chains as they are before checking.
    pub accept_heads: bool,
}

/// Collects faults, so that one does not prevent the remaining checks.
#[derive(Default)]
struct Faults(Vec<String>);

impl Faults {
    fn add(&mut self, fault: impl Into<String>) {
        self.0.push(fault.into());
    }

    /// Returns the value, or records the error as a fault.
    fn record<T, E: Into<Failure>>(&mut self, result: Result<T, E>) -> Option<T> {
        result.map_err(|error| self.add(error.into().0)).ok()
    }

    fn into_result(self) -> Result<(), Failure> {
        match self.0.as_slice() {
            [] => Ok(()),
            [one] => Err(Failure(one.clone())),
            many => Err(Failure(format!("{} checks failed:\n  {}", many.len(), many.join("\n  ")))),
        }
    }
}

/// Prints the result of every check. The configuration was checked when it was loaded.
pub async fn run(config: &Config, scope: CheckOptions<'_>) -> Result<(), Failure> {
    let mut faults = Faults::default();
    let mails = Mailer::new(&config.mail, &config.data);
    match faults.record(mails.map_err(|(key, reason)| Failure(format!("{key}: {reason}")))) {
        Some(mails) => {
            print_line("configuration   good")?;
            print_line(&format!("mails           go to {}", mails.describe()))?;
        }
        None => print_line("configuration   bad")?,
    }
    let address = config.database.address(&config.data).map_err(|invalid| Failure(invalid.to_string()))?;
    if let Address::Sqlite(path) = &address
        && !path.exists()
    {
        print_line(&format!("database        none yet at {}; keepclear serve creates it", path.display()))?;
        return faults.into_result();
    }
    let opened = faults.record(application::open_store(config).await);
    let is_current = match &opened {
        Some((store, _)) => check_database(store, scope.depth, &mut faults).await?,
        None => false,
    };
    let blobs = faults.record(application::open_blobs(config));
    if let Some(blobs) = &blobs {
        match blobs.probe().await {
            Ok(()) => print_line(&format!("objects         good ({})", blobs.describe()))?,
            Err(error) => faults.add(format!("{} cannot be used: {error}", blobs.describe())),
        }
    }
    check_warehouse(config, &mut faults).await?;
    if let (Some(opened), Some(blobs), true) = (opened, blobs, is_current) {
        check_sealed_data(opened, config, blobs, &scope, &mut faults).await?;
    }
    faults.into_result()
}

/// Checks the nodes of the warehouse, if there is one.
async fn check_warehouse(config: &Config, faults: &mut Faults) -> Result<(), Failure> {
    let Some(Some((nodes, found))) = faults.record(app::check_warehouse(&config.analytics).await) else {
        return Ok(());
    };
    if found.is_empty() {
        return print_line(&format!("warehouse       good ({nodes} nodes)"));
    }
    for fault in found {
        faults.add(fault);
    }
    Ok(())
}

/// Checks the database by itself. Returns whether its schema is current, which the other checks require.
async fn check_database(store: &Store, depth: Depth, faults: &mut Faults) -> Result<bool, Failure> {
    let schema = match store.schema().await {
        Ok(SchemaState::Behind(missing)) => {
            faults.add(format!(
                "the schema of the database is not current, it lacks {}; run keepclear migrate",
                missing.join(", ")
            ));
            return Ok(false);
        }
        Ok(SchemaState::Current) => "schema is current".to_owned(),
        Ok(SchemaState::Ahead(newer)) => {
            format!("a newer Keepclear has run {}, beside which this one may run", newer.join(", "))
        }
        Err(error) => {
            faults.add(error.to_string());
            return Ok(false);
        }
    };
    let how = match (store.engine(), depth) {
        ("SQLite", Depth::Bytes) => "every page and index was read",
        ("SQLite", Depth::Sizes) => "its structure was checked",
        _ => "PostgreSQL checks its pages itself",
    };
    if faults.record(store.check_integrity(depth == Depth::Bytes).await).is_some() {
        print_line(&format!("database        good ({}, {schema}, {how})", store.engine()))?;
    }
    if faults.record(store.has_data_checksums().await) == Some(Some(false)) {
        print_line(
            "warning         PostgreSQL runs without data_checksums, so corruption on disk is not detected. \
             Stop the server and run pg_checksums --enable.",
        )?;
    }
    if faults.record(store.has_synchronous_standby().await) == Some(Some(false)) {
        print_line(
            "warning         PostgreSQL has no synchronous standby, so a fail-over loses the commits that the standby has not \
             received. With one server only, its backups are what is left.",
        )?;
    }
    if faults.record(store.is_waiting_for_standby().await) == Some(Some(true)) {
        print_line(
            "warning         PostgreSQL waits for a synchronous standby before it commits, and no standby is connected: writes \
             wait until one is back.",
        )?;
    }
    Ok(true)
}

/// Checks everything that needs the installation key, and the objects that rows refer to.
async fn check_sealed_data(
    opened: (Store, Platform),
    config: &Config,
    blobs: blobs::Blobs,
    scope: &CheckOptions<'_>,
    faults: &mut Faults,
) -> Result<(), Failure> {
    // A check must not create a key: on a host where the service will not run, the key would get lost.
    let (store, platform) = &opened;
    if !store.read().await?.installation(platform).is_sealed().await? {
        return print_line(
            "key             none yet: the first start of the service creates it and encrypts the secrets in the database with it. \
             Run this check again afterwards; the audit log, video, exports and reports were not checked.",
        );
    }
    let made = application::build_app(opened, config, blobs, Clock::System, Random::System).await;
    let Some(app) = faults.record(made) else { return Ok(()) };
    let (key, place) = app.describe_key();
    print_line(&format!("key             good ({key}, from {place})"))?;
    if let (Some(fleet), Some(clock_offset)) =
        (faults.record(app.fleet().await), faults.record(app.clock_offset().await))
    {
        for line in check_hosts::describe(&fleet, clock_offset) {
            print_line(&line)?;
        }
    }
    if scope.accept_heads && faults.record(app.accept_heads().await).is_some() {
        print_line("audit heads     accepted: the chains are valid as they are now")?;
    }
    check_audit_log(&app, scope.heads, faults).await?;
    let how = match scope.depth {
        Depth::Sizes => "with their sizes",
        Depth::Bytes => "byte by byte",
    };
    for (name, what, looked) in [
        ("video", "clips", app.check_clips(scope.depth).await),
        ("exports", "files", app.check_exports(scope.depth).await),
        ("reports", "objects", app.check_reports(scope.depth).await),
    ] {
        let Some(report) = faults.record(looked) else { continue };
        if report.faults.is_empty() {
            print_line(&format!("{name:<15} good ({} {what} are there, {how})", report.objects))?;
        }
        report.faults.into_iter().for_each(|fault| faults.add(format!("{name}: {fault}")));
    }
    Ok(())
}

/// Checks the audit log by itself, and against the heads that this host and others recorded.
async fn check_audit_log(
    app: &App,
    other_heads_files: &[PathBuf],
    faults: &mut Faults,
) -> Result<(), Failure> {
    let heads = faults.record(app.read_heads(other_heads_files).await);
    let looked = match &heads {
        Some(heads) => app.check_audit_log_with_heads(heads).await,
        None => app.check_audit_log().await,
    };
    let Some(report) = faults.record(looked) else { return Ok(()) };
    if report.faults.is_empty() {
        print_audit_log(&report)?;
        match (report.newest_head, heads) {
            (Some(at), _) => {
                print_line(&format!(
                    "audit heads     good ({} recorded heads match, the newest is of {at})",
                    report.heads
                ))?;
            }
            (None, Some(heads)) if heads.is_empty() => {
                print_line(&format!("audit heads     none recorded yet in {}", app.heads_path().display()))?;
            }
            (None, _) => {}
        }
    }
    for notice in report.notices {
        print_line(&format!("                {notice}"))?;
    }
    report.faults.into_iter().for_each(|fault| faults.add(format!("the audit log is not intact: {fault}")));
    Ok(())
}

fn print_audit_log(report: &AuditReport) -> Result<(), Failure> {
    let unchecked = match report.unchecked {
        0 => String::new(),
        rows => format!(", {rows} cannot be checked"),
    };
    print_line(&format!("audit log       good ({} rows sealed{unchecked})", report.sealed))
}
