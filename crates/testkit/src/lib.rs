//! The test harness: a real application over a real database on either engine, a clock that tests move, and an HTTP client that goes
//! through all layers.

#![expect(clippy::expect_used, reason = "a test that cannot be set up should stop right there")]

mod database;
mod event_reader;
mod facts;
mod http;
pub mod insights;
mod process;
mod raw_sql;
mod test_app;
mod test_blobs;

use std::pin::Pin;

pub use database::{Database, Engine, INSTALLATION_KEY};
pub use event_reader::{EventReader, LiveEvent};
pub use facts::{Facts, utc_day};
pub use http::{Reply, Request, http_client};
pub use process::{Process, send_raw_http};
pub use raw_sql::{
    TableLock, block_reads, block_writes, bytes_literal, count_rows, drop_audit_triggers, execute_raw_sql,
    find_tables_with_text, query_raw_sql, read_all_values, read_rows_as_text, slow_down_reads,
};
pub use test_app::{Account, LeftoverJobs, PASSWORD, TestApp};
pub use test_blobs::{TestBlobs, blobs_config as objects_config};
pub use testbed::temporary_folder;

/// The argument of a test: a started application, or only the engine if the test sets up its own.
pub trait Fixture: Sized {
    fn set_up(engine: Engine) -> impl Future<Output = Self>;

    /// Returns the check that runs after the test.
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

/// What a test does with its argument.
type Test<'a, T> = Box<dyn FnOnce(T) -> Pin<Box<dyn Future<Output = ()> + 'a>> + 'a>;

/// Runs a test. All that can be compiled once for all tests is in `run_boxed`.
pub fn run<T: Fixture, F: Future<Output = ()>>(engine: Engine, test: impl FnOnce(T) -> F) {
    run_boxed(engine, Box::new(|given| Box::pin(test(given))));
}

fn run_boxed<T: Fixture>(engine: Engine, test: Test<'_, T>) {
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

/// `on_both_engines!(a, b)` turns each of these tests into `sqlite::a` and `postgres::a`. A test missing from the list is dead code
/// and causes a warning.
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
