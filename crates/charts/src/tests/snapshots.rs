//! Snapshots of a few small charts, and checks of their content.

use roxmltree::Document;

use super::read::texts;
use crate::*;

fn day(day: u8) -> Date {
    Date::new(2026, 3, day).unwrap()
}

pub(super) fn small(title: &str) -> ChartOptions {
    ChartOptions { width: 320, height: 220, ..ChartOptions::titled(title) }
}

pub(super) fn rates() -> TimeLines {
    let gap = || Value::Gap("no runtime".into());
    TimeLines {
        unit: "incursions per runtime hour".into(),
        interval: Interval::Day,
        scale: ValueScale::FromZero,
        lines: vec![Line {
            label: "Excavators".into(),
            points: vec![
                Point::new(day(1), 0.5),
                Point::new(day(2), 1.25),
                Point::new(day(3), gap()),
                Point::new(day(4), 0.75),
            ],
            ..Line::default()
        }],
        threshold: None,
        empty_reason: None,
    }
}

pub(super) fn bars() -> TimeBars {
    let points =
        |values: [f64; 3]| values.iter().zip(1..).map(|(value, n)| Point::new(day(n), *value)).collect();
    TimeBars {
        unit: "incursions".into(),
        interval: Interval::Day,
        arrangement: Arrangement::Stacked,
        scale: ValueScale::FromZero,
        series: vec![
            Series { label: "Acknowledged".into(), tone: Tone::Good, points: points([3.0, 5.0, 4.0]) },
            Series { label: "Not acknowledged".into(), tone: Tone::Danger, points: points([1.0, 0.0, 2.0]) },
        ],
        total: None,
        rate: Some(Rate { label: "Rate".into(), points: points([75.0, 100.0, 66.67]) }),
        threshold: None,
        empty_reason: None,
    }
}

#[test]
fn a_line_with_a_gap() {
    insta::assert_snapshot!(rates().svg(&small("Incursion rate")));
}

#[test]
fn stacked_bars_with_a_rate_in_the_automatic_theme() {
    insta::assert_snapshot!(
        bars().svg(&ChartOptions { theme: Theme::Auto, ..small("Acknowledged incursions") })
    );
}

#[test]
fn a_map_of_one_machine() {
    let ring = [(18.0, 59.0), (18.002, 59.0), (18.002, 59.001), (18.0, 59.001)];
    let map = SiteMap {
        outline: Some(Outline { rings: vec![ring.iter().map(|&(x, y)| Position::new(x, y)).collect()] }),
        markers: vec![MapMarker {
            label: "Excavator 12".into(),
            at: Position::new(18.001, 59.0005),
            tone: Tone::Plain,
        }],
        ..SiteMap::default()
    };
    insta::assert_snapshot!(map.svg(&small("Riverside Bridge")));
}

#[test]
fn nothing_to_show_says_why() {
    let empty =
        TimeLines { lines: Vec::new(), empty_reason: Some("No machine reported runtime.".into()), ..rates() };
    insta::assert_snapshot!(empty.svg(&small("Incursion rate")));
}

#[test]
fn text_is_not_smaller_than_that_of_pages() {
    // The narrowest and the widest charts of the console.
    for (width, height) in [(MIN_READABLE_SIDE, 260), (310, 320), (1650, 420)] {
        let options = ChartOptions { width, height, ..ChartOptions::titled("Incursion rate") };
        super::read::check(&rates().svg(&options));
        super::read::check(&bars().svg(&options));
    }
}

#[test]
fn the_description_sums_up_the_data() {
    let svg =
        bars().svg(&ChartOptions { date_order: DateOrder::MonthDayYear, ..small("Acknowledged incursions") });
    let document = Document::parse(&svg).unwrap();
    let description = document
        .descendants()
        .find(|node| node.has_tag_name("desc"))
        .and_then(|node| node.text().map(str::to_owned));
    insta::assert_snapshot!(description.unwrap(), @"Bars of incursions from 03/01/2026 to 03/03/2026, one per day. Acknowledged: 12 in all, highest 5 (03/02/2026). Not acknowledged: 3 in all, highest 2 (03/03/2026). In percent, Rate: mean 80.56, lowest 66.67, highest 100 (03/02/2026).");
}

