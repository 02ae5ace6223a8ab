//! Hostile texts run nowhere: each part is rendered with one and parsed as XML.

use askama::Template;
use http::StatusCode;
use texts::{Language, Text};

use super::*;
use crate::form::FormView;
use crate::formats::ChangeMark;
use crate::frame::sample;

const HOSTILE: &str = "<script>alert(1)</script>\" onload=\"x' &amp; ]]> \u{202e}";
const LABEL: Text = Text { key: "LABEL", english: "Label", german: "Feld" };

fn hostile() -> String {
    HOSTILE.to_owned()
}

/// Asserts that a part is well-formed, that no element or attribute comes from a text, and that the text is there.
fn check(part: &impl Template) {
    let html = part.render().unwrap();
    let whole = format!("<div>{html}</div>");
    let document = roxmltree::Document::parse(&whole).unwrap_or_else(|error| panic!("{error}: {html}"));
    let mut is_shown = false;
    for node in document.descendants() {
        assert!(!node.has_tag_name("script"), "{html}");
        for attribute in node.attributes() {
            assert!(!attribute.name().starts_with("on") && attribute.name() != "style", "{html}");
            is_shown |= attribute.value().contains("<script>");
        }
        is_shown |= node.is_text() && node.text().is_some_and(|text| text.contains("<script>"));
    }
    assert!(is_shown, "{html}");
}

fn badge() -> Badge {
    Badge { word: hostile(), sign: "✓", tone: Tone::Good }
}

fn action() -> Action {
    Action { to: hostile(), text: hostile(), is_danger: true, hidden: vec![(hostile(), hostile())] }
}

fn empty() -> Empty {
    Empty { title: hostile(), reason: hostile(), action: Some((hostile(), hostile())) }
}

fn shown() -> Shown {
    Shown { text: hostile(), of: Some(hostile()), reason: Some(hostile()) }
}

#[test]
fn hostile_texts_are_only_texts() {
    check(&badge());
    check(&action());
    check(&empty());
    let change = ChangeMark { text: hostile(), tone: Tone::Bad, spoken: hostile() };
    let spark = Spark::of(&[Some(1.0), Some(2.0)]);
    check(&Tile {
        label: hostile(),
        value: shown(),
        change: Some(change),
        spark,
        href: hostile(),
        live: "rate",
    });
    let cells = || {
        vec![
            Cell::head(HOSTILE, HOSTILE).note(HOSTILE),
            Cell::figure(&shown(), Some(hostile())),
            Cell::bar(&shown(), f64::NAN, 0.0, None),
            Cell::badge(badge()),
            Cell::action(action()),
        ]
    };
    for cell in cells() {
        check(&cell);
    }
    check(&Details { rows: cells().into_iter().map(|cell| (hostile(), cell)).collect() });
    let frame = sample(Language::English, "/machines?q=%3Cscript%3E&cursor=x");
    let columns = vec![Column::text(HOSTILE).sorted(&frame, "name", "-name"), Column::number(HOSTILE)];
    let rows = vec![Row::new(cells()).muted(true)];
    check(&Table::new(HOSTILE, columns, rows, empty()).with_csv(&frame));
    check(&Table::new(HOSTILE, vec![], vec![], empty()));
    let item = || AttentionItem {
        tone: Tone::Warning,
        title: hostile(),
        text: hostile(),
        kind: hostile(),
        href: hostile(),
    };
    check(&Attention { items: vec![item()] });
    check(&Progress { percent: Some(40), text: hostile(), cancel: Some(hostile()), live: hostile() });
    let entry = TimelineItem {
        time: hostile(),
        badge: Some(badge()),
        title: hostile(),
        text: hostile(),
        href: Some(hostile()),
    };
    check(&Timeline { days: vec![TimelineDay { label: hostile(), entries: vec![entry] }] });
    check(&ChartImage::new(&frame, "trends", &[], Slot::Wide, 320, HOSTILE));
    check(&ProofFields { asks_code: true, fault: Some(hostile()), language: Language::German });
    let pager = Pager::of(&frame, 50, Some(1_234), Some(&domain::Cursor::from_client(HOSTILE)));
    let html = pager.render().unwrap();
    assert!(html.contains("50 of 1,234 rows") && !html.contains("<script>"), "{html}");
}

#[test]
fn a_change_is_renewed_together_with_its_meaning() {
    let tile = |change: Option<ChangeMark>| {
        let (label, href) = ("Rate".to_owned(), "/incursions".to_owned());
        Tile { label, value: shown(), change, spark: None, href, live: "rate" }.render().unwrap()
    };
    let change = ChangeMark { text: "▲ 4 %".to_owned(), tone: Tone::Good, spoken: "up 4 %".to_owned() };
    let html = tile(Some(change));
    let region = html.split("data-live=\"rate-change\">").nth(1).unwrap();
    let region = region.split("<span class=\"spark\"").next().unwrap();
    for part in ["class=\"good\"", "▲ 4 %", "up 4 %"] {
        assert!(region.contains(part), "{part}: {html}");
    }
    // One that was absent can come.
    let html = tile(None);
    for region in ["data-live=\"rate-change\"></span>", "data-live=\"rate-course\"></span>"] {
        assert!(html.contains(region), "{region}: {html}");
    }
}

