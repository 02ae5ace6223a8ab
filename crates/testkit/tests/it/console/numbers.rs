//! Every number leads to the records behind it: links are followed, and what they list is counted.

use domain::{BaseStationId, MachineId, PersonId, ProjectId, Role, TagId, WorksiteId};
use serde_json::json;
use testkit::{TestApp, execute_raw_sql, on_both_engines};

use super::follow::follow_numbers;
use super::sites::fill_site;
use super::{Page, open, parse, submit};
use crate::v1::insights::{Yard, acknowledged, incursion, runtime, set_time_zone};

on_both_engines!(
    the_numbers_of_the_overview,
    the_numbers_of_a_picked_project_or_site,
    the_numbers_of_a_site_that_changed_its_project,
    the_numbers_of_a_machine_in_days_that_are_cut,
    the_numbers_of_a_person,
    the_numbers_of_lists,
    the_numbers_of_explore,
    the_number_of_a_tag,
    the_last_stations_to_fall_silent_need_attention,
    what_is_picked_is_said_whatever_it_is,
    a_site_has_the_same_days_on_every_page,
    the_days_are_those_of_the_sites,
);

/// A yard of many kinds of incursions in the last week of February, and one a month ago. Site 1 was in project 1 and came to project 2 on
/// 28 February. Ada was met on foot, and drove once. Lengths are at the bounds of their buckets, and one has no end.
async fn yard_with_facts(app: TestApp) -> Yard {
    let yard = Yard::new(app).await;
    let mut driven = acknowledged(incursion(&yard, "2026-02-27T08:00:00Z", 5), 4);
    driven.attribution.operator = Some(PersonId(4));
    let mut again = incursion(&yard, "2026-02-27T08:10:00Z", 15);
    again.attribution.operator = Some(PersonId(4));
    let mut moved = incursion(&yard, "2026-02-28T09:00:00Z", 60);
    moved.attribution.project = Some(ProjectId(2));
    let mut endless = incursion(&yard, "2026-02-28T23:30:00Z", 1);
    endless.attribution.project = Some(ProjectId(2));
    endless.ended_at = None;
    let mut elsewhere = acknowledged(incursion(&yard, "2026-02-26T10:00:00Z", 20), 2);
    // Station 2 is on machine 2, and tag 2 was person 2's: lists find facts by these links.
    elsewhere.base_station = BaseStationId(2);
    elsewhere.tag = TagId(2);
    elsewhere.attribution.machine = Some(MachineId(2));
    elsewhere.attribution.pedestrian = Some(PersonId(2));
    elsewhere.attribution.operator = Some(PersonId(1));
    elsewhere.attribution.project = Some(ProjectId(2));
    elsewhere.attribution.worksite = Some(WorksiteId(2));
    let today = incursion(&yard, "2026-03-01T10:00:00Z", 30);
    let earlier = incursion(&yard, "2026-01-31T10:00:00Z", 30);
    let rows = vec![driven, again, moved, endless, elsewhere, today, earlier];
    yard.facts.add_incursions(rows).await;
    yard.facts.put_runtime(&[runtime("2026-02-27T08:00:00Z", 60), runtime("2026-02-28T09:00:00Z", 30)]).await;
    yard
}

/// A period that begins and ends within a day.
const CUT: &str = "period=custom&from=2026-02-27T08:05:00Z&to=2026-02-28T10:00:00Z";

/// Follows the numbers of pages, of which each has some.
async fn follow_all(yard: &Yard, paths: &[&str]) {
    for path in paths {
        let followed = follow_numbers(&yard.app, &yard.admin.cookie, path).await;
        assert!(followed > 1, "{path} has {followed} lists");
    }
}

async fn the_numbers_of_the_overview(app: TestApp) {
    let yard = yard_with_facts(app).await;
    follow_all(&yard, &["/", "/?period=7d", &format!("/?{CUT}")]).await;
    let restricted = yard.restricted("in@example.com", Role::Viewer, &[2]).await;
    assert!(follow_numbers(&yard.app, &restricted.cookie, "/?period=7d").await > 1);
}

async fn the_numbers_of_a_picked_project_or_site(app: TestApp) {
    let yard = yard_with_facts(app).await;
    let paths = [
        "/?period=7d&project_id=1",
        "/?period=7d&worksite_id=2",
        "/?period=7d&project_id=2&worksite_id=1",
        // The numbers of both projects lead to the incursions of both.
        "/?period=7d&project_id=1&project_id=2",
    ];
    follow_all(&yard, &paths).await;
}

async fn the_numbers_of_a_site_that_changed_its_project(app: TestApp) {
    let yard = yard_with_facts(app).await;
    for (path, incursions) in [
        ("/sites/1?period=7d", 5),
        ("/sites/1?period=7d&project_id=1", 3),
        ("/sites/1?period=7d&project_id=2", 2),
    ] {
        let page = open(&yard.app, &yard.admin.cookie, path).await.expect(200);
        let tile = format!("Incursions{incursions}");
        assert!(page.says(&tile), "{path}: {}", page.text());
        follow_all(&yard, &[path]).await;
        // The map of hexagons counts the same.
        let html = page.reply.text();
        let picked = path.split_once('&').map_or("worksite_id=1", |(_, project)| project);
        assert!(html.contains("/charts/heatmap?") && html.contains(picked), "{html}");
    }
}

