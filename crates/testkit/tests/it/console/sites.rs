//! /sites: the list, one site, its boundary and the roll-call

use domain::{Role, Span};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use crate::console::overview::speak_german;
use crate::console::{Page, open, submit};
use crate::v1::incursions::Yard;

on_both_engines!(
    the_list_is_filtered_and_taken_along,
    a_site_is_added_once_and_shown,
    a_circle_stays_centre_and_radius,
    a_boundary_is_refused_where_it_is_wrong,
    faults_and_stale_changes_are_shown,
    machines_come_and_go,
    one_site_leads_to_the_incursions_behind_its_numbers,
    the_roll_call_lists_who_is_there,
    names_are_for_those_who_may_see_them,
    a_site_is_archived_and_restored,
    viewers_only_read,
    other_projects_and_brands_do_not_exist,
    names_are_never_markup,
);

const SQUARE: &str =
    r#"{"type": "Polygon", "coordinates": [[[13, 52], [13.01, 52], [13.01, 52.01], [13, 52.01], [13, 52]]]}"#;
const CIRCLE: &str = r#"{"type": "Circle", "center": [13.405, 52.505], "radius_m": 250}"#;
/// Its edges cross in the middle.
const BOW: &str =
    r#"{"type": "Polygon", "coordinates": [[[13, 52], [13.01, 52.01], [13.01, 52], [13, 52.01], [13, 52]]]}"#;

/// All fields of the form, with these in place of the usual ones.
fn fields<'a>(given: &[(&'static str, &'a str)]) -> Vec<(&'static str, &'a str)> {
    let usual = [
        ("name", "Harbour"),
        ("kind", "logistics"),
        ("project_id", ""),
        ("time_zone", "Europe/Berlin"),
        ("technical_contact", ""),
        ("colour", ""),
        ("effective_from", ""),
        ("effective_from_zone", "Europe/Berlin"),
        ("boundary", ""),
    ];
    let rest = usual.into_iter().filter(|(name, _)| given.iter().all(|(known, _)| known != name));
    given.iter().copied().chain(rest).collect()
}

fn done(page: &Page) -> String {
    let cookie = page.reply.header("set-cookie");
    let value =
        cookie.strip_prefix("keepclear_done=").unwrap_or_else(|| panic!("nothing was done: {cookie}"));
    value.split([';', ':']).next().unwrap_or_default().to_owned()
}

async fn the_list_is_filtered_and_taken_along(app: TestApp) {
    let yard = Yard::new(app).await;
    let cookie = &yard.admin.cookie;
    let page = open(&yard.app, cookie, "/sites").await.expect(200);
    for words in ["Site 1", "Site 3", "no boundary", "UTC", "3 rows"] {
        assert!(page.says(words), "{words}: {}", page.text());
    }
    assert!(page.links().iter().any(|link| link == "/sites/2"), "{:?}", page.links());
    let one = open(&yard.app, cookie, "/sites?q=site+2").await.expect(200);
    let links = one.links();
    assert!(
        links.iter().any(|link| link == "/sites/2") && links.iter().all(|link| link != "/sites/1"),
        "{links:?}"
    );
    let of_project = open(&yard.app, cookie, "/sites?project_id=1").await.expect(200);
    assert!(
        of_project.links().iter().any(|link| link == "/sites/1?project_id=1"),
        "{:?}",
        of_project.links()
    );
    // The search keeps the pickers and the order.
    let picked = "/sites?project_id=1&period=90d&sort=-name";
    let picked = open(&yard.app, cookie, picked).await.expect(200);
    let kept = picked.reply.text();
    let form = kept.split("class=\"filters\"").nth(1).and_then(|rest| rest.split("</form>").next()).unwrap();
    for (name, value) in [("project_id", "1"), ("period", "90d"), ("sort", "-name")] {
        let field = format!("name=\"{name}\" value=\"{value}\"");
        assert!(form.contains(&field), "{field}: {form}");
    }
    assert!(open(&yard.app, cookie, "/sites?kind=logistics").await.expect(200).says("No site matches"));
    let csv = open(&yard.app, cookie, "/sites?format=csv").await.expect(200);
    assert!(csv.reply.header("content-type").starts_with("text/csv"));
    assert_eq!(csv.reply.text().lines().count(), 4);
    open(&yard.app, cookie, "/sites?kind=garden").await.expect(400);
}