#[test]
fn a_gap_is_no_zero() {
    let svg = rates().svg(&small("Incursion rate"));
    let document = Document::parse(&svg).unwrap();
    let line = document
        .descendants()
        .filter(|node| node.has_tag_name("path") && node.attribute("stroke") == Some("#1b5e9e"))
        .find_map(|node| node.attribute("d"))
        .unwrap();
    // The first two points are joined; the fourth is isolated behind the gap.
    assert_eq!(line.matches('M').count(), 1);
    assert_eq!(line.matches('L').count(), 1);
    assert!(svg.contains("No value: no runtime"));
    assert!(svg.contains("-absent)"));
}

pub(super) fn description(svg: &str) -> String {
    let document = Document::parse(svg).unwrap();
    let found = document.descendants().find(|node| node.has_tag_name("desc"));
    found.and_then(|node| node.text().map(str::to_owned)).unwrap()
}

#[test]
fn what_is_not_complete_is_hatched() {
    let mut chart = bars();
    for point in chart.series.iter_mut().filter_map(|series| series.points.last_mut()) {
        point.partial = true;
    }
    let mut lines = rates();
    lines.lines[0].points[3].partial = true;
    for theme in [Theme::Light, Theme::Dark, Theme::Auto] {
        let options = ChartOptions { theme, ..small("One") };
        let (bars, lines) = (chart.svg(&options), lines.svg(&options));
        super::read::check(&bars);
        super::read::check(&lines);
        // Behind the values, and over the bars in the colour of the background.
        assert_eq!(bars.matches("-p-axis-partial)").count(), 2, "the band and the legend");
        assert_eq!(bars.matches("-p-surface-partial)").count(), 1);
        assert_eq!(lines.matches("-p-axis-partial)").count(), 2);
        assert_eq!(bars.contains("class="), theme == Theme::Auto);
        assert!(bars.contains(">Incomplete</text>") && lines.contains(">Incomplete</text>"));
        assert!(description(&bars).ends_with("Incomplete: 03/03/2026."), "{}", description(&bars));
        assert!(description(&lines).ends_with("Incomplete: 04/03/2026."), "{}", description(&lines));
    }
    let whole = bars().svg(&small("One"));
    assert!(!whole.contains("-partial") && !whole.contains("Incomplete"));
}

#[test]
fn a_range_is_a_band_and_alone_a_bar() {
    let mut chart = rates();
    for (point, range) in
        chart.lines[0].points.iter_mut().zip([(0.25, 1.0), (1.0, 1.5), (0.0, 0.0), (0.5, 1.0)])
    {
        point.range = Some(range).filter(|_| matches!(point.value, Value::Number(_)));
    }
    let svg = chart.svg(&small("Incursion rate"));
    let document = Document::parse(&svg).unwrap();
    let band = document
        .descendants()
        .find(|node| node.has_tag_name("path") && node.attribute("opacity") == Some("0.26"))
        .unwrap();
    assert_eq!(band.attribute("fill"), Some("#1b5e9e"));
    // The first two are joined, the last is behind a gap.
    assert_eq!(band.attribute("d").unwrap().matches('M').count(), 2);
    assert!(svg.contains(">Confidence interval</text>"));
    assert!(svg.contains("01/03/2026: 0.5 (0.25–1) incursions"), "{svg}");
}

#[test]
fn those_without_a_line_are_a_band() {
    let mut chart = rates();
    let points = (1..=4).map(|n| Point::new(day(n), Value::Gap(String::new())).with_range(Some((0.25, 2.5))));
    chart.lines.push(Line {
        label: "12 others".into(),
        kind: LineKind::Band,
        points: points.collect(),
        ..Line::default()
    });
    let svg = chart.svg(&small("Incursion rate"));
    assert!(svg.contains(">12 others</text>"), "{svg}");
    assert!(description(&svg).contains("12 others: lowest 0.25, highest 2.5."), "{}", description(&svg));
}