async fn the_numbers_of_a_machine_in_days_that_are_cut(app: TestApp) {
    let yard = yard_with_facts(app).await;
    let cut = format!("/machines/1?{CUT}");
    follow_all(&yard, &["/machines/1?period=7d", &cut, "/machines/2?period=7d"]).await;
    // The first day of the period is counted from its beginning on.
    let links = open(&yard.app, &yard.admin.cookie, &cut).await.expect(200).links();
    let day = "period=custom&from=2026-02-27T08%3A05%3A00Z&to=2026-02-28";
    assert!(links.iter().any(|link| link.ends_with(day)), "{links:?}");
}

async fn the_numbers_of_a_person(app: TestApp) {
    let yard = yard_with_facts(app).await;
    follow_all(&yard, &["/people/1?period=7d", "/people/4?period=7d", &format!("/people/1?{CUT}")]).await;
    // A length of exactly five seconds is in the bucket that begins with it, and only there.
    let five = "/explore/incursions?period=7d&person_id=1&min_duration_s=0&duration=0&max_duration_s=5";
    let page = open(&yard.app, &yard.admin.cookie, "/people/1?period=7d").await.expect(200);
    assert!(page.links().iter().any(|link| link == five), "{:?}", page.links());
    let shortest = open(&yard.app, &yard.admin.cookie, five).await.expect(200);
    assert!(shortest.says("Only: 0 to 5 s") && shortest.says("0 incursions"), "{}", shortest.text());
    let endless = "/explore/incursions?period=7d&person_id=1&duration=none";
    let endless = open(&yard.app, &yard.admin.cookie, endless).await.expect(200);
    assert!(endless.says("Only: Without an end") && endless.says("1 incursion"), "{}", endless.text());
    open(&yard.app, &yard.admin.cookie, "/explore/incursions?duration=7").await.expect(400);
}

async fn the_numbers_of_lists(app: TestApp) {
    let yard = yard_with_facts(app).await;
    follow_all(&yard, &["/machines?period=7d", "/people?period=7d", "/people?period=7d&project_id=2"]).await;
}

async fn the_numbers_of_explore(app: TestApp) {
    let yard = yard_with_facts(app).await;
    let measures = [
        "incursions",
        "acknowledged",
        "unacknowledged",
        "acknowledgement_rate",
        "average_duration",
        "average_ack_time",
        "incursions_per_runtime_hour",
    ];
    let measures = measures.map(|measure| format!("&measure={measure}")).concat();
    for rows in [
        "row1=worksite&row2=machine",
        "row1=day",
        "row1=hour_of_day",
        "row1=operator",
        // Of what was not acknowledged, nothing was acknowledged.
        "row1=acknowledged",
        "row1=machine&acknowledged=false",
    ] {
        follow_all(&yard, &[&format!("/explore?period=7d&{rows}{measures}")]).await;
    }
    follow_all(&yard, &[&format!("/explore?{CUT}&row1=day&measure=incursions&measure=acknowledged")]).await;
}

async fn the_number_of_a_tag(app: TestApp) {
    let yard = yard_with_facts(app).await;
    // The last thirty days are counted, whatever is picked on other pages.
    for path in ["/settings/tags/1", "/settings/tags/1?period=today&worksite_id=2"] {
        assert_eq!(follow_numbers(&yard.app, &yard.admin.cookie, path).await, 1, "{path}");
        let page = open(&yard.app, &yard.admin.cookie, path).await.expect(200);
        assert!(page.says("Incursions of the last 30 days 6"), "{}", page.text());
    }
}

async fn the_last_stations_to_fall_silent_need_attention(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    for number in 1..=25 {
        let new = json!({ "serial": format!("BS-{number:02}") });
        app.post("/api/v1/base_stations").cookie(&admin.cookie).json(&new).send().await.expect(201);
    }
    // One after the other, the last of the list at last; number 25 is still in contact.
    let now = app.clock.now().micros();
    let hour = 3_600_000_000_i64;
    let seen = format!("update base_stations set last_seen_at = {now} - 30 * 24 * {hour} + id * {hour}");
    let online = format!("update base_stations set last_seen_at = {now} where serial = 'BS-25'");
    execute_raw_sql(app.database(), &format!("{seen}; {online}")).await.unwrap();
    let page = open(&app, &admin.cookie, "/").await.expect(200);
    let text = page.text();
    for serial in ["BS-24", "BS-23", "BS-22"] {
        assert!(page.says(&format!("{serial} is silent")), "{serial}: {text}");
    }
    assert!(!page.says("BS-21") && page.says("21 more base stations") && page.says("24 of 25"), "{text}");
    assert!(follow_numbers(&app, &admin.cookie, "/").await > 1);
    let list = "/settings/base-stations?status=silent&status=faulty";
    assert!(page.links().iter().any(|link| link == list), "{:?}", page.links());
    let list = open(&app, &admin.cookie, list).await.expect(200);
    assert!(list.says("24 rows"), "{}", list.text());
    // Devices are those of all projects, which the page says.
    assert!(!page.says("of all projects and sites"));
    assert!(open(&app, &admin.cookie, "/?project_id=1").await.expect(200).says("of all projects and sites"));
    // Those who manage no devices see the same list.
    let viewer = app.sign_in_new_user("vera@example.com", Role::Viewer).await;
    assert!(follow_numbers(&app, &viewer.cookie, "/").await > 1);
}

