//! `keepclear import events`.

use std::io::Write;

use testkit::{Database, Engine, count_rows, on_both_engines, query_raw_sql};

use super::{expect_success, run};

on_both_engines!(
    a_file_is_brought_in_and_what_is_refused_is_told,
    a_table_comes_to_the_same_rows,
    any_part_of_any_kind_of_file_can_be_read,
);

const VALID_EVENTS: [&str; 8] = [
    r#"{"kind": "incursion", "uid": "1", "base_station": "S-1", "tag": "0815", "started_at": "2009-06-01T08:00:00Z", "zone": "danger", "duration_ms": 1500, "closest_cm": 90, "lat": 52.5, "lon": 13}"#,
    r#"{"kind": "incursion", "uid": "2", "base_station": "s-1", "tag": "T-2", "started_at": "2026-01-01T08:00:00Z", "zone": "warning", "operator_tag": "T-3"}"#,
    r#"{"kind": "runtime", "uid": "3", "base_station": "S-1", "started_at": "2026-01-01T07:00:00Z", "ended_at": "2026-01-01T09:30:00Z"}"#,
    r#"{"kind": "tag_battery", "uid": "4", "base_station": "S-1", "at": "2026-01-01T08:00:00Z", "tag": "0815", "percent": 55}"#,
    r#"{"kind": "tag_test", "uid": "5", "base_station": "S-1", "at": "2026-01-01T08:00:00Z", "tag": "0815", "passed": false}"#,
    r#"{"kind": "alarm", "uid": "6", "base_station": "S-1", "at": "2026-01-01T08:00:00Z", "code": "hot", "severity": "error", "text": "It is, \"hot\"."}"#,
    r#"{"kind": "log", "uid": "7", "base_station": "S-1", "at": "2026-01-01T08:00:00Z", "code": "boot", "severity": "info", "text": "Up."}"#,
    r#"{"kind": "status", "uid": "8", "base_station": "S-1", "at": "2026-01-01T08:00:00Z", "faults": ["no gps", "dark"], "firmware": "2.1"}"#,
];

const EVENTS_CSV: &str = "kind,uid,base_station,at,tag,operator_tag,started_at,ended_at,duration_ms,zone,closest_cm,lat,lon,percent,passed,code,severity,text,faults,firmware
incursion,1,S-1,,0815,,2009-06-01T08:00:00Z,,1500,danger,90,52.5,13,,,,,,,
incursion,2,s-1,,T-2,T-3,2026-01-01T08:00:00Z,,,warning,,,,,,,,,,
runtime,3,S-1,,,,2026-01-01T07:00:00Z,2026-01-01T09:30:00Z,,,,,,,,,,,,
tag_battery,4,S-1,2026-01-01T08:00:00Z,0815,,,,,,,,,55,,,,,,
tag_test,5,S-1,2026-01-01T08:00:00Z,0815,,,,,,,,,,false,,,,,

alarm,6,S-1,2026-01-01T08:00:00Z,,,,,,,,,,,,hot,error,\"It is, \"\"hot\"\".\",,
log,7,S-1,2026-01-01T08:00:00Z,,,,,,,,,,,,boot,info,Up.,,
status,8,S-1,2026-01-01T08:00:00Z,,,,,,,,,,,,,,,no gps|dark,2.1
";

struct ImportFixture(Database);

impl ImportFixture {
    /// Sets up a brand with one station.
    async fn set_up(engine: Engine) -> Self {
        let files = Self(Database::migrated(engine).await);
        expect_success(&run(&files.0, &["brand", "create", "Acme"], ""));
        let stations = files.write_file("stations.csv", b"serial\nS-1\n");
        let kind = ["--brand", "Acme", "--kind", "base_stations"];
        expect_success(&run(&files.0, &[&["import", "registry"], &kind[..], &[&stations]].concat(), ""));
        files
    }

    fn write_file(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.0.folder().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_string_lossy().into_owned()
    }

    /// Returns whether the import succeeded, its output and its error output.
    fn import(&self, path: &str, more: &[&str]) -> (bool, String, String) {
        let arguments = ["import", "events", "--brand", "Acme", path];
        let output = run(&self.0, &[&arguments[..], more].concat(), "");
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.success(), text(output.stdout), text(output.stderr))
    }

    async fn read_facts(&self) -> Vec<String> {
        let mut facts = Vec::new();
        for query in [
            "select concat_ws(' ', 'incursion', uid, tag_id, operator_tag_id, started_at, ended_at, zone, closest_cm, lat_e7,
                lon_e7) from incursions order by uid",
            "select concat_ws(' ', 'runtime', started_at, ended_at) from runtime_pieces order by started_at",
            "select concat_ws(' ', kind, uid, at, code, severity, text, tag_id, details) from device_events order by uid",
            "select concat_ws(' ', 'test', tag_id, base_station_id, tested_at) from tag_tests",
            "select concat_ws(' ', 'tag', serial, battery_percent, last_seen_at) from tags order by serial",
            "select concat_ws(' ', 'station', serial, firmware, faults, last_seen_at) from base_stations",
        ] {
            facts.extend(query_raw_sql(&self.0, query).await);
        }
        facts
    }
}