async fn a_site_is_added_once_and_shown(app: TestApp) {
    app.allow_leftover_jobs();
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let empty = open(&app, &member.cookie, "/sites").await.expect(200);
    assert!(empty.says("No sites yet") && empty.links().iter().any(|link| link == "/sites/new"));
    let form = open(&app, &member.cookie, "/sites/new").await.expect(200);
    assert!(form.says("Examples of a boundary"));
    let once = form.field("_once").unwrap();
    let new = fields(&[("boundary", SQUARE), ("colour", "#ff8800"), ("_once", once.as_str())]);
    let made = submit(&app, &member.cookie, "/sites/new", &new).await.expect(303);
    assert_eq!((done(&made).as_str(), made.location().as_str()), ("site-added", "/sites/1"));
    assert_eq!(submit(&app, &member.cookie, "/sites/new", &new).await.expect(303).location(), "/sites/1");
    let list = app.get("/api/v1/worksites").cookie(&member.cookie).send().await.expect(200).json();
    assert_eq!(list["data"].as_array().map(Vec::len), Some(1));
    let page = open(&app, &member.cookie, "/sites/1").await.expect(200);
    for words in ["Harbour", "Europe/Berlin", "m²", "No machine here", "0 visitors on site", "No open alerts"]
    {
        assert!(page.says(words), "{words}: {}", page.text());
    }
    let html = page.reply.text();
    assert!(html.contains("/charts/site-map/1?") && html.contains("/charts/heatmap?"), "{html}");
    let map = app.get("/charts/site-map/1?theme=auto&width=310&height=420").cookie(&member.cookie).send();
    assert!(map.await.expect(200).header("content-type").starts_with("image/svg+xml"));
}

async fn a_circle_stays_centre_and_radius(app: TestApp) {
    app.allow_leftover_jobs();
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    submit(&app, &member.cookie, "/sites/new", &fields(&[("boundary", CIRCLE)])).await.expect(303);
    let form = open(&app, &member.cookie, "/sites/1/edit").await.expect(200);
    let boundary: serde_json::Value = serde_json::from_str(&form.field("boundary").unwrap()).unwrap();
    assert_eq!((&boundary["type"], &boundary["radius_m"]), (&json!("Circle"), &json!(250.0)));
    assert_eq!(boundary["center"], json!([13.405, 52.505]));
    // Saving what is shown changes nothing, and an empty boundary removes it.
    let version = form.field("_version").unwrap();
    let boundary = form.field("boundary").unwrap();
    let same = fields(&[("boundary", boundary.as_str()), ("_version", version.as_str())]);
    let saved = submit(&app, &member.cookie, "/sites/1/edit", &same).await.expect(303);
    assert_eq!((done(&saved).as_str(), saved.location().as_str()), ("site-saved", "/sites/1"));
    submit(&app, &member.cookie, "/sites/1/edit", &fields(&[])).await.expect(303);
    let form = open(&app, &member.cookie, "/sites/1/edit").await.expect(200);
    assert_eq!(form.field("boundary").as_deref(), Some(""));
}

