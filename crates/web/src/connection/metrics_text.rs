//! The metrics of the process and of its application, in the text format of Prometheus.

use prometheus::{Encoder, TextEncoder};

use crate::connection::alert_metrics::alert_metrics;
use crate::connection::fleet_metrics::fleet_metrics;
use crate::connection::live_metrics::live_metrics;
use crate::connection::metric_lines::{write_gauge, write_header};
use crate::connection::rate_limits::RateLimitClass;
use crate::state::Edge;

/// Returns all metrics in the text format of Prometheus.
pub(crate) async fn text(edge: &Edge) -> String {
    let mut out = Vec::new();
    // Writing to memory does not fail.
    let _ = TextEncoder::new().encode(&edge.metrics.registry.gather(), &mut out);
    let mut out = String::from_utf8(out).unwrap_or_default();
    let pool = edge.app.store.pool_state();
    write_gauge(
        &mut out,
        "keepclear_store_connections_open",
        "Connections to the database.",
        pool.open.into(),
    );
    write_gauge(
        &mut out,
        "keepclear_store_connections_idle",
        "Idle connections to the database.",
        pool.idle.into(),
    );
    write_header(&mut out, "keepclear_store_statements_total", "Statements sent to the database.", "counter");
    out.push_str(&format!("keepclear_store_statements_total {}\n", edge.app.store.statement_count()));
    if let Some(bytes) = edge.app.store.wal_bytes() {
        write_gauge(&mut out, "keepclear_store_wal_bytes", "Size of SQLite's write-ahead log.", bytes);
    }
    // If the database cannot be read, the other metrics are still returned.
    if let Ok(jobs) = edge.app.job_counts().await {
        write_header(&mut out, "keepclear_jobs", "Unfinished jobs, by state.", "gauge");
        for (state, count) in [("waiting", jobs.waiting), ("running", jobs.running), ("failed", jobs.failed)]
        {
            out.push_str(&format!("keepclear_jobs{{state=\"{state}\"}} {count}\n"));
        }
    }
    alert_metrics(&mut out, &edge.app).await;
    live_metrics(&mut out, &edge.app);
    fleet_metrics(&mut out, &edge.app).await;
    let intake = edge.app.ingest_state();
    write_header(&mut out, "keepclear_intake_commits_total", "Transactions that stored events.", "counter");
    out.push_str(&format!("keepclear_intake_commits_total {}\n", intake.commits));
    write_header(&mut out, "keepclear_intake_events_total", "Received events, by verdict.", "counter");
    for (verdict, count) in
        [("accepted", intake.accepted), ("duplicate", intake.duplicates), ("rejected", intake.rejected)]
    {
        out.push_str(&format!("keepclear_intake_events_total{{verdict=\"{verdict}\"}} {count}\n"));
    }
    write_gauge(
        &mut out,
        "keepclear_intake_events_waiting",
        "Events that wait to be committed.",
        intake.queued,
    );
    let (brands, bytes) = edge.app.column_cache_stats();
    write_gauge(
        &mut out,
        "keepclear_columns_brands",
        "Brands whose facts are loaded as columns.",
        brands as u64,
    );
    write_gauge(&mut out, "keepclear_columns_bytes", "Memory used by the columns of facts.", bytes as u64);
    let received = edge.body_budget.used_bytes() as u64;
    write_gauge(
        &mut out,
        "keepclear_body_bytes",
        "Memory used by request bodies while they are received.",
        received,
    );
    let hashes = edge.app.password_hash_count();
    write_header(&mut out, "keepclear_password_hashes_total", "Password hashes computed.", "counter");
    out.push_str(&format!("keepclear_password_hashes_total {hashes}\n"));
    write_gauge(
        &mut out,
        "keepclear_limited_callers",
        "Callers whose quota is tracked.",
        edge.rate_limiter.tracked_callers() as u64,
    );
    write_header(
        &mut out,
        "keepclear_limited_requests_total",
        "Requests refused with 429, by class.",
        "counter",
    );
    for class in RateLimitClass::ALL {
        let refused = edge.rate_limiter.refusals(class);
        out.push_str(&format!(
            "keepclear_limited_requests_total{{class=\"{}\"}} {refused}\n",
            class.as_str()
        ));
    }
    out
}
