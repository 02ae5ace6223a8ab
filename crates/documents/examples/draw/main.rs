//! Writes sample documents into a folder, to look at: `cargo run -p documents --example draw -- folder`.

#[path = "../../../charts/examples/gallery/bars.rs"]
mod bars;
#[path = "../../../charts/examples/gallery/categories.rs"]
mod categories;
mod characters;
#[path = "../../../charts/examples/gallery/edge_cases.rs"]
mod edge_cases;
mod incursions;
#[path = "../../../charts/examples/gallery/lines.rs"]
mod lines;
#[path = "../../../charts/examples/gallery/maps.rs"]
mod maps;
mod site_safety;

use std::path::PathBuf;
use std::{fs, io};

use charts::{Arrangement, ChartOptions, Date, ShadeBy, Theme};
use documents::{Block, CreationTime, Document, Figure, Letterhead, Limits, Paper, Text, render};

fn main() -> io::Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "documents".to_owned()));
    fs::create_dir_all(&folder)?;
    for (name, document) in [
        ("site-safety-a4", site_safety::report(Paper::A4)),
        ("site-safety-letter", site_safety::report(Paper::Letter)),
        ("incursions", incursions::report(400)),
        ("characters", characters::report()),
        ("gallery", gallery()),
    ] {
        let limits = Limits { max_pages: 1000, is_cancelled: &|| false };
        let rendered = render(&document, &limits).map_err(io::Error::other)?;
        fs::write(folder.join(format!("{name}.pdf")), rendered.bytes)?;
    }
    Ok(())
}

/// A document without blocks.
fn empty(title: &str, subtitle: &[&str]) -> Document {
    Document {
        title: title.into(),
        subtitle: subtitle.iter().map(|line| (*line).into()).collect(),
        language: "en".into(),
        author: "Keepclear".into(),
        created_at: CreationTime { year: 2026, month: 4, day: 1, hour: 6, minute: 30, second: 0 },
        paper: Paper::A4,
        is_landscape: false,
        letterhead: Letterhead {
            brand: "Nordic Earthworks".into(),
            logo: None,
            page_of: "Page {page} of {pages}".into(),
            footer: "02/03/2026 – 31/03/2026".into(),
            continued: "{title} (continued)".into(),
        },
        blocks: Vec::new(),
    }
}

fn heading(level: u8, text: &str) -> Block {
    Block::Heading { level, text: text.into() }
}

fn figure(svg: String, caption: &str, max_height: f32) -> Block {
    let (alt, caption) = (format!("Chart. {caption}"), caption.into());
    Block::Figure(Figure { svg, low_svg: None, alt, caption, max_height })
}

/// Every kind of chart.
fn gallery() -> Document {
    let pictures = [
        bars::machine_runtime(Theme::Light, Arrangement::Stacked),
        bars::machine_runtime(Theme::Light, Arrangement::Grouped),
        bars::operators(Theme::Light),
        bars::acknowledged(Theme::Light),
        bars::score_bars(Theme::Auto),
        bars::runtime_five_years(Theme::Light),
        categories::zone_time(Theme::Light),
        categories::durations(Theme::Light),
        categories::hours_of_week(Theme::Light),
        categories::week_small(Theme::Light),
        lines::trends(Theme::Light),
        lines::five_years(Theme::Light),
        lines::incursion_rate(Theme::Light),
        lines::score(Theme::Auto),
        lines::many_lines(Theme::Light),
        maps::heatmap(Theme::Light, ShadeBy::Count),
        maps::heatmap(Theme::Light, ShadeBy::Rate),
        maps::heatmaps(Theme::Light),
        maps::site_map(Theme::Light),
        edge_cases::no_data(Theme::Light),
        edge_cases::hard_names(Theme::Light),
        edge_cases::small(Theme::Light),
    ];
    let mut document = empty("Gallery", &["Every kind of chart"]);
    document.blocks.push(Block::Paragraph(Text::plain("The charts are the same as those of the API.")));
    for (number, svg) in (1..).zip(pictures) {
        document.blocks.push(figure(svg, &format!("Chart {number}."), 0.45));
    }
    document
}

fn titled(title: &str, subtitle: &str, theme: Theme) -> ChartOptions {
    ChartOptions { subtitle: Some(subtitle.into()), theme, ..ChartOptions::titled(title) }
}

/// A reproducible pseudo-random generator.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(1u32 << 31)
    }
}

fn day(number: i32) -> Date {
    // 2 March 2026, a Monday.
    Date::from_days(20_514 + number)
}

fn weekend(number: i32) -> bool {
    number.rem_euclid(7) >= 5
}