#[test]
fn a_total_is_a_line_over_the_bars() {
    let points = (1..=3).map(|n| Point::new(day(n), 9.0)).collect();
    let chart =
        TimeBars { total: Some(Total { label: "All machines".into(), points }), rate: None, ..bars() };
    let svg = chart.svg(&small("Machine runtime"));
    assert!(svg.contains(">All machines</text>"), "{svg}");
    assert!(description(&svg).contains("All machines: 27 in all, highest 9 (01/03/2026)."));
    // The axis reaches to the total, not only to the bars.
    let document = Document::parse(&svg).unwrap();
    assert!(texts(&document).iter().any(|text| text.text == "10"));
}

#[test]
fn every_site_has_a_map_of_its_own() {
    let panel = |label: &str, longitude: f64, count: f64| {
        let corner = |(x, y): (f64, f64)| Position::new(longitude + x, 59.0 + y);
        let corners = [(0.0, 0.0), (0.001, 0.0), (0.001, 0.001)].map(corner).to_vec();
        MapPanel {
            label: label.into(),
            hexagons: vec![Hexagon { corners, count, rate: None }],
            outline: None,
        }
    };
    let map = HexagonMap {
        unit: "incursions".into(),
        rate_label: "acknowledged".into(),
        shade_by: ShadeBy::Count,
        panels: vec![panel("North bridge", 18.0, 3.0), panel("Depot", -70.0, 2.0), panel("Quarry", 5.0, 1.0)],
        empty_reason: None,
    };
    let svg = map.svg(&ChartOptions::titled("Incursions"));
    super::read::check(&svg);
    for name in ["North bridge", "Depot", "Quarry"] {
        assert!(svg.contains(&format!(">{name}</text>")), "{svg}");
    }
    assert_eq!(svg.matches(">N</text>").count(), 3);
    let said = description(&svg);
    assert!(said.contains("Map of 3 cells with 6 incursions in all"), "{said}");
    assert!(said.contains("North bridge: 3. Depot: 2. Quarry: 1."), "{said}");
    // Where there is no room for all, the first ones are shown.
    let svg = map.svg(&small("Incursions"));
    assert!(svg.contains(">North bridge</text>") && !svg.contains(">Quarry</text>"), "{svg}");
    assert!(svg.contains(">1 more</text>") || svg.contains(">2 more</text>"), "{svg}");
}

#[test]
fn long_names_are_shortened_and_kept_whole_in_a_title() {
    let name = "Northern Logistics Centre, hall extension phase two";
    let rows = vec![Row { label: name.into(), values: vec![3.0] }];
    let chart = RankedBars { unit: "hours".into(), parts: vec![Part::default()], rows, empty_reason: None };
    let svg = chart.svg(&small("Time in zones"));
    let document = Document::parse(&svg).unwrap();
    assert!(texts(&document).iter().any(|text| text.text.starts_with("Nort") && text.text.ends_with('…')));
    assert!(svg.contains(&format!("<title>{name}</title>")));
}

#[test]
fn pictures_of_different_data_or_theme_share_no_ids() {
    let id = |svg: &str| Document::parse(svg).unwrap().root_element().attribute("id").unwrap().to_owned();
    let light = id(&bars().svg(&small("One")));
    assert_eq!(light, id(&bars().svg(&small("One"))));
    assert_ne!(light, id(&bars().svg(&small("Two"))));
    assert_ne!(light, id(&bars().svg(&ChartOptions { theme: Theme::Dark, ..small("One") })));
    assert_eq!(id(&bars().svg(&ChartOptions { id: Some("a\"><b>1".into()), ..small("One") })), "chart-ab1");
}

