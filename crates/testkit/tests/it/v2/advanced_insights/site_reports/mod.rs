//! /api/v2/advanced_insights/site_reports

mod access;
mod create;
mod facts;
mod lies;
mod model;
mod outliers;
mod services;

use domain::{BaseStationId, IncursionRow, MachineId, PersonId, TagId, Timestamp, Zone};
use serde_json::{Value, json};
use store::{NewTagTest, RuntimePiece};
use testkit::{Account, PASSWORD, Reply, TestApp};

use crate::v1::insights::{Yard, acknowledged, incursion, runtime};

const PATH: &str = "/api/v2/advanced_insights/site_reports";
const JSON_API: &str = "application/vnd.api+json";

/// A space at which a line does not break, as in `67 %`.
const SPACE: char = '\u{a0}';

/// Worksite 1, with local time in UTC. In February, on each weekday but the 18th: two incursions of machine 1 with Ada after eight, the
/// first acknowledged, the second in the danger zone, and one of machine 2 with Bob after two, acknowledged. Machine 1 runs two hours of
/// these days, machine 2 three. In January, on each weekday, machine 1 runs an hour and has one incursion with Ada. From September 2025
/// on, for ten weeks, it runs five hours on Mondays and has one incursion. Ada's tag was tested on 23 February; Bob's never was.
async fn lively_site(app: TestApp) -> Yard {
    let yard = Yard::new(app).await;
    let (mut incursions, mut pieces) = (Vec::new(), Vec::new());
    let february =
        (2..=27).filter(|day| (day + 5) % 7 < 5 && *day != 18).map(|day| format!("2026-02-{day:02}"));
    for day in february {
        incursions.push(acknowledged(incursion(&yard, &format!("{day}T08:10:00Z"), 10), 2));
        incursions
            .push(IncursionRow { zone: Zone::Danger, ..incursion(&yard, &format!("{day}T08:40:00Z"), 30) });
        incursions.push(of_bob(acknowledged(incursion(&yard, &format!("{day}T14:20:00Z"), 10), 2)));
        pieces.extend([8, 10].map(|hour| runtime(&format!("{day}T{hour:02}:00:00Z"), 60)));
        pieces.extend([14, 15, 16].map(|hour| of_machine_2(runtime(&format!("{day}T{hour}:00:00Z"), 60))));
    }
    for day in (5..=30).filter(|day| (day + 2) % 7 < 5) {
        incursions.push(acknowledged(incursion(&yard, &format!("2026-01-{day:02}T08:10:00Z"), 10), 2));
        pieces.push(runtime(&format!("2026-01-{day:02}T08:00:00Z"), 60));
    }
    let mondays = ["09-01", "09-08", "09-15", "09-22", "09-29", "10-06", "10-13", "10-20", "10-27", "11-03"];
    for monday in mondays {
        incursions.push(incursion(&yard, &format!("2025-{monday}T09:10:00Z"), 10));
        pieces.extend((8..13).map(|hour| runtime(&format!("2025-{monday}T{hour:02}:00:00Z"), 60)));
    }
    yard.facts.add_incursions(incursions).await;
    yard.facts.put_runtime(&pieces).await;
    add_test(&yard, TagId(1), "2026-02-23T06:00:00Z").await;
    yard
}

fn of_bob(mut row: IncursionRow) -> IncursionRow {
    row.tag = TagId(2);
    row.attribution.machine = Some(MachineId(2));
    row.attribution.pedestrian = Some(PersonId(2));
    row
}

fn of_machine_2(mut piece: RuntimePiece) -> RuntimePiece {
    piece.base_station = BaseStationId(2);
    piece.machine = Some(MachineId(2));
    piece
}

/// Adds a passed test.
async fn add_test(yard: &Yard, tag: TagId, tested_at: &str) {
    let (store, scope) = yard.facts.store_and_scope();
    let test = NewTagTest {
        tag,
        device: None,
        base_station: None,
        tested_at: Timestamp::parse(tested_at).unwrap(),
        passed: true,
        battery: None,
    };
    let mut tx = store.begin().await.unwrap();
    tx.tag_tests(scope).add(&test, yard.app.clock.now()).await.unwrap();
    tx.commit().await.unwrap();
}

/// Sends the document of a new site report about a worksite.
async fn post(yard: &Yard, user: &Account, attributes: &Value, worksite: &str) -> Reply {
    let relationships = json!({ "worksite": { "data": { "type": "worksites", "id": worksite } } });
    let data = json!({ "type": "site_reports", "attributes": attributes, "relationships": relationships });
    send(yard, user, &data).await
}

async fn send(yard: &Yard, user: &Account, data: &Value) -> Reply {
    let call = yard.app.post(PATH).bearer(&user.jwt);
    call.bytes(JSON_API, json!({ "data": data }).to_string()).send().await
}

async fn get(yard: &Yard, user: &Account, rest: &str) -> Reply {
    yard.app.get(&format!("{PATH}{rest}")).bearer(&user.jwt).send().await
}

/// Requests a site report about February at worksite 1, has it written, and returns its attributes.
async fn write(yard: &Yard, user: &Account, language: &str) -> Value {
    let attributes = json!({ "from": "2026-02-01", "to": "2026-03-01", "language": language });
    let made = post(yard, user, &attributes, "1").await.expect(201).json();
    yard.app.run_jobs().await;
    let id = made["data"]["id"].as_str().unwrap();
    let written = get(yard, user, &format!("/{id}")).await.expect(200).json()["data"]["attributes"].take();
    assert_eq!((&written["state"], &written["percent"]), (&json!("ready"), &json!(100)), "{written}");
    written
}

/// Signs the admin in again, after the clock has moved.
async fn sign_in_again(yard: &Yard) -> Account {
    let reply = yard.app.log_in_v2(&yard.admin.email, PASSWORD).await.expect(200);
    Account {
        email: yard.admin.email.clone(),
        cookie: String::new(),
        jwt: reply.header("accesstoken").to_owned(),
        refresh_token: String::new(),
    }
}

/// Returns the fact of a kind, or the first of them.
fn fact<'a>(report: &'a Value, kind: &str) -> &'a Value {
    let facts = report["facts"].as_array().unwrap();
    facts.iter().find(|fact| fact["kind"] == kind).unwrap_or_else(|| panic!("{kind}: {facts:#?}"))
}

/// Returns the texts of the sentences of a role.
fn sentences<'a>(report: &'a Value, role: &str) -> Vec<&'a str> {
    let all = report["sentences"].as_array().unwrap().iter().filter(|sentence| sentence["role"] == role);
    all.map(|sentence| sentence["text"].as_str().unwrap()).collect()
}
