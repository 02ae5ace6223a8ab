//! Logging to standard error.

use std::io::{self, IsTerminal, Write};

use indicatif::MultiProgress;
use serde::Deserialize;
use tracing_subscriber::EnvFilter;

/// The section `[log]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Log {
    pub format: LogFormat,
    pub level: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// For people.
    Pretty,
    /// For programs.
    Json,
}

/// Parses the log level, or explains what is wrong with it.
pub fn filter(log: &Log) -> Result<EnvFilter, String> {
    EnvFilter::try_new(&log.level).map_err(|error| error.to_string())
}

/// Writes lines above the bars of a terminal, which would be drawn into them otherwise.
struct AboveBars(MultiProgress);

impl Write for AboveBars {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.suspend(|| io::stderr().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Starts logging for this process. Returns where bars are drawn while others log.
pub fn start(log: &Log) -> MultiProgress {
    // The level was checked with the configuration before.
    let filter = filter(log).unwrap_or_default();
    let bars = MultiProgress::new();
    let above = bars.clone();
    let writer = move || AboveBars(above.clone());
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer);
    // A second start, which happens in tests, keeps the first logger.
    let _ = match log.format {
        LogFormat::Pretty => {
            builder.with_target(false).with_ansi(io::stderr().is_terminal()).compact().try_init()
        }
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
    bars
}
