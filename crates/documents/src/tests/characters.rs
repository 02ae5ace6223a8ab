//! Text of any characters, in all places.

use proptest::prelude::*;

use super::*;

/// A document with a text in all places where there can be one.
fn everywhere(words: &str) -> Document {
    // What XML forbids never reaches a chart.
    let words_of_chart = words.chars().filter(|c| !c.is_control() && !is_no_character(*c)).take(30);
    let escaped = words_of_chart.collect::<String>().replace('&', "&amp;").replace('<', "&lt;");
    let linked = Text::plain(words).and_bold(words).and_link(words, words);
    let mut table = table(words, &[words, "B"], vec![vec![linked.clone(), words.into()]]);
    (table.summary, table.note) = (words.into(), Some(words.into()));
    let mut document = document(vec![
        heading(words),
        Block::Paragraph(linked.clone()),
        Block::List(vec![linked.clone()]),
        Block::Metrics(vec![metric(words); 3]),
        Block::Findings(vec![finding(words)]),
        Block::Table(table),
        Block::Figure(Figure {
            svg: SVG.replace("LABEL", &escaped),
            low_svg: None,
            alt: words.into(),
            caption: linked.clone(),
            max_height: 0.3,
        }),
        Block::Note(linked.clone()),
        Block::Details(vec![(words.into(), linked)]),
    ]);
    document.title = words.into();
    document.subtitle = vec![words.into()];
    (document.author, document.language) = (words.into(), words.into());
    (document.letterhead.brand, document.letterhead.footer) = (words.into(), words.into());
    document
}

fn is_no_character(character: char) -> bool {
    u32::from(character) & 0xFFFE == 0xFFFE
}

#[test]
fn texts_of_every_script_are_drawn_and_found() {
    let stacked = format!("A{}b", "\u{308}\u{301}".repeat(30));
    for (words, found) in [
        ("unassigned \u{378} here", "\u{378}"),
        ("private \u{E000} use", "\u{E000}"),
        ("plane \u{F0000} fifteen", "\u{F0000}"),
        ("crew 👩\u{200D}👩\u{200D}👧 and 🚧", "👩\u{200D}👩\u{200D}👧"),
        ("flag 🇩🇪", "🇩🇪"),
        ("face \u{1F600}", "\u{1F600}"),
        ("combining q\u{323}", "q\u{323}"),
        ("北側駐車場", "北側駐車場"),
        ("astral \u{10300}", "\u{10300}"),
        ("Grüße an Łukasz", "Łukasz"),
        ("ﬁne office ﬂow", "office"),
        (&stacked, &stacked),
    ] {
        let rendered = try_render(&everywhere(words)).unwrap();
        check(&rendered);
        // Text in a narrow column is broken anywhere.
        let said: String = text(&rendered).split_whitespace().collect();
        let places = said.matches(&found.split_whitespace().collect::<String>()).count();
        assert!(places >= 20, "{words:?} is found {places} times in {said}");
    }
}

#[test]
fn words_from_right_to_left_are_read_in_their_order() {
    let rendered = rendered(vec![
        Block::Paragraph("שלום עולם".into()),
        Block::Paragraph("Machine مشروع الجسر north".into()),
        figure(&SVG.replace("LABEL", "מנוף"), 0.3),
    ]);
    check(&rendered);
    let said = run("pdftotext", &[], &rendered.bytes, &["-"]);
    for expected in ["שלום עולם", "مشروع الجسر", "מנוף"] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

#[test]
fn labels_of_charts_are_drawn_and_found_too() {
    for (label, found) in [
        ("unassigned \u{378}", "\u{378}"),
        ("private \u{E000}", "\u{E000}"),
        ("mark\u{FEFF}", "mark"),
        ("face \u{1F600}", "\u{1F600}"),
        ("combining q\u{323}", "q\u{323}"),
        ("北側", "北側"),
    ] {
        // The label is nowhere else in the document.
        let rendered = rendered(vec![figure(&SVG.replace("LABEL", label), 0.3)]);
        check(&rendered);
        let said: String = text(&rendered).split_whitespace().collect();
        assert!(said.contains(found), "{label:?}: {said}");
    }
}

#[test]
fn characters_that_are_nothing_do_no_harm() {
    for words in
        ["\u{FEFF}", "a\u{0}b\tc\u{202E}d\u{FFFE}", "\u{200D}\u{FE0F}\u{AD}", "\u{301}", "", " \u{A0} "]
    {
        check(&try_render(&everywhere(words)).unwrap());
    }
}

#[test]
fn a_word_without_end_is_broken() {
    for words in ["W".repeat(100), "W".repeat(3000), "\u{E000}".repeat(500), "word ".repeat(2000)] {
        let rendered = try_render(&everywhere(&words)).unwrap();
        check(&rendered);
        for (x, right) in word_edges(&rendered) {
            assert!((53.0..543.0).contains(&x) && right < 543.0, "{x} to {right}");
        }
    }
}

/// The left and right edges of all words.
fn word_edges(rendered: &Rendered) -> Vec<(f32, f32)> {
    let boxes = run("pdftotext", &["-bbox"], &rendered.bytes, &["-"]);
    let edge = |line: &str, name: &str| {
        let rest = line.split(&format!("{name}=\"")).nth(1)?;
        rest.split('"').next()?.parse::<f32>().ok()
    };
    let words = boxes.lines().filter(|line| line.contains("<word"));
    words.filter_map(|line| Some((edge(line, "xMin")?, edge(line, "xMax")?))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn any_text_can_be_rendered(words in any::<String>(), more in "\\PC{0,60}") {
        for words in [words, more] {
            let rendered = try_render(&everywhere(&words));
            prop_assert!(rendered.is_ok(), "{:?}: {:?}", words, rendered.err());
        }
    }
}
