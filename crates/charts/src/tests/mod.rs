//! Every kind of chart with random and hostile data: the SVG must be well-formed and self-contained, all text must lie inside,
//! and tick labels must not touch.

mod languages;
pub mod read;
mod snapshots;

use proptest::prelude::*;

use self::read::check;
use crate::*;

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => 0.0..500.0f64,
        2 => (0..40u8).prop_map(f64::from),
        1 => any::<f64>(),
        1 => prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, -3.0, 1e-9, 0.0, 1e12, -1e12]),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[A-Za-z ]{0,14}",
        1 => any::<String>(),
        1 => prop::sample::select(vec![
            "<script>alert(1)</script>&\"'".to_owned(),
            "]]>\u{0}\u{1}\u{b}\u{202E}x\u{FFFF}".to_owned(),
            "مشروع الجسر الشمالي الكبير".to_owned(),
            "👩\u{200D}👩\u{200D}👧\u{200D}👦🏗\u{FE0F}".to_owned(),
            "W".repeat(500),
            String::new(),
        ]),
    ]
}

fn time() -> impl Strategy<Value = LocalTime> {
    prop_oneof![
        8 => (0..400i64).prop_map(|days| LocalTime::from_seconds((20_000 + days) * 86_400)),
        2 => (0..40_000_000i64).prop_map(|seconds| LocalTime::from_seconds(1_700_000_000 + seconds)),
        1 => any::<i64>().prop_map(LocalTime::from_seconds),
    ]
}

fn points(most: usize) -> impl Strategy<Value = Vec<Point>> {
    let value = prop_oneof![5 => value().prop_map(Value::Number), 1 => text().prop_map(Value::Gap)];
    let range = prop::option::of((self::value(), self::value()));
    let point = (time(), value, any::<bool>(), range, prop::option::of(time()));
    let point = point.prop_map(|(at, value, partial, range, original_at)| Point {
        at,
        value,
        partial,
        range,
        original_at,
    });
    prop::collection::vec(point, 0..most)
}

fn tone() -> impl Strategy<Value = Tone> {
    prop::sample::select(vec![
        Tone::Plain,
        Tone::Plain,
        Tone::Good,
        Tone::Warning,
        Tone::Danger,
        Tone::Neutral,
    ])
}

fn interval() -> impl Strategy<Value = Interval> {
    prop::sample::select(vec![Interval::Hour, Interval::Day, Interval::Week, Interval::Month])
}

fn scale() -> impl Strategy<Value = ValueScale> {
    prop::sample::select(vec![ValueScale::FromZero, ValueScale::Percent])
}

fn threshold() -> impl Strategy<Value = Option<Threshold>> {
    prop::option::of((text(), value()).prop_map(|(label, value)| Threshold { label, value }))
}

fn picture() -> impl Strategy<Value = ChartOptions> {
    let theme = prop::sample::select(vec![Theme::Light, Theme::Dark, Theme::Auto]);
    let size = || prop_oneof![Just(200u32), Just(960), 200..1400u32, any::<u32>()];
    (text(), prop::option::of(text()), prop::option::of(text()), size(), size(), theme).prop_map(
        |(title, subtitle, note, width, height, theme)| ChartOptions {
            subtitle,
            note,
            width,
            height,
            theme,
            ..ChartOptions::titled(title)
        },
    )
}

fn position() -> impl Strategy<Value = Position> {
    prop_oneof![
        8 => (18.0..18.01f64, 59.0..59.01f64).prop_map(|(x, y)| Position::new(x, y)),
        1 => (any::<f64>(), any::<f64>()).prop_map(|(x, y)| Position::new(x, y)),
        1 => (-180.0..180.0f64, -90.0..90.0f64).prop_map(|(x, y)| Position::new(x, y)),
    ]
}

fn positions() -> impl Strategy<Value = Vec<Position>> {
    prop::collection::vec(position(), 0..12)
}

fn outline() -> impl Strategy<Value = Option<Outline>> {
    prop::option::of(prop::collection::vec(positions(), 0..3).prop_map(|rings| Outline { rings }))
}

