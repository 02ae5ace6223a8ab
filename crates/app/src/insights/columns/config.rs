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
    /// How much of it the columns of one brand may take; 0 for three quarters.
    pub memory_per_brand_mb: u32,
    /// How much memory the groups of one answer may take.
    pub answer_mb: u32,
    /// How many threads scan; 0 for as many as there are cores.
    pub threads: u32,
    /// How long a question waits for columns that are being made, before the rows answer it.
    pub wait_ms: u32,
    /// How long the rows may take to answer.
    pub rows_deadline_s: u32,
    /// How many questions the rows answer at once; 0 for half of the database's connections.
    pub sql_answers: u32,
    /// How many of them for one brand; 0 for half of that.
    pub sql_answers_per_brand: u32,
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
    /// How much memory the columns of one brand may take, in MB.
    pub fn memory_per_brand_mb(&self) -> u32 {
        if self.memory_per_brand_mb == 0 {
            return self.memory_mb - self.memory_mb / 4;
        }
        self.memory_per_brand_mb
    }

    /// The same, with the numbers that depend on how many connections there are to read with.
    pub fn over_connections(mut self, connections: u32) -> Self {
        if self.sql_answers == 0 {
            self.sql_answers = (connections / 2).max(1);
        }
        if self.sql_answers_per_brand == 0 {
            self.sql_answers_per_brand = (self.sql_answers / 2).max(1);
        }
        self
    }

    /// Says what is wrong with the numbers that depend on how many connections there are to read with, by key.
    pub fn check_over(&self, connections: u32) -> Result<(), (&'static str, String)> {
        let below = (connections - 1).max(1);
        let of = self.clone().over_connections(connections);
        if of.sql_answers > below {
            let reason =
                format!("must be at most {below}: each takes one of database.max_connections for long");
            return Err(("analytics.sql_answers", reason));
        }
        let below = (of.sql_answers - 1).max(1);
        if of.sql_answers_per_brand > below {
            let reason =
                format!("must be at most {below}, so that analytics.sql_answers leaves some to other brands");
            return Err(("analytics.sql_answers_per_brand", reason));
        }
        Ok(())
    }

    /// Says what is wrong with the values, by key.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let at_least = |key, value: u32, least: u32| {
            if value < least { Err((key, format!("must be at least {least}"))) } else { Ok(()) }
        };
        at_least("analytics.memory_mb", self.memory_mb, 16)?;
        if self.memory_per_brand_mb > self.memory_mb {
            return Err(("analytics.memory_per_brand_mb", format!("must be at most {}", self.memory_mb)));
        }
        at_least("analytics.answer_mb", self.answer_mb, 16)?;
        at_least("analytics.rows_deadline_s", self.rows_deadline_s, 1)
    }
}
