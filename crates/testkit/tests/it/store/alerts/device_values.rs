//! What the metrics of tags, stations and visits are measured from.

use domain::{
    BaseStationId, MachineId, PersonId, ProjectId, TagId, TimeZone, Timestamp, VisitId, WorksiteId,
};
use store::{StationContact, TagBattery, TagTestAge, VisitOverdue};
use testkit::{TestApp, on_both_engines};

use super::Rows;

on_both_engines!(
    tags_wait_since_their_last_passed_test_or_since_they_were_first_worn,
    stations_are_silent_since_their_last_contact_or_their_installation,
    visits_are_overdue_from_their_expected_end_on,
    clocks_and_places_are_those_of_now,
    another_brand_has_values_of_its_own,
);

/// Times in these tests are microseconds.
pub(super) fn micros(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros)
}

/// Two projects with a worksite each, yard and depot, and a third worksite without one; machines 1 and 2 in the yard, 3 in the depot, 4
/// nowhere and 5 archived; tags 1 to 3, worn by people 1 to 3, tag 4, which nobody wears, and tag 5, which is retired.
pub(super) async fn build_registry(rows: &Rows) {
    let brand = rows.scope.brand();
    let statements = format!(
        "insert into projects (brand_id, name, name_key, version, created_at, updated_at)
             values ({brand}, 'One', 'one', 1, 0, 0), ({brand}, 'Two', 'two', 1, 0, 0);
         insert into worksites (brand_id, name, name_key, colour, kind, time_zone, project_id, version, created_at, updated_at)
             values ({brand}, 'Yard', 'yard', '#000000', 'other', 'Europe/Berlin', 1, 1, 0, 0),
                 ({brand}, 'Depot', 'depot', '#000000', 'other', 'America/New_York', 2, 1, 0, 0),
                 ({brand}, 'Field', 'field', '#000000', 'other', 'UTC', null, 1, 0, 0);
         insert into machines (brand_id, name, name_key, kind, version, created_at, updated_at, archived_at)
             values ({brand}, 'M1', 'm1', 'truck', 1, 0, 0, null), ({brand}, 'M2', 'm2', 'truck', 1, 0, 0, null),
                 ({brand}, 'M3', 'm3', 'truck', 1, 0, 0, null), ({brand}, 'M4', 'm4', 'truck', 1, 0, 0, null),
                 ({brand}, 'M5', 'm5', 'truck', 1, 0, 0, 9);
         insert into machine_assignments (brand_id, machine_id, worksite_id, from_at, to_at, created_at, updated_at)
             values ({brand}, 1, 2, 1, 5, 0, 0), ({brand}, 1, 1, 5, null, 0, 0), ({brand}, 2, 1, 1, null, 0, 0),
                 ({brand}, 3, 2, 1, null, 0, 0), ({brand}, 4, 1, 1, 5, 0, 0), ({brand}, 5, 1, 1, null, 0, 0);
         insert into base_stations (brand_id, serial, serial_key, last_seen_at, created_at, updated_at)
             values ({brand}, 'S1', 's1', 70, 0, 0), ({brand}, 'S2', 's2', null, 0, 0), ({brand}, 'S3', 's3', 50, 0, 0),
                 ({brand}, 'S4', 's4', 60, 0, 0), ({brand}, 'S5', 's5', 60, 0, 0), ({brand}, 'S6', 's6', 60, 0, 0);
         insert into installations (brand_id, base_station_id, machine_id, from_at, to_at, created_at, updated_at)
             values ({brand}, 1, 1, 10, null, 0, 0), ({brand}, 2, 2, 20, null, 0, 0), ({brand}, 3, 3, 30, null, 0, 0),
                 ({brand}, 4, 4, 40, null, 0, 0), ({brand}, 5, 5, 50, null, 0, 0), ({brand}, 6, 2, 2, 19, 0, 0);
         insert into people (brand_id, kind, name, name_key, created_at, updated_at)
             values ({brand}, 'staff', 'A', 'a', 0, 0), ({brand}, 'staff', 'B', 'b', 0, 0), ({brand}, 'visitor', 'C', 'c', 0, 0);
         insert into tags (brand_id, serial, serial_key, role, battery_percent, battery_at, version, created_at, updated_at,
                 retired_at)
             values ({brand}, 'T1', 't1', 'pedestrian', 80, 95, 1, 0, 0, null),
                 ({brand}, 'T2', 't2', 'pedestrian', 15, 35, 1, 0, 0, null),
                 ({brand}, 'T3', 't3', 'pedestrian', null, null, 1, 0, 0, null),
                 ({brand}, 'T4', 't4', 'pedestrian', 5, 35, 1, 0, 0, null),
                 ({brand}, 'T5', 't5', 'pedestrian', 5, 35, 1, 0, 0, 9);
         insert into tag_assignments (brand_id, tag_id, person_id, assigned_at, assigned_by_kind, assigned_by_id, ended_at,
                 created_at, updated_at)
             values ({brand}, 1, 2, 1, 'user', 1, 4, 0, 0), ({brand}, 1, 1, 11, 'user', 1, null, 0, 0),
                 ({brand}, 2, 1, 12, 'user', 1, 13, 0, 0), ({brand}, 2, 2, 22, 'user', 1, null, 0, 0),
                 ({brand}, 3, 3, 33, 'user', 1, null, 0, 0), ({brand}, 4, 3, 5, 'user', 1, 6, 0, 0),
                 ({brand}, 5, 3, 5, 'user', 1, null, 0, 0)"
    );
    testkit::execute_raw_sql(rows.app.database(), &statements).await.unwrap();
}

