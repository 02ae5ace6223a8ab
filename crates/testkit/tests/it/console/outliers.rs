//! /outliers: who has more or fewer incursions than their peers

use app::LoadingHistory;
use domain::{BaseStationId, BrandId, Day, IncursionRow, MachineId, Role};
use serde_json::json;
use store::RuntimePiece;
use testkit::{TestApp, on_both_engines};

use crate::console::explore::speak_german;
use crate::console::open;
use crate::v1::insights::{Yard, incursion, runtime};

on_both_engines!(
    who_stands_out_is_named_with_what_explains_it,
    everyone_is_listed_on_request,
    it_speaks_german_by_the_numbers,
    without_outliers_it_says_why,
    while_history_is_loading_nobody_stands_out,
    names_are_never_markup,
    bad_parameters_are_refused,
);

/// Some incursions of a crane on five days, and ten hours of runtime.
fn activity(yard: &Yard, machine: i64, incursions: i64) -> (Vec<IncursionRow>, Vec<RuntimePiece>) {
    let rows = (0..incursions).map(|number| {
        let mut row = incursion(yard, &format!("2026-02-2{}T10:{:02}:00Z", number % 5, number / 5 % 60), 10);
        row.attribution.machine = Some(MachineId(machine));
        row
    });
    let pieces = (0..10).map(|day| {
        let mut piece = runtime(&format!("2026-02-1{day}T10:00:00Z"), 60);
        piece.base_station = BaseStationId(machine);
        piece.machine = Some(MachineId(machine));
        piece
    });
    (rows.collect(), pieces.collect())
}

/// Eight cranes that ran for ten hours: the fifth has 60 incursions, the others 9 to 12.
async fn yard_with_cranes(app: TestApp) -> Yard {
    let yard = Yard::new(app).await;
    for id in 4..=8 {
        let create = yard.app.post("/api/v1/machines").cookie(&yard.admin.cookie);
        create.json(&json!({ "name": format!("Crane {id}"), "kind": "crane" })).send().await.expect(201);
    }
    let (mut rows, mut pieces) = (Vec::new(), Vec::new());
    for (machine, incursions) in [(1, 9), (2, 12), (3, 10), (4, 11), (5, 60), (6, 9), (7, 10), (8, 12)] {
        let (some, ran) = activity(&yard, machine, incursions);
        rows.extend(some);
        pieces.extend(ran);
    }
    yard.facts.add_incursions(rows).await;
    yard.facts.put_runtime(&pieces).await;
    yard
}

async fn who_stands_out_is_named_with_what_explains_it(app: TestApp) {
    let yard = yard_with_cranes(app).await;
    let page = open(&yard.app, &yard.admin.cookie, "/outliers?by=machine").await.expect(200);
    // The sentence is that of the API.
    let path = "/api/v2/advanced_insights/outliers?by=machine";
    let answer = yard.app.get(path).bearer(&yard.admin.jwt).send().await.expect(200).json();
    let sentence = answer["outliers"][0]["sentence"].as_str().unwrap();
    assert!(page.says(sentence), "{sentence}: {}", page.text());
    assert!(page.says("Crane 5") && page.says("more than usual") && !page.says("Crane 4"));
    assert!(page.says("8 were compared"), "{}", page.text());
    let links = page.links();
    for link in ["/machines/5", "/incursions?machine_id=5"] {
        assert!(links.iter().any(|found| found == link), "{link}: {links:?}");
    }
    let viewer = yard.app.sign_in_new_user("vera@example.com", Role::Viewer).await;
    assert!(open(&yard.app, &viewer.cookie, "/outliers").await.expect(200).says("Crane 5"));
    // What was picked narrows it and stays in the links.
    let picked = open(&yard.app, &yard.admin.cookie, "/outliers?period=90d&by=machine").await.expect(200);
    assert!(picked.links().iter().any(|link| link == "/incursions?period=90d&machine_id=5"));
    let csv =
        yard.app.get("/outliers?by=machine&format=csv").cookie(&yard.admin.cookie).send().await.expect(200);
    assert_eq!(csv.text().lines().count(), 2, "{}", csv.text());
}