#[test]
fn only_the_automatic_theme_has_a_style_block() {
    for (theme, styled) in [(Theme::Light, false), (Theme::Dark, false), (Theme::Auto, true)] {
        let svg = bars().svg(&ChartOptions { theme, ..small("One") });
        assert_eq!(svg.contains("<style>"), styled);
        assert_eq!(svg.contains("class="), styled);
    }
}

#[test]
fn thousands_of_points_make_a_picture_of_reasonable_size() {
    let points: Vec<Point> = (0..50_000)
        .map(|n| Point::new(LocalTime::from_seconds(i64::from(n) * 3600), f64::from(n % 97)))
        .collect();
    let lines = vec![Line { label: "All".into(), points: points.clone(), ..Line::default() }];
    let svg = TimeLines { interval: Interval::Hour, lines, ..rates() }.svg(&ChartOptions::titled("Lines"));
    assert!(svg.len() < 150_000, "{}", svg.len());
    let series = vec![Series { label: "All".into(), points, ..Series::default() }];
    let svg = TimeBars { interval: Interval::Hour, series, rate: None, ..bars() }
        .svg(&ChartOptions::titled("Bars"));
    assert!(svg.len() < 150_000, "{}", svg.len());
}

/// Returns the top and the height of all areas that are hatched as missing, without the legend, whose swatches are rounded.
fn hatched_areas(svg: &str) -> Vec<(f64, f64)> {
    let document = Document::parse(svg).unwrap();
    let number = |text: Option<&str>| -> f64 { text.unwrap().parse().unwrap() };
    document
        .descendants()
        .filter(|node| node.has_tag_name("rect") && node.attribute("rx").is_none())
        .filter(|node| node.attribute("fill").is_some_and(|fill| fill.ends_with("-absent)")))
        .map(|node| (number(node.attribute("y")), number(node.attribute("height"))))
        .collect()
}

#[test]
fn a_value_that_only_some_lines_lack_is_marked_below_the_axis() {
    let mut chart = rates();
    let points = (1..=4).map(|n| Point::new(day(n), f64::from(n))).collect();
    chart.lines.push(Line { label: "Rollers".into(), points, ..Line::default() });
    let svg = chart.svg(&small("Incursion rate"));
    super::read::check(&svg);
    let document = Document::parse(&svg).unwrap();
    // The axis is the only line of its width.
    let axis = document.descendants().find(|node| node.attribute("stroke-width") == Some("1.2"));
    let zero: f64 = axis.unwrap().attribute("y1").unwrap().parse().unwrap();
    let marks = hatched_areas(&svg);
    assert_eq!(marks.len(), 1, "{svg}");
    assert!(marks[0].0 > zero && marks[0].1 < 6.0, "{marks:?} {zero}");
    assert!(svg.contains("<title>Excavators: no runtime</title>"), "{svg}");
    // The legend shows the same hatch, and no cross, which may be the marker of a line.
    assert!(svg.contains(">No value: no runtime</text>"), "{svg}");
}

#[test]
fn a_rate_that_is_missing_is_marked_below_the_axis() {
    let mut chart = bars();
    if let Some(rate) = &mut chart.rate {
        rate.points[1].value = Value::Gap("no incursions".into());
    }
    let svg = chart.svg(&small("Acknowledged incursions"));
    super::read::check(&svg);
    let marks = hatched_areas(&svg);
    assert_eq!(marks.len(), 1, "{svg}");
    // The labels of the axis are clearly below the mark.
    for size in [small("Acknowledged incursions"), ChartOptions::titled("Acknowledged incursions")] {
        let svg = chart.svg(&size);
        let (top, height) = hatched_areas(&svg)[0];
        let texts = texts(&Document::parse(&svg).unwrap());
        let dates: Vec<f64> =
            texts.iter().filter(|text| text.text.contains("/03")).map(|text| text.top).collect();
        assert!(!dates.is_empty() && dates.iter().all(|date| *date >= top + height + 3.0), "{dates:?} {svg}");
    }
    assert!(svg.contains(">No value: no incursions</text>"), "{svg}");
}

