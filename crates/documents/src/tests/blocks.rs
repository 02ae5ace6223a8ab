//! Every kind of block.

use super::*;
use crate::Error;

fn all_blocks() -> Document {
    let mut table = table(
        "Machines",
        &["Machine", "Incursions"],
        vec![
            vec![Text::default().and_link("Crane 1", "https://a.example/machines/1"), "31".into()],
            vec!["Loader".into(), "7".into()],
            vec!["All".into(), "38".into()],
        ],
    );
    table.columns[1].align = Align::End;
    table.rows[1].indent = 1;
    table.rows[1].kind = RowKind::Subtotal;
    table.rows[2].kind = RowKind::Total;
    table.note = Some("and 13 more".into());
    document(vec![
        Block::Metrics(["Incursions", "Acknowledged"].map(metric).to_vec()),
        Block::Findings(vec![finding("What changed")]),
        heading("Day by day"),
        Block::Paragraph(Text::plain("Plain, ").and_bold("bold").and_link(" linked.", "https://a.example/")),
        Block::List(vec!["first".into(), "second".into()]),
        Block::Table(table),
        figure(SVG, 0.4),
        Block::PageBreak,
        heading("About this report"),
        Block::Heading { level: 3, text: "Provenance".into() },
        Block::Details(vec![("Change number".into(), "48211".into())]),
        Block::Note("Small print.".into()),
    ])
}

#[test]
fn every_block_is_seen() {
    let rendered = try_render(&all_blocks()).unwrap();
    check(&rendered);
    insta::assert_snapshot!(text(&rendered));
}

#[test]
fn every_block_has_its_place_in_the_structure() {
    insta::assert_snapshot!(structure(&try_render(&all_blocks()).unwrap()));
}

#[test]
fn the_same_document_gives_the_same_bytes() {
    let [one, other] = [(), ()].map(|()| try_render(&all_blocks()).unwrap().bytes);
    assert!(one == other);
}

#[test]
fn the_file_says_what_it_is() {
    let rendered = try_render(&all_blocks()).unwrap();
    let said = run("pdfinfo", &[], &rendered.bytes, &[]);
    for expected in
        ["Site safety", "Author:          Keepclear", "Tagged:          yes", "PDF version:     1.7"]
    {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let metadata = run("pdfinfo", &["-meta"], &rendered.bytes, &[]);
    for expected in [
        "<pdfaid:part>2<",
        "<pdfaid:conformance>A<",
        "<pdfuaid:part>1<",
        "2026-04-01T06:30:05",
        "<dc:language><rdf:Bag><rdf:li>en<",
    ] {
        assert!(metadata.contains(expected), "{expected}: {metadata}");
    }
    // Screen readers take the language from the catalogue. Since version 11, qpdf says of which kind a string is.
    let objects = run("qpdf", &["--json"], &rendered.bytes, &[]);
    assert!(objects.contains("\"/Lang\": \"u:en\"") || objects.contains("\"/Lang\": \"en\""), "{objects}");
    let links = run("pdfinfo", &["-url"], &rendered.bytes, &[]);
    assert!(links.contains("https://a.example/machines/1"), "{links}");
    let fonts = run("pdffonts", &[], &rendered.bytes, &[]);
    assert_eq!(fonts.matches(" yes yes yes ").count(), 2, "embedded, subset, with characters: {fonts}");
}

#[test]
fn paper_is_a4_or_letter() {
    for (paper, size) in [(Paper::A4, "595.28 x 841.89 pts (A4)"), (Paper::Letter, "612 x 792 pts (letter)")]
    {
        let mut document = all_blocks();
        document.paper = paper;
        let said = run("pdfinfo", &[], &try_render(&document).unwrap().bytes, &[]);
        assert!(said.contains(size), "{said}");
    }
    let mut wide = all_blocks();
    wide.is_landscape = true;
    let rendered = try_render(&wide).unwrap();
    check(&rendered);
    let said = run("pdfinfo", &[], &rendered.bytes, &[]);
    assert!(said.contains("841.89 x 595.28 pts (A4)"), "{said}");
}

#[test]
fn a_document_of_nothing_is_a_page() {
    let mut nothing = document(vec![
        heading(" "),
        Block::Paragraph(Text::default()),
        Block::List(vec!["".into()]),
        Block::Metrics(Vec::new()),
        Block::Findings(Vec::new()),
        Block::Details(Vec::new()),
        Block::Table(table("", &[], Vec::new())),
        Block::Table(table("", &["A"], Vec::new())),
        Block::PageBreak,
    ]);
    (nothing.title, nothing.language, nothing.author) = (String::new(), String::new(), String::new());
    let rendered = try_render(&nothing).unwrap();
    check(&rendered);
    assert_eq!(rendered.pages, 1);
}

#[test]
fn a_picture_that_cannot_be_read_is_refused() {
    let refused = try_render(&document(vec![figure("<svg", 0.5)]));
    assert!(matches!(refused, Err(Error::Svg(_))), "{refused:?}");
}

#[test]
fn the_logo_is_in_the_letterhead() {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header().unwrap().write_image_data(&[1, 2, 3, 255, 9, 9, 9, 0]).unwrap();
    let mut with_logo = all_blocks();
    with_logo.letterhead.logo = Some(crate::Picture::from_png(&bytes).unwrap());
    let rendered = try_render(&with_logo).unwrap();
    check(&rendered);
    let images = run("pdfimages", &["-list"], &rendered.bytes, &[]);
    assert!(images.contains("image") && images.contains("smask"), "{images}");
}
