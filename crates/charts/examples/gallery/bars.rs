//! Bars over time, and a Gantt chart.

use charts::{
    Arrangement, Gantt, Interval, LocalTime, MachineRow, Point, Rate, RunPeriod, Series, Theme, Threshold,
    TimeBars, Tone, Total, Value, ValueScale,
};

use crate::lines::score_points;
use crate::{Chance, day, titled, weekend};

pub fn machine_runtime(theme: Theme, arrangement: Arrangement) -> String {
    let mut chance = Chance(7);
    let machines = ["Excavator 12", "Wheel loader 3", "Forklift Hall B", "Roller 4"];
    let days = if arrangement == Arrangement::Stacked { 30 } else { 12 };
    let series: Vec<Series> = machines
        .iter()
        .map(|label| Series {
            label: (*label).into(),
            tone: Tone::Plain,
            points: (0..days)
                .map(|number| match number {
                    16 | 17 => Point::new(day(number), Value::Gap("not reported".into())),
                    n if weekend(n) => Point::new(day(n), chance.next() * 0.6),
                    n => Point::new(day(n), 3.0 + chance.next() * 5.5).partial(n == days - 1),
                })
                .collect(),
        })
        .collect();
    let total = (0..days).map(|number| {
        let place = usize::try_from(number).unwrap_or_default();
        let sum = series.iter().filter_map(|series| match series.points[place].value {
            Value::Number(value) => Some(value),
            Value::Gap(_) => None,
        });
        Point::new(day(number), sum.sum::<f64>() * 1.4).partial(number == days - 1)
    });
    let total = Total { label: "All machines".into(), points: total.collect() };
    TimeBars {
        unit: "hours per day".into(),
        interval: Interval::Day,
        arrangement,
        scale: ValueScale::FromZero,
        series,
        total: Some(total),
        rate: None,
        threshold: None,
        empty_reason: None,
    }
    .svg(&titled("Machine runtime", "Riverside Bridge, 02/03/2026 – 31/03/2026, local time", theme))
}

pub fn operators(theme: Theme) -> String {
    let stretch = |from: f64, to: f64, operator: Option<&str>| RunPeriod {
        from: LocalTime::new(day(0), (from * 3600.0) as u32),
        to: LocalTime::new(day(0), (to * 3600.0) as u32),
        operator: operator.map(Into::into),
        run_s: ((to - from) * 3600.0) as i64,
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

pub fn acknowledged(theme: Theme) -> String {
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
        total: None,
        rate: Some(Rate { label: "Acknowledgement rate".into(), points: rate }),
        threshold: None,
        empty_reason: None,
    }
    .svg(&titled("Acknowledged incursions", "All sites, weeks from 02/03/2026", theme))
}

pub fn score_bars(theme: Theme) -> String {
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
        total: None,
        rate: None,
        threshold: Some(Threshold { label: "Target 80 %".into(), value: 80.0 }),
        empty_reason: None,
    }
    .svg(&titled("Acknowledgement score", "Riverside Bridge, two weeks", theme))
}

pub fn runtime_five_years(theme: Theme) -> String {
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
        total: None,
        rate: None,
        threshold: None,
        empty_reason: None,
    }
    .svg(&titled("Machine runtime over five years", "Twelve machines", theme))
}
