//! The `[analytics.warehouse]` section of the configuration.

use std::collections::BTreeSet;

use domain::Secret;
use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The nodes of the cluster. Empty means that there is none.
    pub nodes: Vec<NodeConfig>,
    /// The database on each node, which must exist.
    pub database: String,
    pub user: String,
    pub password: Secret,
    /// The most memory that a node uses for one question.
    pub max_query_memory_mb: u32,
    /// The most questions that a process asks at a time, in total and for one brand.
    pub max_concurrent_queries: u32,
    pub max_concurrent_queries_per_brand: u32,
}

/// One node. The nodes of a shard are replicas of each other.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeConfig {
    /// The number of its shard, from 1.
    pub shard: u32,
    /// The address of its HTTP interface.
    pub url: String,
    /// Host and port of its native interface, by which the nodes of several shards ask each other. Those of `https` speak TLS there, too.
    #[serde(default)]
    pub native: String,
}

const NODES: &str = "analytics.warehouse.nodes";

impl Config {
    /// Whether there is a cluster.
    pub fn is_set(&self) -> bool {
        !self.nodes.is_empty()
    }

    /// Returns the number of shards.
    pub fn shards(&self) -> u32 {
        self.nodes.iter().map(|node| node.shard).max().unwrap_or(0)
    }

    /// Validates the values. An error holds the key that is wrong and the reason.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        if self.max_query_memory_mb < 64 {
            return Err(("analytics.warehouse.max_query_memory_mb", "must be at least 64".to_owned()));
        }
        let (total, share) = (self.max_concurrent_queries, self.max_concurrent_queries_per_brand);
        if total == 0 {
            return Err(("analytics.warehouse.max_concurrent_queries", "must be at least 1".to_owned()));
        }
        if !(1..=total).contains(&share) {
            return Err((
                "analytics.warehouse.max_concurrent_queries_per_brand",
                format!("must be 1 to {total}, which is analytics.warehouse.max_concurrent_queries"),
            ));
        }
        if !self.is_set() {
            return Ok(());
        }
        let is_name = |text: &str| {
            text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        if !is_name(&self.database) {
            let reason = "must consist of ASCII letters, digits and underscores";
            return Err(("analytics.warehouse.database", reason.to_owned()));
        }
        for (key, text) in
            [("analytics.warehouse.user", &self.user), ("analytics.warehouse.password", &self.password.0)]
        {
            if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
                return Err((key, "must consist of printable ASCII characters without blanks".to_owned()));
            }
        }
        self.check_nodes().map_err(|reason| (NODES, reason))
    }

    fn check_nodes(&self) -> Result<(), String> {
        let numbers: BTreeSet<u32> = self.nodes.iter().map(|node| node.shard).collect();
        if numbers != (1..=self.shards()).collect::<BTreeSet<u32>>() {
            return Err("must number shards from 1 without gaps".to_owned());
        }
        let urls: BTreeSet<&str> = self.nodes.iter().map(|node| node.url.as_str()).collect();
        if urls.len() < self.nodes.len() {
            return Err("must name each url once".to_owned());
        }
        let natives: Vec<&str> =
            self.nodes.iter().map(|node| node.native.as_str()).filter(|native| !native.is_empty()).collect();
        if natives.iter().collect::<BTreeSet<_>>().len() < natives.len() {
            return Err("must name each native once".to_owned());
        }
        for (place, node) in self.nodes.iter().enumerate() {
            if !is_address(&node.url) {
                let fault = "must begin with http:// or https:// and have no login, path, query or fragment";
                // The login that it must not have may be the password.
                return Err(format!("the url of node {} {fault}", place + 1));
            }
            if !node.native.is_empty() && !is_host_and_port(&node.native) {
                return Err(format!("{}: native must be a host and a port", node.url));
            }
            if node.native.is_empty() && self.shards() > 1 {
                return Err(format!("{}: needs native, because there are several shards", node.url));
            }
        }
        let secure = self.nodes.iter().filter(|node| node.url.starts_with("https://")).count();
        if secure != 0 && secure != self.nodes.len() {
            return Err("must be https:// for all nodes or for none".to_owned());
        }
        Ok(())
    }
}

fn is_address(url: &str) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    rest.is_some_and(|rest| {
        !rest.is_empty()
            && !rest.contains(['/', '?', '#', '@', '\\'])
            && rest.bytes().all(|b| b.is_ascii_graphic())
            && reqwest::Url::parse(url).is_ok()
    })
}