async fn what_is_picked_is_said_whatever_it_is(app: TestApp) {
    let yard = yard_with_facts(app).await;
    let cookie = &yard.admin.cookie;
    // A site of another project stays chosen, and the form of days keeps it.
    let page = open(&yard.app, cookie, "/?project_id=2&worksite_id=1&period=7d").await.expect(200);
    assert_eq!(page.field("project_id").as_deref(), Some("2"));
    assert_eq!(chosen(&page, "worksite_id"), ["1"]);
    let kept = "<input type=\"hidden\" name=\"worksite_id\" value=\"1\"/>";
    assert!(page.reply.text().contains(kept), "{}", page.reply.text());
    // So does an archived one, and one that the reader does not see.
    yard.app.allow_leftover_jobs();
    fill_site(&yard).await;
    submit(&yard.app, cookie, "/sites/1/delete", &[]).await.expect(303);
    let page = open(&yard.app, cookie, "/?worksite_id=1").await.expect(200);
    assert_eq!(chosen(&page, "worksite_id"), ["1"]);
    assert!(page.says("Site 1"), "{}", page.text());
    let outside = yard.restricted("out@example.com", Role::Viewer, &[2]).await;
    let page = open(&yard.app, &outside.cookie, "/?project_id=1").await.expect(200);
    assert_eq!(chosen(&page, "project_id"), ["1"]);
    assert!(!page.says("Project 1"), "{}", page.text());
    // Several are chosen together.
    let page = open(&yard.app, cookie, "/?project_id=1&project_id=2").await.expect(200);
    assert_eq!(chosen(&page, "project_id"), ["1", "2"]);
    let links = page.links();
    assert!(links.iter().any(|link| link == "/machines?project_id=1&project_id=2"), "{links:?}");
}

/// Returns the values that are chosen in a list of choices.
fn chosen(page: &Page, name: &str) -> Vec<String> {
    let html = page.reply.text();
    let document = parse(&html);
    let mut lists = document
        .descendants()
        .filter(|node| node.has_tag_name("select") && node.attribute("name") == Some(name));
    let list = lists.next().unwrap();
    let chosen = list.descendants().filter(|option| option.has_attribute("selected"));
    chosen.filter_map(|option| option.attribute("value")).map(str::to_owned).collect()
}

/// It is noon on 1 March for the reader and at sites 1 and 3, and already 2 March at site 2: its date must not take a day from the others.
async fn a_site_has_the_same_days_on_every_page(app: TestApp) {
    let yard = Yard::new(app).await;
    set_time_zone(&yard, "2", "Pacific/Auckland").await;
    yard.facts.add_incursions(vec![incursion(&yard, "2026-02-02T08:00:00Z", 5)]).await;
    let cookie = &yard.admin.cookie;
    for path in ["/", "/?period=28d", "/sites/1", "/machines/1", "/machines/1?worksite_id=1", "/people/1"] {
        let page = open(&yard.app, cookie, path).await.expect(200);
        assert!(page.says("02/02/2026 – "), "{path}: {}", page.text());
    }
    for path in ["/incursions", "/incursions?worksite_id=1", "/incursions?period=28d&machine_id=1"] {
        let page = open(&yard.app, cookie, path).await.expect(200);
        assert!(page.links().iter().any(|link| link.starts_with("/incursions/1")), "{path}: {}", page.text());
    }
    let form = open(&yard.app, cookie, "/reports/new?kind=machine&machine_id=1").await.expect(200);
    assert_eq!(form.field("filters.from").as_deref(), Some("2026-02-02"));
    let week = open(&yard.app, cookie, "/?period=7d").await.expect(200);
    assert!(week.says("23/02/2026 – "), "{}", week.text());
}

/// It is noon on 1 March for the reader, and 2 March at all sites.
async fn the_days_are_those_of_the_sites(app: TestApp) {
    let yard = Yard::new(app).await;
    set_time_zone(&yard, "1, 2, 3", "Pacific/Auckland").await;
    for (path, from) in [("/", "03/02/2026 – "), ("/sites/1?period=7d", "24/02/2026 – ")] {
        let page = open(&yard.app, &yard.admin.cookie, path).await.expect(200);
        assert!(page.says(from), "{path}: {}", page.text());
    }
}
