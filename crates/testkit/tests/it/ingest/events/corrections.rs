//! Corrected assignments: later facts are attributed again.

use domain::{BaseStationId, IncursionId, MachineId, PersonId, ProjectId, Timestamp, WorksiteId};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{BerlinYard, incursion, with};

on_both_engines!(
    a_corrected_assignment_moves_what_lies_after_it,
    a_corrected_installation_moves_incursions_and_runtime,
    a_corrected_boundary_zone_and_project_move_what_lies_inside,
    a_machine_that_was_at_another_site_takes_its_facts_there,
    a_site_that_was_drawn_later_takes_what_happened_in_it,
    many_facts_follow_and_ingest_goes_on,
    where_nothing_lies_after_a_change_nothing_is_done,
);

fn incursion_at(uid: &str, time: &str) -> Value {
    with(incursion(uid), json!({ "started_at": format!("2026-02-10T{time}:00Z") }))
}

async fn count_history(yard: &BerlinYard) -> i64 {
    testkit::count_rows(yard.app.database()).await["incursion_history"]
}

async fn a_corrected_assignment_moves_what_lies_after_it(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let drives = |event| with(event, json!({ "tag": "TAG-2", "operator_tag": "TAG-1" }));
    yard.send_accepted(json!([
        incursion_at("1", "08:00"),
        incursion_at("2", "10:00"),
        drives(incursion_at("3", "11:00"))
    ]))
    .await;
    let before = yard.stored_incursion("2").await.unwrap();
    // Ada returned her tag at nine, and Ben has had it since.
    yard.patch("tag_assignments/1", json!({ "ended_at": "2026-02-10T09:00:00Z" })).await;
    yard.post(
        "tag_assignments",
        json!({ "tag_serial": "TAG-1", "person_id": 2, "assigned_at": "2026-02-10T09:30:00Z" }),
    )
    .await;
    assert_eq!(yard.stored_incursion("2").await.unwrap(), before);
    assert_eq!(yard.app.run_jobs().await, 2);
    let who = async |uid| {
        let whose = yard.stored_incursion(uid).await.unwrap().row.attribution;
        (whose.pedestrian, whose.operator)
    };
    assert_eq!(who("1").await, (Some(PersonId(1)), None));
    assert_eq!(who("2").await, (Some(PersonId(2)), None));
    assert_eq!(who("3").await, (Some(PersonId(2)), Some(PersonId(2))));
    let after = yard.stored_incursion("2").await.unwrap();
    assert!(after.row.seq > before.row.seq);
    assert_eq!((after.id, after.row.received_at), (before.id, before.row.received_at));
    // The replaced attribution is stored in the history.
    assert_eq!(count_history(&yard).await, 2);
}

async fn a_corrected_installation_moves_incursions_and_runtime(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.post("machines", json!({ "name": "Loader", "kind": "loader" })).await;
    let runtime = json!({ "uid": "r", "kind": "runtime", "started_at": "2026-02-10T08:10:00Z", "ended_at": "2026-02-12T08:20:00Z" });
    yard.send_accepted(json!([incursion_at("1", "08:00"), incursion_at("2", "12:00"), runtime])).await;
    yard.put(
        "base_stations/1/installation",
        json!({ "machine_id": 2, "effective_from": "2026-02-10T12:00:00Z" }),
    )
    .await;
    yard.app.run_jobs().await;
    let machine = async |uid| yard.stored_incursion(uid).await.unwrap().row.attribution.machine;
    assert_eq!((machine("1").await, machine("2").await), (Some(MachineId(1)), Some(MachineId(2))));
    let (store, scope) = yard.store_and_scope().await;
    let mut tx = store.read().await.unwrap();
    let all = (Timestamp::from_seconds(0), Timestamp::from_seconds(4_000_000_000));
    let pieces = tx.runtime(&scope).pieces(BaseStationId(1), all.0, all.1).await.unwrap();
    let noon = Timestamp::parse("2026-02-10T12:00:00Z").unwrap();
    let mut seconds = 0;
    for piece in pieces.iter().map(|kept| &kept.piece) {
        let expected = if piece.started_at < noon { MachineId(1) } else { MachineId(2) };
        assert_eq!(piece.machine, Some(expected), "{piece:?}");
        seconds += (piece.ended_at - piece.started_at).whole_seconds();
    }
    assert_eq!(seconds, (48 * 60 + 10) * 60);
}

async fn a_corrected_boundary_zone_and_project_move_what_lies_inside(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.post("projects", json!({ "name": "South" })).await;
    let there = |event| with(event, json!({ "lat": 52.5, "lon": 13.41 }));
    yard.send_accepted(json!([
        there(incursion_at("1", "08:00")),
        there(incursion_at("2", "10:00")),
        incursion_at("3", "10:30")
    ]))
    .await;
    let whose = async |uid| {
        let whose = yard.stored_incursion(uid).await.unwrap().row.attribution;
        (whose.worksite, whose.project, whose.local_minute % 1_440 / 60)
    };
    // Outside of the circle, the machine's assigned worksite counts, which is the same one.
    let north = |hour| (Some(WorksiteId(1)), Some(ProjectId(1)), hour);
    assert_eq!((whose("1").await, whose("2").await, whose("3").await), (north(9), north(11), north(11)));
    let change =
        json!({ "time_zone": "America/New_York", "project_id": 2, "effective_from": "2026-02-10T09:00:00Z" });
    yard.patch("worksites/1", change).await;
    yard.app.run_jobs().await;
    let south = |hour| (Some(WorksiteId(1)), Some(ProjectId(2)), hour);
    assert_eq!((whose("1").await, whose("2").await, whose("3").await), (north(9), south(5), south(5)));
    let boundary = json!({ "type": "Circle", "center": [13.41, 52.5], "radius_m": 100 });
    let pit = json!({ "name": "Pit", "kind": "other", "colour": "#ff8800", "time_zone": "UTC" });
    yard.post("worksites", with(pit, json!({ "effective_from": "2026-01-01T00:00:00Z" }))).await;
    yard.patch("worksites/2", json!({ "boundary": boundary, "effective_from": "2026-02-10T09:59:00Z" }))
        .await;
    yard.app.run_jobs().await;
    assert_eq!((whose("1").await, whose("2").await), (north(9), (Some(WorksiteId(2)), None, 10)));
}