async fn a_boundary_is_refused_where_it_is_wrong(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let refused = submit(&app, &member.cookie, "/sites/new", &fields(&[("boundary", BOW)])).await.expect(422);
    let reason = "Lines of the boundary cross or touch each other. Look at the point near 13.005, 52.005.";
    assert_eq!(refused.fault("boundary").as_deref(), Some(reason));
    assert_eq!(refused.text().matches("cross or touch").count(), 1, "{}", refused.text());
    assert_eq!(refused.field("boundary").as_deref(), Some(BOW));
    assert_eq!(refused.field("name").as_deref(), Some("Harbour"));
    // The reason is given where there is no place to point at, too.
    let tiny = r#"{"type": "Circle", "center": [13, 52], "radius_m": 1}"#;
    let refused =
        submit(&app, &member.cookie, "/sites/new", &fields(&[("boundary", tiny)])).await.expect(422);
    assert_eq!(refused.fault("boundary").as_deref(), Some("The boundary encloses less than 10 m²."));
    speak_german(&app, &member).await;
    let refused = submit(&app, &member.cookie, "/sites/new", &fields(&[("boundary", BOW)])).await.expect(422);
    let reason =
        "Linien der Grenze kreuzen oder berühren sich. Sehen Sie sich den Punkt bei 13.005, 52.005 an.";
    assert_eq!(refused.fault("boundary").as_deref(), Some(reason));
    for text in ["{", "7", "\"here\""] {
        let refused = submit(&app, &member.cookie, "/sites/new", &fields(&[("boundary", text)])).await;
        let refused = refused.expect(422);
        assert!(refused.fault("boundary").is_some(), "{text}");
        assert_eq!(refused.field("boundary").as_deref(), Some(text));
    }
    let none = app.get("/api/v1/worksites").cookie(&member.cookie).send().await.expect(200).json();
    assert_eq!(none["data"], json!([]));
}

async fn faults_and_stale_changes_are_shown(app: TestApp) {
    let yard = Yard::new(app).await;
    yard.app.allow_leftover_jobs();
    let cookie = &yard.admin.cookie;
    let wrong = fields(&[("name", ""), ("time_zone", "Berlin"), ("colour", "red"), ("kind", "garden")]);
    let page = submit(&yard.app, cookie, "/sites/new", &wrong).await.expect(422);
    for name in ["name", "time_zone", "colour", "kind"] {
        assert!(page.fault(name).is_some(), "{name}: {}", page.text());
    }
    assert_eq!(page.field("time_zone").as_deref(), Some("Berlin"));
    let version = open(&yard.app, cookie, "/sites/1/edit").await.expect(200).field("_version").unwrap();
    let renamed = fields(&[("name", "First"), ("_version", version.as_str())]);
    submit(&yard.app, cookie, "/sites/1/edit", &renamed).await.expect(303);
    let renamed = fields(&[("name", "Second"), ("_version", version.as_str())]);
    let stale = submit(&yard.app, cookie, "/sites/1/edit", &renamed).await.expect(412);
    assert_eq!(stale.field("name").as_deref(), Some("Second"));
    assert!(stale.says("Somebody else changed this"), "{}", stale.text());
}

async fn machines_come_and_go(app: TestApp) {
    let yard = Yard::new(app).await;
    yard.app.allow_leftover_jobs();
    let cookie = &yard.admin.cookie;
    let blank = [("machine_id", ""), ("effective_from", ""), ("effective_from_zone", "UTC")];
    let page = submit(&yard.app, cookie, "/sites/1/machines", &blank).await.expect(422);
    assert!(page.fault("machine_id").is_some(), "{}", page.text());
    let unknown = [("machine_id", "99"), ("effective_from", ""), ("effective_from_zone", "UTC")];
    let page = submit(&yard.app, cookie, "/sites/1/machines", &unknown).await.expect(422);
    assert_eq!(page.fault("machine_id").as_deref(), Some("There is no such machine that you see."));
    submit(&yard.app, cookie, "/sites/99/machines", &unknown).await.expect(404);
    let given = [("machine_id", "2"), ("effective_from", ""), ("effective_from_zone", "UTC")];
    let assigned = submit(&yard.app, cookie, "/sites/1/machines", &given).await.expect(303);
    assert_eq!(done(&assigned), "site-machine-assigned");
    let page = open(&yard.app, cookie, "/sites/1").await.expect(200);
    assert!(page.links().iter().any(|link| link == "/machines/2"), "{:?}", page.links());
    yard.app.clock.advance(Span::seconds(1));
    let ended = submit(&yard.app, cookie, "/sites/1/machines/end", &[("machine_id", "2")]).await.expect(303);
    assert_eq!(done(&ended), "site-machine-unassigned");
    let page = open(&yard.app, cookie, "/sites/1").await.expect(200);
    assert!(page.says("No machine here"), "{}", page.text());
}

