use std::fs::{self, OpenOptions};
use std::io::Write as _;

use domain::Random;
use store::ChainState;

use super::file::{MAX_FILE_BYTES, rotated_path};
use super::line::SignedLine;
use super::*;
use crate::InstallationKey;
use crate::platform::audit_report::AuditReport;
use crate::platform::sealing::KeyRing;

fn ring() -> KeyRing {
    ring_of(1)
}

fn ring_of(seed: u64) -> KeyRing {
    let random = Random::seeded(seed);
    KeyRing::new(&InstallationKey::generate(&random), 1, vec![7; 32], &random)
}

fn line(position: i64, restored: bool) -> HeadsLine {
    let state = ChainState { chain: 3, position, head: vec![position as u8; 32], mac: None };
    let at = Timestamp::from_seconds(1_772_366_430 + position);
    HeadsLine {
        at,
        store: "s".to_owned(),
        epoch: 1,
        file: String::new(),
        previous: String::new(),
        restored_from: restored.then_some(at),
        accepted: false,
        begins: false,
        heads: vec![Head::of(&state, 1)],
    }
}

fn append(path: &Path, line: HeadsLine, keys: &KeyRing) -> Tip {
    file::append(path, None, line, (keys, &Random::seeded(path.as_os_str().len() as u64))).unwrap()
}

/// Fills a file with lines up to the size at which it is rotated.
fn fill(path: &Path, keys: &KeyRing, position: i64) {
    let mut lines = fs::read_to_string(path).unwrap();
    while lines.len() < MAX_FILE_BYTES as usize {
        let last = SignedLine::parse(lines.lines().next_back().unwrap()).unwrap();
        let line = HeadsLine { file: last.line.file, previous: last.signature, ..line(position, false) };
        lines += &(line.sign(keys.epoch(1).unwrap()).unwrap().0 + "\n");
    }
    fs::write(path, lines).unwrap();
}

fn folder(name: &str) -> PathBuf {
    testbed::temporary_folder().keep().join(name)
}

fn positions(logs: Vec<HeadsLog>, keys: &KeyRing) -> (Vec<i64>, AuditReport) {
    let mut report = AuditReport::default();
    let mut heads = ChainHeads::merge(&RecordedHeads::of(logs), ("s", keys), &mut report);
    let mut positions: Vec<i64> = heads.take(3).into_keys().collect();
    positions.sort_unstable();
    (positions, report)
}

