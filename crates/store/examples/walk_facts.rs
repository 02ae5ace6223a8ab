//! Measures how fast copies read facts: scans a brand's incursions by time, by sequence number, and from the newest backwards, page by page.
//!
//! `walk_facts DATABASE ROWS` creates that many incursions in a new database (`sqlite:PATH`, the address of an empty PostgreSQL
//! database, or `private` for a PostgreSQL that is started for it) unless they exist, and prints rows per second.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a benchmark program"
)]

use std::path::Path;
use std::time::Instant;

use domain::insights::IncursionFact;
use domain::{
    Attribution, BaseStationId, IncursionRow, MachineId, Name, PersonId, ProjectId, Review, Span, TagId,
    Timestamp, WorksiteId, Zone,
};
use store::{Config, FactWindow, Projects, Scope, Store};

/// Rows per write transaction.
const BATCH: i64 = 5_000;
const PAGE: usize = 50_000;

/// Makes an incursion. They are about as skewed and as out of order as real ones: stations send theirs in batches, up to an hour late.
fn row(seq: i64) -> IncursionRow {
    let chance = seq.wrapping_mul(0x2545_F491_4F6C_DD1D).unsigned_abs() >> 8;
    let below = |end: u64, salt: u32| i64::try_from((chance >> salt) % end).unwrap_or(0);
    let started_at = Timestamp::from_seconds(1_700_000_000 + seq * 3) + Span::seconds(below(3_600, 3));
    let local_day = started_at.seconds() / 86_400;
    IncursionRow {
        seq,
        base_station: BaseStationId(1 + below(300, 5)),
        uid: format!("i-{seq}"),
        tag: TagId(1 + below(5_000, 7)),
        operator_tag: None,
        started_at,
        ended_at: Some(started_at + Span::millis(below(60_000, 11))),
        closed_at: None,
        acknowledged_at: (below(3, 13) > 0).then(|| started_at + Span::millis(below(9_000, 17))),
        zone: if below(4, 19) == 0 { Zone::Danger } else { Zone::Warning },
        closest_cm: Some(below(900, 23)),
        position: None,
        attribution: Attribution {
            machine: Some(MachineId(1 + below(300, 5))),
            pedestrian: Some(PersonId(1 + below(5_000, 7))),
            operator: Some(PersonId(1 + below(400, 29))),
            worksite: Some(WorksiteId(1 + below(40, 5))),
            project: Some(ProjectId(1 + below(8, 5))),
            local_day,
            local_minute: (local_day + 3).rem_euclid(7) * 1_440 + started_at.seconds() % 86_400 / 60,
            cell: Some(0x08D1_F1D4_0000_003F | below(1 << 20, 9) << 6),
        },
        review: Review::Unreviewed,
        received_at: started_at,
    }
}

async fn fill(store: &Store, scope: &Scope, rows: i64) {
    loop {
        let mut tx = store.begin().await.expect("a transaction");
        let last = tx.lock_and_allocate_seq(scope, BATCH).await.expect("numbers").last_seq;
        if last > rows {
            return;
        }
        let batch: Vec<IncursionRow> = (last - BATCH + 1..=last).map(row).collect();
        tx.incursions(scope).add(&batch).await.expect("incursions");
        tx.commit().await.expect("a commit");
    }
}

#[derive(Clone, Copy, Debug)]
enum Order {
    Time,
    Number,
}

/// Reads pages as columns are built, on one connection.
async fn scan_backwards(store: &Store, scope: &Scope) {
    let begun = Instant::now();
    let (mut rows, mut reading, mut before) = (0_usize, 0.0, (Timestamp::from_micros(i64::MAX), i64::MAX));
    loop {
        let page_begun = Instant::now();
        let mut snapshot = store.snapshot().await.expect("a snapshot");
        let window = FactWindow { from: None, before, limit: PAGE };
        let page = snapshot.fact_changes(scope).incursions_of(window, i64::MAX).await.expect("a page");
        snapshot.end().await.expect("the end");
        reading += page_begun.elapsed().as_secs_f64();
        let facts = page.decode().expect("facts");
        rows += facts.len();
        match facts.last() {
            Some(oldest) if facts.len() == PAGE => before = (oldest.started_at, oldest.id.0),
            _ => break,
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "it is printed")]
    let per_row = |seconds: f64| seconds * 1e6 / rows as f64;
    let whole = begun.elapsed().as_secs_f64();
    println!(
        "Newest: {rows} rows, {:.2} us a row, {:.2} of it until pages are read",
        per_row(whole),
        per_row(reading)
    );
}

async fn scan(store: &Store, scope: &Scope, order: Order) {
    let begun = Instant::now();
    let (mut rows, mut sum, mut longest) = (0_usize, 0_i64, 0);
    let (mut after, mut position) = (0, None);
    let last = store.read().await.expect("a connection").counters(scope).await.expect("numbers").last_seq;
    loop {
        let page_begun = Instant::now();
        let mut snapshot = store.snapshot().await.expect("a snapshot");
        let mut changes = snapshot.fact_changes(scope);
        let page = match order {
            Order::Time => changes.incursions_by_time(position, last, PAGE).await.expect("a page"),
            Order::Number => changes.incursions(after, last, PAGE).await.expect("a page"),
        };
        snapshot.end().await.expect("the end");
        longest = longest.max(page_begun.elapsed().as_millis());
        rows += page.len();
        sum += page.iter().filter_map(|change| IncursionFact::duration_ms(&change.fact)).sum::<i64>();
        match page.last() {
            Some(row) if page.len() == PAGE => {
                (after, position) = (row.seq, Some((row.fact.started_at, row.fact.id)));
            }
            _ => break,
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "it is printed")]
    let a_second = rows as f64 / begun.elapsed().as_secs_f64();
    println!("{order:?}: {rows} rows, {a_second:.0} a second, longest page {longest} ms (sum {sum})");
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().expect("a database");
    let rows: i64 = arguments.next().and_then(|rows| rows.parse().ok()).expect("a number of rows");
    let cluster =
        (url == "private").then(|| testbed::PostgresCluster::start().expect("a private PostgreSQL"));
    let url = cluster.as_ref().map_or(url, |cluster| {
        cluster.create_database("keepclear", None).expect("an empty database");
        cluster.url("keepclear")
    });
    let config = Config {
        url,
        max_connections: 4,
        max_connections_per_brand: 0,
        max_connections_per_caller: 0,
        acquire_timeout_s: 30,
        statement_timeout_s: 60,
        pg_bin_dir: std::path::PathBuf::new(),
    };
    let address = config.address(Path::new(".")).expect("an address");
    let (store, platform) = Store::open(&address, &config).await.expect("a database");
    let now = Timestamp::from_seconds(1_700_000_000);
    store.migrate(now).await.expect("migrations");
    let name = Name::parse("Acme").expect("a name");
    let found =
        store.read().await.expect("a connection").brands(&platform).by_name(&name).await.expect("brands");
    let brand = if let Some(brand) = found.into_iter().next() {
        brand
    } else {
        let mut tx = store.begin().await.expect("a transaction");
        let brand = tx.brands(&platform).add(&name, now).await.expect("a brand");
        tx.commit().await.expect("a commit");
        brand
    };
    let scope = platform.scope(brand.id, Projects::All);
    fill(&store, &scope, rows).await;
    for order in [Order::Time, Order::Number, Order::Time, Order::Number] {
        scan(&store, &scope, order).await;
        scan_backwards(&store, &scope).await;
    }
    store.close().await;
}