#[test]
fn a_wrong_proof_is_told_with_its_fields() {
    let fields = |fault: Option<String>| {
        ProofFields { asks_code: true, fault, language: Language::English }.render().unwrap()
    };
    let html = fields(Some("Wrong.".to_owned()));
    assert_eq!(html.matches("aria-describedby=\"proof-fault\"").count(), 2, "{html}");
    assert!(html.contains("id=\"proof-fault\"") && !fields(None).contains("proof-fault"), "{html}");
}

#[test]
fn hostile_values_stay_in_their_fields() {
    let frame = sample(Language::English, "/");
    let view = FormView::new(vec![("name", hostile())]);
    let choices = || vec![Choice::blank("none"), Choice::new(HOSTILE, HOSTILE)];
    for input in [
        Input::Text,
        Input::Email,
        Input::Area { rows: 3 },
        Input::Select(choices()),
        Input::Checks(choices()),
        Input::Radios(choices()),
    ] {
        check(&Field::new(&frame, &view, "name", LABEL, input).required().hint(HOSTILE).autocomplete("off"));
    }
    check(&Field::new(&frame, &view, "name", LABEL, Input::Flag).hint(HOSTILE));
    let mut stale = FormView::new(vec![("name", "Mine".to_owned())]);
    stale.status = StatusCode::PRECONDITION_FAILED;
    let stale = stale.beside(&frame, FormView::new(vec![("name", hostile())]));
    check(&Field::new(&frame, &stale, "name", LABEL, Input::Text));
    let password = Field::new(&frame, &view, "name", LABEL, Input::Password);
    assert!(!password.render().unwrap().contains("value="));
    let fields = vec![Field::new(&frame, &view, "name", LABEL, Input::Text)];
    check(&FormPart::new(HOSTILE, &view, fields, HOSTILE).creating(&frame).cancelled_at(HOSTILE));
    assert_eq!(view.status, StatusCode::OK);
}

#[test]
fn a_field_names_what_is_stored_now_unless_it_is_the_same() {
    let frame = sample(Language::English, "/");
    let view = |values: &[&str]| {
        let pairs = values.iter().map(|value| ("x", (*value).to_owned()));
        FormView::new(pairs.collect())
    };
    let shown = |mine: &[&str], theirs: &[&str], input: Input| {
        let mut stale = view(mine);
        stale.status = StatusCode::PRECONDITION_FAILED;
        let stale = stale.beside(&frame, view(theirs));
        let html = Field::new(&frame, &stale, "x", LABEL, input).render().unwrap();
        let (_, after) = html.split_once("-current\" dir=\"auto\">")?;
        after.split('<').next().map(str::to_owned)
    };
    let said = |text: &str| Some(format!("Stored now: {text}"));
    let choices = || vec![Choice::blank("none"), Choice::new("1", "One"), Choice::new("2", "Two")];
    assert_eq!(shown(&["a"], &["b"], Input::Text), said("b"));
    assert_eq!(shown(&["a"], &[""], Input::Area { rows: 2 }), said("nothing"));
    assert_eq!(shown(&[" a "], &["a"], Input::Text), None);
    assert_eq!(shown(&["a"], &["b"], Input::Password), None);
    assert_eq!(shown(&["1"], &["2"], Input::Select(choices())), said("Two"));
    assert_eq!(shown(&["1"], &[""], Input::Select(choices())), said("none"));
    assert_eq!(shown(&["1"], &["9"], Input::Select(choices())), said("9"));
    assert_eq!(shown(&["2"], &["2", "1"], Input::Checks(choices())), said("One, Two"));
    assert_eq!(shown(&["1", "2"], &["2", "1"], Input::Checks(choices())), None);
    assert_eq!(shown(&["true"], &[], Input::Flag), said("not ticked"));
    assert_eq!(shown(&[], &["true"], Input::Flag), said("ticked"));
    assert_eq!(shown(&[], &["false"], Input::Flag), None);
    let plain = Field::new(&frame, &FormView::new(Vec::new()), "x", LABEL, Input::Text).render().unwrap();
    assert!(!plain.contains("current"));
}

#[test]
fn charts_are_drawn_no_wider_than_shown() {
    let frame = sample(Language::English, "/?period=7d");
    let html =
        ChartImage::new(&frame, "trends", &[("interval", "day")], Slot::Half, 300, "a").render().unwrap();
    for part in [
        "(min-width: 1440px)",
        "/charts/trends?period=7d&#38;interval=day&#38;theme=auto&#38;width=575&#38;height=300",
        "width=310",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
}

/// Browsers can ask for a choice only where the first one is none.
#[test]
fn a_list_that_always_has_a_value_is_not_required() {
    let frame = sample(Language::English, "/");
    let html = |choices: Vec<Choice>| {
        let view = FormView::new(Vec::new());
        Field::new(&frame, &view, "x", LABEL, Input::Select(choices)).required().render().unwrap()
    };
    assert!(!html(vec![Choice::new("1", "One")]).contains(" required="));
    assert!(html(vec![Choice::blank("None"), Choice::new("1", "One")]).contains(" required="));
}
