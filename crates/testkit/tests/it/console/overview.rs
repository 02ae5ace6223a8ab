//! /: the overview

use app::LoadingHistory;
use domain::{BrandId, Day, Role, Span};
use http::Method;
use serde_json::json;
use testkit::{Account, TestApp, on_both_engines};

use crate::console::open;
use crate::jobs::alerts::world::AlertWorld;
use crate::v1::insights::{Yard, acknowledged, incursion, runtime};

on_both_engines!(
    indicators_say_what_they_are_of_and_lead_to_their_incursions,
    sites_and_machines_are_ranked_and_sorted,
    the_numbers_of_the_trend_lead_to_their_days,
    the_numbers_of_hours_lead_to_their_incursions,
    the_numbers_of_hours_lead_to_their_incursions_however_many_others_there_are,
    without_facts_it_says_what_to_do_next,
    while_history_is_loading_it_says_so_instead_of_comparing,
    who_is_restricted_sees_the_numbers_of_their_projects,
    open_alarms_need_attention,
    silent_stations_need_attention,
    it_speaks_german,
    names_are_never_markup,
    programs_get_the_index_and_strangers_sign_in,
    unknown_parameters_are_refused,
);

/// A yard with three incursions on 27 February, of which one was acknowledged, and an hour and a half of runtime.
async fn yard_with_facts(app: TestApp) -> Yard {
    let yard = Yard::new(app).await;
    let rows = vec![
        acknowledged(incursion(&yard, "2026-02-27T08:00:00Z", 10), 4),
        incursion(&yard, "2026-02-27T08:10:00Z", 20),
        incursion(&yard, "2026-02-27T09:00:00Z", 60),
    ];
    yard.facts.add_incursions(rows).await;
    let pieces = [runtime("2026-02-27T08:00:00Z", 60), runtime("2026-02-27T09:00:00Z", 30)];
    yard.facts.put_runtime(&pieces).await;
    yard
}

pub async fn speak_german(app: &TestApp, user: &Account) {
    let path = "/api/v2/user_preferences";
    let found = app.get(path).bearer(&user.jwt).send().await.expect(200).json();
    let change = json!({ "data": {
        "type": "user_preferences", "id": found["data"]["id"], "attributes": { "language": "de" },
    } });
    let call = app.patch(path).bearer(&user.jwt).bytes("application/vnd.api+json", change.to_string());
    call.send().await.expect(200);
}

async fn indicators_say_what_they_are_of_and_lead_to_their_incursions(app: TestApp) {
    let yard = yard_with_facts(app).await;
    let page = open(&yard.app, &yard.admin.cookie, "/").await.expect(200);
    for words in [
        "Incursions per runtime hour",
        "3 in 2 h",
        "1 of 3",
        "1 machine, 1 person",
        "mean of 1",
        "compared with",
        "up to date as of",
        "Acknowledged and not, day by day",
        "Hours of the week",
    ] {
        assert!(page.says(words), "{words}: {}", page.text());
    }
    let links = page.links();
    for link in ["/incursions", "/incursions?acknowledged=true"] {
        assert!(links.iter().any(|found| found == link), "{link}: {links:?}");
    }
    // What was picked stays in every link.
    let picked = open(&yard.app, &yard.admin.cookie, "/?period=7d&worksite_id=1").await.expect(200);
    let links = picked.links();
    assert!(links.iter().any(|link| link == "/machines?period=7d&worksite_id=1"), "{links:?}");
    assert!(links.iter().any(|link| link.starts_with("/incursions?period=7d&worksite_id=1")), "{links:?}");
    let elsewhere = open(&yard.app, &yard.admin.cookie, "/?worksite_id=2").await.expect(200);
    assert!(elsewhere.says("Nothing recorded") && !elsewhere.says("1 of 3"));
}

