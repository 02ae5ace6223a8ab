//! Charts as images.

use serde_json::json;
use testkit::{Reply, TestApp, on_both_engines};

use super::{CHARTS, Yard, busy_yard, incursion, refill_quota, send_get};

on_both_engines!(
    every_chart_is_a_picture_too,
    nothing_is_a_picture_that_says_so,
    the_form_is_what_accept_likes_best,
    a_picture_can_do_nothing,
    a_gap_is_said_to_be_one,
    what_is_not_in_a_picture_is_counted,
    every_site_has_a_map,
    what_is_not_complete_is_hatched,
    a_score_shows_its_interval,
    what_is_filtered_is_named,
    a_map_of_rates_says_so,
    zones_have_their_colours,
    what_is_filtered_is_named_in_a_narrow_picture,
    names_are_text,
    dates_are_written_as_the_brand_writes_them,
);

/// Returns the title, the description and all text of an image.
pub(super) fn read_svg(reply: &Reply) -> (String, String, String) {
    let text = std::str::from_utf8(&reply.body).unwrap();
    let document = roxmltree::Document::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "svg");
    assert_eq!(root.attribute("role"), Some("img"));
    let child = |name: &str| {
        let found = root.children().find(|node| node.tag_name().name() == name);
        found.and_then(|node| node.text()).unwrap_or_else(|| panic!("no {name} in {text}")).to_owned()
    };
    for node in root.descendants().filter(roxmltree::Node::is_element) {
        assert!(
            !["script", "foreignObject", "a", "image", "use", "iframe"].contains(&node.tag_name().name())
        );
        for attribute in node.attributes() {
            assert!(!attribute.name().starts_with("on") && attribute.name() != "href", "{attribute:?}");
        }
    }
    let texts = root.descendants().filter(|node| node.tag_name().name() == "text");
    let texts: Vec<String> =
        texts.map(|node| node.descendants().filter_map(|node| node.text()).collect()).collect();
    (child("title"), child("desc"), texts.join("\n"))
}

const SVG_MEDIA_TYPE: &str = "image/svg+xml; charset=utf-8";

pub(super) async fn get_svg(yard: &Yard, rest: &str) -> Reply {
    let call = yard.app.get(&format!("{}{rest}", super::PATH)).bearer(&yard.admin.jwt);
    let reply = call.header("accept", "image/svg+xml").send().await.expect(200);
    assert_eq!(reply.header("content-type"), SVG_MEDIA_TYPE, "{rest}");
    reply
}

/// Returns the path of every chart in all variants that lead to a different image.
pub(super) fn all_chart_paths() -> Vec<String> {
    let mut all: Vec<String> = CHARTS.iter().map(|chart| format!("/{chart}?")).collect();
    for more in [
        "machine_runtime?operators=true&",
        "zone_time?by=machine&",
        "trends?compare=previous&metric=exposure&",
        "trends?metric=acknowledgement_rate&",
        "incursion_rate?split_by=machine&",
        "heatmap?shade=acknowledgement_rate&worksite_id=1&",
        "hours_of_week?metric=incursions_per_runtime_hour&",
    ] {
        all.push(format!("/{more}"));
    }
    all
}

async fn every_chart_is_a_picture_too(app: TestApp) {
    let yard = busy_yard(app).await;
    for rest in all_chart_paths() {
        refill_quota(&yard);
        for look in
            ["", "theme=light", "theme=dark", "theme=auto&width=300&height=200", "width=4000&height=4000"]
        {
            let (title, description, text) = read_svg(&get_svg(&yard, &format!("{rest}{look}")).await);
            assert!(!title.is_empty() && text.contains(&title), "{rest}{look}: {title} in {text}");
            assert!(description.contains("UTC") && description.len() > 60, "{rest}{look}: {description}");
            assert!(!text.contains("Nothing in this period"), "{rest}{look}: {text}");
        }
        let (light, dark) = (get_svg(&yard, &rest).await, get_svg(&yard, &format!("{rest}theme=dark")).await);
        assert_ne!(light.body, dark.body, "{rest}");
        // The same facts give the same image.
        assert_eq!(light.body, get_svg(&yard, &rest).await.body, "{rest}");
    }
}

async fn nothing_is_a_picture_that_says_so(app: TestApp) {
    let yard = Yard::new(app).await;
    for rest in all_chart_paths() {
        let (_, description, text) = read_svg(&get_svg(&yard, &rest).await);
        assert!(text.contains("Nothing in this period"), "{rest}: {text}");
        assert!(description.contains("Nothing in this period"), "{rest}: {description}");
        let why = ["No incursions", "No machine ran"].iter().any(|why| description.contains(why));
        assert!(why, "{rest}: {description}");
    }
}

