//! Attribution of incursions to machines, worksites, projects and people.

use domain::{MachineId, PersonId, ProjectId, WorksiteId};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::{BerlinYard, incursion, with};

on_both_engines!(
    an_incursion_belongs_to_whom_the_links_of_its_time_say,
    days_and_minutes_are_those_of_the_sites_clock_across_a_change,
    a_station_that_was_moved_at_noon_counts_for_both_machines,
    without_a_position_the_machines_site_counts,
    a_site_that_was_archived_keeps_what_happened_before,
    what_another_process_changed_counts_at_once,
);

async fn an_incursion_belongs_to_whom_the_links_of_its_time_say(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let event = with(incursion("1"), json!({ "operator_tag": "tag-2", "lat": 52.5001, "lon": 13.4001 }));
    assert_eq!(yard.send_accepted(json!([event])).await, (1, 0));
    let whose = yard.stored_incursion("1").await.unwrap().row.attribution;
    assert_eq!(
        (whose.machine, whose.pedestrian, whose.operator, whose.worksite, whose.project),
        (Some(MachineId(1)), Some(PersonId(1)), Some(PersonId(2)), Some(WorksiteId(1)), Some(ProjectId(1)))
    );
    // 9:00 on a Sunday in Berlin.
    assert_eq!((whose.local_day, whose.local_minute), (20_513, 6 * 1_440 + 9 * 60));
    assert!(whose.cell.is_some());
    // Before the first assignment there is no attribution.
    let old = with(incursion("2"), json!({ "started_at": "2025-12-31T23:00:00Z", "operator_tag": "NEW-1" }));
    yard.send_accepted(json!([old])).await;
    let whose = yard.stored_incursion("2").await.unwrap().row.attribution;
    assert_eq!((whose.machine, whose.pedestrian, whose.operator, whose.worksite), (None, None, None, None));
    // The local time is then that of the brand's time zone.
    assert_eq!((whose.local_day, whose.local_minute), (20_453, 2 * 1_440 + 23 * 60));
}

async fn days_and_minutes_are_those_of_the_sites_clock_across_a_change(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.app.clock.advance(domain::Span::minutes(30 * 24 * 60));
    let places = [
        ("1", "2026-03-29T00:59:00Z", 6 * 1_440 + 60 + 59, 20_541),
        ("2", "2026-03-29T01:00:00Z", 6 * 1_440 + 3 * 60, 20_541),
        ("3", "2026-03-28T22:59:59Z", 5 * 1_440 + 23 * 60 + 59, 20_540),
        ("4", "2026-03-28T23:00:00Z", 6 * 1_440, 20_541),
        ("5", "2026-03-29T22:00:00Z", 0, 20_542),
    ];
    let events: Vec<_> =
        places.iter().map(|(uid, at, _, _)| with(incursion(uid), json!({ "started_at": at }))).collect();
    yard.send_accepted(json!(events)).await;
    for (uid, _, minute, day) in places {
        let whose = yard.stored_incursion(uid).await.unwrap().row.attribution;
        assert_eq!((whose.local_minute, whose.local_day), (minute, day), "{uid}");
    }
}

async fn a_station_that_was_moved_at_noon_counts_for_both_machines(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.post("machines", json!({ "name": "Loader", "kind": "loader" })).await;
    yard.put(
        "base_stations/1/installation",
        json!({ "machine_id": 2, "effective_from": "2026-02-01T12:00:00Z" }),
    )
    .await;
    let at = |uid, at| with(incursion(uid), json!({ "started_at": at }));
    let before = at("before", "2026-02-01T11:59:59.999999Z");
    yard.send_accepted(json!([before, at("after", "2026-02-01T12:00:00Z")])).await;
    let machine = async |uid| yard.stored_incursion(uid).await.unwrap().row.attribution.machine;
    assert_eq!((machine("before").await, machine("after").await), (Some(MachineId(1)), Some(MachineId(2))));
}

async fn without_a_position_the_machines_site_counts(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let boundary = json!({ "type": "Circle", "center": [13.5, 52.5], "radius_m": 100 });
    let other = json!({ "name": "Pit", "kind": "other", "colour": "#ff8800", "time_zone": "UTC", "boundary": boundary,
        "effective_from": "2026-01-01T00:00:00Z" });
    yard.post("worksites", other).await;
    let there = with(incursion("there"), json!({ "lat": 52.5, "lon": 13.5 }));
    let nowhere = with(incursion("nowhere"), json!({ "lat": 0, "lon": 0 }));
    yard.send_accepted(json!([incursion("none"), there, nowhere])).await;
    for (uid, site, project) in
        [("none", 1, Some(ProjectId(1))), ("there", 2, None), ("nowhere", 1, Some(ProjectId(1)))]
    {
        let whose = yard.stored_incursion(uid).await.unwrap().row.attribution;
        assert_eq!((whose.worksite, whose.project), (Some(WorksiteId(site)), project), "{uid}");
    }
}

async fn a_site_that_was_archived_keeps_what_happened_before(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.app.delete("/api/v1/worksites/1").cookie(&yard.admin.cookie).send().await.expect(200);
    let here = json!({ "lat": 52.5, "lon": 13.4 });
    yard.app.clock.advance(domain::Span::minutes(60));
    let after = with(with(incursion("after"), here.clone()), json!({ "started_at": "2026-03-01T12:30:00Z" }));
    yard.send_accepted(json!([with(incursion("before"), here), after])).await;
    let site = async |uid| yard.stored_incursion(uid).await.unwrap().row.attribution.worksite;
    assert_eq!((site("before").await, site("after").await), (Some(WorksiteId(1)), None));
}

async fn what_another_process_changed_counts_at_once(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.send_accepted(json!([incursion("1")])).await;
    let other = yard.app.second_instance().await;
    // Ada's tag is assigned to Ben through another process.
    let tester = other.issue_token("Acme", domain::DeviceKind::Tester, "Gate 1").await;
    let swap = json!({ "tag_serial": "TAG-1", "person_id": 2, "replace": true });
    other.post("/api/v1/tester/tag_assignments").bearer(&tester).json(&swap).send().await.expect(201);
    yard.app.clock.advance(domain::Span::minutes(1));
    yard.send_accepted(json!([with(incursion("2"), json!({ "started_at": "2026-03-01T12:01:00Z" }))])).await;
    let who = async |uid| yard.stored_incursion(uid).await.unwrap().row.attribution.pedestrian;
    assert_eq!((who("1").await, who("2").await), (Some(PersonId(1)), Some(PersonId(2))));
}
