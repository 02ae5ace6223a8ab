//! The metrics of all hosts of the installation.

use std::time::Duration;

use app::{App, Fleet};
use domain::{Host, Span};

use super::metric_lines::{write_gauge, write_header};

/// Time that the database has to say which hosts run.
const FLEET_TIMEOUT: Duration = Duration::from_secs(2);

/// Processes that have said nothing for this long are left out: each start of one that crashes again and again has series of its own.
const LISTED_FOR: Span = Span::minutes(5);

/// Writes how far the copies of this process are behind, and what is known of all hosts.
pub(super) async fn fleet_metrics(out: &mut String, app: &App) {
    let name = "keepclear_feed_lag_seconds";
    let help = "For how long changes have waited for the copy of this process that is furthest behind, by kind of copy.";
    write_header(out, name, help, "gauge");
    for (feed, lag) in app.feed_lags() {
        out.push_str(&format!("{name}{{feed=\"{}\"}} {}\n", feed.as_str(), seconds(lag)));
    }
    // If the database cannot be read, the other metrics are still returned, before a scraper has given up.
    if let Ok(Ok(fleet)) = tokio::time::timeout(FLEET_TIMEOUT, app.fleet()).await {
        write_hosts(out, &fleet);
    }
}

fn write_hosts(out: &mut String, fleet: &Fleet) {
    let hosts = || fleet.hosts.iter().filter(|host| host.seen_ago <= LISTED_FOR);
    let name = "keepclear_host_info";
    write_header(
        out,
        name,
        "Processes of the installation, with their version and the id of their key.",
        "gauge",
    );
    for host in hosts() {
        let (version, key) = (label(&host.version), label(&host.key_id));
        let of_host = labels(host);
        out.push_str(&format!("{name}{{{of_host},version=\"{version}\",key=\"{key}\"}} 1\n"));
    }
    let offset: fn(&Host) -> Option<Span> = |host| Some(host.clock_offset);
    let seen: fn(&Host) -> Option<Span> = |host| Some(host.seen_ago);
    let lag: fn(&Host) -> Option<Span> = |host| host.feed_lag;
    for (name, help, value) in [
        (
            "keepclear_host_clock_offset_seconds",
            "By how much the clock of a host is ahead of the database's.",
            offset,
        ),
        ("keepclear_host_seen_seconds", "Time since a process last said that it runs.", seen),
        ("keepclear_host_feed_lag_seconds", "Feed lag of a process when it last said so.", lag),
    ] {
        write_header(out, name, help, "gauge");
        for host in hosts() {
            if let Some(value) = value(host) {
                out.push_str(&format!("{name}{{{}}} {}\n", labels(host), seconds(value)));
            }
        }
    }
    if let Some(connections) = fleet.connections {
        for (name, help, count) in [
            (
                "keepclear_server_connections_open",
                "Connections of the database server, of all users.",
                connections.open,
            ),
            (
                "keepclear_server_connections_allowed",
                "The most connections that the server allows.",
                connections.allowed,
            ),
            (
                "keepclear_hosts_max_connections",
                "The most connections that all processes together open.",
                fleet.max_connections(),
            ),
        ] {
            write_gauge(out, name, help, u64::try_from(count).unwrap_or(0));
        }
    }
}

/// Several processes of a machine have the same name.
fn labels(host: &Host) -> String {
    format!("host=\"{}\",process=\"{}\",role=\"{}\"", label(&host.name), label(&host.id), label(&host.role))
}

/// Escapes the value of a label.
fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

fn seconds(span: Span) -> String {
    let micros = span.micros();
    let sign = if micros < 0 { "-" } else { "" };
    let micros = micros.unsigned_abs();
    format!("{sign}{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

#[cfg(test)]
mod tests {
    use domain::{ServerConnections, Timestamp};

    use super::*;

    #[test]
    fn hosts_are_told_apart_and_values_are_numbers() {
        let host = Host {
            id: "0a".to_owned(),
            name: "north \"1\"\\".to_owned(),
            role: "serve".to_owned(),
            version: "1.2.0".to_owned(),
            key_id: "00ff".to_owned(),
            clock_offset: Span::millis(-1_250),
            max_connections: 11,
            feed_lag: None,
            started_at: Timestamp::from_seconds(0),
            seen_ago: Span::millis(4_500),
        };
        let killed = Host { id: "0b".to_owned(), seen_ago: Span::seconds(60), ..host.clone() };
        let long_gone = Host { id: "0c".to_owned(), seen_ago: Span::seconds(301), ..host.clone() };
        let connections = Some(ServerConnections { open: 7, allowed: 97 });
        let mut out = String::new();
        write_hosts(&mut out, &Fleet { hosts: vec![host, killed, long_gone], connections, key_id: None });
        let of_host = r#"host="north \"1\"\\",process="0a",role="serve""#;
        for line in [
            format!("keepclear_host_info{{{of_host},version=\"1.2.0\",key=\"00ff\"}} 1\n"),
            format!("keepclear_host_clock_offset_seconds{{{of_host}}} -1.250000\n"),
            format!("keepclear_host_seen_seconds{{{of_host}}} 4.500000\n"),
            "keepclear_hosts_max_connections 11\n".to_owned(),
            "keepclear_server_connections_allowed 97\n".to_owned(),
        ] {
            assert!(out.contains(&line), "{line} is not in\n{out}");
        }
        assert!(!out.contains("keepclear_host_feed_lag_seconds{"), "{out}");
        assert!(out.contains("process=\"0b\"") && !out.contains("process=\"0c\""), "{out}");
    }
}
