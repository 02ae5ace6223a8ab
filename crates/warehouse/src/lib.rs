//! Copies of facts in ClickHouse, for brands whose columns do not fit into the memory of one host. No other crate knows ClickHouse.
//!
//! PostgreSQL is the truth. A node holds the facts of the stations of its shard, and says itself how far ([`Applied`]). [`Cluster::ask`]
//! turns a question into SQL (`question`), asks nodes that are far enough, and reads the same [`domain::insights::Answer`] as the columns
//! give. Whoever follows the changes of a brand writes them with [`Batch`] and the functions in `writing`; this crate reads nothing from
//! the store.

mod applied;
mod ask;
mod batch;
mod client;
mod cluster;
mod cluster_question;
mod config;
mod copy;
mod error;
mod insert_throttle;
mod natives;
mod pace;
mod question;
mod result_rows;
mod schema;
mod writing;

pub use applied::{Applied, Origin, ShardPlacement};
pub use ask::{Answered, Limits};
pub use batch::Batch;
pub use cluster::{Cluster, NodeId};
pub use cluster_question::ClusterQuestion;
pub use config::{Config, NodeConfig};
pub use copy::{CopyId, FactTable};
pub use error::Error;
pub use question::{KeptFrom, Kinds};
pub use writing::{Advance, Fill, FillTables};

/// The oldest version of ClickHouse that is used: the one that the tests run.
pub const OLDEST_VERSION: (u32, u32) = (26, 7);
