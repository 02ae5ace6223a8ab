//! Answers requests from standard input: the number of a question returns its time, `answer NUMBER FILE` writes its groups to a file, and
//! `bytes` returns the memory in use.

use std::fmt::Write as _;
use std::io::{BufRead, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use cube::{Attributes, ChunkSource, Cube, ScanContext, Settings};
use domain::insights::{Answer, Question};

use crate::{MEMORY_BYTES, pool, questions, sql};

struct Folder(PathBuf);

impl ChunkSource for Folder {
    fn read(&self, part: u64) -> Result<Vec<u8>, String> {
        std::fs::read(self.0.join(format!("{part:06}.part"))).map_err(|error| error.to_string())
    }
}

pub fn serve(folder: &Path) {
    let (pool, attributes) = (pool(), Attributes::default());
    let began = Instant::now();
    let source: Arc<dyn ChunkSource> = Arc::new(Folder(folder.to_owned()));
    let outline = std::fs::read(folder.join("outline")).unwrap();
    let mut cube = Cube::open(&outline, &source, Settings::default()).unwrap();
    let opened_ms = began.elapsed().as_secs_f64() * 1e3;
    let snapshot = cube.snapshot();
    let scan = ScanContext {
        pool: &pool,
        attributes: &attributes,
        max_memory_bytes: MEMORY_BYTES,
        is_cancelled: &|| false,
    };
    let all: Vec<(String, Question)> =
        questions::fixed().into_iter().chain(questions::generated(20, 1)).collect();
    // Reads all parts before anything is measured.
    snapshot.answer(&all[0].1, &scan).unwrap();
    let loaded_ms = began.elapsed().as_secs_f64() * 1e3;
    let bytes = cube.bytes();
    println!(
        "{{\"rows\": {}, \"bytes\": {bytes}, \"opened_ms\": {opened_ms:.1}, \"loaded_ms\": {loaded_ms:.1}}}",
        snapshot.incursion_count()
    );
    println!("{}", all.len());
    for (name, question) in &all {
        println!("{name}\t{}", sql::sql(question));
    }
    let mut out = std::io::stdout();
    out.flush().unwrap();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["answer", number, file] => {
                let answer = snapshot.answer(&all[number.parse::<usize>().unwrap()].1, &scan).unwrap();
                std::fs::write(file, to_lines(&answer)).unwrap();
                println!("ok");
            }
            ["bytes"] => println!("{}", cube.bytes()),
            ["apply"] => println!("{}", measure_changes(&mut cube)),
            [number] => {
                let question = &all[number.parse::<usize>().unwrap()].1;
                let began = Instant::now();
                let answer = snapshot.answer(question, &scan).unwrap();
                let ms = began.elapsed().as_secs_f64() * 1e3;
                drop(answer);
                println!("{ms:.4}");
            }
            _ => eprintln!("unknown request: {line}"),
        }
        out.flush().unwrap();
    }
}

/// Measures changes: 5,000 new rows in order, 5,000 late rows, and one changed row.
fn measure_changes(cube: &mut Cube) -> String {
    let mut world = crate::data::FactGenerator::new(400_000, 365);
    let facts = world.generate(400_000);
    let new = |from: i64, fact: &cube::IncursionFact| {
        let mut fact = *fact;
        fact.id.0 += from;
        fact
    };
    let mut time = |name: &str, batches: Vec<Vec<cube::IncursionFact>>| {
        let mut times: Vec<f64> = Vec::new();
        for batch in &batches {
            let held = cube.snapshot();
            let began = Instant::now();
            cube.apply(batch, &[]).unwrap();
            times.push(began.elapsed().as_secs_f64() * 1e3);
            drop(held);
        }
        times.sort_by(f64::total_cmp);
        format!("\"{name}\": [{:.3}, {:.3}]", times[times.len() / 2], times[times.len() - 1])
    };
    let later = 400 * 86_400_000_000_i64;
    let in_order: Vec<_> = (0..20)
        .map(|batch| {
            let rows = facts[batch * 5_000..][..5_000].iter();
            rows.map(|fact| {
                let mut fact = new(1_000_000_000, fact);
                fact.started_at = domain::Timestamp::from_micros(fact.started_at.micros() + later);
                fact.ended_at = fact.ended_at.map(|at| domain::Timestamp::from_micros(at.micros() + later));
                fact.acknowledged_at = None;
                fact
            })
            .collect()
        })
        .collect();
    let late = (0..20)
        .map(|batch| {
            facts.iter().skip(batch).step_by(80).take(5_000).map(|fact| new(2_000_000_000, fact)).collect()
        })
        .collect();
    let changes = (0..200).map(|at| vec![new(2_000_000_000, &facts[at * 80])]).collect();
    let parts = [time("in_order", in_order), time("late", late), time("one", changes)];
    format!("{{{}}}", parts.join(", "))
}

/// Formats groups as lines with the grouping, keys, numerators and denominators.
fn to_lines(answer: &Answer) -> String {
    let mut text = String::new();
    let number = |text: &mut String, number: Option<i64>| match number {
        Some(number) => write!(text, ",{number}").unwrap(),
        None => text.push(','),
    };
    for (place, groups) in answer.groupings.iter().enumerate() {
        for group in &groups.groups {
            write!(text, "{place}").unwrap();
            group.keys.iter().for_each(|key| number(&mut text, *key));
            text.push_str(",|");
            for figure in &group.figures {
                number(&mut text, figure.numerator);
                number(&mut text, figure.denominator);
            }
            text.push('\n');
        }
    }
    text
}
