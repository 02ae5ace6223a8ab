//! What tests are made of: a real application over a real database of either engine, a clock that tests move, and a
//! client that goes through the front door.

#![expect(clippy::expect_used, reason = "a test that cannot be set up should stop right there")]

mod database;
mod facts;
mod http;
pub mod insights;
mod process;
mod raw_sql;
mod test_app;
mod test_blobs;

pub use database::{Database, Engine, INSTALLATION_KEY};
pub use facts::{Facts, utc_day};
pub use http::{Reply, Request};
pub use process::{Process, send_raw_http};
pub use raw_sql::{
    TableLock, block_reads, block_writes, bytes_literal, count_rows, drop_audit_triggers, execute_raw_sql,
    find_tables_with_text, query_raw_sql, read_all_values, read_rows_as_text, slow_down_reads,
};
pub use test_app::{Account, LeftoverJobs, PASSWORD, TestApp};
pub use test_blobs::{TestBlobs, blobs_config as objects_config};

/// What a test takes: an application of its own, or only the engine, to make one as it likes.
pub trait Fixture: Sized {
    /// Makes it.
    fn set_up(engine: Engine) -> impl Future<Output = Self>;

    /// What to look at when the test is over.
    fn leftover_jobs(&self) -> Option<LeftoverJobs> {
        None
    }
}

impl Fixture for TestApp {
    async fn set_up(engine: Engine) -> Self {
        Self::start(engine).await
    }

    fn leftover_jobs(&self) -> Option<LeftoverJobs> {
        Some(self.leftover_jobs())
    }
}

impl Fixture for Engine {
    async fn set_up(engine: Engine) -> Self {
        engine
    }
}

/// Runs a test on one engine.
pub fn run<T: Fixture, F: Future<Output = ()>>(engine: Engine, test: impl FnOnce(T) -> F) {
    runtime().block_on(async {
        let given = T::set_up(engine).await;
        let leftovers = given.leftover_jobs();
        test(given).await;
        if let Some(leftovers) = leftovers {
            leftovers.check().await;
        }
    });
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}

/// `on_both_engines!(a, b)`: each of these tests becomes `sqlite::a` and `postgres::a`. One that is left out is dead code,
/// and so a warning.
#[macro_export]
macro_rules! on_both_engines {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {
            $(#[test] fn $name() { $crate::run($crate::Engine::Sqlite, super::$name); })+
        }
        mod postgres {
            $(#[test] fn $name() { $crate::run($crate::Engine::Postgres, super::$name); })+
        }
    };
}
