//! Tests, batteries, visits and contacts of a period.

use domain::{BaseStationId, TagId, Timestamp};
use testkit::{TestApp, on_both_engines};

use super::Rows;
use super::device_values::{add_tests, add_visits, build_registry, micros};

on_both_engines!(
    what_a_tag_waited_for_is_known_at_any_time_of_a_period,
    batteries_are_known_from_tests_and_reports,
    visits_that_overstayed_are_found_with_their_end,
    contacts_are_the_minutes_in_which_facts_were_received,
);

const MINUTE: i64 = 60_000_000;

async fn what_a_tag_waited_for_is_known_at_any_time_of_a_period(app: TestApp) {
    let rows = Rows::new(app).await;
    build_registry(&rows).await;
    add_tests(
        &rows,
        &[
            (1, 30, true, None),
            (1, 45, true, None),
            (1, 60, true, None),
            (1, 70, false, None),
            (1, 100, true, None),
            // Tested before it was first worn, and never since.
            (3, 31, true, None),
            (4, 60, true, None),
        ],
    )
    .await;
    let mut tx = rows.store.read().await.unwrap();
    let mut values = tx.device_values(&rows.scope);
    let found = values.test_history(micros(50), micros(100)).await.unwrap();
    let entry = |tag, at| (TagId(tag), micros(at));
    assert_eq!(found, [entry(2, 12), entry(3, 31), entry(1, 45), entry(1, 60)]);
    let found = values.test_history(micros(20), micros(50)).await.unwrap();
    assert_eq!(found, [entry(1, 1), entry(2, 12), entry(1, 30), entry(3, 31), entry(1, 45)]);
}

async fn batteries_are_known_from_tests_and_reports(app: TestApp) {
    let rows = Rows::new(app).await;
    build_registry(&rows).await;
    add_tests(&rows, &[(1, 20, true, Some(60)), (1, 30, false, Some(55)), (1, 60, true, Some(50))]).await;
    add_tests(&rows, &[(1, 65, true, None), (1, 100, true, Some(1)), (4, 60, true, Some(1))]).await;
    let brand = rows.scope.brand();
    let statements = format!(
        "insert into device_events (brand_id, base_station_id, kind, uid, at, tag_id, details, received_at)
             values ({brand}, 1, 'tag_battery', 'a', 95, 1, '{{\"percent\": 80}}', 96),
                 ({brand}, 1, 'tag_battery', 'b', 10, 1, '{{\"percent\": 99}}', 96),
                 ({brand}, 1, 'tag_battery', 'c', 70, 4, '{{\"percent\": 99}}', 96),
                 ({brand}, 1, 'tag_test', 'd', 71, 1, '{{\"percent\": 98}}', 96)"
    );
    testkit::execute_raw_sql(rows.app.database(), &statements).await.unwrap();
    let mut tx = rows.store.read().await.unwrap();
    let found = tx.device_values(&rows.scope).battery_history(micros(50), micros(100)).await.unwrap();
    let entry = |tag, at, percent| (TagId(tag), micros(at), percent);
    assert_eq!(found, [entry(1, 30, 55), entry(2, 35, 15), entry(1, 60, 50), entry(1, 95, 80)]);
}

async fn visits_that_overstayed_are_found_with_their_end(app: TestApp) {
    let rows = Rows::new(app).await;
    build_registry(&rows).await;
    // The second left in time.
    add_visits(&rows, &[(1, 10, 50, Some(80)), (2, 10, 60, Some(60)), (2, 10, 70, None)]).await;
    let mut tx = rows.store.read().await.unwrap();
    let brand = rows.scope.clone();
    let theirs = rows.restricted(&[2]);
    for (scope, from, to, expected) in [
        (&brand, 40, 100, &[(1, Some(80)), (3, None)][..]),
        (&brand, 79, 100, &[(1, Some(80)), (3, None)]),
        (&brand, 80, 100, &[(3, None)]),
        (&brand, 10, 70, &[(1, Some(80))]),
        (&brand, 10, 50, &[]),
        (&theirs, 40, 100, &[(3, None)]),
    ] {
        let found = tx.device_values(scope).visit_history(micros(from), micros(to)).await.unwrap();
        let found: Vec<_> =
            found.iter().map(|(visit, end)| (visit.visit.0, end.map(Timestamp::micros))).collect();
        assert_eq!(found, expected, "{from} to {to}");
    }
}

async fn contacts_are_the_minutes_in_which_facts_were_received(app: TestApp) {
    let rows = Rows::new(app).await;
    build_registry(&rows).await;
    let brand = rows.scope.brand();
    let at = |minute: i64| minute * MINUTE;
    let incursion = |uid: i64, station: i64, started: i64, received: i64| {
        format!(
            "insert into incursions (brand_id, seq, base_station_id, uid, tag_id, started_at, zone, local_day, local_minute,
                 review, received_at)
             values ({brand}, {uid}, {station}, 'u{uid}', 1, {started}, 1, 0, 0, 0, {received});"
        )
    };
    let statements = [
        // Before the period, and the last of that time reported late.
        incursion(1, 1, at(5), at(5)),
        incursion(2, 1, at(6), at(8)),
        // Twice in one minute, once of another station, and one that no machine has now.
        incursion(3, 1, at(20), at(20)),
        incursion(4, 1, at(20) + 1, at(20) + 7),
        incursion(5, 3, at(21), at(22)),
        incursion(6, 6, at(21), at(21)),
        // Received after the period.
        incursion(7, 1, at(39), at(41)),
        format!(
            "insert into runtime_reports (brand_id, base_station_id, started_at, operator_tag_id, ended_at, received_at)
                 values ({brand}, 1, {}, 0, {}, {});
             insert into runtime_reports (brand_id, base_station_id, started_at, operator_tag_id, ended_at, received_at,
                     last_received_at)
                 values ({brand}, 3, {}, 0, {}, {}, {});
             insert into device_events (brand_id, base_station_id, kind, uid, at, details, received_at)
                 values ({brand}, 1, 'log', 'a', {}, '{{}}', {}), ({brand}, 3, 'log', 'b', {}, '{{}}', {})",
            at(30),
            at(31),
            at(32),
            // Received again and again while it grew.
            at(12),
            at(24),
            at(13),
            at(24),
            at(35),
            at(36),
            at(7),
            at(9)
        ),
    ];
    testkit::execute_raw_sql(rows.app.database(), &statements.concat()).await.unwrap();
    let mut tx = rows.store.read().await.unwrap();
    let found = tx.device_values(&rows.scope).contact_history(micros(at(10)), micros(at(40))).await.unwrap();
    let entry = |station, minute| (BaseStationId(station), micros(at(minute)));
    // Stations 2 and 4 have sent nothing since they were installed, in minute 0.
    let before = [entry(2, 0), entry(4, 0), entry(1, 8), entry(3, 9)];
    let within = [
        entry(3, 13),
        entry(3, 18),
        entry(1, 20),
        entry(3, 22),
        entry(3, 23),
        entry(3, 24),
        entry(1, 32),
        entry(1, 36),
    ];
    assert_eq!(found, [&before[..], &within[..]].concat());
    let theirs = rows.restricted(&[2]);
    let found = tx.device_values(&theirs).contact_history(micros(at(10)), micros(at(40))).await.unwrap();
    assert_eq!(found, [9, 13, 18, 22, 23, 24].map(|minute| entry(3, minute)));
}
