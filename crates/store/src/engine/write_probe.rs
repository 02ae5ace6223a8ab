//! The probe that shows whether writes work, also after a storage fault.

use std::time::Duration;

use crate::Error;
use crate::engine::pool::Store;
use crate::engine::statement::sql;

/// A commit this recent proves that writes work, so that probes of a busy service do not compete with writers.
const RECENT_COMMIT: Duration = Duration::from_secs(5);

/// Time for which the result of a probe is reused.
const PROBE_RESULT_TTL: Duration = Duration::from_millis(500);

#[macros::boxed]
impl Store {
    /// Checks that writes work: that a transaction can begin and, after a storage fault, that there is room for more than the
    /// smallest write and that a commit reaches the disk. A successful ordinary commit does not clear the fault, because small
    /// commits still find room on a full disk where larger ones do not.
    pub async fn check_writable(&self) -> Result<(), Error> {
        let writes = self.write_health();
        let (is_faulty, is_recent) = {
            let state = writes.state();
            (state.fault.is_some(), state.committed_at.is_some_and(|at| at.elapsed() < RECENT_COMMIT))
        };
        if !is_faulty {
            return if is_recent { Ok(()) } else { self.begin().await?.ensure_writable().await };
        }
        let _trying = writes.probe_lock.lock().await;
        match &writes.state().fault {
            None => return Ok(()),
            Some((fault, at)) if at.elapsed() < PROBE_RESULT_TTL => {
                return Err(Error::Storage(fault.clone()));
            }
            Some(_) => {}
        }
        let outcome = self.probe_write().await;
        match &outcome {
            Ok(()) => writes.state().fault = None,
            Err(error) => writes.record_error(error),
        }
        outcome
    }

    /// Commits a small write to the disk.
    async fn probe_write(&self) -> Result<(), Error> {
        self.check_disk_space().await?;
        let mut tx = self.begin().await?;
        tx.reserve_disk_space().await?;
        // The row differs each time, because SQLite writes no page for an unchanged row. Housekeeping deletes it.
        tx.execute(sql!(
            "insert into job_slots (reconciler, slot, taken_at) values ('write_trial', 0, 0)
             on conflict (reconciler, slot) do update set taken_at = job_slots.taken_at + 1"
        ))
        .await?;
        tx.commit().await
    }
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;

    use super::*;
    use crate::engine::error::StorageFault;
    use crate::engine::page::Count;
    use crate::{Address, Config};

    async fn store(address: Address) -> Store {
        let config = Config {
            url: String::new(),
            max_connections: 2,
            max_connections_per_brand: 2,
            max_connections_per_caller: 2,
            acquire_timeout_s: 20,
            statement_timeout_s: 60,
            pg_bin_dir: std::path::PathBuf::new(),
        };
        let (store, _) = Store::open(&address, &config).await.unwrap();
        store.migrate(Timestamp::from_seconds(0)).await.unwrap();
        store
    }

    async fn slots(store: &Store) -> i64 {
        let Count(count) =
            store.read().await.unwrap().one(sql!("select count(*) as count from job_slots")).await.unwrap();
        count
    }

    /// Checks that a transaction refuses everything after a failed statement, including the commit.
    async fn is_refused(mut tx: crate::Tx) {
        let insert = sql!("insert into job_slots (reconciler, slot, taken_at) values ('late', 0, 0)");
        assert!(matches!(tx.execute(insert).await, Err(Error::Aborted)));
        assert!(matches!(tx.commit().await, Err(Error::Aborted)));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn sqlite_writes_again_once_it_has_room() {
        let folder = testbed::temporary_folder();
        let store = store(Address::Sqlite(folder.path().join("keepclear.db"))).await;
        store.check_writable().await.unwrap();
        for round in 0..3_i64 {
            let mut tx = store.begin().await.unwrap();
            // A limit of this connection, at the current size of the file.
            tx.execute_script("pragma max_page_count = 1").await.unwrap();
            let fault = loop {
                let insert = sql!(
                    "insert into job_slots (reconciler, slot, taken_at) values (hex(randomblob(100000)), $1, 0)",
                    round
                );
                if let Err(error) = tx.execute(insert).await {
                    break error;
                }
            };
            let Error::Storage(StorageFault { is_full: true, .. }) = fault else { panic!("{fault}") };
            is_refused(tx).await;
            assert!(matches!(store.check_writable().await, Err(Error::Storage(_))), "remembered");
            // The next transaction has another connection, and so no limit.
            let mut tx = store.begin().await.unwrap();
            let insert =
                sql!("insert into job_slots (reconciler, slot, taken_at) values ('good', $1, 0)", round);
            tx.execute(insert).await.unwrap();
            tx.commit().await.unwrap();
            while store.check_writable().await.is_err() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            assert_eq!(slots(&store).await, round + 2, "what was written, and the trial");
        }
        assert!(!folder.path().join("keepclear.db-room").exists());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn postgres_writes_again_after_its_connections_were_cut() {
        let cluster = tokio::task::spawn_blocking(testbed::PostgresCluster::start).await.unwrap().unwrap();
        cluster.create_database("keepclear", None).unwrap();
        let store = store(Address::Postgres(cluster.url("keepclear"))).await;
        store.check_writable().await.unwrap();
        for round in 0..5_i64 {
            let mut tx = store.begin().await.unwrap();
            let insert =
                sql!("insert into job_slots (reconciler, slot, taken_at) values ('cut', $1, 0)", round);
            tx.execute(insert).await.unwrap();
            let cut = sql!("select pg_terminate_backend(pg_backend_pid())");
            assert!(matches!(tx.execute(cut).await, Err(Error::Unavailable(_))));
            is_refused(tx).await;
            // A failed statement does not damage the connection.
            let mut tx = store.begin().await.unwrap();
            assert!(matches!(tx.execute(sql!("select 1 / 0")).await, Err(Error::Engine(_))));
            is_refused(tx).await;
            // Cancelled by the caller in the middle of each step.
            for wait in 0..20_u64 {
                let work = async {
                    let mut tx = store.begin().await?;
                    let insert =
                        sql!("insert into job_slots (reconciler, slot, taken_at) values ('left', 0, 0)");
                    tx.execute(insert).await?;
                    tx.execute(sql!("select 1 / 0")).await
                };
                let _ = tokio::time::timeout(Duration::from_micros(wait * 50), work).await;
            }
            assert_eq!(slots(&store).await, round, "nothing of that is there");
            let mut tx = store.begin().await.unwrap();
            let insert =
                sql!("insert into job_slots (reconciler, slot, taken_at) values ('good', $1, 0)", round);
            tx.execute(insert).await.unwrap();
            tx.commit().await.unwrap();
            store.check_writable().await.unwrap();
        }
        assert_eq!(slots(&store).await, 5);
        // PostgreSQL checks the disk space inside a transaction.
        store
            .write_health()
            .record_error(&Error::Storage(StorageFault { is_full: true, reason: "a test".to_owned() }));
        while store.check_writable().await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        store.close().await;
    }
}