async fn the_form_is_what_accept_likes_best(app: TestApp) {
    let yard = busy_yard(app).await;
    for chart in ["durations", "trends"] {
        for (query, accept, form) in [
            ("", "image/svg+xml", SVG_MEDIA_TYPE),
            ("", "application/json, image/svg+xml;q=0.9", "application/json"),
            ("", "image/svg+xml;q=0.9, application/json;q=0.2", SVG_MEDIA_TYPE),
            ("", "*/*", "application/json"),
            ("", "image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8", SVG_MEDIA_TYPE),
            ("?format=json", "image/svg+xml", "application/json"),
            ("?format=svg", "application/json", SVG_MEDIA_TYPE),
            ("?format=svg", "text/html", SVG_MEDIA_TYPE),
        ] {
            let call = yard.app.get(&format!("{}/{chart}{query}", super::PATH)).bearer(&yard.admin.jwt);
            let reply = call.header("accept", accept).send().await.expect(200);
            assert_eq!(reply.header("content-type"), form, "{query} {accept}");
            assert_eq!(reply.header("vary"), "Accept");
        }
        let call = yard.app.get(&format!("{}/{chart}", super::PATH)).bearer(&yard.admin.jwt);
        let refused = call.header("accept", "text/html, image/png").send().await.expect(406);
        assert_eq!((refused.code().as_str(), refused.header("vary")), ("not_acceptable", "Accept"));
        assert_eq!(refused.header("content-type"), "application/vnd.api+json");
        assert_eq!(
            send_get(&yard, &yard.admin, &format!("/{chart}")).await.expect(200).header("vary"),
            "Accept"
        );
    }
}

async fn a_picture_can_do_nothing(app: TestApp) {
    let yard = busy_yard(app).await;
    let reply = get_svg(&yard, "/durations?theme=auto").await;
    let policy = reply.header("content-security-policy");
    assert!(
        policy.contains("default-src 'none'") && policy.contains("sandbox") && !policy.contains("script"),
        "{policy}"
    );
    assert_eq!(reply.header("x-content-type-options"), "nosniff");
    assert_eq!(reply.header("cache-control"), "no-store");
}

async fn a_gap_is_said_to_be_one(app: TestApp) {
    let yard = busy_yard(app).await;
    let (_, description, text) =
        read_svg(&get_svg(&yard, "/incursion_rate?from=2026-02-24&to=2026-02-27").await);
    assert!(description.contains("without a value (no runtime)"), "{description}");
    assert!(text.contains("no runtime"), "{text}");
    let (_, description, _) =
        read_svg(&get_svg(&yard, "/acknowledgement_score?from=2026-02-24&to=2026-02-27").await);
    assert!(description.contains("no incursions"), "{description}");
    // The runtime of people on foot is unknown, not zero.
    let (_, description, _) = read_svg(&get_svg(&yard, "/machine_runtime?pedestrian_id=1").await);
    assert!(description.contains("cannot be filtered by person"), "{description}");
}

async fn what_is_not_in_a_picture_is_counted(app: TestApp) {
    let yard = busy_yard(app).await;
    let mut far = incursion(&yard, "2026-02-25T10:00:00Z", 5);
    let cell = h3o::LatLng::new(51.5, -0.12).unwrap().to_cell(h3o::Resolution::Thirteen);
    far.attribution.cell = Some(i64::try_from(u64::from(cell)).unwrap());
    far.ended_at = None;
    yard.facts.add_incursions(vec![far]).await;
    // London is not on a map of Berlin.
    let (_, description, text) = read_svg(&get_svg(&yard, "/heatmap").await);
    assert!(description.contains("Incursions outside them: 1"), "{description}");
    assert!(description.contains("without a position: 1"), "{description}");
    assert!(text.contains("Areas around the busiest hexagons"), "{text}");
    let (_, description, _) = read_svg(&get_svg(&yard, "/heatmap?worksite_id=1").await);
    assert!(description.contains("Area around the busiest hexagon. Incursions outside it"), "{description}");
    let (_, description, _) = read_svg(&get_svg(&yard, "/durations").await);
    assert!(description.contains("without an end, not shown: 1"), "{description}");
    let (title, description, _) = read_svg(&get_svg(&yard, "/zone_time?by=machine&limit=1").await);
    assert_eq!(title, "Time in zones by machine");
    assert!(description.contains("1 more with lower values are not shown"), "{description}");
}

