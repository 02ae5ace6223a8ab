//! Connections are cut after COMMIT was sent, again and again, while two hosts receive events.

use std::time::Duration;

use testbed::CommitCut;
use testkit::{Database, Engine, Process};

use super::load::Load;
use super::{GENEROUS, print_row};
use crate::ledger::station_token;
use crate::program;

const CUTS: usize = 300;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: make soak"]
async fn connections_are_cut_after_commit_was_sent() {
    let direct = Database::empty(Engine::Postgres);
    let token = station_token(&direct);
    let proxy = Database::start_proxy();
    let databases = [direct.through(&proxy), direct.through(&proxy)];
    let hosts = databases.each_ref().map(|database| Process::serve(program(), database, &GENEROUS));
    let senders = hosts.iter().flat_map(|host| [host.address, host.address]);
    let load =
        Load::start(senders.map(|address| (address, token.clone())).collect(), Duration::from_secs(30));
    tokio::task::block_in_place(|| {
        load.wait_until_working();
        for cut in 0..CUTS {
            let at = if cut % 2 == 0 { CommitCut::BeforeAnswer } else { CommitCut::BeforeServer };
            proxy.cut_next_commit(at);
            while proxy.waits_for_commit() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    });
    let report = load.stop_and_compare(&direct).await;
    print_row(
        "connection cut after COMMIT was sent",
        "0 lost, 0 doubled",
        &format!(
            "{report}, 0 lost or doubled; {CUTS} connections cut, half of them after the server had committed"
        ),
    );
}