async fn one_site_leads_to_the_incursions_behind_its_numbers(app: TestApp) {
    let yard = Yard::new(app).await;
    yard.facts.add_incursions([30, 60].map(|minutes| yard.row(minutes, Some(1))).into()).await;
    let page = open(&yard.app, &yard.admin.cookie, "/sites/1?period=7d").await.expect(200);
    assert!(page.says("Numbers") && page.says("Crane 1"), "{}", page.text());
    let links = page.links();
    let behind = |link: &&String| link.starts_with("/incursions?") && link.contains("worksite_id=1");
    let numbers: Vec<_> = links.iter().filter(behind).filter(|link| link.contains("machine_id=1")).collect();
    assert!(!numbers.is_empty() && numbers.iter().all(|link| link.contains("period=7d")), "{links:?}");
    let list = open(&yard.app, &yard.admin.cookie, numbers[0]).await.expect(200);
    assert!(list.says("2 rows"), "{}", list.text());
    let other = open(&yard.app, &yard.admin.cookie, "/sites/2").await.expect(200);
    assert!(other.says("No incursions"), "{}", other.text());
}

/// Checks a visitor in at site 1, and has person 1 detected there half an hour ago.
pub async fn fill_site(yard: &Yard) {
    let visitor =
        [("name", "Grace Hopper"), ("company", "Plums & Co"), ("tag_serial", "V-1"), ("worksite_id", "1")];
    submit(&yard.app, &yard.admin.cookie, "/visitors/check-in", &visitor).await.expect(303);
    yard.facts.add_incursions(vec![yard.row(30, Some(1))]).await;
}

async fn the_roll_call_lists_who_is_there(app: TestApp) {
    let yard = Yard::new(app).await;
    let cookie = &yard.admin.cookie;
    let nobody = open(&yard.app, cookie, "/sites/1/roll-call").await.expect(200);
    assert!(nobody.says("No visitor is checked in") && nobody.says("No machine has detected a person"));
    fill_site(&yard).await;
    let page = open(&yard.app, cookie, "/sites/1/roll-call").await.expect(200);
    for words in ["Roll-call: Site 1", "Grace Hopper", "Plums & Co, V-1", "Ada", "Number present", "UTC"] {
        assert!(page.says(words), "{words}: {}", page.text());
    }
    let html = page.reply.text();
    assert_eq!(html.matches("type=\"checkbox\"").count(), 2, "a tick for each: {html}");
    assert_eq!(html.matches("<script").count(), 3, "it has no script but those of all pages: {html}");
    // Those who were there earlier are not called.
    yard.facts.add_incursions(vec![yard.row(36 * 60, Some(2))]).await;
    let page = open(&yard.app, cookie, "/sites/2/roll-call").await.expect(200);
    assert!(page.says("Seen in the last 30 days, not today") && page.says("Ada"), "{}", page.text());
    assert_eq!(page.reply.text().matches("type=\"checkbox\"").count(), 0);
    let site = open(&yard.app, cookie, "/sites/1").await.expect(200);
    assert!(site.says("1 visitor on site") && site.links().iter().any(|link| link == "/sites/1/roll-call"));
}

async fn names_are_for_those_who_may_see_them(app: TestApp) {
    let yard = Yard::new(app).await;
    fill_site(&yard).await;
    let viewer = yard.app.sign_in_new_user("vera@example.com", Role::Viewer).await;
    let page = open(&yard.app, &viewer.cookie, "/sites/1/roll-call").await.expect(200);
    assert!(page.says("Names are hidden") && !page.says("Grace") && !page.says("Ada"), "{}", page.text());
}

