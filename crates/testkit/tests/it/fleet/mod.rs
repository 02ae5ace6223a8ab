//! The fleet of docs/fleet.md as a whole: real hosts over a PostgreSQL that fails over, behind a balancer, with an object store. One
//! failover is part of every test run. The others take minutes: `make soak` runs them and writes docs/soak.md from what they print.

mod balancer;
mod commits;
mod database_host;
mod hosts;
mod load;
mod objects;
mod primary;
mod upgrade;

use std::time::Duration;

use testbed::{HaProxy, PatroniCluster};
use testkit::{Database, Process};
use tokio::time::Instant;

use self::load::Load;
use crate::ledger::station_token;
use crate::program;

const GENEROUS: [(&str, &str); 1] = [("KEEPCLEAR__LIMITS__INGEST_PER_MINUTE", "10000000")];

/// Two hosts over a PostgreSQL that fails over, each with a way of its own to the primary.
struct Failover {
    hosts: Vec<Process>,
    databases: Vec<Database>,
    token: String,
    // Last, because the others use them.
    _ways: Vec<HaProxy>,
    cluster: PatroniCluster,
}

impl Failover {
    /// Starts everything. With as many members of etcd as machines, one of them is lost with each machine.
    fn start(etcd_members: usize) -> Self {
        let cluster = PatroniCluster::start(etcd_members).unwrap();
        let ways: Vec<HaProxy> = (0..2).map(|_| cluster.start_way().unwrap()).collect();
        let databases: Vec<Database> =
            ways.iter().map(|way| Database::at(PatroniCluster::url(way))).collect();
        let token = station_token(&databases[0]);
        let hosts = databases.iter().map(|database| Process::serve(program(), database, &GENEROUS)).collect();
        Self { hosts, databases, token, _ways: ways, cluster }
    }

    /// Starts two senders to each host.
    fn start_load(&self) -> Load {
        let addresses = self.hosts.iter().flat_map(|host| [host.address, host.address]);
        Load::start(addresses.map(|address| (address, self.token.clone())).collect(), Duration::from_secs(30))
    }

    /// Waits until another machine is the primary, and returns how long it took.
    fn wait_for_other_primary(&self, old: usize) -> Duration {
        let began = Instant::now();
        while self.cluster.primary().is_none_or(|primary| primary == old) {
            std::thread::sleep(Duration::from_millis(50));
        }
        began.elapsed()
    }

    /// Waits until there is a primary, and returns it.
    fn primary(&self) -> usize {
        loop {
            if let Some(primary) = self.cluster.primary() {
                return primary;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Prints what was measured, as a row of the table in docs/soak.md.
#[expect(clippy::print_stdout, reason = "tools/soak-table reads it")]
pub fn print_row(failure: &str, goal: &str, measured: &str) {
    println!("\nsoak row | {failure} | {goal} | {measured}");
}

/// Returns durations in seconds as text, and whether all are within a goal.
pub fn summarise(durations: &[Duration], goal: Duration) -> String {
    let mut seconds: Vec<f64> = durations.iter().map(Duration::as_secs_f64).collect();
    seconds.sort_by(f64::total_cmp);
    let (Some(shortest), Some(longest)) = (seconds.first(), seconds.last()) else {
        return "nothing".to_owned();
    };
    let missed = if *longest > goal.as_secs_f64() { " (goal missed)" } else { "" };
    format!("{shortest:.1} to {longest:.1} s in {} rounds{missed}", seconds.len())
}
