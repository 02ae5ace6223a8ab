//! Writes every kind of chart, light, dark and automatic, into a folder: `cargo run -p charts --example gallery -- gallery`.

use std::path::PathBuf;
use std::{fs, io};

use charts::*;

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
        ("machine-runtime-stacked", Box::new(|theme| machine_runtime(theme, Arrangement::Stacked))),
        ("machine-runtime-grouped", Box::new(|theme| machine_runtime(theme, Arrangement::Grouped))),
        ("operators", Box::new(operators)),
        ("acknowledged-incursions", Box::new(acknowledged)),
        ("zone-time", Box::new(zone_time)),
        ("trends", Box::new(trends)),
        ("trends-five-years", Box::new(five_years)),
        ("incursion-rate", Box::new(incursion_rate)),
        ("durations", Box::new(durations)),
        ("acknowledgement-score", Box::new(score)),
        ("acknowledgement-score-bars", Box::new(score_bars)),
        ("hours-of-week", Box::new(hours_of_week)),
        ("heatmap", Box::new(|theme| heatmap(theme, ShadeBy::Count))),
        ("heatmap-rate", Box::new(|theme| heatmap(theme, ShadeBy::Rate))),
        ("site-map", Box::new(site_map)),
        ("no-data", Box::new(no_data)),
        ("hard-names", Box::new(hard_names)),
        ("small", Box::new(small)),
        ("runtime-five-years", Box::new(runtime_five_years)),
        ("many-lines", Box::new(many_lines)),
        ("week-small", Box::new(week_small)),
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

fn machine_runtime(theme: Theme, arrangement: Arrangement) -> String {
    let mut chance = Chance(7);
    let machines = ["Excavator 12", "Wheel loader 3", "Forklift Hall B", "Roller 4"];
    let days = if arrangement == Arrangement::Stacked { 30 } else { 12 };
    let series = machines
        .iter()
        .map(|label| Series {
            label: (*label).into(),
            tone: Tone::Plain,
            points: (0..days)
                .map(|number| match number {
                    16 | 17 => Point::new(day(number), Value::Gap("not reported".into())),
                    n if weekend(n) => Point::new(day(n), chance.next() * 0.6),
                    n => Point::new(day(n), 3.0 + chance.next() * 5.5),
                })
                .collect(),
        })
        .collect();
    TimeBars {
        unit: "hours per day".into(),
        interval: Interval::Day,
        arrangement,
        scale: ValueScale::FromZero,
        series,
        rate: None,
        threshold: None,
        empty_reason: None,
    }
    .svg(&titled("Machine runtime", "Riverside Bridge, 02/03/2026 – 31/03/2026, local time", theme))
}

fn operators(theme: Theme) -> String {
    let stretch = |from: f64, to: f64, operator: Option<&str>| RunPeriod {
        from: LocalTime::new(day(0), (from * 3600.0) as u32),
        to: LocalTime::new(day(0), (to * 3600.0) as u32),
        operator: operator.map(Into::into),
    };
    let (anna, bo, chidi, dana) =
        (Some("Anna Bergström"), Some("Bo Lindqvist"), Some("Chidi Okafor"), Some("Dana Petrova"));
    let rows = vec![
        (
            "Excavator 12",
            vec![
                stretch(6.1, 9.4, anna),
                stretch(9.7, 12.0, bo),
                stretch(12.5, 13.1, anna),
                stretch(13.2, 16.8, chidi),
            ],
        ),
        (
            "Wheel loader 3",
            vec![
                stretch(7.0, 7.3, bo),
                stretch(7.4, 9.2, dana),
                stretch(12.4, 15.9, bo),
                stretch(16.0, 17.2, None),
            ],
        ),
        (
            "Forklift Hall B",
            vec![
                stretch(5.5, 10.0, chidi),
                stretch(10.2, 10.5, anna),
                stretch(10.6, 14.0, dana),
                stretch(13.5, 15.0, anna),
            ],
        ),
        (
            "Roller 4 (hired until the end of the earthworks)",
            vec![
                stretch(8.0, 8.6, None),
                stretch(9.0, 11.5, Some("Visitor from the hire company, second shift")),
            ],
        ),
        ("Dumper 2", vec![stretch(6.5, 11.8, dana), stretch(14.2, 17.5, chidi)]),
    ];
    let rows = rows
        .into_iter()
        .map(|(label, stretches)| MachineRow { label: label.into(), runs: stretches })
        .collect();
    Gantt { rows, period: None, empty_reason: None }.svg(&titled(
        "Operators",
        "Riverside Bridge, 02/03/2026, local time",
        theme,
    ))
}

