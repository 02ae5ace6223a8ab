//! HAProxy on loopback, with the files of docs/fleet.md.

use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::path::Path;

use tempfile::TempDir;

use crate::supervised::{Supervised, ensure, free_port, loopback, wait_for};
use crate::temporary_folder;

/// A running HAProxy.
pub struct HaProxy {
    address: SocketAddr,
    _program: Supervised,
    _folder: TempDir,
}

impl HaProxy {
    /// Starts the way of a host to the database: connections are led to the server whose check says that it is the primary. Servers are
    /// given with the port of their check.
    pub fn to_database(servers: &[(SocketAddr, u16)]) -> Result<Self, String> {
        let lines = servers.iter().enumerate();
        let lines =
            lines.map(|(number, (server, check))| format!("    server db-{number} {server} port {check}"));
        Self::start("listen keepclear_database", &lines.collect::<Vec<_>>())
    }

    /// Starts the balancer in front of hosts.
    pub fn to_hosts(hosts: &[SocketAddr]) -> Result<Self, String> {
        let lines = hosts.iter().enumerate().map(|(number, host)| format!("    server app-{number} {host}"));
        Self::start("frontend public", &lines.collect::<Vec<_>>())
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    fn start(section: &str, servers: &[String]) -> Result<Self, String> {
        let programs = ensure("ensure-failover")?;
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/fleet.md");
        let documented = fs::read_to_string(docs).map_err(|error| error.to_string())?;
        let folder = temporary_folder();
        let file = folder.path().join("haproxy.cfg");
        let address = loopback(free_port()?);
        fs::write(&file, configuration(&documented, section, address, servers)?)
            .map_err(|error| error.to_string())?;
        let program = programs.join("bin/haproxy").to_string_lossy().into_owned();
        let command = [program, "-db".to_owned(), "-f".to_owned(), file.to_string_lossy().into_owned()];
        let log = folder.path().join("log");
        let running = Supervised::start(&command, &log)?;
        wait_for("HAProxy", || TcpStream::connect(address).is_ok())
            .map_err(|reason| format!("{reason}: {}", fs::read_to_string(&log).unwrap_or_default()))?;
        Ok(Self { address, _program: running, _folder: folder })
    }
}

/// Returns the documented file that has a section, for the address and the servers of a test: without the log, the user and the
/// certificate of a machine.
fn configuration(
    documented: &str,
    section: &str,
    address: SocketAddr,
    servers: &[String],
) -> Result<String, String> {
    let blocks = documented.split("\n```").map(|block| block.trim_start_matches('\n'));
    let block = blocks.into_iter().find(|block| block.lines().any(|line| line == section));
    let block = block.ok_or_else(|| format!("docs/fleet.md has no file with {section:?}"))?;
    let of_a_machine = |line: &str| {
        let words = ["log ", "user ", "group ", "ssl-default-bind-options ", "http-request redirect scheme "];
        words.iter().any(|word| line.starts_with(word)) || line.starts_with("bind :443 ")
    };
    let mut lines = Vec::new();
    for line in block.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("bind ") && !of_a_machine(trimmed) {
            lines.push(format!("    bind {address}"));
        } else if trimmed.starts_with("maxconn ") {
            // Without the right to open more files.
            lines.push("    maxconn 400".to_owned());
        } else if !trimmed.starts_with("server ") && !of_a_machine(trimmed) {
            lines.push(line.to_owned());
        }
    }
    Ok(lines.join("\n") + "\n" + &servers.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_documented_file_gets_the_addresses_of_the_test() {
        let documented = "Text\n\n```\nglobal\n    user haproxy\n\nlisten a\n    bind 127.0.0.1:5432\n    option httpchk\n    \
             server db-1 10.0.0.11:5432\n```\n\nMore\n\n```\nlisten b\n```\n";
        let servers = ["    server db-0 127.0.0.1:7 port 8".to_owned()];
        let made = configuration(documented, "listen a", loopback(9), &servers).unwrap();
        assert_eq!(
            made,
            "global\n\nlisten a\n    bind 127.0.0.1:9\n    option httpchk\n    server db-0 127.0.0.1:7 port 8\n"
        );
        assert!(configuration(documented, "listen c", loopback(9), &servers).is_err());
    }
}
