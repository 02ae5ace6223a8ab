//! Renamed settings. An old name is refused with a message that gives the new one, so that no setting is silently ignored.

use toml::{Table, Value};

/// Old and new names.
const RENAMED: [(&str, &str); 51] = [
    ("server.metrics_from", "server.metrics_allowed_networks"),
    ("database.connections_per_brand", "database.max_connections_per_brand"),
    ("database.connections_per_caller", "database.max_connections_per_caller"),
    ("database.programs", "database.pg_bin_dir"),
    ("installation.heads_file", "installation.audit_heads_file"),
    ("auth.cookie_idle_minutes", "auth.cookie_idle_timeout_minutes"),
    ("auth.access_token_minutes", "auth.access_token_lifetime_minutes"),
    ("auth.refresh_idle_days", "auth.refresh_idle_timeout_days"),
    ("auth.invitation_days", "auth.invitation_lifetime_days"),
    ("auth.password_reset_minutes", "auth.password_reset_lifetime_minutes"),
    ("auth.proof_minutes", "auth.proof_max_age_minutes"),
    ("auth.sessions_per_user", "auth.max_sessions_per_user"),
    ("auth.argon2.passes", "auth.argon2.iterations"),
    ("auth.argon2.at_once", "auth.argon2.max_concurrent_hashes"),
    ("auth.attempts.per_address", "auth.attempts.max_per_address"),
    ("auth.attempts.slow_after", "auth.attempts.delay_after"),
    ("auth.attempts.slowest_ms", "auth.attempts.max_delay_ms"),
    ("jobs.poll_ms", "jobs.poll_interval_ms"),
    ("jobs.backoff_limit_s", "jobs.max_backoff_s"),
    ("jobs.run_limit_s", "jobs.run_timeout_s"),
    ("jobs.long_run_limit_s", "jobs.long_run_timeout_s"),
    ("jobs.grace_s", "jobs.shutdown_timeout_s"),
    ("blobs.place", "blobs.backend"),
    ("blobs.uploads_at_once", "blobs.max_concurrent_uploads"),
    ("blobs.uploads_per_brand", "blobs.max_concurrent_uploads_per_brand"),
    ("blobs.uploads_per_token", "blobs.max_concurrent_uploads_per_token"),
    ("analytics.memory_mb", "analytics.max_memory_mb"),
    ("analytics.memory_per_brand_mb", "analytics.max_memory_per_brand_mb"),
    ("analytics.answer_mb", "analytics.max_query_memory_mb"),
    ("analytics.wait_ms", "analytics.column_wait_timeout_ms"),
    ("analytics.rows_deadline_s", "analytics.sql_timeout_s"),
    ("analytics.sql_answers", "analytics.max_concurrent_sql_queries"),
    ("analytics.sql_answers_per_brand", "analytics.max_concurrent_sql_queries_per_brand"),
    ("exports.keep_days", "exports.retention_days"),
    ("limits.login", "limits.login_per_minute"),
    ("limits.read", "limits.read_per_minute"),
    ("limits.analytics", "limits.analytics_per_minute"),
    ("limits.write", "limits.write_per_minute"),
    ("limits.ingest", "limits.ingest_per_minute"),
    ("limits.probe", "limits.probe_per_minute"),
    ("limits.lookup", "limits.lookup_per_minute"),
    ("limits.long_polls", "limits.max_long_polls"),
    ("limits.long_polls_per_brand", "limits.max_long_polls_per_brand"),
    ("limits.long_polls_per_token", "limits.max_long_polls_per_token"),
    ("limits.callers", "limits.max_tracked_callers"),
    ("limits.body_mb", "limits.max_body_memory_mb"),
    ("limits.body_mb_per_caller", "limits.max_body_memory_per_caller_mb"),
    ("limits.ingest_readers", "limits.max_ingest_parsers"),
    ("limits.ingest_readers_per_brand", "limits.max_ingest_parsers_per_brand"),
    ("limits.ingest_readers_per_token", "limits.max_ingest_parsers_per_token"),
    ("cors.origins", "cors.allowed_origins"),
];

/// Finds the first renamed setting in a layer and returns its old and its new name.
pub fn find_renamed(table: &Table) -> Option<(&'static str, &'static str)> {
    RENAMED.into_iter().find(|(old, _)| contains(table, old))
}

fn contains(table: &Table, key: &str) -> bool {
    match key.split_once('.') {
        None => table.contains_key(key),
        Some((section, rest)) => match table.get(section) {
            Some(Value::Table(inner)) => contains(inner, rest),
            _ => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_names_exist_and_old_ones_do_not() {
        let default: Table = include_str!("../../../config.default.toml").parse().unwrap();
        for (old, new) in RENAMED {
            assert!(contains(&default, new) && !contains(&default, old), "{old} -> {new}");
        }
    }
}
