//! Events that are repeated, split, reordered or completed later result in the same rows.

use std::collections::BTreeMap;

use domain::{IncursionId, Review, Timestamp, Zone};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{BerlinYard, incursion, with};

on_both_engines!(
    reports_of_one_incursion_come_to_the_worst_of_them,
    a_uid_belongs_to_the_first_that_had_it,
    whatever_was_sent_is_there_once,
    an_end_that_never_comes_is_given_up_and_may_still_come,
    uids_are_told_apart_by_station_and_case,
    what_was_told_of_the_operator_stays_though_it_is_not_told_again,
);

fn at(text: &str) -> Option<Timestamp> {
    Some(Timestamp::parse(text).unwrap())
}

async fn reports_of_one_incursion_come_to_the_worst_of_them(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let reports = [
        json!({}),
        json!({ "zone": "danger", "closest_cm": 120, "lat": 52.5, "lon": 13.4 }),
        json!({ "ended_at": "2026-03-01T08:00:09Z", "closest_cm": 150 }),
        json!({ "duration_ms": 12_000, "acknowledged_at": "2026-03-01T08:00:05Z", "operator_tag": "TAG-2" }),
        json!({ "acknowledged_at": "2026-03-01T08:00:03Z", "lat": 52.4, "lon": 13.5, "operator_tag": "NEW-9" }),
    ];
    let mut expected = None;
    for (round, order) in
        [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 4, 0, 1, 3], [1, 0, 3, 4, 2]].iter().enumerate()
    {
        let uid = format!("order {round}");
        let mut seqs = Vec::new();
        for index in order {
            let event = with(incursion(&uid), reports[*index].clone());
            let (accepted, duplicates) = yard.send_accepted(json!([event])).await;
            assert_eq!(accepted + duplicates, 1);
            assert_eq!(yard.send_accepted(json!([event])).await, (0, 1), "{uid} {index}");
            seqs.push(yard.stored_incursion(&uid).await.unwrap().row.seq);
        }
        assert!(seqs.is_sorted(), "{seqs:?}");
        let row = yard.stored_incursion(&uid).await.unwrap().row;
        assert_eq!(
            (row.ended_at, row.acknowledged_at),
            (at("2026-03-01T08:00:12Z"), at("2026-03-01T08:00:03Z"))
        );
        assert_eq!((row.zone, row.closest_cm, row.review), (Zone::Danger, Some(120), Review::Unreviewed));
        let found = (row.position, row.operator_tag, row.attribution);
        assert_eq!(*expected.get_or_insert(found), found, "{uid}");
    }
}

async fn a_uid_belongs_to_the_first_that_had_it(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.send_accepted(json!([incursion("1")])).await;
    let other_tag = with(incursion("1"), json!({ "tag": "TAG-2" }));
    let other_start = with(incursion("1"), json!({ "started_at": "2026-03-01T08:00:01Z" }));
    let answer = yard.send(json!([other_tag, incursion("2"), other_start])).await.expect(200).json();
    assert_eq!(answer["accepted"], 1);
    let codes: Vec<_> =
        answer["rejected"].as_array().unwrap().iter().map(|one| (&one["index"], &one["code"])).collect();
    assert_eq!(codes, [(&json!(0), &json!("uid_conflict")), (&json!(2), &json!("uid_conflict"))]);
    assert_eq!(yard.stored_incursion("1").await.unwrap().row.tag, domain::TagId(1));
    // The same in one batch.
    let both = json!([incursion("3"), with(incursion("3"), json!({ "tag": "TAG-2" })), incursion("3")]);
    let answer = yard.send(both).await.expect(200).json();
    assert_eq!((&answer["accepted"], &answer["duplicates"]), (&json!(1), &json!(1)));
    assert_eq!(answer["rejected"][0]["index"], 1);
}

/// The expected result of all reports with one uid.
#[derive(Clone, Debug, Default, PartialEq)]
struct ExpectedIncursion {
    ended_ms: Option<i64>,
    acknowledged_ms: Option<i64>,
    is_danger: bool,
    closest_cm: Option<i64>,
}

impl ExpectedIncursion {
    fn add(&mut self, event: &Value) {
        self.ended_ms = self.ended_ms.max(event["duration_ms"].as_i64());
        let acknowledged = event["acknowledged_at"].as_str().map(|text| {
            (Timestamp::parse(text).unwrap() - at("2026-03-01T08:00:00Z").unwrap()).micros() / 1_000
        });
        self.acknowledged_ms = [self.acknowledged_ms, acknowledged].into_iter().flatten().min();
        self.is_danger |= event["zone"] == "danger";
        self.closest_cm = [self.closest_cm, event["closest_cm"].as_i64()].into_iter().flatten().min();
    }
}

