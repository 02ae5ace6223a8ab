//! The charts of the crate `charts`, whose SVG is read.

use ::charts::{
    Arrangement, Bucket, ChartOptions, Date, Gantt, Hexagon, HexagonMap, Histogram, Interval, Line, LineKind,
    LocalTime, MachineRow, MapMarker, MapPanel, Outline, Part, Point, Position, Quantity, RankedBars, Rate,
    RunPeriod, Series, ShadeBy, SiteMap, Theme, Threshold, TimeBars, TimeLines, Tone, Total, Track, Value,
    ValueScale, WeekMatrix,
};

use super::{Block, check, figure, pages, rendered, run};

fn day(number: i32) -> Date {
    Date::from_days(20_514 + number)
}

fn points() -> Vec<Point> {
    let value = |n: i32| if n == 5 { Value::Gap("closed".into()) } else { f64::from(3 + n % 4).into() };
    (0..14)
        .map(|n| Point::new(day(n), value(n)).partial(n == 13).with_range((n != 5).then_some((2.0, 9.0))))
        .collect()
}

fn at(east: f64, north: f64) -> Position {
    Position::new(18.06 + east / 56_000.0, 59.33 + north / 111_195.0)
}

/// One chart of each kind, with the kind as its title.
pub(super) fn all_kinds(theme: Theme) -> Vec<String> {
    let options = |title: &str| ChartOptions {
        subtitle: Some("Riverside <Bridge> & \"more\"".into()),
        note: Some("A remark.".into()),
        theme,
        ..ChartOptions::titled(title)
    };
    let tones =
        [Tone::Good, Tone::Danger, Tone::Warning, Tone::Neutral, Tone::Plain, Tone::Plain, Tone::Plain];
    let series = tones.map(|tone| Series { label: format!("{tone:?}"), tone, points: points() }).to_vec();
    let bars = TimeBars {
        unit: "incursions".into(),
        interval: Interval::Day,
        arrangement: Arrangement::Stacked,
        scale: ValueScale::FromZero,
        series,
        total: Some(Total { label: "All".into(), points: points() }),
        rate: Some(Rate { label: "Rate".into(), points: points() }),
        threshold: Some(Threshold { label: "Limit".into(), value: 6.0 }),
        empty_reason: None,
    };
    let line = |kind| Line { label: format!("{kind:?}"), kind, points: points(), ..Line::default() };
    let kinds = [LineKind::default(), LineKind::Previous, LineKind::Trend, LineKind::Band];
    let lines = TimeLines {
        unit: "incursions".into(),
        interval: Interval::Day,
        scale: ValueScale::FromZero,
        lines: kinds.map(line).to_vec(),
        threshold: Some(Threshold { label: "Limit".into(), value: 6.0 }),
        empty_reason: None,
    };
    let run = RunPeriod {
        from: LocalTime::new(day(0), 3600),
        to: LocalTime::new(day(0), 7200),
        operator: None,
        run_s: 3600,
    };
    let ring: Vec<Position> =
        [(0.0, 0.0), (200.0, 0.0), (150.0, 120.0), (0.0, 0.0)].map(|(x, y)| at(x, y)).to_vec();
    let outline = || Some(Outline { rings: vec![ring.clone()] });
    let corners = (0..6)
        .map(|n| f64::from(n).mul_add(60.0, 30.0).to_radians())
        .map(|angle| at(100.0 + 20.0 * angle.cos(), 40.0 + 20.0 * angle.sin()));
    let hexagon = Hexagon { corners: corners.collect(), count: 7.0, rate: Some(50.0) };
    let panel = MapPanel { hexagons: vec![hexagon], outline: outline(), ..MapPanel::default() };
    let part = |tone| Part { label: format!("{tone:?}"), tone };
    vec![
        bars.svg(&options("TimeBars")),
        lines.svg(&options("TimeLines")),
        TimeLines { lines: Vec::new(), empty_reason: Some("Nothing.".into()), ..lines }
            .svg(&options("NoData")),
        Gantt {
            rows: vec![MachineRow { label: "Crane".into(), runs: vec![run] }],
            period: None,
            empty_reason: None,
        }
        .svg(&options("Gantt")),
        RankedBars {
            unit: "hours".into(),
            parts: [Tone::Danger, Tone::Good].map(part).to_vec(),
            rows: vec![::charts::Row { label: "Depot".repeat(40), values: vec![4.0, 2.0] }],
            empty_reason: None,
        }
        .svg(&options("RankedBars")),
        Histogram {
            unit: "incursions".into(),
            bucket_unit: "seconds".into(),
            buckets: vec![
                Bucket { label: "0–5".into(), value: 8.0 },
                Bucket { label: "5+".into(), value: 3.0 },
            ],
            empty_reason: None,
        }
        .svg(&options("Histogram")),
        WeekMatrix {
            unit: "incursions".into(),
            quantity: Quantity::Amount,
            values: std::array::from_fn(|d| std::array::from_fn(|h| (d != 6).then_some((d * h) as f64))),
            partial: std::array::from_fn(|d| std::array::from_fn(|h| d == 5 && h > 15)),
            gap_reason: Some("closed".into()),
            empty_reason: None,
        }
        .svg(&options("WeekMatrix")),
        HexagonMap {
            unit: "incursions".into(),
            rate_label: "acknowledged".into(),
            shade_by: ShadeBy::Count,
            panels: vec![panel],
            empty_reason: None,
        }
        .svg(&options("HexagonMap")),
        SiteMap {
            outline: outline(),
            markers: vec![MapMarker { label: "Crane".into(), at: at(90.0, 30.0), tone: Tone::Danger }],
            tracks: vec![Track { label: "Crane".into(), lines: vec![ring.clone()] }],
            empty_reason: None,
        }
        .svg(&options("SiteMap")),
    ]
}

#[test]
fn every_kind_of_chart_is_drawn() {
    for theme in [Theme::Light, Theme::Dark, Theme::Auto] {
        let charts = all_kinds(theme);
        let rendered = rendered(charts.iter().map(|svg| figure(svg, 0.4)).collect::<Vec<Block>>());
        check(&rendered);
        let said = pages(&rendered).join("\n");
        for kind in [
            "TimeBars",
            "TimeLines",
            "NoData",
            "Gantt",
            "RankedBars",
            "Histogram",
            "WeekMatrix",
            "HexagonMap",
        ] {
            assert!(said.contains(kind), "{kind}: {said}");
        }
        assert_eq!(said.matches("Riverside <Bridge> & \"more\"").count(), charts.len(), "{said}");
    }
}

#[test]
fn labels_stay_inside_their_chart() {
    for svg in all_kinds(Theme::Light) {
        let rendered = rendered(vec![figure(&svg, 1.0)]);
        let boxes = run("pdftotext", &["-bbox"], &rendered.bytes, &["-"]);
        for word in boxes.lines().filter(|line| line.contains("<word")) {
            let edges: Vec<f32> = word.split('"').filter_map(|part| part.parse().ok()).collect();
            assert!(edges[0] >= 53.9 && edges[2] <= 541.4, "{word}");
        }
    }
}
