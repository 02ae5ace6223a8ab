//! Tables with names of any length: numbers, dates and ids are never broken for them.

use std::collections::BTreeSet;

use super::*;

/// The heads of the table of tags, by language; the ends of numbers are below each other.
const TAGS: [[&str; 8]; 2] = [
    ["Tag", "Person", "Worn days", "Covered days", "Tests", "Failed", "Last test", "Incursions in test"],
    [
        "Transponder",
        "Person",
        "Tragetage",
        "Abgedeckte Tage",
        "Anzahl Tests",
        "Nicht bestanden",
        "Letzter Test",
        "Annäherungen mit Test",
    ],
];

/// The heads of the list of incursions.
const INCURSIONS: [[&str; 10]; 2] = [
    [
        "Started",
        "Duration",
        "Zone",
        "Acknowledged after",
        "Closest",
        "Machine",
        "Person on foot",
        "Operator",
        "Worksite",
        "Review",
    ],
    [
        "Beginn",
        "Dauer",
        "Zone",
        "Quittiert nach",
        "Abstand",
        "Maschine",
        "Person zu Fuß",
        "Maschinenführer",
        "Standort",
        "Prüfung",
    ],
];

/// A table with some rows of names from a list, and the words of it that must be found as they are.
struct Sample {
    table: Table,
    whole: BTreeSet<String>,
}

fn sample(heads: &[&str], shares: &[f32], rows: Vec<Vec<String>>) -> Sample {
    let words = |text: &str| text.split([' ', '\u{A0}']).map(str::to_owned).collect::<Vec<_>>();
    let has_digits = |word: &String| word.chars().any(|c| c.is_ascii_digit());
    let whole = rows.iter().flatten().flat_map(|cell| words(cell)).filter(has_digits).collect();
    let texts = rows.into_iter().map(|row| row.into_iter().map(Text::from).collect()).collect();
    let mut table = table("Records", heads, texts);
    table.columns.iter_mut().zip(shares).for_each(|(column, share)| column.share = *share);
    Sample { table, whole }
}

fn tags(language: usize, names: &[&str]) -> Sample {
    let row = |number: usize| {
        let name = names.get(number).copied().unwrap_or("Łucja Wiśniewska");
        vec![
            format!("TC1A-{:05}", 26 + number * 37),
            name.to_owned(),
            format!("{}", number % 28),
            format!("{}", number % 25),
            format!("{}", number % 5),
            format!("{}", number % 2),
            format!("2026-11-{:02} 07:{:02}", 1 + number % 28, number % 60),
            format!("1.{:03} von 2.{:03}", number, 2 * number),
        ]
    };
    sample(&TAGS[language], &[1.7, 2.2, 1.0, 1.1, 0.9, 1.0, 1.8, 1.6], (0..60).map(row).collect())
}

fn incursions(language: usize, names: &[&str]) -> Sample {
    let row = |number: usize| {
        let name = |column: usize| names.get(number).map_or(["Bagger 31", "Zoë"][column % 2], |name| name);
        vec![
            format!("2026-11-{:02} 07:{:02}", 1 + number % 28, number % 60),
            format!("{}\u{A0}min {}\u{A0}s", 39 + number, number % 60),
            ["Warnzone", "Gefahrenzone"][number % 2].to_owned(),
            format!("{}\u{A0}s", number),
            format!("30,{}\u{A0}ft", number),
            name(0).to_owned(),
            name(1).to_owned(),
            name(1).to_owned(),
            name(0).to_owned(),
            ["Nicht geprüft", "Bestätigt"][number % 2].to_owned(),
        ]
    };
    let shares = [1.7, 1.0, 1.1, 1.2, 0.9, 1.5, 1.5, 1.5, 1.4, 1.2];
    sample(&INCURSIONS[language], &shares, (0..60).map(row).collect())
}

/// Renders a table and returns its words as they are seen.
fn seen_words(sample: &Sample, paper: Paper, is_landscape: bool) -> (Rendered, Vec<String>) {
    let mut document = document(vec![Block::Table(sample.table.clone())]);
    (document.paper, document.is_landscape) = (paper, is_landscape);
    let rendered = try_render(&document).unwrap();
    check(&rendered);
    let boxes = run("pdftotext", &["-bbox"], &rendered.bytes, &["-"]);
    let words = boxes.lines().filter(|line| line.contains("<word"));
    let text = |line: &str| line.split('>').nth(1)?.split('<').next().map(str::to_owned);
    let split = |word: String| word.split('\u{A0}').map(str::to_owned).collect::<Vec<_>>();
    let words = words.filter_map(text).flat_map(split).collect();
    (rendered, words)
}

/// Returns the height of a word as it is seen first.
fn height_of(rendered: &Rendered, word: &str) -> f64 {
    let boxes = run("pdftotext", &["-bbox"], &rendered.bytes, &["-"]);
    let line = boxes.lines().find(|line| line.contains(&format!(">{word}<"))).unwrap();
    let edge = |name: &str| -> f64 {
        let (_, rest) = line.split_once(&format!("{name}=\"")).unwrap();
        rest.split('"').next().unwrap().parse().unwrap()
    };
    edge("yMax") - edge("yMin")
}

