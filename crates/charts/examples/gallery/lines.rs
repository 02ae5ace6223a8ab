//! Lines over time.

use charts::{
    ChartOptions, DateOrder, Interval, Line, LineKind, Point, Theme, Threshold, TimeLines, Value, ValueScale,
};

use crate::{Chance, day, titled, weekend};

pub fn trends(theme: Theme) -> String {
    let mut chance = Chance(3);
    let mut measured = Vec::new();
    let mut previous = Vec::new();
    for number in 0..42 {
        let value = if weekend(number) {
            chance.next() * 4.0
        } else {
            22.0 + chance.next() * 18.0 - f64::from(number) * 0.2
        };
        let point = match number {
            18..=20 => Value::Gap("site closed".into()),
            30 => Value::Gap("no reports".into()),
            _ => Value::Number(value.round()),
        };
        measured.push(Point::new(day(number), point));
        let before = if weekend(number) { chance.next() * 5.0 } else { 26.0 + chance.next() * 16.0 };
        previous.push(Point::new(day(number), before.round()));
    }
    TimeLines {
        unit: "incursions per day".into(),
        interval: Interval::Day,
        scale: ValueScale::FromZero,
        lines: vec![
            Line { label: "This period".into(), points: measured, ..Line::default() },
            Line {
                label: "Previous period".into(),
                kind: LineKind::Previous,
                points: previous,
                ..Line::default()
            },
            Line {
                label: "Trend (Theil–Sen)".into(),
                kind: LineKind::Trend,
                points: vec![Point::new(day(0), 29.5), Point::new(day(41), 19.2)],
                ..Line::default()
            },
        ],
        threshold: Some(Threshold { label: "Alert above 38".into(), value: 38.0 }),
        empty_reason: None,
    }
    .svg(&titled("Incursions", "Riverside Bridge, six weeks from 02/03/2026", theme))
}

pub fn five_years(theme: Theme) -> String {
    let mut chance = Chance(5);
    let line = |label: &str, base: f64, chance: &mut Chance| Line {
        label: label.into(),
        points: (0..1826)
            .map(|n| {
                let season = (f64::from(n) / 58.0).sin() * base * 0.3;
                let value = if (700..760).contains(&n) {
                    Value::Gap("winter break".into())
                } else {
                    (base + season + chance.next() * base * 0.5).into()
                };
                Point::new(day(n - 1600), value)
            })
            .collect(),
        ..Line::default()
    };
    TimeLines {
        unit: "incursions per day".into(),
        interval: Interval::Day,
        scale: ValueScale::FromZero,
        lines: vec![line("Riverside Bridge", 30.0, &mut chance), line("Harbour Quay 7", 11.0, &mut chance)],
        threshold: None,
        empty_reason: None,
    }
    .svg(&titled("Incursions over five years", "Two sites, daily", theme))
}

pub fn incursion_rate(theme: Theme) -> String {
    let mut chance = Chance(9);
    let line = |label: &str, base: f64, idle: std::ops::Range<i32>, chance: &mut Chance| Line {
        label: label.into(),
        points: (0..30)
            .map(|n| {
                let value = if weekend(n) || idle.contains(&n) {
                    Value::Gap("no runtime".into())
                } else {
                    (base * (0.6 + chance.next() * 0.8)).into()
                };
                Point::new(day(n), value)
            })
            .collect(),
        ..Line::default()
    };
    TimeLines {
        unit: "incursions per runtime hour".into(),
        interval: Interval::Day,
        scale: ValueScale::FromZero,
        lines: vec![
            line("Excavators", 1.4, 8..10, &mut chance),
            line("Wheel loaders", 0.9, 22..24, &mut chance),
            line("Forklifts", 0.45, 0..2, &mut chance),
            Line {
                label: "14 others".into(),
                kind: LineKind::Band,
                points: (0..30)
                    .map(|n| {
                        let range = (!weekend(n)).then(|| (0.1 + chance.next() * 0.1, 0.7 + chance.next()));
                        Point::new(day(n), Value::Gap(String::new())).with_range(range)
                    })
                    .collect(),
                ..Line::default()
            },
        ],
        threshold: None,
        empty_reason: None,
    }
    .svg(&titled("Incursion rate", "By kind of machine, 02/03/2026 – 31/03/2026", theme))
}

pub fn score_points() -> Vec<Point> {
    let mut chance = Chance(21);
    (0..30)
        .map(|n| {
            let value = if weekend(n) {
                Value::Gap("no incursions".into())
            } else {
                (55.0 + f64::from(n) + chance.next() * 14.0).into()
            };
            let range = match value {
                Value::Number(value) => Some((value - 22.0, (value + 17.0).min(100.0))),
                Value::Gap(_) => None,
            };
            Point::new(day(n), value).with_range(range)
        })
        .collect()
}

pub fn score(theme: Theme) -> String {
    TimeLines {
        unit: "% acknowledged".into(),
        interval: Interval::Day,
        scale: ValueScale::Percent,
        lines: vec![Line {
            label: "Acknowledgement score".into(),
            points: score_points(),
            ..Line::default()
        }],
        threshold: Some(Threshold { label: "Target 80 %".into(), value: 80.0 }),
        empty_reason: None,
    }
    .svg(&ChartOptions {
        date_order: DateOrder::MonthDayYear,
        ..titled("Acknowledgement score", "Riverside Bridge, March 2026", theme)
    })
}

pub fn many_lines(theme: Theme) -> String {
    let mut chance = Chance(31);
    let lines = (0..12)
        .map(|machine| Line {
            label: format!("Machine {}", machine + 1),
            points: (0..20)
                .map(|n| Point::new(day(n), 3.0 + f64::from(machine) * 1.5 + chance.next() * 2.0))
                .collect(),
            ..Line::default()
        })
        .collect();
    TimeLines {
        unit: "incursions per day".into(),
        interval: Interval::Day,
        scale: ValueScale::FromZero,
        lines,
        threshold: None,
        empty_reason: None,
    }
    .svg(&titled("Twelve machines", "Ten have a colour, the others are grey", theme))
}
