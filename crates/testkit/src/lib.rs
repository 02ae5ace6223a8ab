//! What tests are made of: a real application over a real database of either engine, a clock that tests move, and a
//! client that goes through the front door.

#![expect(clippy::expect_used, reason = "a test that cannot be set up should stop right there")]

mod database;
mod facts;
mod http;
pub mod insights;
mod meddle;
mod objects;
mod process;
mod test_app;

pub use database::{Database, Engine, INSTALLATION_KEY};
pub use facts::{Facts, utc_day};
pub use http::{Reply, Request};
pub use meddle::{
    HeldUp, bytes_in_sql, count_rows, every_value, find_text, hold_up, hold_up_writes, look, meddle, rows_of,
    slow_down, take_guards_away,
};
pub use objects::{Objects, config as objects_config};
pub use process::{Process, exchange};
pub use test_app::{Account, Leftovers, PASSWORD, TestApp};

/// What a test takes: an application of its own, or only the engine, to make one as it likes.
pub trait Given: Sized {
    /// Makes it.
    fn given(engine: Engine) -> impl Future<Output = Self>;

    /// What to look at when the test is over.
    fn leftovers(&self) -> Option<Leftovers> {
        None
    }
}

impl Given for TestApp {
    async fn given(engine: Engine) -> Self {
        Self::start(engine).await
    }

    fn leftovers(&self) -> Option<Leftovers> {
        Some(self.leftovers())
    }
}

impl Given for Engine {
    async fn given(engine: Engine) -> Self {
        engine
    }
}

/// Runs a test on one engine.
pub fn run<T: Given, F: Future<Output = ()>>(engine: Engine, test: impl FnOnce(T) -> F) {
    runtime().block_on(async {
        let given = T::given(engine).await;
        let leftovers = given.leftovers();
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
