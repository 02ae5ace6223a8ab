//! The effect of preferences on charts and their images.

use domain::Role;
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::{PERIOD, change_brand, set_preferences, yard_in_two_zones};
use crate::v1::insights::Yard;

on_both_engines!(
    a_week_begins_with_the_day_of_its_reader,
    parts_are_called_as_their_reader_calls_them,
    dates_are_written_as_their_reader_writes_them,
    instants_of_several_clocks_are_told_by_the_readers_own,
    the_scale_of_a_map_is_in_the_readers_units,
    the_language_of_the_words_is_said,
);

async fn chart(yard: &Yard, user: &Account, rest: &str) -> Value {
    let path = format!("/api/v2/insights/charts/{rest}");
    yard.app.get(&path).bearer(&user.jwt).send().await.expect(200).json()
}

async fn chart_svg(yard: &Yard, user: &Account, rest: &str) -> String {
    let path = format!("/api/v2/insights/charts/{rest}");
    let call = yard.app.get(&path).bearer(&user.jwt).header("accept", "image/svg+xml");
    String::from_utf8(call.send().await.expect(200).body.clone()).unwrap()
}

/// Returns the texts of an image, from the top left.
fn texts(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let texts = document.descendants().filter(|node| node.tag_name().name() == "text");
    texts
        .map(|node| {
            node.descendants().filter(roxmltree::Node::is_text).filter_map(|node| node.text()).collect()
        })
        .collect()
}

async fn a_week_begins_with_the_day_of_its_reader(app: TestApp) {
    let yard = yard_in_two_zones(app).await;
    let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    let path = format!("hours_of_week?{PERIOD}");
    let usual = chart(&yard, &yard.admin, &path).await;
    for (first, keys) in [
        ("monday", ["1", "2", "3", "4", "5", "6", "7"]),
        ("sunday", ["7", "1", "2", "3", "4", "5", "6"]),
        ("saturday", ["6", "7", "1", "2", "3", "4", "5"]),
    ] {
        set_preferences(&yard.app, &yard.admin, json!({ "first_day_of_week": first })).await;
        let shown = chart(&yard, &yard.admin, &path).await;
        let series = shown["series"].as_array().unwrap();
        assert_eq!(json!(series.iter().map(|one| &one["key"]).collect::<Vec<_>>()), json!(keys));
        // The numbers of each day stay the same.
        for day in series {
            assert!(usual["series"].as_array().unwrap().contains(day), "{day}");
        }
        let svg = chart_svg(&yard, &yard.admin, &path).await;
        let drawn: Vec<String> = texts(&svg).into_iter().filter(|text| names.contains(&&**text)).collect();
        let expected = keys.map(|key| names[key.parse::<usize>().unwrap() - 1]);
        assert_eq!(drawn, expected);
        // 24 February was a Tuesday: 11:00 in Berlin, 6:00 in New York.
        assert!(
            svg.contains("Tue 11:00–12:00: 1 incursions") && svg.contains("Sun 11:00–12:00: 1 incursions"),
            "{svg}"
        );
    }
}

async fn parts_are_called_as_their_reader_calls_them(app: TestApp) {
    let yard = yard_in_two_zones(app).await;
    let zone_time = format!("zone_time?by=worksite&{PERIOD}");
    let rate = format!("incursion_rate?split_by=machine&{PERIOD}");
    let titles = async |user| {
        [chart(&yard, user, &zone_time).await, chart(&yard, user, &rate).await]
            .map(|chart| chart["title"].clone())
    };
    let usual = titles(&yard.admin).await;
    assert!(
        usual[0].as_str().unwrap().ends_with(" by worksite")
            && usual[1].as_str().unwrap().ends_with(" by machine")
    );
    let dimensions =
        json!([{ "dimension": "machine", "label": "Plant" }, { "dimension": "worksite", "label": "Yard" }]);
    set_preferences(&yard.app, &yard.admin, json!({ "dimensions": dimensions })).await;
    let own = titles(&yard.admin).await;
    assert!(
        own[0].as_str().unwrap().ends_with(" by Yard") && own[1].as_str().unwrap().ends_with(" by Plant")
    );
    assert!(
        texts(&chart_svg(&yard, &yard.admin, &zone_time).await)
            .contains(&own[0].as_str().unwrap().to_owned())
    );
    let other = yard.app.sign_in_new_user("other@example.com", Role::Viewer).await;
    assert_eq!(titles(&other).await, usual);
}

