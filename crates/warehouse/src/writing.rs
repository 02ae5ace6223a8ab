//! Writes changes to nodes. Rows come first, and what a node says that it holds after them.

use std::time::Duration;

use futures_util::future::join_all;

use crate::Error;
use crate::applied::{self, Applied, Origin};
use crate::batch::{Batch, TableRows};
use crate::cluster::{Cluster, LOOK_TIMEOUT, NodeId};
use crate::copy::{CopyId, FactTable};
use crate::pace::{LONGEST_STEP, Late, ShardPace};
use crate::question::KeptFrom;
use crate::schema::{self, MONTH_OF_START, quoted};

/// Inserts wait for the disk.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// A step of more rows may take long on a node that is sound.
const MAX_ROWS_OF_SHORT_STEP: usize = 5_000;

/// The tables of a node that are filled. Tables of the same names that were made later are others: a node that was emptied meanwhile has
/// lost what was written before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FillTables(
    /// Their names and uuids.
    Vec<(String, String)>,
);

/// The end of filling a node.
#[derive(Clone, Copy, Debug)]
pub struct Fill<'a> {
    pub origin: &'a Origin,
    pub is_synchronous: bool,
    /// Every change up to this number was written.
    pub seq: i64,
    /// Random, and another one for every fill.
    pub filling: u64,
}

/// A step of a node that follows.
#[derive(Clone, Copy, Debug)]
pub struct Advance<'a> {
    pub origin: &'a Origin,
    pub is_synchronous: bool,
    /// What the node held before.
    pub after: i64,
    /// What it holds now that the changes in between were written.
    pub seq: i64,
    /// The filling that it goes on from.
    pub filling: u64,
}

impl Cluster {
    /// Creates the tables of a copy on a node, unless they exist. Tables that were made for another store or another place in the cluster
    /// are dropped first.
    pub async fn prepare(&self, node: NodeId, copy: CopyId, store_id: &str) -> Result<FillTables, Error> {
        let placement = self.placement(node);
        let comment = schema::comment(store_id, placement.shard, placement.shards);
        let found = self.tables_with(node, copy, "comment").await?;
        if found.iter().any(|(_, of)| *of != comment) {
            self.drop_copy(node, copy).await?;
        }
        for statement in schema::create_statements(copy, &comment) {
            self.client(node).run(statement, &[], WRITE_TIMEOUT).await?;
        }
        let made = self.tables_with(node, copy, "toString(uuid)").await?;
        if made.len() != copy.tables().len() {
            return Err(self.client(node).fault("it lost tables that were just made"));
        }
        Ok(FillTables(made))
    }

    /// Creates the tables of a copy on a node that is to be filled, without any rows of before: those of a fill that was not finished may
    /// be of changes that the database does not have any more.
    pub async fn prepare_empty(
        &self,
        node: NodeId,
        copy: CopyId,
        store_id: &str,
    ) -> Result<FillTables, Error> {
        self.drop_copy(node, copy).await?;
        self.prepare(node, copy, store_id).await
    }

    /// Returns the tables that a node has of a copy, by name, each with an expression about it.
    async fn tables_with(
        &self,
        node: NodeId,
        copy: CopyId,
        expression: &str,
    ) -> Result<Vec<(String, String)>, Error> {
        let names: Vec<String> = copy.tables().iter().map(|table| quoted(table)).collect();
        let text = format!(
            "select name, {expression} from system.tables where database = currentDatabase() and name in ({}) order by name \
             format JSONCompact",
            names.join(", ")
        );
        self.client(node).rows(text, &[], LOOK_TIMEOUT).await
    }

    /// Writes the rows of a batch to these nodes, to each those of its shard, and returns the nodes that failed. The batch is empty then.
    pub async fn insert(&self, nodes: &[NodeId], copy: CopyId, batch: &mut Batch) -> Vec<(NodeId, Error)> {
        let shards = batch.take();
        let writes = nodes.iter().map(|node| {
            let rows = self.rows_of(*node, &shards);
            async move { (*node, self.insert_rows(*node, copy, rows, WRITE_TIMEOUT).await) }
        });
        let written = join_all(writes).await;
        written.into_iter().filter_map(|(node, outcome)| Some((node, outcome.err()?))).collect()
    }

