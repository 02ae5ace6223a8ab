//! The section of the configuration that questions are answered by.

use serde::Deserialize;

/// `[analytics]` of the configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalyticsConfig {
    /// What answers questions.
    pub engine: Engine,
    /// How much memory the columns of all brands may take.
    pub memory_mb: u32,
    /// How much memory the groups of one answer may take.
    pub answer_mb: u32,
    /// How many threads scan; 0 for as many as there are cores.
    pub threads: u32,
    /// How long a question waits for columns that are being made, before the rows answer it.
    pub wait_ms: u32,
    /// How long the rows may take to answer.
    pub rows_deadline_s: u32,
}

/// What answers questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// Columns in memory; the rows while they are being made or if they do not fit.
    Columns,
    /// The rows, always.
    Sql,
}

impl AnalyticsConfig {
    /// Says what is wrong with the values, by key.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let at_least = |key, value: u32, least: u32| {
            if value < least { Err((key, format!("must be at least {least}"))) } else { Ok(()) }
        };
        at_least("analytics.memory_mb", self.memory_mb, 16)?;
        at_least("analytics.answer_mb", self.answer_mb, 16)?;
        at_least("analytics.rows_deadline_s", self.rows_deadline_s, 1)
    }
}