async fn everyone_is_listed_on_request(app: TestApp) {
    let yard = yard_with_cranes(app).await;
    let page =
        open(&yard.app, &yard.admin.cookie, "/outliers?by=machine&by=worksite&all=true").await.expect(200);
    assert!(page.says("Crane 4") && page.says("as its peers") && page.says("Chance alone may explain it"));
    // A single site has nobody to be compared with.
    assert!(page.says("Site 1 was not judged") && page.says("not judged"), "{}", page.text());
    assert_eq!(page.field("all").as_deref(), Some("true"));
    let few = open(&yard.app, &yard.admin.cookie, "/outliers?by=machine&all=true&limit=3").await.expect(200);
    assert!(few.says("5 more are not listed"), "{}", few.text());
}

async fn it_speaks_german_by_the_numbers(app: TestApp) {
    let yard = yard_with_cranes(app).await;
    speak_german(&yard.app, &yard.admin).await;
    let page = open(&yard.app, &yard.admin.cookie, "/outliers?by=machine").await.expect(200);
    for words in [
        "Auffälligkeiten",
        "Crane 5 kam Personen 60-mal zu nahe (10 Betriebsstunden).",
        "Im Vergleich mit 7 anderen Maschinen der Art Kran wären etwa",
        "Zufall allein ist eine unwahrscheinliche Erklärung (angepasster p-Wert",
        "mehr als üblich",
    ] {
        assert!(page.says(words), "{words}: {}", page.text());
    }
    assert!(!page.says("came close"));
}

async fn without_outliers_it_says_why(app: TestApp) {
    let yard = Yard::new(app).await;
    let page = open(&yard.app, &yard.admin.cookie, "/outliers").await.expect(200);
    assert!(page.says("Nobody stands out") && page.says("0 were compared"));
    let outside = yard.restricted("out@example.com", Role::Member, &[2]).await;
    assert!(open(&yard.app, &outside.cookie, "/outliers").await.expect(200).says("Nobody stands out"));
}

async fn while_history_is_loading_nobody_stands_out(app: TestApp) {
    let yard = yard_with_cranes(app).await;
    let complete_from = Day::parse("2026-02-25").unwrap();
    yard.app.app.note_loading_history(BrandId(1), LoadingHistory { complete_from, percent: 8 });
    let page = open(&yard.app, &yard.admin.cookie, "/outliers?by=machine").await.expect(200);
    assert!(
        page.says("Whoever stands out in this period is known once all of it is there."),
        "{}",
        page.text()
    );
    assert!(!page.says("Crane 5") && !page.says("Nobody stands out"), "{}", page.text());
    let path = "/api/v2/advanced_insights/outliers?by=machine";
    let answer = yard.app.get(path).bearer(&yard.admin.jwt).send().await.expect(200).json();
    assert_eq!(
        (&answer["outliers"], &answer["judged"], &answer["not_judged"]),
        (&json!([]), &json!(0), &json!(8))
    );
    // The overview does not say that there are none.
    let overview = open(&yard.app, &yard.admin.cookie, "/").await.expect(200);
    assert!(
        overview.says("Whoever stands out") && !overview.says("Nothing stands out"),
        "{}",
        overview.text()
    );
    yard.app.app.note_complete_history(BrandId(1));
    let page = open(&yard.app, &yard.admin.cookie, "/outliers?by=machine").await.expect(200);
    assert!(page.says("Crane 5") && !page.says("is being loaded"), "{}", page.text());
}

async fn names_are_never_markup(app: TestApp) {
    let yard = yard_with_cranes(app).await;
    let name = "<img src=x onerror=\"alert(1)\"> & 'Co'";
    let change = yard.app.patch("/api/v1/machines/5").cookie(&yard.admin.cookie);
    change.json(&json!({ "name": name })).send().await.expect(200);
    let page = open(&yard.app, &yard.admin.cookie, "/outliers?by=machine").await.expect(200);
    assert!(page.says(&format!("{name} came close to people 60 times")), "{}", page.text());
}

async fn bad_parameters_are_refused(app: TestApp) {
    let yard = Yard::new(app).await;
    for path in ["/outliers?by=zone", "/outliers?all=perhaps", "/outliers?limit=0", "/outliers?row1=machine"]
    {
        open(&yard.app, &yard.admin.cookie, path).await.expect(400);
    }
}
