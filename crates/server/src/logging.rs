//! Logging to standard error.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::config::{Log, LogFormat};

/// Parses the log level, or explains what is wrong with it.
pub fn filter(log: &Log) -> Result<EnvFilter, String> {
    EnvFilter::try_new(&log.level).map_err(|error| error.to_string())
}

/// Starts logging for this process.
pub fn start(log: &Log) {
    // The level was checked with the configuration before.
    let filter = filter(log).unwrap_or_default();
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A second start, which happens in tests, keeps the first logger.
    let _ = match log.format {
        LogFormat::Pretty => {
            builder.with_target(false).with_ansi(std::io::stderr().is_terminal()).compact().try_init()
        }
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
}
