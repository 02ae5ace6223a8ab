//! The PostgreSQL of the primary is killed while two hosts receive events.

use std::time::Duration;

use super::{Failover, print_row, summarise};

/// How often the primary is killed by `make soak`.
const ROUNDS: usize = 10;

async fn kill_primaries(rounds: usize) -> (Vec<Duration>, String) {
    let failover = tokio::task::block_in_place(|| Failover::start(1));
    let load = failover.start_load();
    let pauses = tokio::task::block_in_place(|| {
        let kill = |_| {
            failover.cluster.wait_until_complete().unwrap();
            let primary = failover.primary();
            load.pause_when(|| failover.cluster.kill_postgres(primary))
        };
        (0..rounds).map(kill).collect()
    });
    let report = load.stop_and_compare(&failover.databases[1]).await;
    (pauses, report)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_are_neither_lost_nor_doubled_when_the_primary_is_killed() {
    let (pauses, report) = kill_primaries(1).await;
    println!("{pauses:?}, {report}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: make soak"]
async fn the_primary_is_killed_again_and_again() {
    let (pauses, report) = kill_primaries(ROUNDS).await;
    let measured = format!(
        "writes again after {}; {report}, 0 lost or doubled",
        summarise(&pauses, Duration::from_secs(10))
    );
    print_row(
        "PostgreSQL primary killed under ingest from two hosts",
        "writes again within 10 s; 0 acknowledged events lost or doubled",
        &measured,
    );
}

/// A commit waits for a standby for as long as there is none. Whoever gives up waiting must not say that it was made.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: make soak"]
async fn what_no_standby_has_is_not_accepted() {
    let failover = tokio::task::block_in_place(|| Failover::start(1));
    let impatient = [("KEEPCLEAR__DATABASE__STATEMENT_TIMEOUT_S", "3")];
    let host = testkit::Process::serve(crate::program(), &failover.databases[0], &impatient);
    let ledger = crate::ledger::Ledger::default();
    assert!(ledger.send(host.address, &failover.token, ledger.next_batch()));
    let primary = failover.primary();
    let standbys: Vec<usize> = (0..3).filter(|machine| *machine != primary).collect();
    for standby in &standbys {
        failover.cluster.freeze(*standby);
    }
    let is_accepted =
        tokio::task::block_in_place(|| ledger.send(host.address, &failover.token, ledger.next_batch()));
    for standby in &standbys {
        failover.cluster.thaw(*standby);
    }
    assert!(!is_accepted, "the batch is on one machine only");
}
