//! Documents as others read them: the text, the structure and the soundness of the files, by poppler and qpdf.

mod blocks;
mod characters;
mod charts;
mod pages;
mod raster;
mod tables;

use std::env::temp_dir;
use std::process::{Command, id};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fs, path};

use crate::{
    Align, Block, Column, CreationTime, Document, Figure, Finding, Letterhead, Limits, Metric, MetricChange,
    Paper, Rendered, Row, RowKind, Table, Text, Tone, Trend, render,
};

/// A picture with a shape, a pattern and a label.
const SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"400\" height=\"200\">\
    <defs><pattern id=\"p\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">\
    <rect width=\"6\" height=\"6\" fill=\"#1b5e9e\"/></pattern></defs>\
    <rect x=\"10\" y=\"10\" width=\"380\" height=\"120\" rx=\"4\" fill=\"url(#p)\"/>\
    <text x=\"200\" y=\"160\" font-size=\"14\" fill=\"#17202a\" text-anchor=\"middle\">LABEL</text></svg>";

fn document(blocks: Vec<Block>) -> Document {
    Document {
        title: "Site safety".into(),
        subtitle: vec!["Riverside Bridge".into()],
        language: "en".into(),
        author: "Keepclear".into(),
        created_at: CreationTime { year: 2026, month: 4, day: 1, hour: 6, minute: 30, second: 5 },
        paper: Paper::A4,
        is_landscape: false,
        letterhead: Letterhead {
            brand: "Nordic Earthworks".into(),
            logo: None,
            page_of: "Page {page} of {pages}".into(),
            footer: "March 2026".into(),
            continued: "{title} (continued)".into(),
        },
        blocks,
    }
}

fn heading(text: &str) -> Block {
    Block::Heading { level: 2, text: text.into() }
}

fn figure(svg: &str, max_height: f32) -> Block {
    Block::Figure(Figure {
        svg: svg.into(),
        low_svg: None,
        alt: "A bar".into(),
        caption: "One bar is seen.".into(),
        max_height,
    })
}

fn metric(name: &str) -> Metric {
    let change = MetricChange { text: name.into(), trend: Trend::Down, tone: Tone::Good };
    Metric { label: name.into(), value: name.into(), change: Some(change), note: name.into() }
}

fn finding(name: &str) -> Finding {
    Finding { tone: Tone::Warning, heading: name.into(), text: name.into(), evidence: name.into() }
}

fn table(title: &str, columns: &[&str], rows: Vec<Vec<Text>>) -> Table {
    let column = |title: &&str| Column { title: (*title).into(), align: Align::Start, share: 1.0 };
    let row = |cells| Row { cells, kind: RowKind::Plain, indent: 0 };
    Table {
        title: title.into(),
        summary: "What it shows.".into(),
        columns: columns.iter().map(column).collect(),
        rows: rows.into_iter().map(row).collect(),
        note: None,
    }
}

fn try_render(document: &Document) -> Result<Rendered, crate::Error> {
    render(document, &Limits { max_pages: 200, is_cancelled: &|| false })
}

fn rendered(blocks: Vec<Block>) -> Rendered {
    try_render(&document(blocks)).unwrap()
}

/// Runs a program on a file; the path of the file is its last argument but those in `after`.
fn run(program: &str, before: &[&str], bytes: &[u8], after: &[&str]) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = format!("keepclear-documents-{}-{}.pdf", id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let file: path::PathBuf = temp_dir().join(name);
    fs::write(&file, bytes).unwrap();
    let output = Command::new(program).args(before).arg(&file).args(after).output();
    fs::remove_file(&file).unwrap();
    let output =
        output.unwrap_or_else(|error| panic!("{program} of poppler-utils and qpdf is needed: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{program}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// The text as it is seen, with a form feed after each page.
fn text(rendered: &Rendered) -> String {
    run("pdftotext", &["-layout"], &rendered.bytes, &["-"])
}

fn pages(rendered: &Rendered) -> Vec<String> {
    let text = text(rendered);
    let mut pages: Vec<String> = text.split('\u{C}').map(str::to_owned).collect();
    assert_eq!(pages.pop().as_deref(), Some(""));
    assert_eq!(pages.len(), rendered.pages);
    pages
}

/// What a screen reader reads, without numbers of objects and positions.
fn structure(rendered: &Rendered) -> String {
    let said = run("pdfinfo", &["-struct-text"], &rendered.bytes, &[]);
    let lines = said.lines().map(|line| {
        let cut = ["Object ", "/BBox "].iter().find_map(|word| Some(line.find(word)? + word.len() - 1));
        &line[..cut.unwrap_or(line.len())]
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Checks that the file is sound.
fn check(rendered: &Rendered) {
    let said = run("qpdf", &["--check"], &rendered.bytes, &[]);
    assert!(said.contains("No syntax or stream encoding errors found"), "{said}");
}
