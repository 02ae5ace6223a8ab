//! The log, on standard error.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::config::{Log, LogFormat};

/// What is logged, or why the level is not understood.
pub fn filter(log: &Log) -> Result<EnvFilter, String> {
    EnvFilter::try_new(&log.level).map_err(|error| error.to_string())
}

/// Starts the log of this process.
pub fn start(log: &Log) {
    // The configuration was checked before; a level that is not understood does not get here.
    let filter = filter(log).unwrap_or_default();
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A second start, in a test, keeps the first one's log.
    let _ = match log.format {
        LogFormat::Pretty => {
            builder.with_target(false).with_ansi(std::io::stderr().is_terminal()).compact().try_init()
        }
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
}
