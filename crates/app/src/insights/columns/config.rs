//! The `[analytics]` section of the configuration.

use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalyticsConfig {
    pub engine: Engine,
    /// Memory limit for the columns of all brands.
    pub max_memory_mb: u32,
    /// Memory limit for the columns of one brand; 0 for three quarters of the total.
    pub max_memory_per_brand_mb: u32,
    /// Memory limit for the groups of one query.
    pub max_query_memory_mb: u32,
    /// Threads that scan columns; 0 for one per core.
    pub threads: u32,
    /// Limit of the cache of saved columns in the data folder; 0 for none. Not used if objects are files.
    pub max_part_cache_mb: u32,
    /// Time that a query about few facts waits for columns that are being loaded before it falls back to SQL.
    pub column_wait_timeout_ms: u32,
    /// Timeout of a query that falls back to SQL, and the time that others wait for columns.
    pub sql_timeout_s: u32,
    /// 0 for half of the database's connections.
    pub max_concurrent_sql_queries: u32,
    /// 0 for half of `max_concurrent_sql_queries`.
    pub max_concurrent_sql_queries_per_brand: u32,
    /// Maximum number of incursions of a long period that are sorted by duration or acknowledgement time.
    pub max_sorted_incursions: u32,
    pub warehouse: warehouse::Config,
}

/// The engine that answers queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// Columns in memory; SQL while they are being loaded. If they do not fit: the warehouse, or SQL if there is none.
    Columns,
    /// The tables of a warehouse, for all brands.
    Warehouse,
    /// SQL only.
    Sql,
}

impl AnalyticsConfig {
    /// Returns the memory limit for the columns of one brand, in MB.
    pub fn max_memory_per_brand_mb(&self) -> u32 {
        if self.max_memory_per_brand_mb == 0 {
            return self.max_memory_mb - self.max_memory_mb / 4;
        }
        self.max_memory_per_brand_mb
    }

    /// Replaces zeros by the defaults for this number of read connections.
    pub fn with_connection_defaults(mut self, connections: u32) -> Self {
        if self.max_concurrent_sql_queries == 0 {
            self.max_concurrent_sql_queries = (connections / 2).max(1);
        }
        if self.max_concurrent_sql_queries_per_brand == 0 {
            self.max_concurrent_sql_queries_per_brand = (self.max_concurrent_sql_queries / 2).max(1);
        }
        self
    }

    /// Checks the values that depend on the number of read connections; an error names the key.
    pub fn check_connections(&self, connections: u32) -> Result<(), (&'static str, String)> {
        let below = (connections - 1).max(1);
        let of = self.clone().with_connection_defaults(connections);
        if of.max_concurrent_sql_queries > below {
            let reason = format!(
                "must be at most {below}, because each query holds one of database.max_connections for long"
            );
            return Err(("analytics.max_concurrent_sql_queries", reason));
        }
        let below = (of.max_concurrent_sql_queries - 1).max(1);
        if of.max_concurrent_sql_queries_per_brand > below {
            let reason = format!(
                "must be at most {below}, so that some of analytics.max_concurrent_sql_queries remain for other brands"
            );
            return Err(("analytics.max_concurrent_sql_queries_per_brand", reason));
        }
        Ok(())
    }

    /// Checks the values; an error names the key.
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
        at_least("analytics.sql_timeout_s", self.sql_timeout_s, 1)?;
        at_least("analytics.max_sorted_incursions", self.max_sorted_incursions, 1)?;
        self.warehouse.check()?;
        if self.engine == Engine::Warehouse && !self.warehouse.is_set() {
            return Err(("analytics.engine", "needs analytics.warehouse.nodes".to_owned()));
        }
        Ok(())
    }
}