/// Neither of these may contain what separates addresses in a list of them.
fn is_host_and_port(text: &str) -> bool {
    let Some((host, port)) = text.rsplit_once(':') else { return false };
    !host.is_empty()
        && port.parse::<u16>().is_ok_and(|port| port > 0)
        && host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._[]:".contains(&b))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn config(nodes: &[(u32, &str, &str)]) -> Config {
        let node = |(shard, url, native): &(u32, &str, &str)| NodeConfig {
            shard: *shard,
            url: (*url).to_owned(),
            native: (*native).to_owned(),
        };
        Config {
            nodes: nodes.iter().map(node).collect(),
            database: "keepclear".to_owned(),
            user: "keepclear".to_owned(),
            password: Secret("it's".to_owned()),
            max_query_memory_mb: 1_024,
            max_concurrent_queries: 8,
            max_concurrent_queries_per_brand: 4,
        }
    }

    fn fault(nodes: &[(u32, &str, &str)]) -> Option<&'static str> {
        config(nodes).check().map_err(|(key, _)| key).err()
    }

    #[test]
    fn a_cluster_is_optional() {
        assert_eq!(fault(&[]), None);
        assert!(!config(&[]).is_set());
    }

    #[test]
    fn nodes_of_several_shards_reach_each_other() {
        let (a, b) = ("http://10.0.0.1:8123", "http://10.0.0.2:8123");
        assert_eq!(fault(&[(1, a, ""), (1, b, "")]), None);
        assert_eq!(fault(&[(1, a, "10.0.0.1:9000"), (2, b, "10.0.0.2:9000")]), None);
        assert_eq!(config(&[(1, a, "10.0.0.1:9000"), (2, b, "10.0.0.2:9000")]).shards(), 2);
        for wrong in [
            vec![(1, a, "10.0.0.1:9000"), (2, b, "")],
            vec![(1, a, "10.0.0.1:9000"), (3, b, "10.0.0.2:9000")],
            vec![(2, a, "10.0.0.1:9000")],
            vec![(1, a, ""), (1, a, "")],
            vec![(1, a, "10.0.0.1:9000"), (2, b, "10.0.0.1:9000")],
            vec![(1, a, "10.0.0.1:9000"), (1, b, "10.0.0.1:9000")],
            vec![(1, "10.0.0.1:8123", "")],
            vec![(1, "http://10.0.0.1:8123/play", "")],
            vec![(1, "http://user@10.0.0.1:8123", "")],
            vec![(1, a, "10.0.0.1")],
            vec![(1, a, "10.0.0.1:9000,10.0.0.9:9000")],
            vec![(1, a, "10.0.0.1|x:9000")],
            vec![(1, a, ""), (1, "https://10.0.0.2:8443", "")],
        ] {
            assert_eq!(fault(&wrong), Some(NODES), "{wrong:?}");
        }
    }

    #[test]
    fn a_password_in_an_address_is_not_shown() {
        let (a, b) = ("http://10.0.0.1:8123", "http://keepclear:tulip@10.0.0.2:8123");
        let (_, reason) = config(&[(1, a, ""), (1, b, "")]).check().unwrap_err();
        assert!(reason.contains("node 2") && !reason.contains("tulip"), "{reason}");
    }

    #[test]
    fn names_and_limits_are_checked() {
        let a = [(1, "http://10.0.0.1:8123", "")];
        let wrong = |config: Config| config.check().map_err(|(key, _)| key).err();
        let with = |database: &str| Config { database: database.to_owned(), ..config(&a) };
        assert_eq!(wrong(with("keepclear; drop")), Some("analytics.warehouse.database"));
        assert_eq!(wrong(with("")), Some("analytics.warehouse.database"));
        let spaced = Config { password: Secret("a b".to_owned()), ..config(&a) };
        assert_eq!(wrong(spaced), Some("analytics.warehouse.password"));
        let small = Config { max_query_memory_mb: 1, ..config(&[]) };
        assert_eq!(wrong(small), Some("analytics.warehouse.max_query_memory_mb"));
        let greedy = Config { max_concurrent_queries_per_brand: 9, ..config(&[]) };
        assert_eq!(wrong(greedy), Some("analytics.warehouse.max_concurrent_queries_per_brand"));
    }
}
