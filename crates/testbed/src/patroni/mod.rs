//! A PostgreSQL that fails over: Patroni and etcd on loopback, with the files of docs/fleet.md. Its machines can be killed, frozen and cut
//! off.

mod etcd;
mod node;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use self::etcd::EtcdMember;
use self::node::{Common, Node};
use crate::haproxy::HaProxy;
use crate::postgres::{choose_run_as, find_bin_dir};
use crate::supervised::{ensure, wait_for};
use crate::temporary_folder;

/// Three machines. What was answered as committed is on two of them.
pub struct PatroniCluster {
    nodes: Vec<Node>,
    etcd: Vec<EtcdMember>,
    postgres_programs: PathBuf,
    _folder: TempDir,
}

impl PatroniCluster {
    pub const DATABASE: &str = "keepclear";
    const USER: &str = "keepclear";
    const PASSWORD: &str = "keepclear";
    const MACHINES: usize = 3;
    /// How long a statement may take, in seconds: creating a database is work.
    const PATIENCE_AT_START_S: u32 = 120;
    const PATIENCE_S: u32 = 10;

    /// Starts a cluster with an empty database, which takes some fifteen seconds. The first start fetches what it needs. With
    /// `etcd_members` as many as machines, each of them is lost together with a machine.
    pub fn start(etcd_members: usize) -> Result<Self, String> {
        let programs = ensure("ensure-failover")?;
        let (postgres_programs, run_as) = (find_bin_dir()?, choose_run_as()?);
        let folder = temporary_folder();
        // PostgreSQL runs as another user, who must be able to enter.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))
            .map_err(|error| error.to_string())?;
        let etcd = EtcdMember::start_all(&programs, folder.path(), etcd_members)?;
        let addresses: Vec<_> = etcd.iter().map(|member| member.client).collect();
        let common =
            Common { patroni: &programs, postgres: &postgres_programs, run_as: &run_as, etcd: &addresses };
        let nodes: Vec<Node> = (1..=Self::MACHINES)
            .map(|number| {
                let name = format!("db-{number}");
                Node::new(name.clone(), folder.path().join(name), &common)
            })
            .collect::<Result<_, _>>()?;
        for node in &nodes {
            node.start()?;
        }
        let cluster = Self { nodes, etcd, postgres_programs, _folder: folder };
        cluster.wait_until_complete()?;
        // Its Patroni may be too busy to say so at once.
        let mut primary = None;
        wait_for("the primary", || {
            primary = cluster.primary();
            primary.is_some()
        })?;
        let primary = &cluster.nodes[primary.ok_or("there is no primary")?];
        for statement in [
            format!("create role {} login password '{}'", Self::USER, Self::PASSWORD),
            format!("create database {} owner {}", Self::DATABASE, Self::USER),
        ] {
            primary.run_sql(&cluster.postgres_programs, "postgres", &statement, Self::PATIENCE_AT_START_S)?;
        }
        Ok(cluster)
    }

    /// Starts the HAProxy of a host, and waits until it leads to the primary: it takes all servers for good at first.
    pub fn start_way(&self) -> Result<HaProxy, String> {
        let server = |node: &Node| (node.ways.postgres.address(), node.ways.checks.address().port());
        let way = HaProxy::to_database(&self.nodes.iter().map(server).collect::<Vec<_>>())?;
        let psql = self.postgres_programs.join("psql");
        let leads_to_primary = || {
            let asked = Command::new(&psql)
                .arg(Self::url(&way))
                .args(["-Atqc", "select pg_is_in_recovery()"])
                .output();
            asked.is_ok_and(|output| output.status.success() && output.stdout.starts_with(b"f"))
        };
        // It takes turns, so that each server is met.
        wait_for("the primary behind HAProxy", || (0..2 * Self::MACHINES).all(|_| leads_to_primary()))?;
        Ok(way)
    }

    /// Returns the URL of the database by way of a host's HAProxy.
    pub fn url(way: &HaProxy) -> String {
        let (user, password, database) = (Self::USER, Self::PASSWORD, Self::DATABASE);
        format!("postgres://{user}:{password}@{}/{database}", way.address())
    }