async fn sites_and_machines_are_ranked_and_sorted(app: TestApp) {
    let yard = yard_with_facts(app).await;
    let page = open(&yard.app, &yard.admin.cookie, "/").await.expect(200);
    assert!(page.says("Site 1") && page.says("Crane 1"), "{}", page.text());
    let links = page.links();
    let expected = [
        "/sites/1",
        "/machines/1",
        "/incursions?worksite_id=1",
        "/incursions?machine_id=1",
        "/incursions?machine_id=1&acknowledged=true",
        "/?sort=-incursions",
        "/?sort=incursions_per_runtime_hour",
    ];
    for link in expected {
        assert!(links.iter().any(|found| found == link), "{link}: {links:?}");
    }
    let sorted = open(&yard.app, &yard.admin.cookie, "/?sort=-incursions").await.expect(200);
    assert!(sorted.links().iter().any(|link| link == "/?sort=incursions"));
}

async fn the_numbers_of_the_trend_lead_to_their_days(app: TestApp) {
    let yard = yard_with_facts(app).await;
    let page = open(&yard.app, &yard.admin.cookie, "/").await.expect(200);
    let day = "/incursions?period=custom&from=2026-02-27&to=2026-02-28";
    let links = page.links();
    for rest in ["", "&acknowledged=true", "&acknowledged=false"] {
        let link = format!("{day}{rest}");
        assert!(links.contains(&link), "{link}: {links:?}");
    }
    let today = open(&yard.app, &yard.admin.cookie, "/?period=custom&from=2026-02-27&to=2026-02-28").await;
    let today = today.expect(200);
    assert!(today.says("hour by hour") && today.says("2026-02-27 08:00"), "{}", today.text());
}

async fn the_numbers_of_hours_lead_to_their_incursions(app: TestApp) {
    let yard = yard_with_facts(app).await;
    let cookie = &yard.admin.cookie;
    let day = open(&yard.app, cookie, "/?period=custom&from=2026-02-27&to=2026-02-28").await.expect(200);
    let links = day.links();
    let of_hour = |link: &&String| {
        link.starts_with("/explore/incursions?")
            && link.contains("hour=2026-02-27T08")
            && link.contains("from=")
    };
    let found: Vec<&String> = links.iter().filter(of_hour).collect();
    assert!(!found.is_empty(), "{links:?}");
    for link in found {
        let expected = match link.split_once("acknowledged=") {
            None => 2,
            Some(_) => 1,
        };
        assert_eq!(incursions_behind(&yard, link).await, expected, "{link}");
    }
    // 27 February 2026 is a Friday.
    let link = "/explore/incursions?period=7d&day_of_week=5&hour_of_day=8";
    let week = open(&yard.app, cookie, "/?period=7d").await.expect(200);
    assert!(week.links().iter().any(|found| found == link), "{:?}", week.links());
    assert_eq!(incursions_behind(&yard, link).await, 2);
    let other = "/explore/incursions?period=7d&day_of_week=5&hour_of_day=10";
    assert_eq!(incursions_behind(&yard, other).await, 0);
}

async fn the_numbers_of_hours_lead_to_their_incursions_however_many_others_there_are(app: TestApp) {
    let yard = yard_with_facts(app).await;
    // More newer ones than a page looks through.
    for _ in 0..11 {
        let later = (0..1_000).map(|_| incursion(&yard, "2026-02-27T11:00:00Z", 5));
        yard.facts.add_incursions(later.collect()).await;
    }
    for (traits, expected) in [
        ("hour=2026-02-27T08:00", 2),
        ("hour=2026-02-27T09:00", 1),
        ("hour=2026-02-26T08:00", 0),
        ("day_of_week=5&hour_of_day=8", 2),
        ("day_of_week=4&hour_of_day=8", 0),
        ("hour_of_day=8&acknowledged=true", 1),
    ] {
        let link = format!("/explore/incursions?period=7d&{traits}");
        assert_eq!(incursions_behind(&yard, &link).await, expected, "{link}");
        let page = open(&yard.app, &yard.admin.cookie, &link).await.expect(200);
        assert!(!page.says("were looked through"), "{}", page.text());
    }
    let most = "/explore/incursions?period=7d&hour_of_day=11";
    let page = open(&yard.app, &yard.admin.cookie, most).await.expect(200);
    assert!(page.says("Only the newest 10,000 incursions were looked through"), "{}", page.text());
}