fn panel() -> impl Strategy<Value = MapPanel> {
    let hexagon = (positions(), value(), prop::option::of(value()));
    let hexagon = hexagon.prop_map(|(corners, count, rate)| Hexagon { corners, count, rate });
    let panel = (text(), prop::collection::vec(hexagon, 0..20), outline());
    panel.prop_map(|(label, hexagons, outline)| MapPanel { label, hexagons, outline })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn bars_over_time(
        picture in picture(), unit in text(), interval in interval(), scale in scale(), grouped in any::<bool>(),
        series in prop::collection::vec((text(), tone(), points(60)), 0..13), rate in prop::option::of((text(), points(30))),
        total in prop::option::of((text(), points(30))),
        threshold in threshold(), reason in prop::option::of(text()),
    ) {
        let chart = TimeBars {
            unit, interval, scale, threshold,
            arrangement: if grouped { Arrangement::Grouped } else { Arrangement::Stacked },
            series: series.into_iter().map(|(label, tone, points)| Series { label, tone, points }).collect(),
            total: total.map(|(label, points)| Total { label, points }),
            rate: rate.map(|(label, points)| Rate { label, points }),
            empty_reason: reason,
        };
        let svg = chart.svg(&picture);
        check(&svg);
        prop_assert_eq!(svg, chart.svg(&picture));
    }

    #[test]
    fn lines_over_time(
        picture in picture(), unit in text(), interval in interval(), scale in scale(),
        lines in prop::collection::vec((text(), tone(), points(60), 0..4u8), 0..13), threshold in threshold(),
    ) {
        let kinds = [LineKind::Measured, LineKind::Previous, LineKind::Trend, LineKind::Band];
        let lines = lines.into_iter().map(|(label, tone, points, kind)| Line { label, tone, points, kind: kinds[usize::from(kind)] }).collect();
        check(&TimeLines { unit, interval, scale, lines, threshold, empty_reason: None }.svg(&picture));
    }

    #[test]
    fn rows_of_bars(
        picture in picture(), unit in text(), parts in prop::collection::vec((text(), tone()), 0..10),
        rows in prop::collection::vec((text(), prop::collection::vec(value(), 0..10)), 0..60),
    ) {
        let chart = RankedBars {
            unit,
            parts: parts.into_iter().map(|(label, tone)| Part { label, tone }).collect(),
            rows: rows.into_iter().map(|(label, values)| Row { label, values }).collect(),
            empty_reason: None,
        };
        check(&chart.svg(&picture));
    }

    #[test]
    fn histograms(picture in picture(), unit in text(), bucket_unit in text(), buckets in prop::collection::vec((text(), value()), 0..40)) {
        let buckets = buckets.into_iter().map(|(label, value)| Bucket { label, value }).collect();
        check(&Histogram { unit, bucket_unit, buckets, empty_reason: None }.svg(&picture));
    }

    #[test]
    fn who_drove(
        picture in picture(), period in prop::option::of((time(), time())),
        rows in prop::collection::vec((text(), prop::collection::vec((time(), 0..200_000i64, prop::option::of(text()), any::<i64>()), 0..12)), 0..20),
    ) {
        let rows = rows
            .into_iter()
            .map(|(label, stretches)| MachineRow {
                label,
                runs: stretches
                    .into_iter()
                    .map(|(from, seconds, operator, run_s)| RunPeriod {
                        from,
                        to: LocalTime::from_seconds(from.seconds() + seconds),
                        operator,
                        run_s,
                    })
                    .collect(),
            })
            .collect();
        check(&Gantt { rows, period, empty_reason: None }.svg(&picture));
    }

    #[test]
    fn hours_of_the_week(picture in picture(), unit in text(), gap_reason in prop::option::of(text()), adds_up in any::<bool>(), values in prop::collection::vec((prop::option::of(value()), any::<bool>()), 168)) {
        let (mut matrix, mut partial) = ([[None; 24]; 7], [[false; 24]; 7]);
        for (index, (value, is_partial)) in values.into_iter().enumerate() {
            matrix[index / 24][index % 24] = value;
            partial[index / 24][index % 24] = is_partial;
        }
        let quantity = if adds_up { Quantity::Amount } else { Quantity::Level };
        check(&WeekMatrix { unit, quantity, values: matrix, partial, gap_reason, empty_reason: None }.svg(&picture));
    }

    #[test]
    fn hexagons(
        picture in picture(), unit in text(), rate_label in text(), by_rate in any::<bool>(),
        panels in prop::collection::vec(panel(), 0..8),
    ) {
        let shade = if by_rate { ShadeBy::Rate } else { ShadeBy::Count };
        check(&HexagonMap { unit, rate_label, shade_by: shade, panels, empty_reason: None }.svg(&picture));
    }

    #[test]
    fn sites(
        picture in picture(), outline in outline(), places in prop::collection::vec((text(), position(), tone()), 0..30),
        tracks in prop::collection::vec((text(), prop::collection::vec(positions(), 0..3)), 0..10),
    ) {
        let chart = SiteMap {
            outline,
            markers: places.into_iter().map(|(label, at, tone)| MapMarker { label, at, tone }).collect(),
            tracks: tracks.into_iter().map(|(label, lines)| Track { label, lines }).collect(),
            empty_reason: None,
        };
        check(&chart.svg(&picture));
    }
}