async fn a_file_is_brought_in_and_what_is_refused_is_told(engine: Engine) {
    let files = ImportFixture::set_up(engine).await;
    let bad = [
        r#"{"kind": "incursion", "uid": "#,
        r#"{"kind": "log", "uid": "20", "base_station": "S-2", "at": "2026-01-01T08:00:00Z", "code": "x", "severity": "info", "text": "x"}"#,
        r#"{"kind": "log", "uid": "21", "at": "2026-01-01T08:00:00Z", "code": "x", "severity": "info", "text": "x"}"#,
        r#"{"kind": "incursion", "uid": "22", "base_station": "S-1", "tag": "T", "started_at": "2026-01-01T08:00:00Z", "zone": "near"}"#,
    ];
    let text = [&VALID_EVENTS[..4], &["", bad[0], bad[1]], &VALID_EVENTS[4..], &bad[2..]].concat().join("\n");
    let path = files.write_file("mixed.ndjson", text.as_bytes());
    let reasons = [
        "1 refused as broken_json:\n  line 6: is not JSON",
        "1 refused as unknown_base_station:\n  line 7: base_station:",
        "1 refused as required:\n  line 12: base_station: must be given",
        "  line 13: zone: ",
    ];

    let before = count_rows(&files.0).await;
    let (is_good, said, failure) = files.import(&path, &["--dry-run"]);
    assert!(!is_good && failure.contains("4 events were refused"), "{failure}");
    assert!(said.contains("Of 12 events 8 would be imported, 4 refused. Nothing was stored"), "{said}");
    assert!(reasons.iter().all(|reason| said.contains(reason)), "{said}");
    assert_eq!(count_rows(&files.0).await, before);

    let (is_good, said, failure) = files.import(&path, &[]);
    assert!(!is_good && failure.contains("4 events were refused"), "{failure}");
    assert!(said.contains("Of 12 events 8 were new, 0 known, 4 refused"), "{said}");
    assert!(reasons.iter().all(|reason| said.contains(reason)), "{said}");
    let (facts, counts) = (files.read_facts().await, count_rows(&files.0).await);
    assert_eq!((counts["incursions"], counts["device_events"], counts["tag_tests"]), (2, 5, 1));
    assert!(facts.iter().any(|fact| fact.starts_with("tag 0815 55")), "{facts:?}");

    let (_, said, _) = files.import(&path, &[]);
    assert!(said.contains("Of 12 events 0 were new, 8 known, 4 refused"), "{said}");
    assert_eq!((files.read_facts().await, count_rows(&files.0).await), (facts, counts));
}

async fn a_table_comes_to_the_same_rows(engine: Engine) {
    let (lines, table) = (ImportFixture::set_up(engine).await, ImportFixture::set_up(engine).await);
    let (is_good, said, failure) =
        lines.import(&lines.write_file("events.ndjson", VALID_EVENTS.join("\n").as_bytes()), &[]);
    assert!(is_good && said.contains("8 were new"), "{said} {failure}");
    let (is_good, said, failure) = table.import(&table.write_file("events.csv", EVENTS_CSV.as_bytes()), &[]);
    assert!(is_good && said.contains("8 were new"), "{said} {failure}");
    assert_eq!(lines.read_facts().await, table.read_facts().await);

    let shown = EVENTS_CSV.replace("tag_battery,4,S-1", "tag_battery,4,S-1,x").replace(",warning,", ",near,");
    let (_, said, _) = table.import(&table.write_file("wrong.csv", shown.as_bytes()), &["--dry-run"]);
    assert!(said.contains("line 3: zone: ") && said.contains("line 5: has 21 cells instead of 20"), "{said}");
    let (_, _, failure) = table.import(&table.write_file("head.csv", b"kind,fixes\n"), &[]);
    assert!(failure.contains("line 1: column fixes: must be one of kind,"), "{failure}");
}

async fn any_part_of_any_kind_of_file_can_be_read(engine: Engine) {
    let files = ImportFixture::set_up(engine).await;
    let text = VALID_EVENTS.join("\r\n");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    let gz = files.write_file("events.ndjson.gz", &packed.finish().unwrap());
    let zst = files.write_file("events.jsonl.zst", &zstd::encode_all(text.as_bytes(), 1).unwrap());
    let (is_good, said, failure) = files.import(&gz, &["--from-line", "7"]);
    assert!(is_good && said.contains("Of 2 events 2 were new"), "{said} {failure}");
    let (is_good, said, failure) = files.import(&zst, &[]);
    assert!(is_good && said.contains("Of 8 events 6 were new, 2 known"), "{said} {failure}");
    let (_, _, failure) = files.import(&files.write_file("events.xml", b""), &[]);
    assert!(failure.contains("must end in .ndjson or .csv"), "{failure}");
    let (_, _, failure) = files.import("nowhere.ndjson", &[]);
    assert!(failure.contains("cannot be read"), "{failure}");
}