async fn every_site_has_a_map(app: TestApp) {
    let yard = busy_yard(app).await;
    let mut rows = Vec::new();
    for (site, lon) in [(2, -0.12), (3, 2.35)] {
        let mut row = incursion(&yard, "2026-02-25T10:00:00Z", 5);
        let cell = h3o::LatLng::new(51.5, lon).unwrap().to_cell(h3o::Resolution::Thirteen);
        row.uid = format!("at {site}");
        row.attribution.cell = Some(i64::try_from(u64::from(cell)).unwrap());
        row.attribution.worksite = Some(domain::WorksiteId(site));
        row.attribution.project = (site == 2).then_some(domain::ProjectId(2));
        rows.push(row);
    }
    let mut outside = rows[0].clone();
    outside.uid = "outside".to_owned();
    outside.attribution.worksite = None;
    rows.push(outside);
    yard.facts.add_incursions(rows).await;
    // Each map has its arrow to the north.
    let maps = |reply: &Reply| std::str::from_utf8(&reply.body).unwrap().matches(">N</text>").count();
    let reply = get_svg(&yard, "/heatmap").await;
    let (_, description, text) = read_svg(&reply);
    for site in ["Site 1", "Site 2", "Site 3"] {
        assert!(text.contains(site), "{site}: {text}");
    }
    assert_eq!(maps(&reply), 3, "{text}");
    assert!(description.contains("Incursions outside all worksites, not shown: 1"), "{description}");
    let reply = get_svg(&yard, "/heatmap?worksite_id=2&worksite_id=3").await;
    assert_eq!(maps(&reply), 2);
    assert!(!read_svg(&reply).2.contains("Site 1"));
    assert_eq!(maps(&get_svg(&yard, "/heatmap?worksite_id=2").await), 1);
    // Only those that the caller may see.
    let viewer = yard.restricted("viewer@example.com", domain::Role::Viewer, &[2]).await;
    let svg = send_get(&yard, &viewer, "/heatmap?format=svg").await.expect(200);
    let (_, _, text) = read_svg(&svg);
    assert!(text.contains("Site 2") && !text.contains("Site 1") && !text.contains("Site 3"), "{text}");
}

async fn what_is_not_complete_is_hatched(app: TestApp) {
    let yard = busy_yard(app).await;
    let over_time =
        ["machine_runtime", "acknowledged_incursions", "trends", "incursion_rate", "acknowledgement_score"];
    for chart in over_time {
        for theme in ["light", "dark", "auto"] {
            let reply = get_svg(&yard, &format!("/{chart}?theme={theme}")).await;
            let (_, description, text) = read_svg(&reply);
            assert!(text.contains("Incomplete"), "{chart}: {text}");
            assert!(description.contains("Incomplete: 01/03/2026."), "{chart}: {description}");
            assert!(String::from_utf8(reply.body).unwrap().contains("-p-axis-partial)"), "{chart}");
        }
        let whole = get_svg(&yard, &format!("/{chart}?from=2026-02-20&to=2026-02-27")).await;
        let (_, description, _) = read_svg(&whole);
        assert!(!description.contains("Incomplete"), "{chart}: {description}");
        refill_quota(&yard);
    }
}

async fn a_score_shows_its_interval(app: TestApp) {
    let yard = busy_yard(app).await;
    let rest = "/acknowledgement_score?from=2026-02-20&to=2026-02-27";
    let (_, _, text) = read_svg(&get_svg(&yard, rest).await);
    assert!(text.contains("95 % confidence interval"), "{text}");
}

async fn what_is_filtered_is_named(app: TestApp) {
    let yard = busy_yard(app).await;
    let subtitle = async |user: &testkit::Account, query: &str| {
        let path = format!("/durations?format=svg&width=2000&{query}");
        read_svg(&send_get(&yard, user, &path).await.expect(200)).1
    };
    for (query, named) in [
        ("worksite_id=1", "only Site 1."),
        ("worksite_id=1&worksite_id=2&machine_id=2", "only Site 1, Site 2, Crane 2."),
        ("project_id=2&zone=danger", "only Project 2, danger zone."),
        ("pedestrian_id=1&operator_id=4", "only Ada on foot, Dan driving."),
        ("machine_kind=crane&machine_kind=other", "only machines of kind crane or other."),
        ("base_station_id=1&tag_id=1", "only base station BS-1, tag T-1."),
        ("machine_id=1&machine_id=2&machine_id=3", "only Crane 1, Crane 2, Crane 3."),
        // Too many, or unknown.
        ("worksite_id=1&worksite_id=2&worksite_id=3&worksite_id=4", "only 4 worksites."),
        ("worksite_id=99", "only 1 worksite."),
    ] {
        let said = subtitle(&yard.admin, query).await;
        assert!(said.contains(named), "{query}: {said}");
    }
    // A name that the reader may not see is not written.
    let viewer = yard.app.sign_in_new_user("viewer@example.com", domain::Role::Viewer).await;
    assert!(subtitle(&viewer, "pedestrian_id=1").await.contains("only Person 1 on foot."));
    let restricted = yard.restricted("some@example.com", domain::Role::Viewer, &[2]).await;
    let said = subtitle(&restricted, "worksite_id=1").await;
    assert!(said.contains("only 1 worksite.") && !said.contains("Site 1"), "{said}");
}

