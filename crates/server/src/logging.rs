//! Logging to standard error.

use std::io::{self, IsTerminal, Write};

use indicatif::MultiProgress;
use serde::Deserialize;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

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

/// Parses the log level, or explains what is wrong with it. A part without a level logs everything, and without any level only errors are
/// logged.
pub fn filter(log: &Log) -> Result<Targets, String> {
    let mut rules = log.level.split(',').map(str::trim).filter(|rule| !rule.is_empty()).peekable();
    if rules.peek().is_none() {
        return Ok(Targets::new().with_default(LevelFilter::ERROR));
    }
    rules.try_fold(Targets::new(), |targets, rule| {
        if rule.contains(['[', ']', '{', '}']) {
            let reason = "names a span or its fields; only levels, and parts with levels, can be given, such as info,access=warn";
            return Err(format!("`{rule}` {reason}"));
        }
        let (name, level) = match rule.split_once('=') {
            Some((name, level)) => (name.trim(), Some(level.trim())),
            None => (rule, None),
        };
        if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || "-:_".contains(c)) {
            return Err(format!("`{rule}` does not begin with a level or the name of a part"));
        }
        match level.map(|level| (name, level)) {
            Some((part, "")) => Ok(targets.with_target(part, LevelFilter::TRACE)),
            Some((part, level)) => {
                let level: LevelFilter = level
                    .parse()
                    .map_err(|_| format!("the level of `{part}` must be off, error, warn, info, debug or trace"))?;
                Ok(targets.with_target(part, level))
            }
            None => Ok(match rule.parse::<LevelFilter>() {
                Ok(level) => targets.with_default(level),
                Err(_) => targets.with_target(rule, LevelFilter::TRACE),
            }),
        }
    })
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
    let registry = tracing_subscriber::registry().with(filter);
    let layer = tracing_subscriber::fmt::layer().with_writer(move || AboveBars(above.clone()));
    // A second start, which happens in tests, keeps the first logger.
    let _ = match log.format {
        LogFormat::Pretty => {
            let layer = layer.with_target(false).with_ansi(io::stderr().is_terminal()).compact();
            registry.with(layer).try_init()
        }
        LogFormat::Json => registry.with(layer.json().flatten_event(true)).try_init(),
    };
    bars
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    fn parse(level: &str) -> Result<Targets, String> {
        filter(&Log { format: LogFormat::Pretty, level: level.to_owned() })
    }

    #[test]
    fn levels_are_for_all_or_for_parts() {
        let most = |level: &str, target: &str| {
            let filter = parse(level).unwrap();
            [Level::TRACE, Level::DEBUG, Level::INFO, Level::WARN, Level::ERROR]
                .into_iter()
                .find(|level| filter.would_enable(target, level))
        };
        for (level, target, expected) in [
            ("info", "app", Some(Level::INFO)),
            ("DEBUG", "app", Some(Level::DEBUG)),
            ("4", "app", Some(Level::DEBUG)),
            ("off", "app", None),
            ("", "app", Some(Level::ERROR)),
            (" , ", "app", Some(Level::ERROR)),
            ("info,access=warn", "access", Some(Level::WARN)),
            ("info,access=warn", "app::accounts", Some(Level::INFO)),
            ("access=warn, info", "access", Some(Level::WARN)),
            ("info,access = warn", "access", Some(Level::WARN)),
            ("info,app=debug,app::accounts=error", "app::accounts::login", Some(Level::ERROR)),
            ("info,app=debug,app::accounts=error", "app::imports", Some(Level::DEBUG)),
            ("app", "app", Some(Level::TRACE)),
            ("app", "store", None),
            ("warn,app=", "app", Some(Level::TRACE)),
            ("info,warn", "app", Some(Level::WARN)),
        ] {
            assert_eq!(most(level, target), expected, "{level} for {target}");
        }
    }

    #[test]
    fn what_cannot_be_filtered_is_named() {
        for (level, named) in [
            ("info,app[request]=debug", "`app[request]=debug` names a span"),
            ("app[{user=7}]=debug", "`app[{user=7}]=debug` names a span"),
            ("[request]=debug", "`[request]=debug` names a span"),
            ("info,=warn", "`=warn` does not begin"),
            ("info,app/accounts=debug", "`app/accounts=debug` does not begin"),
            ("a=b=c", "the level of `a` must be"),
            ("info,app=loud", "the level of `app` must be"),
        ] {
            let reason = parse(level).unwrap_err();
            assert!(reason.starts_with(named), "{level}: {reason}");
        }
    }
}
