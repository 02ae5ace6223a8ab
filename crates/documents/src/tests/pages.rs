//! What is on which page.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::Error;

fn lines(count: usize) -> Block {
    Block::Paragraph("These words fill one line. ".repeat(count * 3).into())
}

fn tall(height: u32) -> String {
    SVG.replace("width=\"400\" height=\"200\"", &format!("width=\"800\" height=\"{}\"", 2 * height))
}

#[test]
fn a_long_table_repeats_its_head_and_divides_no_row() {
    let row = |number: usize| {
        let long = if number.is_multiple_of(7) {
            "a name that needs more than one line ".repeat(4)
        } else {
            "name".into()
        };
        vec![format!("first{number}x").into(), long.into(), format!("last{number}x").into()]
    };
    let table = table("Incursions", &["Number", "Name", "End"], (0..400).map(row).collect());
    let rendered = rendered(vec![heading("All"), Block::Table(table)]);
    check(&rendered);
    let pages = pages(&rendered);
    assert!(pages.len() > 10);
    for (index, page) in pages.iter().enumerate() {
        assert!(page.contains("Number") && page.contains("End"), "page {index} has no head: {page}");
        assert_eq!(page.contains("Incursions (continued)"), index > 0);
        let firsts = page.matches("first").count();
        assert_eq!(firsts, page.matches("last").count(), "a row is divided on page {index}: {page}");
        assert!(firsts >= 2, "page {index} has {firsts} rows");
    }
    for number in 0..400 {
        assert_eq!(pages.iter().filter(|page| page.contains(&format!("first{number}x"))).count(), 1);
    }
    // A head is read once.
    assert_eq!(structure(&rendered).matches("\"Number\"").count(), 1);
}

#[test]
fn a_heading_is_never_the_last_on_a_page() {
    let followers: [fn() -> Vec<Block>; 5] = [
        || vec![lines(6)],
        || vec![Block::Table(table("T", &["A"], vec![vec!["1".into()]; 20]))],
        || vec![figure(&tall(300), 0.4)],
        || vec![Block::Metrics(vec![metric("m"); 4])],
        || vec![Block::Heading { level: 3, text: "Sub".into() }, Block::List(vec!["entry".into(); 5])],
    ];
    for follower in followers {
        for above in 30..48 {
            let mut blocks = vec![lines(above), heading("Heading of the section")];
            blocks.extend(follower());
            for page in pages(&rendered(blocks)) {
                let mut seen = page.lines().filter(|line| !line.trim().is_empty()).rev();
                let footer = seen.next().unwrap();
                assert!(footer.contains("Page "), "{footer}");
                let last = seen.next().unwrap();
                assert!(!last.contains("Heading of") && !last.contains("Sub"), "{above}: {page}");
            }
        }
    }
}

#[test]
fn a_paragraph_leaves_no_single_line() {
    for above in 38..50 {
        let words = |count: usize| {
            Block::Paragraph("Unique words fill about one line, more or less so. ".repeat(count).into())
        };
        let pages = pages(&rendered(vec![lines(above), words(14)]));
        for page in pages {
            let count =
                page.lines().filter(|line| line.contains("Unique") || line.contains("more or less")).count();
            assert_ne!(count, 1, "{above}: {page}");
        }
    }
}

#[test]
fn a_figure_is_made_smaller_rather_than_leaving_much_of_a_page_empty() {
    // 487 points wide and as tall as half a page.
    let half = tall(290);
    for above in 5..40 {
        let rendered = rendered(vec![lines(above), figure(&half, 0.6), lines(3)]);
        let pages = pages(&rendered);
        let first = pages[0].lines().filter(|line| line.contains("These words")).count();
        let has_figure = pages[0].contains("One bar is seen.");
        // A page has about 50 lines; with less than two thirds of them, the figure must be there too.
        assert!(has_figure || first > 33, "{above}: {first} lines and no figure");
    }
}

#[test]
fn a_figure_is_drawn_lower_rather_than_leaving_a_quarter_of_a_page_empty() {
    for is_landscape in [false, true] {
        let (mut low, mut full) = (0, 0);
        for above in (8..52).step_by(2) {
            let svg = |height: u32, label: &str| {
                let size = format!("width=\"720\" height=\"{height}\"");
                SVG.replace("width=\"400\" height=\"200\"", &size).replace("LABEL", label)
            };
            let figure = Figure {
                svg: svg(320, "FULL"),
                low_svg: Some(svg(200, "LOW")),
                alt: "A bar".into(),
                caption: "One bar is seen.".into(),
                max_height: 0.4,
            };
            let blocks = vec![lines(above), heading("Chart"), Block::Figure(figure), lines(3)];
            let mut document = document(blocks);
            document.is_landscape = is_landscape;
            let rendered = try_render(&document).unwrap();
            let first = &pages(&rendered)[0];
            let last = bottom_of_first_page(&rendered);
            let height = if is_landscape { 595.0 } else { 842.0 };
            let body = height - 134.0;
            let empty = (height - 60.0 - last) / body;
            let most = if is_landscape { 0.37 } else { 0.27 };
            assert!(rendered.pages == 1 || empty < most, "{above}: {empty} of the page is empty: {first}");
            low += usize::from(first.contains("LOW"));
            full += usize::from(first.contains("FULL"));
        }
        assert!(low > 2 && full > 2, "{low} low and {full} full ones");
    }
}

