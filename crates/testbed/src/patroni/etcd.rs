//! The members of an etcd cluster, which decide who is the primary.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::supervised::{Supervised, free_port, loopback, request, wait_for};

pub(super) struct EtcdMember {
    command: Vec<String>,
    log: std::path::PathBuf,
    pub client: SocketAddr,
    /// None while it is killed.
    program: Mutex<Option<Supervised>>,
}

impl EtcdMember {
    /// Starts all members of a cluster, and waits until they answer.
    pub fn start_all(programs: &Path, folder: &Path, count: usize) -> Result<Vec<Self>, String> {
        let ports: Vec<(u16, u16)> =
            (0..count).map(|_| Ok((free_port()?, free_port()?))).collect::<Result<_, String>>()?;
        let peers = ports.iter().enumerate();
        let peers = peers.map(|(number, (_, peer))| format!("etcd-{number}=http://{}", loopback(*peer)));
        let peers = peers.collect::<Vec<_>>().join(",");
        let member = |(number, (client, peer)): (usize, &(u16, u16))| {
            let (client, peer) = (loopback(*client), loopback(*peer));
            let mut command = vec![programs.join("bin/etcd").to_string_lossy().into_owned()];
            for (option, value) in [
                ("name", format!("etcd-{number}")),
                ("data-dir", folder.join(format!("etcd-{number}")).to_string_lossy().into_owned()),
                ("listen-client-urls", format!("http://{client}")),
                ("advertise-client-urls", format!("http://{client}")),
                ("listen-peer-urls", format!("http://{peer}")),
                ("initial-advertise-peer-urls", format!("http://{peer}")),
                ("initial-cluster", peers.clone()),
            ] {
                command.extend([format!("--{option}"), value]);
            }
            let log = folder.join(format!("etcd-{number}.log"));
            Self { command, log, client, program: Mutex::new(None) }
        };
        let members: Vec<Self> = ports.iter().enumerate().map(member).collect();
        for member in &members {
            member.restart()?;
        }
        for member in &members {
            // Patroni ends if it asks before the members have agreed on their version.
            wait_for("etcd", || {
                let version = request(member.client, "GET", "/version");
                let is_healthy = || matches!(request(member.client, "GET", "/health"), Some((200, _)));
                version.is_some_and(|(status, text)| status == 200 && !text.contains("not_decided"))
                    && is_healthy()
            })?;
        }
        Ok(members)
    }

    pub fn kill(&self) {
        drop(self.program.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Starts the member over its data.
    pub fn restart(&self) -> Result<(), String> {
        self.kill();
        let started = Supervised::start(&self.command, &self.log)?;
        *self.program.lock().unwrap_or_else(PoisonError::into_inner) = Some(started);
        Ok(())
    }
}
