//! A host of Keepclear is killed, frozen or cut off, behind the balancer.

use std::net::SocketAddr;
use std::time::Duration;

use domain::DeviceKind;
use store::JobCounts;
use testbed::{HaProxy, SmtpServer, TcpProxy};
use testkit::{Database, Engine, Process, TestApp};

use super::load::Load;
use super::{GENEROUS, print_row, summarise};
use crate::{program, workers};

const HOSTS: usize = 3;
/// As many credentials, so that each host serves some of them.
const STATIONS: usize = 12;
/// Mails that are to be sent while each host fails.
const MAILS: usize = 6;

/// Hosts with a proxy each, by which they are cut off.
struct Fleet {
    hosts: Vec<Option<Process>>,
    /// The same database for each host, with a data folder of its own.
    databases: Vec<Database>,
    ways: Vec<TcpProxy>,
    balancer: HaProxy,
}

impl Fleet {
    fn start(app: &TestApp, mail: &SmtpServer) -> Self {
        let databases: Vec<Database> = (0..HOSTS).map(|_| app.database().on_another_host()).collect();
        let anywhere: SocketAddr = ([127, 0, 0, 1], 0).into();
        let hosts: Vec<Process> =
            databases.iter().map(|database| start_host(database, mail, anywhere)).collect();
        let ways: Vec<TcpProxy> =
            hosts.iter().map(|host| TcpProxy::start(vec![host.address]).unwrap()).collect();
        let addresses: Vec<SocketAddr> = ways.iter().map(TcpProxy::address).collect();
        let balancer = HaProxy::to_hosts(&addresses).unwrap();
        Self { hosts: hosts.into_iter().map(Some).collect(), databases, ways, balancer }
    }
}

fn start_host(database: &Database, mail: &SmtpServer, listen: SocketAddr) -> Process {
    let settings = workers::settings(mail);
    let settings = settings.iter().map(|(name, value)| (*name, &**value)).chain(GENEROUS);
    Process::serve_at(program(), database, &settings.collect::<Vec<_>>(), listen, &[])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: make soak"]
async fn a_host_fails_and_others_go_on() {
    let app = TestApp::start(Engine::Postgres).await;
    app.allow_leftover_jobs();
    let mail = SmtpServer::start().unwrap();
    let mut senders = Vec::new();
    let mut fleet = tokio::task::block_in_place(|| Fleet::start(&app, &mail));
    for number in 0..STATIONS {
        let token = app.issue_token("Acme", DeviceKind::Station, &format!("ST-{number}")).await;
        senders.push((fleet.balancer.address(), token));
    }
    let users = workers::create_users(&app, MAILS * HOSTS * 3).await;
    let mut users_left = users.chunks(MAILS);
    // Whoever waits longer than a second asks again.
    let load = Load::start(senders, Duration::from_secs(1));
    let (mut killed, mut frozen, mut cut_off) = (Vec::new(), Vec::new(), Vec::new());
    for host in 0..HOSTS {
        issue_all(&app, users_left.next().unwrap()).await;
        tokio::task::block_in_place(|| {
            let process = fleet.hosts[host].take().unwrap();
            let address = process.address;
            killed.push(load.pause_when(|| drop(process.stop("-KILL"))));
            fleet.hosts[host] = Some(start_host(&fleet.databases[host], &mail, address));
            wait_for_checks();
        });
        issue_all(&app, users_left.next().unwrap()).await;
        tokio::task::block_in_place(|| {
            let process = fleet.hosts[host].as_ref().unwrap();
            frozen.push(load.pause_when(|| process.signal("-STOP")));
            process.signal("-CONT");
            wait_for_checks();
        });
        issue_all(&app, users_left.next().unwrap()).await;
        tokio::task::block_in_place(|| {
            cut_off.push(load.pause_when(|| fleet.ways[host].stall()));
            fleet.ways[host].restore();
            wait_for_checks();
        });
    }
    let report = load.stop_and_compare(app.database()).await;
    assert_eq!(workers::wait_until_done(&app).await, JobCounts::default());
    let mails = workers::check_mails(&app, &mail, &users).await;
    let goal = Duration::from_secs(5);
    let measured = format!(
        "killed: requests succeed elsewhere after {}; frozen: {}; cut off: {}; {report}, 0 lost or doubled; \
         {} mails sent in {mails} messages, each recorded once",
        summarise(&killed, goal),
        summarise(&frozen, goal),
        summarise(&cut_off, goal),
        users.len(),
    );
    print_row(
        "keepclear host killed, frozen, cut off",
        "requests succeed elsewhere within 5 s; rows change once, mails go at least once",
        &measured,
    );
}

async fn issue_all(app: &TestApp, users: &[domain::User]) {
    for user in users {
        workers::issue(app, user).await;
    }
}

/// Waits until the balancer has seen twice that a host is ready again.
fn wait_for_checks() {
    std::thread::sleep(Duration::from_secs(5));
}