async fn a_site_is_archived_and_restored(app: TestApp) {
    let yard = Yard::new(app).await;
    yard.app.allow_leftover_jobs();
    let cookie = &yard.admin.cookie;
    fill_site(&yard).await;
    let archived = submit(&yard.app, cookie, "/sites/1/delete", &[]).await.expect(303);
    assert_eq!((done(&archived).as_str(), archived.location().as_str()), ("site-archived", "/sites"));
    let page = open(&yard.app, cookie, "/sites/1").await.expect(200);
    assert!(page.says("Archived since") && page.says("Restore") && !page.says("Assign a machine"));
    assert!(open(&yard.app, cookie, "/sites?archived=true").await.expect(200).says("Site 1"));
    let restored = submit(&yard.app, cookie, "/sites/1/restore", &[]).await.expect(303);
    assert_eq!(done(&restored), "site-restored");
    // One without a history is gone.
    let deleted = submit(&yard.app, cookie, "/sites/3/delete", &[]).await.expect(303);
    assert_eq!(done(&deleted), "site-deleted");
    open(&yard.app, cookie, "/sites/3").await.expect(404);
}

async fn viewers_only_read(app: TestApp) {
    let yard = Yard::new(app).await;
    let viewer = yard.app.sign_in_new_user("vera@example.com", Role::Viewer).await;
    let list = open(&yard.app, &viewer.cookie, "/sites").await.expect(200);
    assert!(!list.links().iter().any(|link| link == "/sites/new"));
    let page = open(&yard.app, &viewer.cookie, "/sites/1").await.expect(200);
    assert!(!page.links().iter().any(|link| link == "/sites/1/edit") && page.field("machine_id").is_none());
    for path in ["/sites/new", "/sites/1/edit"] {
        open(&yard.app, &viewer.cookie, path).await.expect(403);
        submit(&yard.app, &viewer.cookie, path, &fields(&[])).await.expect(403);
    }
    for path in ["/sites/1/delete", "/sites/1/restore", "/sites/1/machines", "/sites/1/machines/end"] {
        submit(&yard.app, &viewer.cookie, path, &[("machine_id", "1")]).await.expect(403);
    }
}

async fn other_projects_and_brands_do_not_exist(app: TestApp) {
    let yard = Yard::new(app).await;
    let outside = yard.restricted("out@example.com", Role::Member, &[2]).await;
    let stranger = yard.app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    for cookie in [&outside.cookie, &stranger.cookie] {
        for path in ["/sites/1", "/sites/1/edit", "/sites/1/roll-call", "/charts/site-map/1"] {
            let reply = open(&yard.app, cookie, path).await.reply;
            assert_eq!(reply.status.as_u16(), 404, "{path}");
        }
        for path in ["/sites/1/edit", "/sites/1/delete", "/sites/1/machines"] {
            submit(&yard.app, cookie, path, &fields(&[])).await.expect(404);
        }
        assert!(!open(&yard.app, cookie, "/sites").await.expect(200).says("Site 1"));
    }
    open(&yard.app, &yard.admin.cookie, "/sites/x").await.expect(404);
}

async fn names_are_never_markup(app: TestApp) {
    let yard = Yard::new(app).await;
    yard.app.allow_leftover_jobs();
    let name = "<img src=x onerror=\"alert(1)\"> & 'Co'";
    submit(&yard.app, &yard.admin.cookie, "/sites/1/edit", &fields(&[("name", name)])).await.expect(303);
    for path in ["/sites", "/sites/1", "/sites/1/edit", "/sites/1/roll-call"] {
        let page = open(&yard.app, &yard.admin.cookie, path).await.expect(200);
        assert!(page.says(name) || page.field("name").as_deref() == Some(name), "{path}: {}", page.text());
    }
}