/// Counts the incursions that a page lists.
async fn incursions_behind(yard: &Yard, link: &str) -> usize {
    let page = open(&yard.app, &yard.admin.cookie, link).await.expect(200);
    page.links().iter().filter(|link| link.starts_with("/incursions/")).count()
}

async fn without_facts_it_says_what_to_do_next(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let page = open(&app, &admin.cookie, "/").await.expect(200);
    assert!(page.says("Nothing recorded") && page.says("Nothing stands out"));
    assert!(page.says("No report was ordered yet."));
    assert!(page.links().iter().any(|link| link == "/settings/base-stations"));
    let viewer = app.sign_in_new_user("vera@example.com", Role::Viewer).await;
    let page = open(&app, &viewer.cookie, "/").await.expect(200);
    assert!(page.says("Show the last 365 days"));
    assert!(!page.links().iter().any(|link| link == "/settings/base-stations"));
}

async fn while_history_is_loading_it_says_so_instead_of_comparing(app: TestApp) {
    let yard = yard_with_facts(app).await;
    // The period before the usual one, and that before the last days of February.
    let before = ["2026-01-30T08:00:00Z", "2026-02-20T08:00:00Z"].map(|at| incursion(&yard, at, 10));
    yard.facts.add_incursions(before.to_vec()).await;
    let (brand, notice) = (BrandId(1), "The history is being loaded");
    let look = async |path: &str| open(&yard.app, &yard.admin.cookie, path).await.expect(200);
    let page = look("/").await;
    assert!(page.says("compared with") && page.says("300.0") && !page.says(notice), "{}", page.text());

    let complete_from = Day::parse("2026-02-20").unwrap();
    yard.app.app.note_loading_history(brand, LoadingHistory { complete_from, percent: 40 });
    let page = look("/").await;
    for words in [notice, "40 %", "history is loading", "4 in 2 h"] {
        assert!(page.says(words), "{words}: {}", page.text());
    }
    for words in ["compared with", "300.0", "no outliers"] {
        assert!(!page.says(words), "{words}: {}", page.text());
    }
    // Every page says it, and what is loaded is compared.
    assert!(look("/machines").await.says(notice));
    let days = look("/?from=2026-02-27&to=2026-02-28").await;
    assert!(days.says("compared with") && !days.says("history is loading"), "{}", days.text());
    // Programs get none rather than a wrong one.
    let totals = async || {
        let call = yard.app.get("/api/v1/insights/totals?compare=previous").cookie(&yard.admin.cookie);
        call.send().await.expect(200).json()
    };
    assert_eq!(totals().await["previous"], json!(null));
    speak_german(&yard.app, &yard.admin).await;
    assert!(look("/").await.says("Der Verlauf wird geladen"));

    yard.app.app.note_complete_history(brand);
    assert!(totals().await["previous"].is_object());
    let page = look("/").await;
    assert!(page.says("verglichen mit") && !page.says("Der Verlauf wird geladen"), "{}", page.text());
}

async fn who_is_restricted_sees_the_numbers_of_their_projects(app: TestApp) {
    let yard = yard_with_facts(app).await;
    let inside = yard.restricted("in@example.com", Role::Viewer, &[1]).await;
    assert!(open(&yard.app, &inside.cookie, "/").await.expect(200).says("1 of 3"));
    let outside = yard.restricted("out@example.com", Role::Viewer, &[2]).await;
    let page = open(&yard.app, &outside.cookie, "/").await.expect(200);
    assert!(page.says("Nothing recorded"), "{}", page.text());
    assert!(!page.says("Crane 1") && !page.says("Site 1"), "{}", page.text());
}

