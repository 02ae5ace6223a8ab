//! No data, hostile names, little room.

use charts::{
    Arrangement, ChartOptions, Interval, Part, Point, RankedBars, Row, Series, Theme, TimeBars, TimeLines,
    Tone, ValueScale,
};

use crate::{day, titled};

pub fn no_data(theme: Theme) -> String {
    TimeLines {
        unit: "incursions per runtime hour".into(),
        interval: Interval::Day,
        scale: ValueScale::FromZero,
        lines: Vec::new(),
        threshold: None,
        empty_reason: Some("No machine of this site reported any runtime between 02/03/2026 and 31/03/2026, so there is no rate.".into()),
    }
    .svg(&titled("Incursion rate", "Quarry, 02/03/2026 – 31/03/2026", theme))
}

pub fn hard_names(theme: Theme) -> String {
    let row = |label: &str, value| Row { label: label.into(), values: vec![value, value / 2.0] };
    RankedBars {
        unit: "hours & minutes <units>".into(),
        parts: vec![
            Part { label: "<b>Inner</b> & \"near\"".into(), tone: Tone::Danger },
            Part { label: "المنطقة الخارجية".into(), tone: Tone::Good },
        ],
        rows: vec![
            row("<script>alert(\"1\")</script> & 'quotes'", 4.0),
            row("مشروع الجسر الشمالي", 3.4),
            row("👷🏽‍♀️ crew of the night shift 🚧🚜 of the northern extension", 2.7),
            row("Übergrößenträger-Verladestation Südost, Gleis 14b", 2.2),
            row("北側駐車場拡張工事", 1.9),
            row("control\u{0}\u{1}\u{8}characters\u{202E}reversed", 1.2),
        ],
        empty_reason: None,
    }
    .svg(&titled("Names <that> are \"hard\" & long 🚧", "مرحبا, \u{202E}no override", theme))
}

pub fn small(theme: Theme) -> String {
    TimeBars {
        unit: "incursions per day".into(),
        interval: Interval::Day,
        arrangement: Arrangement::Stacked,
        scale: ValueScale::FromZero,
        series: vec![
            Series {
                label: "Acknowledged".into(),
                tone: Tone::Good,
                points: (0..14).map(|n| Point::new(day(n), f64::from(4 + n % 5))).collect(),
            },
            Series {
                label: "Not acknowledged".into(),
                tone: Tone::Danger,
                points: (0..14).map(|n| Point::new(day(n), f64::from(n % 3))).collect(),
            },
        ],
        total: None,
        rate: None,
        threshold: None,
        empty_reason: None,
    }
    .svg(&ChartOptions {
        width: 240,
        height: 200,
        ..titled("Acknowledged incursions", "Two weeks", theme)
    })
}