#[test]
fn an_interval_that_is_not_complete_has_one_hatch() {
    let mut chart = rates();
    // Today has no value yet, tomorrow has not come.
    chart.lines[0].points[3] = Point::new(day(4), Value::Gap("no runtime".into())).partial(true);
    chart.lines[0].points.push(Point::new(day(5), Value::Gap("not yet".into())));
    let svg = chart.svg(&small("Incursion rate"));
    assert_eq!(hatched_areas(&svg).len(), 2, "{svg}");
    assert_eq!(svg.matches("-p-axis-partial)").count(), 2, "{svg}");
    assert!(description(&svg).contains("1 stretch without a value (no runtime, not yet)."), "{svg}");
    assert!(description(&svg).ends_with("Incomplete: 04/03/2026."), "{svg}");
}

#[test]
fn the_previous_period_is_described_by_its_own_days() {
    let mut chart = rates();
    let at = |n: u8| Some(LocalTime::from(Date::new(2026, 2, n).unwrap()));
    let points = vec![Point::new(day(1), 2.0).measured_at(at(1)), Point::new(day(2), 7.0).measured_at(at(2))];
    let kind = LineKind::Previous;
    chart.lines.push(Line { label: "Previous period".into(), kind, points, ..Line::default() });
    let said = description(&chart.svg(&small("Incursion rate")));
    assert!(said.contains("Previous period: mean 4.5, lowest 2, highest 7 (02/02/2026)."), "{said}");
}

#[test]
fn others_are_described_besides_the_ten_that_are_listed() {
    let series = |n: u8| Series {
        label: format!("Machine {n}"),
        tone: Tone::Plain,
        points: vec![Point::new(day(1), f64::from(n))],
    };
    let mut chart = TimeBars { series: (1..=10).map(series).collect(), rate: None, ..bars() };
    let points = vec![Point::new(day(1), 30.0)];
    chart.series.push(Series { label: "13 others".into(), tone: Tone::Neutral, points });
    let said = description(&chart.svg(&small("Machine runtime")));
    assert!(said.contains("13 others: 30 in all") && !said.contains("more."), "{said}");
}

#[test]
fn bars_of_several_intervals_say_of_how_many() {
    let points = (0..600).map(|n| Point::new(Date::from_days(20_000 + n), 1.0)).collect();
    let series = vec![Series { label: "All".into(), points, ..Series::default() }];
    let svg = TimeBars { series, rate: None, ..bars() }.svg(&ChartOptions::titled("Incursions"));
    assert!(svg.contains(">Each bar is the mean of 3 days</text>"), "{svg}");
}

#[test]
fn what_a_chart_is_about_is_not_cut_off() {
    let title = "Incursions per runtime hour by worksite";
    let subtitle = "21/10/2026 – 16/11/2026 17:09 UTC · 6 time zones, each worksite in its own · only Eastgate Bypass · \
                    previous period 23/09/2026 – 19/10/2026 17:09 UTC";
    let options = ChartOptions { subtitle: Some(subtitle.into()), ..ChartOptions::titled(title) };
    let svg = rates().svg(&ChartOptions { width: 360, ..options });
    super::read::check(&svg);
    let document = Document::parse(&svg).unwrap();
    let lines: Vec<String> = texts(&document).into_iter().map(|text| text.text).collect();
    assert!(lines.iter().any(|line| line.contains("only Eastgate Bypass")), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("19/10/2026 17:09 UTC")), "{lines:?}");
    assert!(lines.iter().any(|line| line.ends_with("worksite")), "{lines:?}");
    assert!(!lines.iter().any(|line| line.ends_with('…')), "{lines:?}");
    // The whole title is there for those who search or point at it.
    assert!(svg.contains(&format!("<title>{title}</title></text>")), "{svg}");
}

#[test]
fn a_line_with_a_range_is_named_in_the_legend() {
    let mut chart = rates();
    chart.lines[0].points[0].range = Some((0.25, 1.0));
    let svg = chart.svg(&small("Incursion rate"));
    assert!(svg.contains(">Excavators</text>") && svg.contains(">Confidence interval</text>"), "{svg}");
    // Alone it needs no name.
    assert!(!rates().svg(&small("Incursion rate")).contains(">Excavators</text>"));
}