async fn a_map_of_rates_says_so(app: TestApp) {
    let yard = busy_yard(app).await;
    let (title, description, _) = read_svg(&get_svg(&yard, "/heatmap?shade=acknowledgement_rate").await);
    assert_eq!(title, "Acknowledgement rate by location");
    assert!(description.contains("Site 1: 33.33 % acknowledged."), "{description}");
    let (title, description, _) = read_svg(&get_svg(&yard, "/heatmap").await);
    assert_eq!(title, "Incursions by location");
    assert!(description.contains("Site 1: 3."), "{description}");
}

async fn zones_have_their_colours(app: TestApp) {
    let yard = busy_yard(app).await;
    let fills = |reply: &Reply| {
        let svg = std::str::from_utf8(&reply.body).unwrap();
        ["-p-danger-falling)", "-p-series1-rising)"].map(|fill| svg.contains(fill))
    };
    for by in ["zone", "machine"] {
        assert_eq!(fills(&get_svg(&yard, &format!("/zone_time?by={by}")).await), [true, true], "{by}");
    }
    let mut open = incursion(&yard, "2026-02-25T10:00:00Z", 5);
    open.ended_at = None;
    yard.facts.add_incursions(vec![open]).await;
    let (_, description, _) = read_svg(&get_svg(&yard, "/zone_time").await);
    assert!(description.contains("Incursions without an end, not shown: 1"), "{description}");
}

async fn what_is_filtered_is_named_in_a_narrow_picture(app: TestApp) {
    let yard = busy_yard(app).await;
    let query = "worksite_id=1&machine_id=1&zone=danger&compare=previous";
    let reply = get_svg(&yard, &format!("/trends?width=360&{query}")).await;
    let document = roxmltree::Document::parse(std::str::from_utf8(&reply.body).unwrap()).unwrap();
    // Only what is written, without the titles of texts that are shortened.
    let texts = document.descendants().filter(|node| node.tag_name().name() == "text");
    let lines: Vec<&str> = texts.filter_map(|node| node.text()).collect();
    for part in ["only Site 1, Crane 1, danger zone", "previous period 05/01/2026 – 01/02/2026"] {
        assert!(lines.iter().any(|line| line.contains(part)), "{part} in {lines:?}");
    }
}

async fn names_are_text(app: TestApp) {
    let yard = busy_yard(app).await;
    let name = "<script>alert(\"1\")</script> & 'co'";
    let path = "/api/v1/machines/1";
    let changed = yard.app.patch(path).cookie(&yard.admin.cookie).json(&json!({ "name": name })).send().await;
    changed.expect(200);
    for rest in [
        "/zone_time?by=machine&width=2000",
        "/machine_runtime?width=2000",
        "/machine_runtime?operators=true&width=2000",
    ] {
        let (_, _, text) = read_svg(&get_svg(&yard, rest).await);
        assert!(text.contains("<script>alert"), "{rest}: {text}");
    }
}

async fn dates_are_written_as_the_brand_writes_them(app: TestApp) {
    let yard = busy_yard(app).await;
    let subtitle = async || {
        read_svg(&get_svg(&yard, "/durations?from=2026-02-03&to=2026-03-01&machine_id=1&zone=danger").await).2
    };
    assert!(subtitle().await.contains("03/02/2026 – 28/02/2026 · UTC · only Crane 1, danger zone"));
    let body = json!({ "date_format": "MM/DD/YYYY" });
    yard.app.patch("/api/v1/admin/brand").cookie(&yard.admin.cookie).json(&body).send().await.expect(200);
    assert!(subtitle().await.contains("02/03/2026 – 02/28/2026"));
}
