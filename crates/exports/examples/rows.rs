//! Writes plausible incursions as a file, for the benchmark: `rows FORMAT ROWS FILE`. With the format `none`, only the rows are generated.
//! Prints measurements as JSON. `bench/exports.py` runs it beside `bench/peer/exports.py`, which generates the same rows.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a program for benchmarks only"
)]

use std::fmt::Write;
use std::fs::File;
use std::time::Instant;

use exports::{Cell, Column, ColumnKind, DurationUnit, Format, Table, Writer};

const FIRST_US: i64 = 1_767_225_600_000_000;
const OFFSET_S: i32 = 3_600;
const MACHINE_KINDS: [&str; 8] =
    ["excavator", "loader", "dump_truck", "crane", "roller", "telehandler", "forklift", "dozer"];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [format, rows, file] = words.as_slice() else { panic!("rows FORMAT ROWS FILE") };
    let rows: u64 = rows.parse().expect("a number of rows");
    let began = Instant::now();
    let bytes = match Format::parse(format) {
        None => {
            let mut cells = 0;
            each_row(rows, |row| cells += row.len());
            cells as u64
        }
        Some(format) => {
            let mut file = File::create(file).expect("a file");
            let mut writer = Writer::new(format, table(rows), &mut file).expect("a table");
            each_row(rows, |row| writer.write(row).expect("a row"));
            writer.finish().expect("a whole file").bytes
        }
    };
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "{{\"rows\": {rows}, \"seconds\": {seconds:.3}, \"bytes\": {bytes}, \"peak_kb\": {}}}",
        peak_kb()
    );
}

fn table(rows: u64) -> Table {
    let columns = vec![
        Column::new("id", "Id", ColumnKind::Integer),
        Column::new("seq", "Seq", ColumnKind::Integer),
        Column::new("uid", "Uid", ColumnKind::Text),
        Column::new("started_at", "Started at", ColumnKind::Timestamp),
        Column::new("ended_at", "Ended at", ColumnKind::Timestamp),
        Column::new("day", "Day", ColumnKind::Date),
        Column::new("duration_ms", "Duration", ColumnKind::Duration(DurationUnit::Milliseconds)),
        Column::new("acknowledged", "Acknowledged", ColumnKind::Boolean),
        Column::new("ack_ms", "Time to acknowledge", ColumnKind::Duration(DurationUnit::Milliseconds)),
        Column::new("zone", "Zone", ColumnKind::Text),
        Column::new("closest_cm", "Closest (cm)", ColumnKind::Integer),
        Column::new("lat", "Latitude", ColumnKind::Decimal { digits: 6 }),
        Column::new("lon", "Longitude", ColumnKind::Decimal { digits: 6 }),
        Column::new("machine", "Machine", ColumnKind::Text),
        Column::new("machine_kind", "Kind of machine", ColumnKind::Text),
        Column::new("base_station", "Base station", ColumnKind::Text),
        Column::new("tag", "Tag", ColumnKind::Text),
        Column::new("pedestrian", "Pedestrian", ColumnKind::Text),
        Column::new("operator", "Operator", ColumnKind::Text),
        Column::new("worksite", "Worksite", ColumnKind::Text),
        Column::new("project", "Project", ColumnKind::Text),
    ];
    Table::new("Incursions", columns)
        .expect("columns")
        .with_expected_rows(rows)
        .with_metadata("Title", "Incursions")
        .with_metadata("Zones", "Europe/Berlin")
}

/// Generates the rows with a sequence that is easy to repeat in another language.
fn each_row(rows: u64, mut emit: impl FnMut(&[Cell<'_>])) {
    let (mut state, mut at_us) = (7_u64, FIRST_US);
    let mut text = String::new();
    for row in 0..rows {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let chance = state >> 16;
        let pick = |shift: u32, of: u64| (chance >> shift) % of;
        at_us += 1_000 * pick(0, 30_000) as i64;
        let (machine, person, operator, site) = (pick(3, 400), pick(7, 3_000), pick(11, 800), pick(15, 60));
        let duration_ms = 500 + pick(5, 59_500) as i64;
        let acknowledged = pick(9, 5) != 0;
        text.clear();
        let mut ends = [0; 8];
        let mut end = |text: &String, place: usize| ends[place] = text.len();
        let _ = write!(text, "ev-{chance:012x}");
        end(&text, 0);
        let _ = write!(text, "{} {machine}", MACHINE_KINDS[(machine % 8) as usize]);
        end(&text, 1);
        let _ = write!(text, "ST-{machine:04}");
        end(&text, 2);
        let _ = write!(text, "TAG-{person:05}");
        end(&text, 3);
        let _ = write!(text, "Person {person}");
        end(&text, 4);
        let _ = write!(text, "Operator {operator}");
        end(&text, 5);
        let _ = write!(text, "Site {site} North");
        end(&text, 6);
        let _ = write!(text, "Project {}", site % 12);
        end(&text, 7);
        let words = |place: usize| &text[if place == 0 { 0 } else { ends[place - 1] }..ends[place]];
        let days = (at_us / 1_000_000 + i64::from(OFFSET_S)) / 86_400;
        emit(&[
            Cell::Integer(row as i64 + 1),
            Cell::Integer(row as i64 * 3 + 7),
            Cell::Text(words(0)),
            Cell::Timestamp { at_us, offset_s: OFFSET_S },
            Cell::Timestamp { at_us: at_us + duration_ms * 1_000, offset_s: OFFSET_S },
            Cell::Date(days as i32),
            Cell::Integer(duration_ms),
            Cell::Boolean(acknowledged),
            if acknowledged { Cell::Integer(duration_ms / 3) } else { Cell::Empty },
            Cell::Text(if pick(13, 3) == 0 { "danger" } else { "warning" }),
            Cell::Integer(20 + pick(17, 880) as i64),
            Cell::Decimal((52_500_000 + pick(19, 10_000)) as f64 / 1e6),
            Cell::Decimal((13_400_000 + pick(21, 10_000)) as f64 / 1e6),
            Cell::Text(words(1)),
            Cell::Text(MACHINE_KINDS[(machine % 8) as usize]),
            Cell::Text(words(2)),
            Cell::Text(words(3)),
            if person % 29 == 0 { Cell::Empty } else { Cell::Text(words(4)) },
            Cell::Text(words(5)),
            Cell::Text(words(6)),
            Cell::Text(words(7)),
        ]);
    }
}

/// Returns the peak resident memory of this process.
fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
}