async fn a_machine_that_was_at_another_site_takes_its_facts_there(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let pit = json!({ "name": "Pit", "kind": "other", "colour": "#ff8800", "time_zone": "UTC", "effective_from": "2026-01-01T00:00:00Z" });
    yard.post("worksites", pit).await;
    yard.send_accepted(json!([incursion_at("1", "08:00"), incursion_at("2", "10:00")])).await;
    yard.put("worksites/2/assignments/machines/1", json!({ "effective_from": "2026-02-10T09:00:00Z" })).await;
    yard.app.run_jobs().await;
    let site = async |uid| yard.stored_incursion(uid).await.unwrap().row.attribution.worksite;
    assert_eq!((site("1").await, site("2").await), (Some(WorksiteId(1)), Some(WorksiteId(2))));
}

async fn a_site_that_was_drawn_later_takes_what_happened_in_it(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let there = |event| with(event, json!({ "lat": 48.1, "lon": 11.5 }));
    yard.send_accepted(json!([there(incursion_at("1", "08:00")), there(incursion_at("2", "10:00"))])).await;
    let boundary = json!({ "type": "Circle", "center": [11.5, 48.1], "radius_m": 100 });
    let new = json!({ "name": "New", "kind": "other", "colour": "#ff8800", "time_zone": "UTC", "boundary": boundary, "effective_from": "2026-02-10T09:00:00Z" });
    yard.post("worksites", new).await;
    yard.app.run_jobs().await;
    let site = async |uid| yard.stored_incursion(uid).await.unwrap().row.attribution.worksite;
    assert_eq!((site("1").await, site("2").await), (Some(WorksiteId(1)), Some(WorksiteId(2))));
    // The worksite has history now.
    yard.app.delete("/api/v1/worksites/2").cookie(&yard.admin.cookie).send().await.expect(200);
    assert_ne!(yard.get("worksites/2").await["archived_at"], json!(null));
    yard.app.allow_leftover_jobs();
}

async fn many_facts_follow_and_ingest_goes_on(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let all: Vec<Value> = (0..1_200)
        .map(|n| {
            with(
                incursion(&n.to_string()),
                json!({ "started_at": format!("2026-02-{:02}T08:{:02}:00Z", n / 60 + 1, n % 60) }),
            )
        })
        .collect();
    yard.send_accepted(json!(all)).await;
    yard.patch("tag_assignments/1", json!({ "ended_at": "2026-02-02T08:00:00Z" })).await;
    let more: Vec<Value> =
        all.iter().map(|event| with(event.clone(), json!({ "duration_ms": 1_000 }))).collect();
    let (jobs, _) = tokio::join!(yard.app.run_jobs(), async {
        for part in more.chunks(100) {
            assert_eq!(yard.send_accepted(json!(part)).await, (100, 0));
        }
    });
    assert_eq!(jobs, 1);
    let (store, scope) = yard.store_and_scope().await;
    let mut tx = store.read().await.unwrap();
    let from = (Timestamp::from_seconds(0), IncursionId(0));
    let kept = tx
        .incursion_scans(&scope)
        .next_page(store::ScanBy::Time, from, Timestamp::from_seconds(4_000_000_000), 2_000)
        .await
        .unwrap();
    assert_eq!(kept.len(), 1_200);
    for (place, kept) in kept.iter().enumerate() {
        let expected = (place < 60).then_some(PersonId(1));
        assert_eq!(
            (kept.row.attribution.pedestrian, kept.row.ended_at.is_some()),
            (expected, true),
            "{place}"
        );
    }
    let mut seqs: Vec<i64> = kept.iter().map(|kept| kept.row.seq).collect();
    seqs.sort_unstable();
    seqs.dedup();
    assert_eq!(seqs.len(), 1_200);
}

async fn where_nothing_lies_after_a_change_nothing_is_done(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.send_accepted(json!([incursion_at("1", "08:00")])).await;
    yard.app.delete("/api/v1/tag_assignments/1").cookie(&yard.admin.cookie).send().await.expect(200);
    let tester = yard.app.issue_token("Acme", domain::DeviceKind::Tester, "Gate 1").await;
    let give = json!({ "tag_serial": "TAG-1", "person_id": 2 });
    yard.app.post("/api/v1/tester/tag_assignments").bearer(&tester).json(&give).send().await.expect(201);
    assert_eq!(yard.app.run_jobs().await, 0);
    assert_eq!(count_history(&yard).await, 0);
}
