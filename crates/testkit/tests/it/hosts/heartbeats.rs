//! The list of hosts, in `keepclear check` and /metrics.

use std::time::Duration;

use domain::{Host, HostRole, Role, Span};
use testkit::{Database, Engine, Process, TestApp, execute_raw_sql, on_both_engines, query_raw_sql};

use crate::program;

on_both_engines!(
    each_process_says_that_it_runs,
    columns_tell_how_far_they_are_behind,
    what_was_killed_is_seen_and_then_forgotten,
    a_restored_installation_has_no_hosts_yet,
    check_lists_the_processes_that_run,
);

async fn hosts(app: &TestApp) -> Vec<Host> {
    app.app.fleet().await.unwrap().hosts
}

async fn each_process_says_that_it_runs(app: TestApp) {
    let other = app.second_instance().await;
    app.app.record_heartbeat(HostRole::Serve).await.unwrap();
    other.app.record_heartbeat(HostRole::Worker).await.unwrap();
    // Again, which replaces what it said before.
    app.app.record_heartbeat(HostRole::Serve).await.unwrap();
    let fleet = app.app.fleet().await.unwrap();
    let (key, _) = app.app.describe_key();
    let mut roles: Vec<&str> = fleet.hosts.iter().map(|host| host.role.as_str()).collect();
    roles.sort_unstable();
    assert_eq!((roles, fleet.running().count()), (vec!["serve", "worker"], 2));
    for host in &fleet.hosts {
        assert_eq!((&*host.version, &host.key_id), (env!("CARGO_PKG_VERSION"), &key));
        assert_eq!(host.started_at, app.clock.now());
        // The clock of a test stands still, and that of the database does not.
        assert!(host.has_wrong_clock() && !host.is_silent(), "{host:?}");
    }
    match fleet.connections {
        None => assert_eq!((app.app.store.engine(), fleet.max_connections()), ("SQLite", 0)),
        Some(connections) => {
            // Five for requests and three others, twice.
            assert_eq!(fleet.max_connections(), 16);
            assert!(connections.open > 0 && connections.allowed > 0, "{connections:?}");
        }
    }
    let text = app.get("/metrics").send().await.expect(200).text();
    let version = concat!("version=\"", env!("CARGO_PKG_VERSION"), "\",key=\"");
    let lines =
        text.lines().filter(|line| line.starts_with("keepclear_host_info{") && line.contains(version));
    assert_eq!(lines.count(), 2, "{text}");
    for name in ["keepclear_host_clock_offset_seconds{", "keepclear_host_seen_seconds{"] {
        assert!(text.contains(name), "{name} is not in\n{text}");
    }
    other.app.end_heartbeats().await.unwrap();
    assert_eq!(hosts(&app).await.len(), 1);
}

async fn columns_tell_how_far_they_are_behind(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let metric = "keepclear_feed_lag_seconds{feed=\"columns\"} ";
    let lag = async || {
        let text = app.get("/metrics").send().await.expect(200).text();
        text.lines().find_map(|line| line.strip_prefix(metric)).map(str::to_owned)
    };
    assert_eq!(lag().await, None);
    // The first questions may be answered by SQL, until the columns are there.
    while lag().await.is_none() {
        app.get("/api/v1/insights/totals").cookie(&ada.cookie).send().await.expect(200);
    }
    app.app.record_heartbeat(HostRole::Serve).await.unwrap();
    assert_eq!(hosts(&app).await[0].feed_lag, Some(Span::ZERO));
}

async fn what_was_killed_is_seen_and_then_forgotten(app: TestApp) {
    let other = app.second_instance().await;
    for one in [&app, &other] {
        one.app.record_heartbeat(HostRole::Serve).await.unwrap();
    }
    let minute_passes = "update hosts set seen_at = seen_at - 60000000";
    execute_raw_sql(app.database(), minute_passes).await.unwrap();
    app.app.record_heartbeat(HostRole::Serve).await.unwrap();
    let fleet = app.app.fleet().await.unwrap();
    assert_eq!((fleet.hosts.len(), fleet.running().count()), (2, 1));
    let hour_passes = "update hosts set seen_at = seen_at - 3600000000";
    execute_raw_sql(app.database(), hour_passes).await.unwrap();
    app.app.record_heartbeat(HostRole::Serve).await.unwrap();
    let known = hosts(&app).await;
    assert!(matches!(&*known, [host] if !host.is_silent()), "{known:?}");
}

async fn a_restored_installation_has_no_hosts_yet(app: TestApp) {
    app.app.record_heartbeat(HostRole::Serve).await.unwrap();
    let (folder, restored) = (testkit::temporary_folder(), Database::empty(engine_of(&app)));
    let backup = folder.path().join("backup");
    let run = |database: &Database, arguments: &[&str]| {
        let output = Process::run(program(), database, arguments, "");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    run(app.database(), &["backup", backup.to_str().unwrap()]);
    run(&restored, &["restore", backup.to_str().unwrap()]);
    assert_eq!(query_raw_sql(&restored, "select id from hosts").await, [""; 0]);
}

fn engine_of(app: &TestApp) -> Engine {
    if app.app.store.engine() == "SQLite" { Engine::Sqlite } else { Engine::Postgres }
}

/// Waits until these are the roles of the processes that the database knows.
async fn wait_for_roles(database: &Database, expected: &[&str]) {
    while query_raw_sql(database, "select role from hosts order by role").await != expected {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn check_lists_the_processes_that_run(engine: Engine) {
    let database = Database::empty(engine);
    let server = Process::serve(program(), &database, &[]);
    let worker = Process::start_worker(program(), &database, &[]);
    wait_for_roles(&database, &["serve", "worker"]).await;
    let check = || {
        let output = Process::run(program(), &database, &["check"], "");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let said = check();
    assert!(said.contains("hosts           2 run") && said.contains("clock           good"), "{said}");
    assert_eq!(said.contains("connections     "), engine == Engine::Postgres, "{said}");
    // One that stops says so.
    let (status, log) = worker.stop("-TERM");
    assert!(status.success(), "{log}");
    wait_for_roles(&database, &["serve"]).await;
    // One that is killed is missed after a while.
    let (status, _) = server.stop("-KILL");
    assert!(!status.success());
    assert!(check().contains("hosts           1 run"));
    let minute_passes = "update hosts set seen_at = seen_at - 60000000";
    execute_raw_sql(&database, minute_passes).await.unwrap();
    let said = check();
    assert!(said.contains("hosts           none run"), "{said}");
    // It said something up to ten seconds before it was killed.
    let silence = said.split_once("has said nothing for ").and_then(|(_, rest)| rest.split(' ').next());
    let seconds = silence.and_then(|seconds| seconds.parse::<u32>().ok());
    assert!(seconds.is_some_and(|seconds| seconds >= 60), "{said}");
}
