//! The section of the configuration that questions are answered by.

use serde::Deserialize;

/// `[analytics]` of the configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalyticsConfig {
    /// What answers questions.
    pub engine: Engine,
    /// How much memory the columns of all brands may take.
    pub max_memory_mb: u32,
    /// How much of it the columns of one brand may take; 0 for three quarters.
    pub max_memory_per_brand_mb: u32,
    /// How much memory the groups of one answer may take.
    pub max_query_memory_mb: u32,
    /// How many threads scan; 0 for as many as there are cores.
    pub threads: u32,
    /// How long a question waits for columns that are being made, before the rows answer it.
    pub column_wait_timeout_ms: u32,
    /// How long the rows may take to answer.
    pub sql_timeout_s: u32,
    /// How many questions the rows answer at once; 0 for half of the database's connections.
    pub max_concurrent_sql_queries: u32,
    /// How many of them for one brand; 0 for half of that.
    pub max_concurrent_sql_queries_per_brand: u32,
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
    pub fn max_memory_per_brand_mb(&self) -> u32 {
        if self.max_memory_per_brand_mb == 0 {
            return self.max_memory_mb - self.max_memory_mb / 4;
        }
        self.max_memory_per_brand_mb
    }

    /// The same, with the numbers that depend on how many connections there are to read with.
    pub fn with_connection_defaults(mut self, connections: u32) -> Self {
        if self.max_concurrent_sql_queries == 0 {
            self.max_concurrent_sql_queries = (connections / 2).max(1);
        }
        if self.max_concurrent_sql_queries_per_brand == 0 {
            self.max_concurrent_sql_queries_per_brand = (self.max_concurrent_sql_queries / 2).max(1);
        }
        self
    }

    /// Says what is wrong with the numbers that depend on how many connections there are to read with, by key.
    pub fn check_connections(&self, connections: u32) -> Result<(), (&'static str, String)> {
        let below = (connections - 1).max(1);
        let of = self.clone().with_connection_defaults(connections);
        if of.max_concurrent_sql_queries > below {
            let reason =
                format!("must be at most {below}: each takes one of database.max_connections for long");
            return Err(("analytics.max_concurrent_sql_queries", reason));
        }
        let below = (of.max_concurrent_sql_queries - 1).max(1);
        if of.max_concurrent_sql_queries_per_brand > below {
            let reason = format!(
                "must be at most {below}, so that analytics.max_concurrent_sql_queries leaves some to other brands"
            );
            return Err(("analytics.max_concurrent_sql_queries_per_brand", reason));
        }
        Ok(())
    }

    /// Says what is wrong with the values, by key.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let at_least = |key, value: u32, least: u32| {
            if value < least { Err((key, format!("must be at least {least}"))) } else { Ok(()) }
        };
        at_least("analytics.max_memory_mb", self.max_memory_mb, 16)?;
        if self.max_memory_per_brand_mb > self.max_memory_mb {
            return Err((
                "analytics.max_memory_per_brand_mb",
                format!("must be at most {}", self.max_memory_mb),
            ));
        }
        at_least("analytics.max_query_memory_mb", self.max_query_memory_mb, 16)?;
        at_least("analytics.sql_timeout_s", self.sql_timeout_s, 1)
    }
}
