//! Charts over categories.

use charts::{
    Bucket, ChartOptions, Histogram, Part, Quantity, RankedBars, Row, Theme, Tone, WeekMatrix, WeekStart,
};

use crate::{Chance, titled};

pub fn zone_time(theme: Theme) -> String {
    let part = |label: &str, tone| Part { label: label.into(), tone };
    let row = |label: &str, values: [f64; 3]| Row { label: label.into(), values: values.into() };
    RankedBars {
        unit: "hours".into(),
        parts: vec![
            part("Inner zone", Tone::Danger),
            part("Middle zone", Tone::Warning),
            part("Outer zone", Tone::Good),
        ],
        rows: vec![
            row("Riverside Bridge", [1.4, 6.25, 18.9]),
            row("Northern Logistics Centre, hall extension phase two", [0.8, 4.1, 16.2]),
            row("Harbour Quay 7", [2.1, 3.9, 9.75]),
            row("Tunnel East", [0.4, 2.2, 8.3]),
            row("Depot", [0.05, 0.6, 3.2]),
            row("Quarry", [0.0, 0.0, 0.4]),
        ],
        empty_reason: None,
    }
    .svg(&titled("Time in zones", "People on foot near machines, last 28 days", theme))
}

pub fn durations(theme: Theme) -> String {
    let buckets = [
        ("0–5", 812.0),
        ("5–15", 1334.0),
        ("15–30", 640.0),
        ("30–60", 291.0),
        ("60–120", 104.0),
        ("120–300", 38.0),
        ("300+", 9.0),
    ];
    Histogram {
        unit: "incursions".into(),
        bucket_unit: "duration in seconds".into(),
        buckets: buckets
            .iter()
            .map(|(label, value)| Bucket { label: (*label).into(), value: *value })
            .collect(),
        empty_reason: None,
    }
    .svg(&titled("Incursion durations", "All sites, last 28 days", theme))
}

fn week_values() -> [[Option<f64>; 24]; 7] {
    let mut chance = Chance(2);
    let mut values = [[Some(0.0); 24]; 7];
    for (weekday, hours) in values.iter_mut().enumerate() {
        for (hour, value) in hours.iter_mut().enumerate() {
            let busy = match hour {
                6..=8 => 18.0,
                9..=11 => 31.0,
                12 => 9.0,
                13..=16 => 26.0,
                17..=18 => 7.0,
                _ => 0.5,
            };
            let share = [1.0, 1.1, 1.05, 1.2, 0.8, 0.15, 0.0][weekday];
            *value = Some((busy * share * (0.6 + chance.next() * 0.8)).round());
        }
    }
    values[6] = [None; 24];
    values
}

/// Thursday has not ended.
fn partial_hours() -> [[bool; 24]; 7] {
    let mut partial = [[false; 24]; 7];
    partial[3][15..].fill(true);
    partial
}

pub fn hours_of_week(theme: Theme) -> String {
    WeekMatrix {
        unit: "incursions".into(),
        quantity: Quantity::Amount,
        values: week_values(),
        partial: partial_hours(),
        gap_reason: Some("site closed".into()),
        empty_reason: None,
    }
    .svg(&titled("Hours of the week", "Riverside Bridge, last 90 days, local time", theme))
}

pub fn week_small(theme: Theme) -> String {
    WeekMatrix {
        unit: "incursions".into(),
        quantity: Quantity::Amount,
        values: week_values(),
        partial: partial_hours(),
        gap_reason: Some("site closed".into()),
        empty_reason: None,
    }
    .svg(&ChartOptions {
        width: 360,
        height: 260,
        week_start: WeekStart::Sunday,
        ..titled("Hours of the week", "Riverside Bridge", theme)
    })
}
