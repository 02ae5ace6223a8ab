//! Writes every kind of chart, light, dark and automatic, into a folder: `cargo run -p charts --example gallery -- gallery`.

mod bars;
mod categories;
mod edge_cases;
mod lines;
mod maps;

use std::path::PathBuf;
use std::{fs, io};

use charts::{Arrangement, ChartOptions, Date, ShadeBy, Theme};

fn main() -> io::Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "gallery".to_owned()));
    fs::create_dir_all(&folder)?;
    for (name, draw) in pictures() {
        for (suffix, theme) in [("light", Theme::Light), ("dark", Theme::Dark), ("auto", Theme::Auto)] {
            fs::write(folder.join(format!("{name}-{suffix}.svg")), draw(theme))?;
        }
    }
    Ok(())
}

type Draw = Box<dyn Fn(Theme) -> String>;

fn pictures() -> Vec<(&'static str, Draw)> {
    vec![
        ("machine-runtime-stacked", Box::new(|theme| bars::machine_runtime(theme, Arrangement::Stacked))),
        ("machine-runtime-grouped", Box::new(|theme| bars::machine_runtime(theme, Arrangement::Grouped))),
        ("operators", Box::new(bars::operators)),
        ("acknowledged-incursions", Box::new(bars::acknowledged)),
        ("zone-time", Box::new(categories::zone_time)),
        ("trends", Box::new(lines::trends)),
        ("trends-five-years", Box::new(lines::five_years)),
        ("incursion-rate", Box::new(lines::incursion_rate)),
        ("durations", Box::new(categories::durations)),
        ("acknowledgement-score", Box::new(lines::score)),
        ("acknowledgement-score-bars", Box::new(bars::score_bars)),
        ("hours-of-week", Box::new(categories::hours_of_week)),
        ("heatmap", Box::new(|theme| maps::heatmap(theme, ShadeBy::Count))),
        ("heatmap-sites", Box::new(maps::heatmaps)),
        ("heatmap-rate", Box::new(|theme| maps::heatmap(theme, ShadeBy::Rate))),
        ("site-map", Box::new(maps::site_map)),
        ("no-data", Box::new(edge_cases::no_data)),
        ("hard-names", Box::new(edge_cases::hard_names)),
        ("small", Box::new(edge_cases::small)),
        ("runtime-five-years", Box::new(bars::runtime_five_years)),
        ("many-lines", Box::new(lines::many_lines)),
        ("week-small", Box::new(categories::week_small)),
    ]
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
