//! The metrics of alerts.

use app::App;

use super::metric_lines::{write_gauge, write_header};

/// Writes what alerts did in this process, and what there is of them in the database.
pub(super) async fn alert_metrics(out: &mut String, app: &App) {
    let stats = app.alert_stats();
    for (name, help, count) in [
        ("keepclear_alert_evaluations_total", "Evaluations of the alerts of a brand.", stats.evaluations),
        ("keepclear_alert_questions_total", "Questions that evaluations of alerts asked.", stats.questions),
        ("keepclear_alert_firings_total", "Alerts that fired.", stats.fired),
        ("keepclear_alert_clears_total", "Firings of alerts that cleared.", stats.cleared),
    ] {
        write_header(out, name, help, "counter");
        out.push_str(&format!("{name} {count}\n"));
    }
    let name = "keepclear_alert_evaluation_seconds_total";
    write_header(out, name, "Time that evaluations of alerts took.", "counter");
    let (seconds, micros) =
        (stats.evaluation_micros / MICROS_PER_SECOND, stats.evaluation_micros % MICROS_PER_SECOND);
    out.push_str(&format!("{name} {seconds}.{micros:06}\n"));
    let name = "keepclear_alert_evaluations_failed_total";
    let help = "Evaluations of the alerts of a brand that came to nothing, by reason.";
    write_header(out, name, help, "counter");
    for (reason, count) in [("error", stats.failed), ("busy", stats.postponed), ("lost", stats.lost)] {
        out.push_str(&format!("{name}{{reason=\"{reason}\"}} {count}\n"));
    }
    let (mails, calls) = ("keepclear_alert_mails_total", "keepclear_webhook_calls_total");
    for (name, help, outcomes) in [
        (
            mails,
            "Mails of alerts, by outcome.",
            [("sent", stats.mails_sent), ("refused", stats.mails_refused)],
        ),
        (
            calls,
            "Calls of webhooks, by outcome.",
            [("sent", stats.webhooks_sent), ("failed", stats.webhooks_failed)],
        ),
    ] {
        write_header(out, name, help, "counter");
        for (outcome, count) in outcomes {
            out.push_str(&format!("{name}{{outcome=\"{outcome}\"}} {count}\n"));
        }
    }
    // If the database cannot be read, the other metrics are still returned.
    if let Ok((rules, open, waiting)) = app.alert_counts().await {
        for (name, help, count) in [
            ("keepclear_alert_rules", "Alerts that are enabled.", rules),
            ("keepclear_alert_firings_open", "Firings of alerts that have not cleared.", open),
            ("keepclear_alert_deliveries_waiting", "Mails and webhook calls of alerts that wait.", waiting),
        ] {
            write_gauge(out, name, help, u64::try_from(count).unwrap_or(0));
        }
    }
    if let Ok(lag) = app.alert_lag().await {
        let name = "keepclear_alert_lag_seconds";
        let help = "Seconds for which the alerts of the brand that has waited longest have been due.";
        write_gauge(out, name, help, u64::try_from(lag.whole_seconds()).unwrap_or(0));
    }
}

const MICROS_PER_SECOND: u64 = 1_000_000;