/// Adds tests: tag, time, whether it passed, and the battery.
pub(super) async fn add_tests(rows: &Rows, tests: &[(i64, i64, bool, Option<i64>)]) {
    for (tag, at, passed, battery) in tests {
        let battery = battery.map_or_else(|| "null".to_owned(), |percent| percent.to_string());
        let statement = format!(
            "insert into tag_tests (brand_id, tag_id, tested_at, passed, battery_percent, created_at)
             values ({}, {tag}, {at}, {passed}, {battery}, 0)",
            rows.scope.brand()
        );
        testkit::execute_raw_sql(rows.app.database(), &statement).await.unwrap();
    }
}

/// Adds visits of the assignments 2, 4 and 5: worksite, check-in, expected end, check-out.
pub(super) async fn add_visits(rows: &Rows, visits: &[(i64, i64, i64, Option<i64>)]) {
    let brand = rows.scope.brand();
    for (index, (worksite, from, expected, to)) in visits.iter().enumerate() {
        let to = to.map_or_else(|| "null".to_owned(), |at| at.to_string());
        let (person, assignment) = [(1, 2), (2, 4), (3, 5)][index];
        let statement = format!(
            "insert into visitor_sessions (brand_id, person_id, tag_assignment_id, worksite_id, expected_until, checked_in_at,
                 checked_in_by_kind, checked_in_by_id, checked_out_at, created_at, updated_at)
             values ({brand}, {person}, {assignment}, {worksite}, {expected}, {from}, 'user', 1, {to}, 0, 0)"
        );
        testkit::execute_raw_sql(rows.app.database(), &statement).await.unwrap();
    }
}

async fn tags_wait_since_their_last_passed_test_or_since_they_were_first_worn(app: TestApp) {
    let rows = Rows::new(app).await;
    build_registry(&rows).await;
    add_tests(&rows, &[(1, 40, true, None), (1, 60, true, None)]).await;
    add_tests(&rows, &[(1, 80, false, None), (3, 90, false, None)]).await;
    let mut tx = rows.store.read().await.unwrap();
    let mut values = tx.device_values(&rows.scope);
    let age = |tag, person, tested_at: Option<i64>, worn_since| TagTestAge {
        tag: TagId(tag),
        person: PersonId(person),
        tested_at: tested_at.map(micros),
        worn_since: micros(worn_since),
    };
    let ages = values.tag_tests().await.unwrap();
    assert_eq!(ages, [age(1, 1, Some(60), 1), age(2, 2, None, 12), age(3, 3, None, 33)]);
    assert_eq!(ages.iter().map(TagTestAge::since).collect::<Vec<_>>(), [60, 12, 33].map(micros));
    let battery = |tag, person, percent, at| TagBattery {
        tag: TagId(tag),
        person: PersonId(person),
        percent,
        reported_at: Some(micros(at)),
    };
    assert_eq!(values.tag_batteries().await.unwrap(), [battery(1, 1, 80, 95), battery(2, 2, 15, 35)]);
    assert_eq!(tx.statement_count(), 2);
    // Tags have no project.
    let restricted = rows.restricted(&[2]);
    assert_eq!(tx.device_values(&restricted).tag_tests().await.unwrap().len(), 3);
}