/// Where the last text of the first page ends, above the footer.
fn bottom_of_first_page(rendered: &Rendered) -> f32 {
    let boxes = run("pdftotext", &["-bbox", "-l", "1"], &rendered.bytes, &["-"]);
    let edges = |line: &str| line.split('"').filter_map(|part| part.parse().ok()).collect::<Vec<f32>>();
    let page = boxes.lines().find(|line| line.contains("<page")).map(edges).unwrap();
    let bottoms = boxes.lines().filter(|line| line.contains("<word")).map(|line| edges(line)[3]);
    bottoms.filter(|bottom| *bottom < page[1] - 60.0).fold(0.0, f32::max)
}

#[test]
fn a_figure_with_its_heading_fits_on_a_page_however_tall_it_is() {
    for height in [200, 700, 5000] {
        let rendered = rendered(vec![lines(30), heading("Map"), figure(&tall(height), 1.0)]);
        let pages = pages(&rendered);
        let place = |words: &str| pages.iter().position(|page| page.contains(words));
        assert_eq!(place("Map"), place("One bar is seen."), "{height}");
        assert!(pages.len() <= 2, "{height}");
    }
}

#[test]
fn a_page_break_takes_the_heading_along() {
    let rendered = rendered(vec![lines(3), heading("Next"), Block::PageBreak, lines(3)]);
    let pages = pages(&rendered);
    assert_eq!(pages.len(), 2);
    assert!(!pages[0].contains("Next") && pages[1].contains("Next"));
}

#[test]
fn every_page_says_which_it_is() {
    let pages = pages(&rendered(vec![lines(200)]));
    let count = pages.len();
    for (page, number) in pages.iter().zip(1..) {
        assert!(page.contains(&format!("Page {number} of {count}")), "{page}");
        assert!(page.contains("Nordic Earthworks") && page.contains("Site safety · March 2026"), "{page}");
    }
}

#[test]
fn a_long_title_is_seen_whole_and_leaves_room_in_the_footer() {
    let name = "W".repeat(100);
    let document = Document { title: format!("Machine report: {name}"), ..document(vec![lines(3)]) };
    let rendered = try_render(&document).unwrap();
    check(&rendered);
    let page = text(&rendered);
    let footer = page.lines().find(|line| line.contains("Page 1 of 1")).unwrap();
    assert!(footer.contains("Machine report: WWW") && footer.contains("W… · March 2026"), "{footer}");
    let above: String = page.lines().take_while(|line| *line != footer).collect();
    assert_eq!(above.matches('W').count(), 100, "{page}");
}

#[test]
fn headings_never_skip_a_level_and_are_in_the_outline() {
    let deep = |level| Block::Heading { level, text: format!("Level {level}") };
    let rendered = rendered(vec![deep(3), lines(1), deep(9), lines(1), deep(0), lines(1), deep(2), lines(1)]);
    let said = structure(&rendered);
    let levels: Vec<&str> = said.lines().map(str::trim).filter(|line| line.starts_with('H')).collect();
    let levels: Vec<&str> = levels.iter().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(levels, ["H1", "H2", "H3", "H1", "H2"], "{said}");
    let outline = run("qpdf", &["--json", "--json-key=outlines"], &rendered.bytes, &[]);
    for level in ["Level 3", "Level 9", "Level 0", "Level 2"] {
        assert!(outline.contains(level), "{level}: {outline}");
    }
}

#[test]
fn a_document_with_too_many_pages_is_refused() {
    let long = document(vec![lines(150)]);
    let limited = |max_pages| render(&long, &Limits { max_pages, is_cancelled: &|| false });
    let pages = limited(200).unwrap().pages;
    assert!(limited(pages).is_ok());
    assert!(matches!(limited(pages - 1), Err(Error::TooManyPages { max }) if max == pages - 1));
}

#[test]
fn rendering_can_be_cancelled_at_any_time() {
    let long = document(vec![lines(150), Block::Table(table("T", &["A"], vec![vec!["1".into()]; 300]))]);
    let asked = AtomicUsize::new(0);
    let limit = Cell::new(0);
    loop {
        let after = limit.get();
        asked.store(0, Ordering::Relaxed);
        let is_cancelled = move |asked: &AtomicUsize| asked.fetch_add(1, Ordering::Relaxed) >= after;
        let ended = render(&long, &Limits { max_pages: 200, is_cancelled: &|| is_cancelled(&asked) });
        match ended {
            Err(Error::Cancelled) => assert_eq!(asked.load(Ordering::Relaxed), after + 1),
            Ok(_) => break,
            other => panic!("{other:?}"),
        }
        limit.set(after * 2 + 1);
    }
    // Twice for each line and row, when it is placed and when it is drawn.
    assert!(limit.get() > 800, "{}", limit.get());
}

#[test]
fn rendering_can_be_cancelled_at_every_step() {
    let names = vec![vec![Text::from("Crane"), "TC1A-00026".into()]; 3];
    let table = Block::Table(table("T", &["A", "B"], names));
    let short = document(vec![lines(3), table, figure(SVG, 0.4), Block::Metrics(vec![metric("m"); 2])]);
    for after in 0.. {
        let asked = AtomicUsize::new(0);
        let is_cancelled = || asked.fetch_add(1, Ordering::Relaxed) >= after;
        match render(&short, &Limits { max_pages: 9, is_cancelled: &is_cancelled }) {
            Err(Error::Cancelled) => {}
            Ok(_) => return assert!(after > 20, "it asked {after} times"),
            Err(other) => panic!("{other:?}"),
        }
    }
}