async fn whatever_was_sent_is_there_once(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let random = domain::Random::seeded(7);
    let below = |bound: u64| u64::from_le_bytes(random.bytes::<8>()) % bound;
    let mut model: BTreeMap<String, ExpectedIncursion> = BTreeMap::new();
    let mut sent: Vec<Value> = Vec::new();
    for _ in 0..40 {
        let mut batch = Vec::new();
        for _ in 0..below(60) {
            // Some are exact repeats, some are new or changed.
            if below(4) == 0 && !sent.is_empty() {
                batch.push(sent[below(sent.len() as u64) as usize].clone());
                continue;
            }
            let mut event = incursion(&format!("u{}", below(300)));
            if below(2) == 0 {
                event["duration_ms"] = json!(below(60_000));
            }
            if below(3) == 0 {
                event["acknowledged_at"] = json!(format!("2026-03-01T08:00:{:02}Z", below(60)));
            }
            if below(3) == 0 {
                event["zone"] = json!("danger");
            }
            if below(2) == 0 {
                event["closest_cm"] = json!(below(500));
            }
            batch.push(event);
        }
        for event in &batch {
            model.entry(event["uid"].as_str().unwrap().to_owned()).or_default().add(event);
        }
        // Concurrent batches share a commit.
        let split = below(batch.len() as u64 + 1) as usize;
        let (one, other) = (json!(batch[..split]), json!(batch[split..]));
        let answers = tokio::join!(yard.send_accepted(one), yard.send_accepted(other));
        assert_eq!(answers.0.0 + answers.0.1 + answers.1.0 + answers.1.1, batch.len() as u64);
        sent.extend(batch);
    }
    let mut found = BTreeMap::new();
    let mut ids: Vec<IncursionId> = Vec::new();
    for uid in model.keys() {
        let kept = yard.stored_incursion(uid).await.unwrap();
        let since = |at: Option<Timestamp>| at.map(|at| (at - kept.row.started_at).micros() / 1_000);
        ids.push(kept.id);
        let row = &kept.row;
        found.insert(
            uid.clone(),
            ExpectedIncursion {
                ended_ms: since(row.ended_at),
                acknowledged_ms: since(row.acknowledged_at),
                is_danger: row.zone == Zone::Danger,
                closest_cm: row.closest_cm,
            },
        );
    }
    assert_eq!(found, model);
    assert_eq!(testkit::count_rows(yard.app.database()).await["incursions"], model.len() as i64);
}

async fn an_end_that_never_comes_is_given_up_and_may_still_come(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let old = with(incursion("old"), json!({ "started_at": "2026-02-28T12:00:30Z" }));
    let new = with(incursion("new"), json!({ "started_at": "2026-02-28T12:00:31Z" }));
    yard.send_accepted(json!([old, new])).await;
    assert!(yard.stored_incursion("old").await.unwrap().row.closed_at.is_some());
    assert!(yard.stored_incursion("new").await.unwrap().row.closed_at.is_none());
    yard.send_accepted(json!([with(old, json!({ "duration_ms": 5_000 }))])).await;
    let row = yard.stored_incursion("old").await.unwrap().row;
    assert_eq!((row.closed_at, row.ended_at), (None, at("2026-02-28T12:00:35Z")));
}

async fn uids_are_told_apart_by_station_and_case(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.post("base_stations", json!({ "serial": "ST-2" })).await;
    let of = |uid, station| with(incursion(uid), json!({ "base_station": station }));
    let batch = json!([of("a", "ST-1"), of("A", "ST-1"), of("a", "st-2"), of("a", "ST-2")]);
    let answer = super::send(&yard.app, &yard.gateway, batch).await.expect(200).json();
    assert_eq!((&answer["accepted"], &answer["duplicates"]), (&json!(3), &json!(1)));
}

async fn what_was_told_of_the_operator_stays_though_it_is_not_told_again(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.send_accepted(json!([with(incursion("1"), json!({ "operator_tag": "TAG-2" }))])).await;
    // A change of the registry invalidates the attribution cache.
    yard.post("projects", json!({ "name": "South" })).await;
    yard.send_accepted(json!([with(incursion("1"), json!({ "duration_ms": 1_000 }))])).await;
    let row = yard.stored_incursion("1").await.unwrap().row;
    assert_eq!(
        (row.operator_tag, row.attribution.operator),
        (Some(domain::TagId(2)), Some(domain::PersonId(2)))
    );
    // Of two operators, the lower serial counts, even if the event names only one of them.
    yard.post("projects", json!({ "name": "East" })).await;
    yard.send_accepted(json!([with(incursion("1"), json!({ "operator_tag": "TAG-1" }))])).await;
    assert_eq!(yard.stored_incursion("1").await.unwrap().row.operator_tag, Some(domain::TagId(1)));
}
