//! Maps.

use charts::{
    ChartOptions, Hexagon, HexagonMap, MapMarker, MapPanel, Outline, Position, ShadeBy, SiteMap, Theme, Tone,
    Track,
};

use crate::{Chance, titled};

fn boundary() -> Outline {
    let ring = |points: &[(f64, f64)]| points.iter().map(|(x, y)| on_site(*x, *y)).collect();
    Outline {
        rings: vec![
            ring(&[
                (-260.0, -110.0),
                (-180.0, 140.0),
                (40.0, 175.0),
                (270.0, 120.0),
                (300.0, -60.0),
                (120.0, -160.0),
                (-90.0, -150.0),
                (-260.0, -110.0),
            ]),
            ring(&[(150.0, 10.0), (220.0, 20.0), (210.0, 80.0), (145.0, 70.0), (150.0, 10.0)]),
        ],
    }
}

fn on_site(east_m: f64, north_m: f64) -> Position {
    let latitude: f64 = 59.33;
    Position::new(18.06 + east_m / (111_195.0 * latitude.to_radians().cos()), latitude + north_m / 111_195.0)
}

fn hexagons(seed: u64) -> Vec<Hexagon> {
    let mut chance = Chance(seed);
    let side = 18.0;
    let mut hexagons = Vec::new();
    for row in -6..=6i32 {
        for column in -8..=8i32 {
            let x = f64::from(column) * side * 3f64.sqrt()
                + if row.rem_euclid(2) == 1 { side * 3f64.sqrt() / 2.0 } else { 0.0 };
            let y = f64::from(row) * side * 1.5;
            let near = 60.0 * (-((x + 70.0).powi(2) + (y - 20.0).powi(2)) / 9000.0).exp()
                + 30.0 * (-((x - 150.0).powi(2) + (y + 50.0).powi(2)) / 4000.0).exp();
            let count = (near * (0.5 + chance.next())).floor();
            let rate = 40.0 + chance.next() * 60.0;
            if count >= 1.0 {
                let corners = (0..6)
                    .map(|n| {
                        let angle = (60.0 * f64::from(n) + 30.0).to_radians();
                        on_site(x + side * angle.cos(), y + side * angle.sin())
                    })
                    .collect();
                hexagons.push(Hexagon { corners, count, rate: (count > 2.0).then_some(rate) });
            }
        }
    }
    hexagons
}

pub fn heatmaps(theme: Theme) -> String {
    let long = "Northern Logistics Centre, hall extension phase two";
    let sites = ["Riverside Bridge", long, "Tunnel East", "Depot", "Quarry"];
    let panels = sites.iter().zip(17..).map(|(label, seed)| MapPanel {
        label: (*label).into(),
        hexagons: hexagons(seed),
        outline: Some(boundary()),
    });
    HexagonMap {
        unit: "incursions".into(),
        rate_label: "acknowledged".into(),
        shade_by: ShadeBy::Count,
        panels: panels.collect(),
        empty_reason: None,
    }
    .svg(&ChartOptions { height: 640, ..titled("Incursions by location", "Five sites, last 28 days", theme) })
}

pub fn heatmap(theme: Theme, shade: ShadeBy) -> String {
    HexagonMap {
        unit: "incursions".into(),
        rate_label: "acknowledged".into(),
        shade_by: shade,
        panels: vec![MapPanel { hexagons: hexagons(17), outline: Some(boundary()), ..MapPanel::default() }],
        empty_reason: None,
    }
    .svg(&ChartOptions {
        height: 560,
        ..titled("Incursions by location", "Riverside Bridge, last 28 days, cells of about 18 m", theme)
    })
}

pub fn site_map(theme: Theme) -> String {
    let place = |label: &str, x, y, tone| MapMarker { label: label.into(), at: on_site(x, y), tone };
    let track = |label: &str, radius: f64, x: f64, y: f64, turns: f64| Track {
        label: label.into(),
        lines: vec![
            (0..300)
                .map(|n| {
                    let angle = f64::from(n) / 300.0 * turns * std::f64::consts::TAU;
                    on_site(
                        x + radius * angle.cos() * (1.0 + 0.3 * (angle * 3.1).sin()),
                        y + radius * 0.6 * angle.sin(),
                    )
                })
                .collect(),
        ],
    };
    SiteMap {
        outline: Some(boundary()),
        markers: vec![
            place("Excavator 12", -120.0, 40.0, Tone::Plain),
            place("Wheel loader 3", -105.0, 36.0, Tone::Plain),
            place("Forklift Hall B", 180.0, -40.0, Tone::Warning),
            place("Roller 4", 60.0, 120.0, Tone::Danger),
            place("Dumper 2 (silent)", -30.0, -110.0, Tone::Neutral),
        ],
        tracks: vec![
            track("Excavator 12", 70.0, -110.0, 20.0, 1.7),
            track("Forklift Hall B", 90.0, 130.0, -30.0, 0.8),
        ],
        empty_reason: None,
    }
    .svg(&ChartOptions {
        height: 560,
        ..titled("Riverside Bridge", "Machines at 14:30, tracks since 12:00 local time", theme)
    })
}
