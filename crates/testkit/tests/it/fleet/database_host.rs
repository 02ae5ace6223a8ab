//! A machine of the database is lost, or cut off from everything and back.

use std::time::Duration;

use super::{Failover, print_row, summarise};

const ROUNDS: usize = 3;
const FAILURE: &str = "database host lost, or cut off and back";
const GOAL: &str = "within 30 s; the old primary's late writes are refused; 0 lost";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: make soak"]
async fn a_database_host_is_lost_or_cut_off_and_comes_back() {
    let failover = tokio::task::block_in_place(|| Failover::start(3));
    let cluster = &failover.cluster;
    let load = failover.start_load();
    let (mut replaced, mut lost, mut cut_off, mut frozen) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    tokio::task::block_in_place(|| {
        cluster.run_sql(failover.primary(), "keepclear", "create table late_writes (number int)").unwrap();
        for round in 0..ROUNDS {
            cluster.wait_until_complete().unwrap();
            let old = failover.primary();
            lost.push(load.pause_when(|| {
                cluster.lose(old);
                replaced.push(failover.wait_for_other_primary(old));
            }));
            cluster.bring_back(old).unwrap();

            cluster.wait_until_complete().unwrap();
            let old = failover.primary();
            cut_off.push(load.pause_when(|| cluster.cut_off(old)));
            write_late(&failover, old, round);
            cluster.reconnect(old);

            cluster.wait_until_complete().unwrap();
            let old = failover.primary();
            frozen.push(load.pause_when(|| cluster.freeze(old)));
            cluster.thaw(old);
            // It may take itself for the primary for a moment.
            write_late(&failover, old, round);
        }
        cluster.wait_until_complete().unwrap();
        for machine in 0..3 {
            let late = cluster.run_sql(machine, "keepclear", "select count(*) from late_writes").unwrap();
            assert_eq!(late, "0", "late writes on machine {machine}");
        }
        cluster.run_sql(failover.primary(), "keepclear", "drop table late_writes").unwrap();
    });
    let report = load.stop_and_compare(&failover.databases[1]).await;
    let goal = Duration::from_secs(30);
    let measured = format!(
        "lost: another primary after {}, writes again after {}; cut off: {}; frozen: {}; no late write was accepted or is there; \
         {report}, 0 lost or doubled",
        summarise(&replaced, goal),
        summarise(&lost, goal),
        summarise(&cut_off, goal),
        summarise(&frozen, goal),
    );
    print_row(FAILURE, GOAL, &measured);
}

/// Writes to the machine that was the primary. It must not say that it has.
fn write_late(failover: &Failover, machine: usize, round: usize) {
    let statement = format!("insert into late_writes values ({round})");
    let written = failover.cluster.run_sql(machine, "keepclear", &statement);
    assert!(written.is_err(), "machine {machine} has accepted a write after another became the primary");
}
