//! Questions answered by SQL.

mod clocks;
mod column_manifests;
mod columns;
mod limits;
mod questions;
mod warehouse_copies;

use std::time::Duration;

use domain::Role;
use domain::insights::{Answer, Question};
use serde_json::json;
use store::{AnswerWithSeq, QueryLimits, Scope, Store};
use testkit::insights::{FactRows, SeededRandom};
use testkit::{Facts, TestApp};

const AMPLE_LIMITS: QueryLimits = QueryLimits { max_groups: 100_000, timeout: Duration::from_secs(60) };

/// Adds random facts to the brand "Acme" with a registry of the same kinds, and a second brand whose registry has the next ids.
async fn random_facts(app: &TestApp, seed: u64, incursions: i64, pieces: i64) -> (Facts, FactRows) {
    let dice = SeededRandom::new(seed);
    let random = FactRows::random(&dice, incursions, pieces);
    let ours = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let theirs = app.sign_in_new_user_in_brand("Other", "other@example.com", Role::Admin).await;
    let kinds = &random.kinds;
    for (place, ((_, worksite), ((_, machine), (_, person)))) in
        kinds.worksites.iter().zip(kinds.machines.iter().zip(&kinds.people)).enumerate()
    {
        let bodies = [
            (
                "worksites",
                json!({ "name": format!("Site {place}"), "colour": "#ff8800", "kind": worksite.as_str(),
                "time_zone": "UTC" }),
            ),
            ("machines", json!({ "name": format!("Machine {place}"), "kind": machine.as_str() })),
            ("people", json!({ "name": format!("Person {place}"), "kind": person.as_str() })),
        ];
        for (path, body) in bodies {
            app.post(&format!("/api/v1/{path}")).cookie(&ours.cookie).json(&body).send().await.expect(201);
            if place + 1 == kinds.worksites.len() {
                app.post(&format!("/api/v1/{path}"))
                    .cookie(&theirs.cookie)
                    .json(&body)
                    .send()
                    .await
                    .expect(201);
            }
        }
    }
    let facts = app.facts("Acme").await;
    facts.add_rows(&random).await;
    let elsewhere = app.facts("Other").await;
    elsewhere.add_rows(&FactRows::random(&dice, 50, 50)).await;
    let (store, scope) = facts.store_and_scope();
    let (rows, _) = FactRows::read(store, scope, 97).await;
    assert_eq!(rows.kinds, random.kinds);
    assert_eq!((rows.incursions.len(), rows.runtime.len()), (random.incursions.len(), random.runtime.len()));
    (facts, rows)
}

async fn answered(store: &Store, scope: &Scope, question: &Question) -> AnswerWithSeq {
    let mut snapshot = store.snapshot().await.unwrap();
    let answered = snapshot.insights(scope).answer(question, AMPLE_LIMITS).await.unwrap();
    snapshot.end().await.unwrap();
    answered
}

async fn answer(store: &Store, scope: &Scope, question: &Question) -> Answer {
    answered(store, scope, question).await.answer
}