async fn stations_are_silent_since_their_last_contact_or_their_installation(app: TestApp) {
    let rows = Rows::new(app).await;
    build_registry(&rows).await;
    let contact = |station, place: Option<(i64, i64)>, since| StationContact {
        station: BaseStationId(station),
        machine: MachineId(station),
        worksite: place.map(|(worksite, _)| WorksiteId(worksite)),
        project: place.map(|(_, project)| ProjectId(project)),
        // The second one was never heard.
        last_seen_at: (station != 2).then(|| micros(since)),
        since: micros(since),
    };
    let (yard, depot) = (Some((1, 1)), Some((2, 2)));
    let all = [contact(1, yard, 70), contact(2, yard, 20), contact(3, depot, 50), contact(4, None, 60)];
    let mut tx = rows.store.read().await.unwrap();
    assert_eq!(tx.device_values(&rows.scope).stations().await.unwrap(), all);
    for (projects, expected) in [(&[1][..], &all[..2]), (&[2], &all[2..3]), (&[1, 2], &all[..3]), (&[], &[])]
    {
        let scope = rows.restricted(projects);
        assert_eq!(tx.device_values(&scope).stations().await.unwrap(), expected, "{projects:?}");
    }
}

async fn visits_are_overdue_from_their_expected_end_on(app: TestApp) {
    let rows = Rows::new(app).await;
    build_registry(&rows).await;
    add_visits(&rows, &[(1, 10, 50, None), (2, 10, 60, None), (1, 10, 20, Some(40))]).await;
    let visit = |id, place, expected| VisitOverdue {
        visit: VisitId(id),
        person: PersonId(id),
        worksite: Some(WorksiteId(place)),
        project: Some(ProjectId(place)),
        expected_until: micros(expected),
        checked_in_at: micros(10),
    };
    let mut tx = rows.store.read().await.unwrap();
    for (now, expected) in
        [(49, vec![]), (50, vec![visit(1, 1, 50)]), (60, vec![visit(1, 1, 50), visit(2, 2, 60)])]
    {
        let found = tx.device_values(&rows.scope).overdue_visits(micros(now)).await.unwrap();
        assert_eq!(found, expected, "{now}");
    }
    let restricted = rows.restricted(&[2]);
    let found = tx.device_values(&restricted).overdue_visits(micros(99)).await.unwrap();
    assert_eq!(found, [visit(2, 2, 60)]);
}

async fn clocks_and_places_are_those_of_now(app: TestApp) {
    let rows = Rows::new(app).await;
    build_registry(&rows).await;
    let mut tx = rows.store.read().await.unwrap();
    let mut values = tx.device_values(&rows.scope);
    let machines: Vec<_> = values.machine_sites().await.unwrap();
    let expected = [(1, Some(1)), (2, Some(1)), (3, Some(2)), (4, None), (5, Some(1))];
    assert_eq!(machines, expected.map(|(machine, site)| (MachineId(machine), site.map(WorksiteId))));
    let zones = values.worksite_zones().await.unwrap();
    let expected = [(1, "Europe/Berlin", Some(1)), (2, "America/New_York", Some(2)), (3, "UTC", None)];
    let expected = expected.map(|(site, zone, project)| {
        (WorksiteId(site), TimeZone::parse(zone).unwrap(), project.map(ProjectId))
    });
    assert_eq!(zones, expected);
    let restricted = rows.restricted(&[2]);
    let mut values = tx.device_values(&restricted);
    assert_eq!(values.machine_sites().await.unwrap(), [(MachineId(3), Some(WorksiteId(2)))]);
    assert_eq!(values.worksite_zones().await.unwrap(), expected[1..2]);
}

async fn another_brand_has_values_of_its_own(app: TestApp) {
    let rows = Rows::new(app).await;
    build_registry(&rows).await;
    add_tests(&rows, &[(1, 40, true, Some(9))]).await;
    add_visits(&rows, &[(1, 10, 50, None)]).await;
    let theirs = rows.other_brand().await;
    let mut tx = rows.store.read().await.unwrap();
    let mut values = tx.device_values(&theirs);
    assert_eq!(values.tag_tests().await.unwrap(), []);
    assert_eq!(values.tag_batteries().await.unwrap(), []);
    assert_eq!(values.stations().await.unwrap(), []);
    assert_eq!(values.overdue_visits(micros(99)).await.unwrap(), []);
    assert_eq!(values.machine_sites().await.unwrap(), []);
    assert_eq!(values.worksite_zones().await.unwrap(), []);
    let (from, to) = (micros(0), micros(1_000));
    assert_eq!(values.test_history(from, to).await.unwrap(), []);
    assert_eq!(values.battery_history(from, to).await.unwrap(), []);
    assert_eq!(values.visit_history(from, to).await.unwrap(), []);
    assert_eq!(values.contact_history(from, to).await.unwrap(), []);
}
