//! The cube's part of `bench/insights.py`: generates plausible incursions, saves them as files that the peer reads too, and answers
//! questions about them that it reads from standard input, one per line.
//!
//! ```text
//! insights make ROWS DAYS FOLDER     generate rows over a number of days, and save them
//! insights serve FOLDER              load them, print the questions and their SQL, then answer requests
//! insights window ROWS DAYS          measure a 30-day window over a number of days of history
//! insights files ROWS DAYS           measure writing and reading all parts, by one thread
//! ```
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it prints results for the caller")]
#![expect(clippy::disallowed_methods, reason = "it measures time")]
#![expect(clippy::unwrap_used, reason = "any error ends the program")]

mod data;
mod questions;
mod serve;
mod sql;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use cube::{Attributes, ChunkSource, Cube, ScanContext, Settings};
use domain::insights::Answer;

/// The memory limit for groups and counters.
const MEMORY_BYTES: usize = 1 << 30;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["make", rows, days, folder] => {
            generate(rows.parse().unwrap(), days.parse().unwrap(), Path::new(folder));
        }
        ["serve", folder] => serve::serve(Path::new(folder)),
        ["window", rows, days] => window(rows.parse().unwrap(), days.parse().unwrap()),
        ["files", rows, days] => files(rows.parse().unwrap(), days.parse().unwrap()),
        _ => {
            eprintln!("insights make ROWS DAYS FOLDER | serve FOLDER | window ROWS DAYS | files ROWS DAYS");
            std::process::exit(2);
        }
    }
}

/// Builds a pool with one thread per core.
fn pool() -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().build().unwrap()
}

/// Builds a cube with a number of rows.
fn build(rows: u64, days: u64) -> Cube {
    let mut world = data::FactGenerator::new(rows, days);
    let mut cube = Cube::new(Settings::default());
    let mut left = rows;
    while left > 0 {
        let batch = world.generate(left.min(1 << 19));
        left -= batch.len() as u64;
        cube.apply(&batch, &[]).unwrap();
    }
    cube
}

fn generate(rows: u64, days: u64, folder: &Path) {
    let cube = build(rows, days);
    let snapshot = cube.snapshot();
    std::fs::create_dir_all(folder).unwrap();
    for part in snapshot.parts() {
        std::fs::write(folder.join(format!("{:06}.part", part.id().0)), part.encode().unwrap()).unwrap();
    }
    std::fs::write(folder.join("outline"), snapshot.outline()).unwrap();
}

/// Returns the best of several measured times, in milliseconds.
fn best_ms(times: usize, mut work: impl FnMut()) -> f64 {
    let one = |_| {
        let began = Instant::now();
        work();
        began.elapsed().as_secs_f64() * 1e3
    };
    (0..times).map(one).fold(f64::INFINITY, f64::min)
}

/// Parts in memory.
struct Encoded(HashMap<u64, Vec<u8>>);

impl ChunkSource for Encoded {
    fn read(&self, part: u64) -> Result<Vec<u8>, String> {
        Ok(self.0[&part].clone())
    }
}

fn files(rows: u64, days: u64) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let attributes = Attributes::default();
    let snapshot = build(rows, days).snapshot();
    let outline = snapshot.outline();
    let mut parts = HashMap::new();
    let written_ms = best_ms(5, || {
        parts = snapshot.parts().map(|part| (part.id().0, part.encode().unwrap())).collect();
    });
    let bytes: usize = parts.values().map(Vec::len).sum();
    let source: Arc<dyn ChunkSource> = Arc::new(Encoded(parts));
    let scan = ScanContext {
        pool: &pool,
        attributes: &attributes,
        max_memory_bytes: MEMORY_BYTES,
        is_cancelled: &|| false,
    };
    let question = questions::window(data::LAST_DAY - i64::try_from(days).unwrap() - 1);
    let read_ms = best_ms(5, || {
        let cube = Cube::open(&outline, &source, Settings::default()).unwrap();
        cube.snapshot().answer(&question, &scan).unwrap();
    });
    println!(
        "{{\"rows\": {rows}, \"bytes\": {bytes}, \"written_ms\": {written_ms:.1}, \"read_ms\": {read_ms:.1}}}"
    );
}

fn window(rows: u64, days: u64) {
    let (pool, attributes) = (pool(), Attributes::default());
    let cube = build(rows, days);
    let snapshot = cube.snapshot();
    let scan = ScanContext {
        pool: &pool,
        attributes: &attributes,
        max_memory_bytes: MEMORY_BYTES,
        is_cancelled: &|| false,
    };
    let question = questions::window(data::LAST_DAY - 30);
    let mut answer = Answer::default();
    let ms = best_ms(51, || answer = snapshot.answer(&question, &scan).unwrap());
    let counted: i64 = answer.groupings[0].groups.iter().map(|group| group.figures[0].incursions).sum();
    println!("{{\"rows\": {rows}, \"ms\": {ms:.3}, \"counted\": {counted}, \"bytes\": {}}}", cube.bytes());
}
