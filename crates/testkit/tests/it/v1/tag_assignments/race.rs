//! Concurrent assignments by tester devices and users.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::{DeviceKind, Random, Role, Span, Timestamp};
use serde_json::{Value, json};
use testkit::{Reply, TestApp, on_both_engines};

on_both_engines!(sixteen_kiosks_and_desks_never_give_a_tag_to_two);

/// Errors that a concurrent call may get.
const ALLOWED_ERRORS: [&str; 3] = ["tag_already_assigned", "overlap", "bad_time"];

struct Client {
    app: Arc<TestApp>,
    session_cookie: String,
    tester_token: String,
    random: Random,
    created_ids: Vec<i64>,
}

impl Client {
    async fn act(&mut self) {
        let [what, tag, who, ago] = self.random.bytes::<4>();
        let at = || (self.app.clock.now() - Span::seconds(i64::from(ago % 40))).to_string();
        let serial = format!("TAG-{}", tag % 4);
        let known = self.created_ids.get(usize::from(who) % self.created_ids.len().max(1)).copied();
        let (desk, kiosk) = ("/api/v1/tag_assignments", "/api/v1/tester/tag_assignments");
        let mut body = json!({ "tag_serial": serial, "person_id": 1 + who % 4, "replace": what % 2 == 0 });
        let app = &self.app;
        let reply = match (what % 8, known) {
            (0, Some(id)) => {
                app.delete(&format!("{kiosk}/{id}")).bearer(&self.tester_token).send().await.expect(200)
            }
            (1, Some(id)) => {
                app.delete(&format!("{desk}/{id}")).cookie(&self.session_cookie).send().await.expect(200)
            }
            (2, Some(id)) => {
                let change = json!({ "assigned_at": at() });
                app.patch(&format!("{desk}/{id}")).cookie(&self.session_cookie).json(&change).send().await
            }
            (3, Some(id)) => {
                let ended = if ago % 5 == 0 { json!(null) } else { json!(at()) };
                let change = json!({ "ended_at": ended });
                app.patch(&format!("{desk}/{id}")).cookie(&self.session_cookie).json(&change).send().await
            }
            (4, _) => {
                let test = json!({ "tag_serial": serial, "passed": true, "tested_at": at() });
                let reply =
                    app.post("/api/v1/tester/tag_tests").bearer(&self.tester_token).json(&test).send().await;
                reply.expect(201);
                return;
            }
            (5, _) => {
                body["assigned_at"] = json!(at());
                app.post(desk).cookie(&self.session_cookie).json(&body).send().await
            }
            (6, _) => app.post(desk).cookie(&self.session_cookie).json(&body).send().await,
            _ => app.post(kiosk).bearer(&self.tester_token).json(&body).send().await,
        };
        self.app.clock.advance(Span::seconds(1));
        self.check_reply(&reply);
    }

    fn check_reply(&mut self, reply: &Reply) {
        match reply.status.as_u16() {
            201 => self.created_ids.push(reply.json()["id"].as_i64().unwrap()),
            200 => {}
            422 => {
                let code = reply.json()["errors"][0]["code"].as_str().unwrap().to_owned();
                assert!(ALLOWED_ERRORS.contains(&code.as_str()), "{code}");
            }
            other => panic!("{other}: {}", String::from_utf8_lossy(&reply.body)),
        }
    }
}

fn time(value: &Value) -> Option<Timestamp> {
    value.as_str().map(|text| Timestamp::parse(text).unwrap())
}

async fn sixteen_kiosks_and_desks_never_give_a_tag_to_two(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    // Several of each, because calls per minute are limited for each user and token.
    let (mut desks, mut kiosks) = (Vec::new(), Vec::new());
    for n in 0..4 {
        desks.push(app.sign_in_new_user(&format!("m{n}@example.com"), Role::Member).await.cookie);
        kiosks.push(app.issue_token("Acme", DeviceKind::Tester, &format!("Gate {n}")).await);
    }
    for n in 0..4 {
        let body = json!({ "kind": "staff", "name": format!("P{n}") });
        app.post("/api/v1/people").cookie(&member.cookie).json(&body).send().await.expect(201);
    }
    let places = [Arc::new(app.second_instance().await), Arc::new(app)];
    let mut clients = tokio::task::JoinSet::new();
    for seed in 0..16 {
        let mut client = Client {
            app: Arc::clone(&places[usize::from(seed % 2 == 0)]),
            session_cookie: desks[seed as usize % 4].clone(),
            tester_token: kiosks[seed as usize % 4].clone(),
            random: Random::seeded(seed),
            created_ids: Vec::new(),
        };
        clients.spawn(async move {
            for _ in 0..12 {
                client.act().await;
            }
            client.created_ids
        });
    }
    let mut made: Vec<i64> = clients.join_all().await.into_iter().flatten().collect();
    let get = |path: &str| places[1].get(path).cookie(&member.cookie).send();
    let list = get("/api/v1/tag_assignments?limit=500").await.expect(200).json();
    let rows = list["data"].as_array().unwrap();
    // Every confirmed assignment is stored, and nothing else.
    let mut ids: Vec<i64> = rows.iter().map(|row| row["id"].as_i64().unwrap()).collect();
    ids.sort_unstable();
    made.sort_unstable();
    assert_eq!(ids, made);
    let mut worn: BTreeMap<i64, Vec<(Timestamp, Timestamp, &Value)>> = BTreeMap::new();
    for row in rows {
        let (from, to) = (time(&row["assigned_at"]).unwrap(), time(&row["ended_at"]));
        let to = to.unwrap_or(Timestamp::from_micros(i64::MAX));
        assert!(from <= to, "{row}");
        if from < to {
            worn.entry(row["tag"]["id"].as_i64().unwrap()).or_default().push((from, to, &row["person"]));
        }
    }
    for (tag, spans) in &mut worn {
        spans.sort_by_key(|(from, ..)| *from);
        for pair in spans.windows(2) {
            assert!(pair[0].1 <= pair[1].0, "tag {tag}: {pair:?}");
        }
        // Each test names the wearer of its time, after all corrections.
        let tests = get(&format!("/api/v1/tags/{tag}/tests?limit=500")).await.expect(200).json();
        for test in tests["data"].as_array().unwrap() {
            let at = time(&test["tested_at"]).unwrap();
            let wearer = spans.iter().find(|(from, to, _)| *from <= at && at < *to);
            let wearer = wearer.map_or(json!(null), |(_, _, person)| (*person).clone());
            assert_eq!(test["person"], wearer, "tag {tag} at {at}");
        }
    }
    assert!(!worn.is_empty());
}