async fn open_alarms_need_attention(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = json!({ "split_by": "machine", "threshold": 2, "severity": "critical" });
    let rule = world.rule(&rule).await;
    for _ in 0..2 {
        world.incursion(1, &json!({})).await;
    }
    world.advance_minutes(2);
    world.mails().await;
    let path = format!("/api/v1/alert_firings?alert_id={rule}");
    let firing = world.send(&world.admin, Method::GET, &path, None).await.expect(200).json();
    let firing = firing["data"][0]["id"].as_i64().unwrap();
    let again = world.app.log_in_v1("admin@example.com", testkit::PASSWORD).await.session_cookie();
    let page = open(&world.app, &again, "/").await.expect(200);
    assert!(page.says("alarm · Critical"), "{}", page.text());
    let link = format!("/alerts/{rule}/firings/{firing}");
    assert!(page.links().contains(&link), "{:?}", page.links());
    // The number of open alarms leads to as many, whatever is picked.
    let both = "?project_id=1&project_id=2";
    for query in ["", "?project_id=1", "?project_id=2", "?period=7d&worksite_id=2", both] {
        let page = open(&world.app, &again, &format!("/{query}")).await.expect(200);
        let list = open(&world.app, &again, &format!("/alerts{query}")).await.expect(200);
        assert!(page.links().contains(&format!("/alerts{query}")), "{query}: {:?}", page.links());
        let listed = list.links().iter().filter(|link| link.contains("/firings/")).count();
        assert!(page.says(&format!("Open alarms {listed} ")), "{query}, {listed}: {}", page.text());
        let is_of_all = query.is_empty() || query == both;
        assert_eq!(list.says("that you have picked"), !is_of_all, "{query}: {}", list.text());
        assert!(!is_of_all || listed == 1, "{query}");
    }
}

async fn silent_stations_need_attention(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.incursion(1, &json!({})).await;
    world.app.clock.advance(Span::minutes(60 * 24 * 9));
    let again = world.app.log_in_v1("viewer@example.com", testkit::PASSWORD).await.session_cookie();
    let page = open(&world.app, &again, "/").await.expect(200);
    assert!(page.says("is silent") && page.says("last contact 9 days ago"), "{}", page.text());
    assert!(page.links().iter().any(|link| link == "/machines/1"), "{:?}", page.links());
}

async fn it_speaks_german(app: TestApp) {
    let yard = yard_with_facts(app).await;
    speak_german(&yard.app, &yard.admin).await;
    let page = open(&yard.app, &yard.admin.cookie, "/").await.expect(200);
    for words in ["Übersicht", "1 von 3", "Zu beachten", "Stunden der Woche", "verglichen mit", "Freitag"] {
        assert!(page.says(words), "{words}: {}", page.text());
    }
    assert!(!page.says("incursions"));
}

async fn names_are_never_markup(app: TestApp) {
    let yard = yard_with_facts(app).await;
    let name = "<script>alert(\"1\")</script> & 'Co'";
    let change = yard.app.patch("/api/v1/machines/1").cookie(&yard.admin.cookie);
    change.json(&json!({ "name": name })).send().await.expect(200);
    // `expect` refuses pages that are not well-formed or have scripts of their own.
    let page = open(&yard.app, &yard.admin.cookie, "/").await.expect(200);
    assert!(page.says(name), "{}", page.text());
}

async fn programs_get_the_index_and_strangers_sign_in(app: TestApp) {
    let index = app.get("/?anything=1").send().await.expect(200).json();
    assert_eq!(index["service"], "keepclear");
    let page = open(&app, "", "/?period=7d").await.expect(303);
    assert!(page.location().starts_with("/sign-in?next="), "{}", page.location());
}

async fn unknown_parameters_are_refused(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    for query in ["colour=red", "sort=name", "worksite_id=x"] {
        open(&app, &admin.cookie, &format!("/?{query}")).await.expect(400);
    }
}