#[test]
fn the_highest_marker_is_below_the_end_of_the_scale() {
    let mut chart = rates();
    chart.lines[0].points = vec![Point::new(day(1), 99.0), Point::new(day(2), 100.0)];
    let svg = chart.svg(&ChartOptions::titled("Incursions"));
    let document = Document::parse(&svg).unwrap();
    assert!(texts(&document).iter().any(|text| text.text == "120"), "{svg}");
}

#[test]
fn all_durations_are_labelled_in_a_narrow_chart() {
    let labels = ["0–5", "5–15", "15–30", "30–60", "60–120", "120–300", "300+"];
    let bucket = |label: &str| Bucket { label: label.into(), value: 7.0 };
    let chart = Histogram {
        unit: "incursions".into(),
        bucket_unit: "duration in seconds".into(),
        buckets: labels.map(bucket).into(),
        empty_reason: None,
    };
    for width in [360, 960] {
        let svg = chart.svg(&ChartOptions { width, ..ChartOptions::titled("Incursion durations") });
        super::read::check(&svg);
        for label in labels {
            assert!(svg.contains(&format!(">{label}</text>")), "{label} in {width}: {svg}");
        }
    }
}

#[test]
fn rows_that_are_parts_need_no_legend() {
    let part = |label: &str, tone| Part { label: label.into(), tone };
    let row = |label: &str, values: [f64; 2]| Row { label: label.into(), values: values.into() };
    let parts = vec![part("Warning", Tone::Warning), part("Danger", Tone::Danger)];
    let rows = vec![row("Warning", [3.0, 0.0]), row("Danger", [0.0, 2.0])];
    let chart = RankedBars { unit: "hours".into(), parts, rows, empty_reason: None };
    let svg = chart.svg(&small("Time in zones by zone"));
    assert_eq!(svg.matches(">Warning</text>").count(), 1, "{svg}");
    assert!(svg.contains("-p-danger-falling)") && svg.contains("-p-series1-rising)"), "{svg}");
    assert!(description(&svg).contains("Warning: 3. Danger: 2."), "{}", description(&svg));
}

#[test]
fn a_map_of_rates_is_described_by_its_rates() {
    let corners = [(18.0, 59.0), (18.001, 59.0), (18.001, 59.001)].map(|(x, y)| Position::new(x, y));
    let hexagon = |count: f64, rate: f64| Hexagon { corners: corners.to_vec(), count, rate: Some(rate) };
    let panel = |label: &str, hexagons: Vec<Hexagon>| MapPanel {
        label: label.into(),
        hexagons,
        ..MapPanel::default()
    };
    let map = |shade_by| HexagonMap {
        unit: "incursions".into(),
        rate_label: "acknowledged".into(),
        shade_by,
        panels: vec![
            panel("Bridge", vec![hexagon(1.0, 100.0), hexagon(3.0, 50.0)]),
            panel("Depot", vec![hexagon(4.0, 25.0)]),
        ],
        empty_reason: None,
    };
    let said = description(&map(ShadeBy::Rate).svg(&ChartOptions::titled("Acknowledgement rate")));
    assert!(said.contains("By cell: lowest 25 %, highest 100 %."), "{said}");
    assert!(said.contains("Bridge: 62.5 % acknowledged. Depot: 25 % acknowledged."), "{said}");
    let said = description(&map(ShadeBy::Count).svg(&ChartOptions::titled("Incursions")));
    assert!(said.contains("Bridge: 4. Depot: 4.") && !said.contains("By cell"), "{said}");
}

/// Returns the corners of a polygon some metres north of a point.
fn around(north_m: f64, radius_m: f64, corners: u32) -> Vec<Position> {
    let corner = |n: u32| {
        let angle = std::f64::consts::TAU * f64::from(n) / f64::from(corners);
        let (east_m, north_m) = (radius_m * angle.cos(), north_m + radius_m * angle.sin());
        Position::new(10.0 + east_m / 71_500.0, 50.0 + north_m / 111_195.0)
    };
    (0..corners).map(corner).collect()
}