fn acknowledged(theme: Theme) -> String {
    let mut chance = Chance(11);
    let (mut yes, mut no, mut rate) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..26 {
        let at = day(number * 7);
        let count = (20.0 + chance.next() * 50.0 - f64::from(number) * 0.6).round().max(1.0);
        let acknowledged =
            (count * (0.5 + f64::from(number) * 0.014 + chance.next() * 0.1)).round().min(count);
        if (9..11).contains(&number) {
            yes.push(Point::new(at, 0.0));
            no.push(Point::new(at, 0.0));
            rate.push(Point::new(at, Value::Gap("no incursions".into())));
            continue;
        }
        yes.push(Point::new(at, acknowledged));
        no.push(Point::new(at, count - acknowledged));
        rate.push(Point::new(at, 100.0 * acknowledged / count));
    }
    TimeBars {
        unit: "incursions per week".into(),
        interval: Interval::Week,
        arrangement: Arrangement::Stacked,
        scale: ValueScale::FromZero,
        series: vec![
            Series { label: "Acknowledged".into(), tone: Tone::Good, points: yes },
            Series { label: "Not acknowledged".into(), tone: Tone::Danger, points: no },
        ],
        rate: Some(Rate { label: "Acknowledgement rate".into(), points: rate }),
        threshold: None,
        empty_reason: None,
    }
    .svg(&titled("Acknowledged incursions", "All sites, weeks from 02/03/2026", theme))
}

fn zone_time(theme: Theme) -> String {
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
    .svg(&titled("Time in zones", "People on foot near machines, last 30 days", theme))
}

fn trends(theme: Theme) -> String {
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

fn five_years(theme: Theme) -> String {
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

fn incursion_rate(theme: Theme) -> String {
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
        ],
        threshold: None,
        empty_reason: None,
    }
    .svg(&titled("Incursion rate", "By kind of machine, 02/03/2026 – 31/03/2026", theme))
}

fn durations(theme: Theme) -> String {
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
    .svg(&titled("Incursion durations", "All sites, last 30 days", theme))
}

fn score_points() -> Vec<Point> {
    let mut chance = Chance(21);
    (0..30)
        .map(|n| {
            let value = if weekend(n) {
                Value::Gap("no incursions".into())
            } else {
                (55.0 + f64::from(n) + chance.next() * 14.0).into()
            };
            Point::new(day(n), value)
        })
        .collect()
}

fn score(theme: Theme) -> String {
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

fn score_bars(theme: Theme) -> String {
    TimeBars {
        unit: "% acknowledged".into(),
        interval: Interval::Day,
        arrangement: Arrangement::Stacked,
        scale: ValueScale::Percent,
        series: vec![Series {
            label: "Acknowledgement score".into(),
            tone: Tone::Good,
            points: score_points().into_iter().take(14).collect(),
        }],
        rate: None,
        threshold: Some(Threshold { label: "Target 80 %".into(), value: 80.0 }),
        empty_reason: None,
    }
    .svg(&titled("Acknowledgement score", "Riverside Bridge, two weeks", theme))
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

fn hours_of_week(theme: Theme) -> String {
    WeekMatrix {
        unit: "incursions".into(),
        quantity: Quantity::Amount,
        values: week_values(),
        gap_reason: Some("site closed".into()),
        empty_reason: None,
    }
    .svg(&titled("Hours of the week", "Riverside Bridge, last 90 days, local time", theme))
}

fn week_small(theme: Theme) -> String {
    WeekMatrix {
        unit: "incursions".into(),
        quantity: Quantity::Amount,
        values: week_values(),
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

fn heatmap(theme: Theme, shade: ShadeBy) -> String {
    let mut chance = Chance(17);
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
    HexagonMap {
        unit: "incursions".into(),
        rate_label: "acknowledged".into(),
        shade_by: shade,
        hexagons,
        outline: Some(boundary()),
        empty_reason: None,
    }
    .svg(&ChartOptions {
        height: 560,
        ..titled("Incursions by location", "Riverside Bridge, last 30 days, cells of about 18 m", theme)
    })
}

fn site_map(theme: Theme) -> String {
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

fn no_data(theme: Theme) -> String {
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

fn hard_names(theme: Theme) -> String {
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

fn small(theme: Theme) -> String {
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

fn runtime_five_years(theme: Theme) -> String {
    let mut chance = Chance(77);
    let series = (0..12)
        .map(|machine| Series {
            label: format!("Machine {}", machine + 1),
            tone: Tone::Plain,
            points: (0..1826)
                .map(|n| Point::new(day(n - 1600), (9.0 - f64::from(machine) * 0.6) * chance.next()))
                .collect(),
        })
        .collect();
    TimeBars {
        unit: "hours per day".into(),
        interval: Interval::Day,
        arrangement: Arrangement::Stacked,
        scale: ValueScale::FromZero,
        series,
        rate: None,
        threshold: None,
        empty_reason: None,
    }
    .svg(&titled("Machine runtime over five years", "Twelve machines", theme))
}

fn many_lines(theme: Theme) -> String {
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
    .svg(&titled("Twelve machines", "Seven have a colour, the others are grey", theme))
}