#[test]
fn lines_are_signed_and_a_reset_explains_what_is_gone() {
    let (folder, keys) = (folder("reset"), ring());
    let path = folder.join("heads");
    for (position, restored) in [(5, false), (9, false), (6, true), (7, false)] {
        append(&path, line(position, restored), &keys);
    }
    let log = HeadsLog::read(&path).unwrap().unwrap();
    let (found, report) = positions(vec![log], &keys);
    assert_eq!((found, report.faults.len(), report.notices.len()), (vec![5, 6, 7], 0, 1), "{report:?}");
    // Another host had recorded the same positions.
    let beside = folder.join("beside");
    for position in [5, 9] {
        let mut line = line(position, false);
        line.at = Timestamp::from_seconds(1_772_366_431);
        append(&beside, line, &keys);
    }
    let logs = [&path, &beside].map(|path| HeadsLog::read(path).unwrap().unwrap());
    assert_eq!(positions(logs.into(), &keys).0, [5, 6, 7]);

    // A reset that is not signed by the key explains nothing; a partial line is skipped.
    let text = fs::read_to_string(&path).unwrap();
    let forged = text.replacen("\"position\":6", "\"position\":5", 1) + "{\"at\":";
    fs::write(&path, forged).unwrap();
    append(&path, line(8, false), &keys);
    let log = HeadsLog::read(&path).unwrap().unwrap();
    let (found, report) = positions(vec![log], &keys);
    assert_eq!((found, report.notices.len()), (vec![5, 7, 8, 9], 1), "{report:?}");
    assert!(report.faults.iter().any(|fault| fault.contains("not signed")), "{report:?}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_large_file_begins_anew_with_what_counts() {
    let (folder, keys) = (folder("large"), ring());
    let path = folder.join("heads");
    append(&path, line(4, true), &keys);
    fill(&path, &keys, 5);
    // Someone without the key claims that the chain was shorter.
    let forged = line(2, false).sign(ring_of(2).epoch(1).unwrap()).unwrap().0;
    OpenOptions::new().append(true).open(&path).unwrap().write_all((forged + "\n").as_bytes()).unwrap();
    append(&path, line(6, false), &keys);
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 3);
    assert!(!text.contains("\"position\":2"), "what nobody signed is not signed now: {text}");
    // The forged line is in the rotated file.
    let (_, report) = positions(vec![HeadsLog::read(&path).unwrap().unwrap()], &keys);
    assert!(report.faults.iter().any(|fault| fault.contains("not signed")), "{report:?}");
    let older_lines = fs::read_to_string(rotated_path(&path)).unwrap();
    let sound: Vec<&str> = older_lines.lines().filter(|line| !line.contains("\"position\":2")).collect();
    fs::write(rotated_path(&path), sound.join("\n")).unwrap();
    for _ in 0..2 {
        let log = HeadsLog::read(&path).unwrap().unwrap();
        let (found, report) = positions(vec![log], &keys);
        assert_eq!((found, report.faults.len()), (vec![4, 5, 6], 0), "{report:?}");
        let _ = fs::remove_file(rotated_path(&path));
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn lines_of_keys_that_a_restored_database_does_not_know_are_past() {
    let (folder, keys) = (folder("restored"), ring());
    let path = folder.join("heads");
    append(&path, line(1, false), &keys);
    // Written after a rotation that the backup does not contain.
    let rotated = HeadsLine { epoch: 2, ..line(2, false) };
    append(
        &path,
        rotated.clone(),
        &keys.with_new_epoch(&InstallationKey::generate(&Random::seeded(8)), 2, &Random::seeded(8)),
    );
    let faults = || positions(vec![HeadsLog::read(&path).unwrap().unwrap()], &keys).1.faults.len();
    assert_eq!(faults(), 1, "of an epoch that never was");
    append(&path, line(1, true), &keys);
    assert_eq!(faults(), 0);
    append(&path, line(2, false), &keys);
    assert_eq!(faults(), 0);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn lines_that_are_taken_out_or_put_in_are_noticed() {
    let (folder, keys) = (folder("gaps"), ring());
    let path = folder.join("heads");
    for position in 1..=6 {
        append(&path, line(position, false), &keys);
    }
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let faults = |lines: &[&str]| {
        fs::write(&path, lines.join("\n")).unwrap();
        positions(vec![HeadsLog::read(&path).unwrap().unwrap()], &keys).1.faults.len()
    };
    assert_eq!(faults(&lines), 0);
    assert_eq!(faults(&[lines[0], lines[1], lines[3], lines[4], lines[5]]), 1, "one is missing");
    assert_eq!(
        faults(&[lines[0], lines[2], lines[1], lines[3], lines[4], lines[5]]),
        1,
        "two changed places"
    );
    assert_eq!(faults(&lines[2..]), 1, "the first ones are missing");
    // No key signs for an epoch that never existed.
    let made_up = HeadsLine { epoch: 999, previous: String::new(), ..line(7, false) };
    let made_up = made_up.sign(ring_of(2).epoch(1).unwrap()).unwrap().0;
    assert_eq!(faults(&[&made_up]), 1);
    // A line of an older version, without a previous signature, may only come before the others.
    let old = line(1, false).sign(keys.epoch(1).unwrap()).unwrap().0;
    assert_eq!(faults(&[lines[0], &old, lines[1]]), 1);
    fs::write(&path, format!("{old}\n{old}\n")).unwrap();
    append(&path, line(2, false), &keys);
    append(&path, line(3, false), &keys);
    assert_eq!(positions(vec![HeadsLog::read(&path).unwrap().unwrap()], &keys).1.faults, [""; 0]);
    // A file that cannot be read is reported, even if it is the rotated one.
    fs::create_dir(rotated_path(&path)).unwrap();
    assert!(HeadsLog::read(&path).unwrap_err().to_string().contains("heads.1 cannot be read"));
    fs::remove_dir_all(folder).unwrap();
}
