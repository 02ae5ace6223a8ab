//! The metrics of live streams.

use app::App;

use super::metric_lines::{write_gauge, write_header};

/// Writes what live streams did in this process.
pub(super) fn live_metrics(out: &mut String, app: &App) {
    let stats = app.live_stats();
    write_gauge(out, "keepclear_streams_open", "Live streams that are open.", stats.open);
    write_gauge(out, "keepclear_stream_brands", "Brands that are looked at for live streams.", stats.hubs);
    let name = "keepclear_stream_looks_total";
    write_header(out, name, "Looks at a brand for its live streams, by outcome.", "counter");
    for (outcome, count) in [("done", stats.polls), ("failed", stats.failed_polls)] {
        out.push_str(&format!("{name}{{outcome=\"{outcome}\"}} {count}\n"));
    }
    let name = "keepclear_stream_events_total";
    write_header(out, name, "Events of live streams, by name.", "counter");
    for (event, count) in stats.events {
        out.push_str(&format!("{name}{{event=\"{event}\"}} {count}\n"));
    }
    let name = "keepclear_streams_ended_total";
    write_header(out, name, "Live streams that ended because access had ended or changed.", "counter");
    out.push_str(&format!("{name} {}\n", stats.ended));
}
