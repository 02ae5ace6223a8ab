//! What `keepclear check` says of the hosts of an installation: versions, keys, clocks, feed lag and connections.

use std::collections::BTreeSet;

use app::Fleet;
use domain::{Host, ServerConnections, Span, is_wrong_clock};

/// A lag of a copy beyond this is worth a warning. One that nothing changes in is looked at every few seconds only.
const MAX_FEED_LAG: Span = Span::seconds(10);

/// Returns the lines about all hosts. `clock_offset` is by how much the clock of this host is ahead of the clock of the database.
pub fn describe(fleet: &Fleet, clock_offset: Span) -> Vec<String> {
    let mut lines = vec![describe_clock(clock_offset)];
    let running: Vec<&Host> = fleet.running().collect();
    lines.push(match running.len() {
        0 => "hosts           none run".to_owned(),
        count => format!("hosts           {count} run"),
    });
    lines.extend(running.iter().map(|host| describe_host(host)));
    if let Some(connections) = fleet.connections {
        lines.push(describe_connections(fleet, connections));
    }
    lines.extend(warnings(fleet).into_iter().map(|text| format!("warning         {text}")));
    lines
}

fn describe_clock(offset: Span) -> String {
    let offset_text = describe_offset(offset);
    if is_wrong_clock(offset) {
        format!(
            "warning         the clock of this host is {offset_text} the clock of the database; synchronise both"
        )
    } else {
        format!("clock           good ({offset_text} the clock of the database)")
    }
}

fn describe_offset(offset: Span) -> String {
    let millis = offset.micros() / 1_000;
    match millis {
        ..0 => format!("{} ms behind", millis.unsigned_abs()),
        0.. => format!("{millis} ms ahead of"),
    }
}

fn describe_host(host: &Host) -> String {
    let lag = host.feed_lag.map_or(String::new(), |lag| format!(", feed lag {}", describe_lag(lag)));
    let connections = match host.max_connections {
        0 => String::new(),
        most => format!(", at most {most} connections"),
    };
    format!(
        "                {} ({}): version {}, key {}, clock {} the database's{lag}{connections}",
        host.name,
        host.role,
        host.version,
        host.key_id,
        describe_offset(host.clock_offset)
    )
}

fn describe_lag(lag: Span) -> String {
    format!("{} ms", lag.micros() / 1_000)
}

fn describe_connections(fleet: &Fleet, connections: ServerConnections) -> String {
    let ServerConnections { open, allowed } = connections;
    let most = fleet.max_connections();
    format!("connections     {open} are open, all hosts open at most {most}, the server allows {allowed}")
}

fn warnings(fleet: &Fleet) -> Vec<String> {
    let mut found = Vec::new();
    for host in &fleet.hosts {
        let name = &host.name;
        if host.is_silent() {
            let seconds = host.seen_ago.whole_seconds();
            found.push(format!(
                "{name} ({}) has said nothing for {seconds} s: it was killed, or cannot reach the database",
                host.role
            ));
            continue;
        }
        if host.has_wrong_clock() {
            let offset = describe_offset(host.clock_offset);
            found
                .push(format!("the clock of {name} is {offset} the clock of the database; synchronise both"));
        }
        if fleet.key_id.as_ref().is_some_and(|key| *key != host.key_id) {
            let key = &host.key_id;
            found
                .push(format!("{name} has the installation key {key}, which is not the one of the database"));
        }
        if let Some(lag) = host.feed_lag.filter(|lag| *lag > MAX_FEED_LAG) {
            found.push(format!("a copy of facts on {name} is {} behind", describe_lag(lag)));
        }
    }
    let versions: BTreeSet<&str> = fleet.running().map(|host| host.version.as_str()).collect();
    if versions.len() > 1 {
        let versions: Vec<&str> = versions.into_iter().collect();
        found.push(format!("hosts run different versions: {}; finish the upgrade", versions.join(", ")));
    }
    if let Some(ServerConnections { allowed, .. }) = fleet.connections
        && fleet.max_connections() > allowed
    {
        found.push(format!(
            "all hosts together may open {} connections, but the server allows {allowed}: lower database.max_connections of the hosts, or \
             raise max_connections of PostgreSQL",
            fleet.max_connections()
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;

    use super::*;

    fn host(name: &str) -> Host {
        Host {
            id: format!("id of {name}"),
            name: name.to_owned(),
            role: "serve".to_owned(),
            version: "1.2.0".to_owned(),
            key_id: "00ff".to_owned(),
            clock_offset: Span::millis(-3),
            max_connections: 11,
            feed_lag: Some(Span::millis(400)),
            started_at: Timestamp::from_seconds(0),
            seen_ago: Span::seconds(4),
        }
    }

    fn fleet(hosts: Vec<Host>) -> Fleet {
        let connections = Some(ServerConnections { open: 9, allowed: 30 });
        Fleet { hosts, connections, key_id: Some("00ff".to_owned()) }
    }

    #[test]
    fn good_hosts_are_listed_without_a_warning() {
        let lines = describe(&fleet(vec![host("a"), host("b")]), Span::millis(12));
        let about = "clock 3 ms behind the database's, feed lag 400 ms, at most 11 connections";
        assert_eq!(
            lines,
            [
                "clock           good (12 ms ahead of the clock of the database)".to_owned(),
                "hosts           2 run".to_owned(),
                format!("                a (serve): version 1.2.0, key 00ff, {about}"),
                format!("                b (serve): version 1.2.0, key 00ff, {about}"),
                "connections     9 are open, all hosts open at most 22, the server allows 30".to_owned(),
            ]
        );
        assert_eq!(describe(&fleet(Vec::new()), Span::ZERO)[1], "hosts           none run");
    }

    #[test]
    fn each_fault_has_its_warning() {
        let late = Host { clock_offset: Span::millis(1_001), ..host("late") };
        let other_key = Host { key_id: "1234".to_owned(), ..host("other") };
        let behind =
            Host { feed_lag: Some(Span::seconds(11)), version: "1.3.0".to_owned(), ..host("behind") };
        let killed = Host { seen_ago: Span::seconds(120), clock_offset: Span::seconds(9), ..host("killed") };
        let text = describe(&fleet(vec![late, other_key, behind, killed]), Span::seconds(-2)).join("\n");
        for expected in [
            "the clock of this host is 2000 ms behind",
            "hosts           3 run",
            "the clock of late is 1001 ms ahead of",
            "other has the installation key 1234",
            "on behind is 11000 ms behind",
            "killed (serve) has said nothing for 120 s",
            "different versions: 1.2.0, 1.3.0",
            "may open 33 connections, but the server allows 30",
        ] {
            assert!(text.contains(expected), "{expected} is not in\n{text}");
        }
        assert!(!text.contains("the clock of killed"), "{text}");
    }
}