async fn dates_are_written_as_their_reader_writes_them(app: TestApp) {
    let yard = yard_in_two_zones(app).await;
    let other = yard.app.sign_in_new_user("other@example.com", Role::Viewer).await;
    let path = "acknowledged_incursions?from=2026-02-20&to=2026-02-27&worksite_id=1";
    let has = |svg: &str, subtitle: &str, tick: &str| {
        let texts = texts(svg);
        assert!(texts.iter().any(|text| text.starts_with(subtitle)), "{texts:?}");
        assert!(texts.iter().any(|text| text == tick), "{texts:?}");
    };
    has(&chart_svg(&yard, &yard.admin, path).await, "20/02/2026 – 26/02/2026", "24/02");
    let data = chart(&yard, &yard.admin, path).await;
    set_preferences(&yard.app, &yard.admin, json!({ "date_format": "YYYY-MM-DD" })).await;
    has(&chart_svg(&yard, &yard.admin, path).await, "2026-02-20 – 2026-02-26", "02-24");
    // Users without a choice of their own follow the brand.
    change_brand(&yard.app, &yard.admin, json!({ "date_format": "MM/DD/YYYY" })).await;
    has(&chart_svg(&yard, &other, path).await, "02/20/2026 – 02/26/2026", "02/24");
    has(&chart_svg(&yard, &yard.admin, path).await, "2026-02-20 – 2026-02-26", "02-24");
    // Data for programs does not change.
    assert_eq!(chart(&yard, &yard.admin, path).await, data);
}

async fn instants_of_several_clocks_are_told_by_the_readers_own(app: TestApp) {
    let yard = yard_in_two_zones(app).await;
    set_preferences(&yard.app, &yard.admin, json!({ "time_zone": "Asia/Tokyo" })).await;
    let period = "from=2026-02-20T12:00:00Z&to=2026-02-27T12:30:00Z";
    let subtitle = async |rest: &str| {
        let texts = texts(&chart_svg(&yard, &yard.admin, &format!("durations?{period}{rest}")).await);
        texts[1].clone()
    };
    let both = subtitle("").await;
    assert!(both.starts_with("20/02/2026 21:00 Asia/Tokyo – 27/02/2026 21:30 Asia/Tokyo"), "{both}");
    // With a single time zone, times are in that zone.
    let one = subtitle("&worksite_id=1").await;
    assert!(one.starts_with("20/02/2026 13:00 – 27/02/2026 13:30 · Europe/Berlin"), "{one}");
}

async fn the_scale_of_a_map_is_in_the_readers_units(app: TestApp) {
    let yard = yard_in_two_zones(app).await;
    let mut row = super::with_clock_offset(super::incursion(&yard, "2026-02-24T12:00:00Z", 30), 60);
    let cell = h3o::LatLng::new(52.52, 13.405).unwrap().to_cell(h3o::Resolution::Thirteen);
    row.attribution.cell = Some(i64::try_from(u64::from(cell)).unwrap());
    row.uid = "placed".to_owned();
    yard.facts.add_incursions(vec![row]).await;
    let scales = async || {
        let texts = texts(&chart_svg(&yard, &yard.admin, &format!("heatmap?{PERIOD}")).await);
        let is_scale = |text: &str, unit: &str| {
            text.strip_suffix(unit)
                .is_some_and(|number| number.chars().all(|c| c.is_ascii_digit() || c == '\u{2009}'))
        };
        (texts.iter().any(|text| is_scale(text, " m")), texts.iter().any(|text| is_scale(text, " ft")))
    };
    assert_eq!(scales().await, (true, false));
    set_preferences(&yard.app, &yard.admin, json!({ "units": "imperial" })).await;
    assert_eq!(scales().await, (false, true));
}

async fn the_language_of_the_words_is_said(app: TestApp) {
    let yard = yard_in_two_zones(app).await;
    for (language, said) in [("en-GB", "en-GB"), ("en-AU", "en-AU"), ("de-AT", "de-AT"), ("sv-SE", "en")] {
        set_preferences(&yard.app, &yard.admin, json!({ "language": language })).await;
        let svg = chart_svg(&yard, &yard.admin, &format!("durations?{PERIOD}")).await;
        let document = roxmltree::Document::parse(&svg).unwrap();
        let root = document.root_element();
        assert_eq!(root.attribute(("http://www.w3.org/XML/1998/namespace", "lang")), Some(said));
    }
}