#[test]
fn hexagons_are_large_enough_for_their_numbers() {
    // A hexagon of 50 m in a site of 2 km.
    let map = HexagonMap {
        unit: "incursions".into(),
        rate_label: "acknowledged".into(),
        shade_by: ShadeBy::Count,
        panels: vec![MapPanel {
            label: String::new(),
            hexagons: vec![Hexagon { corners: around(0.0, 25.0, 6), count: 427.0, rate: None }],
            outline: Some(Outline { rings: vec![around(0.0, 1_000.0, 4)] }),
        }],
        empty_reason: None,
    };
    let svg = map.svg(&ChartOptions { width: 360, height: 640, ..ChartOptions::titled("Incursions") });
    super::read::check(&svg);
    assert!(svg.contains(">427</text>"), "{svg}");
}

#[test]
fn a_number_of_three_digits_is_written_wherever_one_of_two_is() {
    let hexagon = |north_m: f64, rate: f64| Hexagon {
        corners: around(north_m, 25.0, 6),
        count: 10.0,
        rate: Some(rate),
    };
    let mut written = Vec::new();
    // Hexagons that are further and further away from each other, in sites that are larger and larger.
    for apart_m in (100..3_000_u32).step_by(100).map(f64::from) {
        for site_m in [apart_m / 2.0 + 30.0, apart_m * 0.7 + 30.0, apart_m * 2.0] {
            let panel = MapPanel {
                label: String::new(),
                hexagons: vec![hexagon(-apart_m / 2.0, 37.0), hexagon(apart_m / 2.0, 100.0)],
                outline: Some(Outline { rings: vec![around(0.0, site_m, 24)] }),
            };
            let map = HexagonMap {
                unit: "incursions".into(),
                rate_label: "acknowledged".into(),
                shade_by: ShadeBy::Rate,
                panels: vec![panel],
                empty_reason: None,
            };
            let options =
                ChartOptions { width: 640, height: 640, ..ChartOptions::titled("Acknowledgement rate") };
            let svg = map.svg(&options);
            let has = |number: &str| svg.contains(&format!(">{number}</text>"));
            assert_eq!(has("37"), has("100"), "{apart_m} m apart in {site_m} m: {svg}");
            written.push(has("100"));
        }
    }
    assert!(written.contains(&true) && written.contains(&false));
}

#[test]
fn the_label_of_a_threshold_is_not_in_the_way_of_a_line() {
    // At the left, the line passes through both places beside the threshold; at the right it is far away.
    let values = [10.0, 9.0, 11.0, 10.0, 9.5, 10.5, 30.0, 31.0, 30.0, 30.0, 31.0, 30.0];
    let points = values.iter().zip(1..).map(|(value, n)| Point::new(day(n), *value)).collect();
    let chart = TimeLines {
        lines: vec![Line { label: "Rate".into(), points, ..Line::default() }],
        threshold: Some(Threshold { label: "Threshold".into(), value: 10.0 }),
        ..rates()
    };
    let svg = chart.svg(&ChartOptions { height: 400, ..ChartOptions::titled("Dry run") });
    super::read::check(&svg);
    let label = |svg: &str| {
        let texts = texts(&Document::parse(svg).unwrap());
        texts.into_iter().find(|text| text.text == "Threshold").unwrap()
    };
    assert!(label(&svg).left > 800.0, "{svg}");
    // Above the line of the data, which comes before it.
    assert!(svg.rfind("<path").unwrap() < svg.find(">Threshold</text>").unwrap(), "{svg}");
    // Where nothing is in the way, it is at the left.
    let free = TimeLines { threshold: Some(Threshold { label: "Threshold".into(), value: 20.0 }), ..chart };
    assert!(label(&free.svg(&ChartOptions::titled("Dry run"))).left < 100.0);
}