/// Checks that everything with a digit is seen in one piece, and that heads are seen with all their words.
fn check_whole(sample: &Sample, heads: &[&str], paper: Paper, is_landscape: bool) {
    let (rendered, words) = seen_words(sample, paper, is_landscape);
    let found: BTreeSet<&str> = words.iter().map(String::as_str).collect();
    let broken: Vec<&String> = sample.whole.iter().filter(|code| !found.contains(code.as_str())).collect();
    assert!(broken.is_empty(), "{paper:?}: {broken:?} in {}", text(&rendered));
    for word in heads.iter().flat_map(|head| head.split(' ')) {
        assert!(found.contains(word), "{paper:?}: the head {word} is broken: {}", text(&rendered));
    }
    assert!(!words.iter().any(|word| word.contains('…')), "{}", text(&rendered));
}

#[test]
fn a_long_name_breaks_no_id_date_or_number() {
    let (forty, hundred) = ("a".repeat(40), "W".repeat(100));
    let digits = "x1".repeat(50);
    let [forty, hundred, digits] = [&forty, &hundred, &digits].map(String::as_str);
    for language in [0, 1] {
        for paper in [Paper::A4, Paper::Letter] {
            for names in [&[][..], &[forty], &[hundred], &[forty, hundred, digits]] {
                let mut tags = tags(language, names);
                tags.whole.remove(digits);
                check_whole(&tags, &TAGS[language], paper, false);
                let mut incursions = incursions(language, names);
                incursions.whole.remove(digits);
                check_whole(&incursions, &INCURSIONS[language], paper, true);
            }
        }
    }
}

#[test]
fn one_long_name_makes_only_its_own_row_taller() {
    let usual = seen_words(&tags(0, &[]), Paper::A4, false).0;
    for length in [40, 100] {
        let long = "a".repeat(length);
        let (rendered, _) = seen_words(&tags(0, &[&long]), Paper::A4, false);
        let lines = |rendered: &Rendered| {
            let said = text(rendered);
            said.lines().filter(|line| line.contains("2026-11-") && !line.contains("aaa")).count()
        };
        // A date and its time are beside each other in all rows, as before.
        assert_eq!(rendered.pages, usual.pages);
        assert!(lines(&rendered) >= lines(&usual) - 1, "{}", text(&rendered));
        assert_eq!(text(&rendered).matches(" 07:").count(), text(&usual).matches(" 07:").count());
    }
}

#[test]
fn more_columns_of_long_names_than_fit_leave_the_numbers_whole() {
    let long = "m".repeat(100);
    let heads = ["Id", "One", "Two", "Three", "Four", "Five", "At", "Number"];
    let row = |number: usize| {
        let mut row = vec![format!("TD61-{number:05}")];
        row.extend((0..5).map(|_| long.clone()));
        row.extend([format!("2026-11-{:02} 07:10", 1 + number % 28), format!("{number}.345.678")]);
        row
    };
    let sample = sample(&heads, &[1.0; 8], (0..12).map(row).collect());
    for paper in [Paper::A4, Paper::Letter] {
        check_whole(&sample, &heads, paper, false);
    }
}

#[test]
fn a_head_is_never_cut() {
    let long = "Incursions per runtime hour of all machines of this worksite in the whole period";
    let heads = ["Number", long];
    let row = vec!["1".to_owned(), "2".to_owned()];
    let mut sample = sample(&heads, &[20.0, 1.0], vec![row]);
    let column = sample.table.columns[0].clone();
    sample.table.columns.extend((0..9).map(|n| Column { title: format!("C{n}"), ..column.clone() }));
    check_whole(&sample, &heads, Paper::A4, false);
}

#[test]
fn a_crowded_pivot_breaks_neither_names_nor_heads() {
    let measures = ["Incursions", "Acknowledged", "Acknowledgement rate", "Average duration"];
    let mut heads = vec!["Project / Worksite / Machine kind / Machine".to_owned()];
    for column in ["Warning", "Danger", "Total"] {
        heads.extend(measures.iter().map(|measure| format!("{column}: {measure}")));
    }
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let names = [
        "Großbaustelle Umfahrung Nord-Ost, Abschnitt Überführung Bahnhofstraße bis Donaudampfschiff",
        "Excavator",
        "Excavator 29",
        "Dump truck 01",
    ];
    let values = ["13,074", "6,967", "53 %", "9.5 s"];
    let row = |number: usize| {
        let mut row = vec![names[number % names.len()].to_owned()];
        row.extend((0..12).map(|column| values[column % values.len()].to_owned()));
        row
    };
    let mut shares = vec![3.0];
    shares.extend([1.4; 12]);
    let mut sample = sample(&heads, &shares, (0..40).map(row).collect());
    for (number, row) in sample.table.rows.iter_mut().enumerate() {
        (row.indent, row.kind) = match number % names.len() {
            0 => (1, RowKind::Subtotal),
            1 => (2, RowKind::Subtotal),
            _ => (3, RowKind::Plain),
        };
    }
    for paper in [Paper::A4, Paper::Letter] {
        check_whole(&sample, &heads, paper, true);
        let (rendered, words) = seen_words(&sample, paper, true);
        for word in ["Großbaustelle", "Umfahrung", "Bahnhofstraße", "Donaudampfschiff", "Excavator", "truck"]
        {
            assert!(
                words.iter().any(|seen| seen == word),
                "{paper:?}: {word} is broken: {}",
                text(&rendered)
            );
        }
        // Smaller heads could not be read on paper.
        let (head, cell) = (height_of(&rendered, "Acknowledgement"), height_of(&rendered, "truck"));
        assert!(head > 0.8 * cell, "{paper:?}: {head} of {cell}");
    }
}