    /// Returns the machine that says it is the primary, if one does.
    pub fn primary(&self) -> Option<usize> {
        self.nodes.iter().position(|node| matches!(node.ask("/primary"), Some((200, _))))
    }

    /// Kills the PostgreSQL of a machine. Its Patroni goes on.
    pub fn kill_postgres(&self, machine: usize) {
        self.nodes[machine].kill_postgres();
    }

    /// Kills everything on a machine, as if it had lost its power.
    pub fn lose(&self, machine: usize) {
        self.nodes[machine].kill();
        if let Some(member) = self.etcd.get(machine).filter(|_| self.etcd.len() > 1) {
            member.kill();
        }
    }

    /// Starts a machine that was lost again, over what is on its disk.
    pub fn bring_back(&self, machine: usize) -> Result<(), String> {
        if let Some(member) = self.etcd.get(machine).filter(|_| self.etcd.len() > 1) {
            member.restart()?;
        }
        self.nodes[machine].start()
    }

    /// Lets a machine run but no byte from or to it pass: hosts, other machines and etcd do not reach it, nor does it reach them.
    pub fn cut_off(&self, machine: usize) {
        for way in self.nodes[machine].ways.all() {
            way.stall();
        }
        // It must not reach the others either. They go on without asking each other, because they have etcd.
        for node in &self.nodes {
            node.ways.peers.stall();
        }
    }

    /// Ends [`PatroniCluster::cut_off`].
    pub fn reconnect(&self, machine: usize) {
        for node in &self.nodes {
            node.ways.peers.restore();
        }
        for way in self.nodes[machine].ways.all() {
            way.restore();
        }
    }

    /// Stops all processes of a machine without ending them.
    pub fn freeze(&self, machine: usize) {
        self.nodes[machine].freeze();
    }

    pub fn thaw(&self, machine: usize) {
        self.nodes[machine].thaw();
    }

    /// Runs a statement on a machine itself, whatever its role is, and returns what psql prints.
    pub fn run_sql(&self, machine: usize, database: &str, statement: &str) -> Result<String, String> {
        self.nodes[machine].run_sql(&self.postgres_programs, database, statement, Self::PATIENCE_S)
    }

    /// Waits until there is a primary with a synchronous standby and a further one.
    pub fn wait_until_complete(&self) -> Result<(), String> {
        let mut seen = Value::Null;
        let waited = wait_for("three machines of which one is a synchronous standby", || {
            let mut answers = self.nodes.iter().filter_map(|node| node.ask("/cluster"));
            seen = answers.find_map(|(_, text)| serde_json::from_str(&text).ok()).unwrap_or_default();
            is_complete(&seen)
        });
        waited.map_err(|reason| {
            let logs = self.nodes.iter().map(|node| format!("{}:\n{}", node.name, node.log_text()));
            format!("{reason}: {seen}\n{}", logs.collect::<Vec<_>>().join("\n"))
        })
    }
}

/// Whether Patroni's list has a leader, a synchronous standby and another one, all of which work. A standby that only runs may be about to
/// be rewound: without it, losing another machine stops writes until it is back.
fn is_complete(cluster: &Value) -> bool {
    let works = |member: &&Value| match member["role"].as_str() {
        Some("leader") => member["state"] == "running",
        _ => member["state"] == "streaming",
    };
    let members = cluster["members"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut roles: Vec<&str> =
        members.iter().filter(works).filter_map(|member| member["role"].as_str()).collect();
    roles.sort_unstable();
    roles == ["leader", "replica", "sync_standby"]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::is_complete;

    #[test]
    fn a_cluster_is_complete_when_all_three_work() {
        let member = |role: &str, state: &str| json!({ "name": "db", "role": role, "state": state });
        let (leader, standby) = (member("leader", "running"), member("sync_standby", "streaming"));
        let third = |state: &str| json!({ "members": [leader, standby, member("replica", state)] });
        assert!(is_complete(&third("streaming")));
        assert!(!is_complete(&third("running")) && !is_complete(&third("stopped")));
        assert!(!is_complete(&json!({})));
    }
}