    /// Writes the rows of a batch to nodes, as [`Cluster::insert`] does, and then how far each node is. No node waits for another, and one
    /// that is much slower than a replica fails with [`Error::Slow`]. The substitutes, which are other nodes, can take over from replicas
    /// that take long for few rows. The batch is empty then.
    pub async fn apply(
        &self,
        copy: CopyId,
        batch: &mut Batch,
        steps: &[(NodeId, Option<Advance<'_>>)],
        substitutes: &[NodeId],
    ) -> Vec<(NodeId, Result<(), Error>)> {
        let is_short = batch.len() <= MAX_ROWS_OF_SHORT_STEP;
        let has_substitute = |shard: u32| substitutes.iter().any(|node| self.placement(*node).shard == shard);
        let shards = batch.take();
        let paces: Vec<ShardPace> =
            (1..=self.shards()).map(|shard| ShardPace::begin(is_short && has_substitute(shard))).collect();
        let writes = steps.iter().map(|(node, step)| {
            let rows = self.rows_of(*node, &shards);
            let pace = &paces[self.placement(*node).shard as usize - 1];
            async move {
                let written = pace.keep(self.write_step(*node, copy, rows, step.as_ref())).await;
                let late = |late| match late {
                    Late::BehindReplica => Error::Slow { node: self.name(*node).to_owned() },
                    Late::Altogether => self.client(*node).fault("it did not end a step in time"),
                };
                (*node, written.unwrap_or_else(|why| Err(late(why))))
            }
        });
        join_all(writes).await
    }

    /// The same for nodes that are not asked yet. None of them is too slow.
    pub async fn apply_unhurried(
        &self,
        copy: CopyId,
        batch: &mut Batch,
        steps: &[(NodeId, Option<Advance<'_>>)],
    ) -> Vec<(NodeId, Result<(), Error>)> {
        let shards = batch.take();
        let writes = steps.iter().map(|(node, step)| {
            let rows = self.rows_of(*node, &shards);
            async move { (*node, self.write_step(*node, copy, rows, step.as_ref()).await) }
        });
        join_all(writes).await
    }

    /// Does everything that a node does in a step.
    async fn write_step(
        &self,
        node: NodeId,
        copy: CopyId,
        rows: TableRows,
        step: Option<&Advance<'_>>,
    ) -> Result<(), Error> {
        self.insert_rows(node, copy, rows, LONGEST_STEP).await?;
        match step {
            Some(step) => self.advance(node, copy, step).await,
            None => Ok(()),
        }
    }

    /// Returns the rows that a node gets.
    fn rows_of(&self, node: NodeId, shards: &[TableRows]) -> TableRows {
        let place = self.placement(node).shard as usize - 1;
        let rows = shards.get(place).into_iter().flatten();
        rows.filter(|(_, rows)| !rows.is_empty()).cloned().collect()
    }

    async fn insert_rows(
        &self,
        node: NodeId,
        copy: CopyId,
        rows: TableRows,
        limit: Duration,
    ) -> Result<(), Error> {
        // What was away for long comes with facts of many months.
        let settings =
            [("max_partitions_per_insert_block", "0".to_owned()), ("async_insert", "0".to_owned())];
        for (table, rows) in rows {
            self.0.throttle.wait(node.0, &copy.table(table)).await;
            let statement = schema::insert_statement(copy, table);
            self.client(node).send(&statement, &settings, rows, limit).await?;
        }
        Ok(())
    }

    /// Records what a node holds whose tables were filled. Fails if it has other tables now, which someone else may be filling, or if
    /// someone else has filled them further.
    pub async fn finish_fill(
        &self,
        node: NodeId,
        copy: CopyId,
        tables: &FillTables,
        fill: &Fill<'_>,
    ) -> Result<(), Error> {
        let applied = self.applied_of(node, (fill.origin, fill.is_synchronous), fill.seq, fill.filling);
        let statement = applied::insert_statement(copy, &applied, &tables.0);
        self.write_applied(node, copy, statement, WRITE_TIMEOUT).await?;
        self.ensure_applied(node, copy, &applied).await
    }

    /// Records what a node holds after another step. Fails if the node has lost what it held, or was filled by someone else since.
    pub async fn advance(&self, node: NodeId, copy: CopyId, step: &Advance<'_>) -> Result<(), Error> {
        let applied = self.applied_of(node, (step.origin, step.is_synchronous), step.seq, step.filling);
        let statement = applied::advance_statement(copy, &applied, step.after);
        self.write_applied(node, copy, statement, LONGEST_STEP).await?;
        self.ensure_applied(node, copy, &applied).await
    }

    /// Fails if a node does not say that it holds what was recorded, because the condition of that was not met.
    async fn ensure_applied(&self, node: NodeId, copy: CopyId, expected: &Applied) -> Result<(), Error> {
        match self.applied(node, copy).await? {
            Some(now) if now.filling == expected.filling && now.seq >= expected.seq => Ok(()),
            _ => Err(self.client(node).fault("it lost what it held")),
        }
    }

    fn applied_of(
        &self,
        node: NodeId,
        (origin, is_synchronous): (&Origin, bool),
        seq: i64,
        filling: u64,
    ) -> Applied {
        let (origin, placement) = (origin.clone(), self.placement(node));
        Applied { origin, is_synchronous, seq, shard: placement.shard, shards: placement.shards, filling }
    }

    async fn write_applied(
        &self,
        node: NodeId,
        copy: CopyId,
        statement: String,
        limit: Duration,
    ) -> Result<(), Error> {
        self.0.throttle.wait(node.0, &copy.applied_table()).await;
        self.client(node).run(statement, &[], limit).await.map(drop)
    }

    /// Drops the months of which no fact is kept.
    pub async fn drop_expired(&self, node: NodeId, copy: CopyId, kept_from: KeptFrom) -> Result<(), Error> {
        for table in FactTable::ALL {
            let Some(from) = kept_from.of(table) else { continue };
            let name = copy.table(table);
            let first = MONTH_OF_START.replace("started_at", &format!("toInt64({})", from.micros()));
            let text = format!(
                "select distinct partition_id from system.parts where database = currentDatabase() and table = {} and active \
                 and toInt64OrZero(partition) < {first} order by partition_id format JSONCompact",
                quoted(&name)
            );
            let months: Vec<(String,)> = self.client(node).rows(text, &[], LOOK_TIMEOUT).await?;
            for (month,) in months {
                let text = format!("alter table {name} drop partition id {}", quoted(&month));
                let settings = [("max_partition_size_to_drop", "0".to_owned())];
                self.client(node).run(text, &settings, WRITE_TIMEOUT).await?;
            }
        }
        Ok(())
    }

    /// Returns the copies that a node has tables of, if they belong to this store.
    pub async fn copies(&self, node: NodeId, store_id: &str) -> Result<Vec<CopyId>, Error> {
        let text = format!(
            "select distinct name from system.tables where database = currentDatabase() and startsWith(comment, {}) \
             order by name format JSONCompact",
            quoted(&format!("store {store_id}, "))
        );
        let names: Vec<(String,)> = self.client(node).rows(text, &[], LOOK_TIMEOUT).await?;
        let mut copies: Vec<CopyId> = names.iter().filter_map(|(name,)| CopyId::of_table(name)).collect();
        copies.dedup();
        Ok(copies)
    }

    /// Drops the tables of a copy on a node.
    pub async fn drop_copy(&self, node: NodeId, copy: CopyId) -> Result<(), Error> {
        // Otherwise ClickHouse keeps what has more than 50 GB.
        let settings = [("max_table_size_to_drop", "0".to_owned())];
        for statement in schema::drop_statements(copy) {
            self.client(node).run(statement, &settings, WRITE_TIMEOUT).await?;
        }
        Ok(())
    }
}
