//! Runtime, split into pieces at the hours of the worksite's local time.

use domain::{BaseStationId, MachineId, PersonId, Timestamp};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::BerlinYard;

on_both_engines!(
    runtime_is_cut_at_local_hours_and_where_links_change,
    reports_come_to_the_same_pieces_in_any_order,
    pieces_that_are_no_more_keep_their_row_without_length,
    a_neighbour_keeps_its_operator_though_only_the_next_stretch_is_told,
);

fn runtime(uid: &str, from: &str, to: &str, operator: Option<&str>) -> Value {
    let at = |time: &str| format!("2026-03-01T{time}:00Z");
    json!({ "uid": uid, "kind": "runtime", "started_at": at(from), "ended_at": at(to), "operator_tag": operator })
}

/// Returns start, end, machine, operator and local hour of all pieces with a length, and the number of empty pieces.
async fn pieces(
    yard: &BerlinYard,
) -> (Vec<(String, String, Option<MachineId>, Option<PersonId>, i64)>, usize) {
    let (store, scope) = yard.store_and_scope().await;
    let mut tx = store.read().await.unwrap();
    let all = (Timestamp::from_seconds(0), Timestamp::from_seconds(4_000_000_000));
    let found = tx.runtime(&scope).pieces(BaseStationId(1), all.0, all.1).await.unwrap();
    let time = |at: Timestamp| at.to_string()[11..16].to_owned();
    let (lasting, gone): (Vec<_>, Vec<_>) =
        found.into_iter().map(|kept| kept.piece).partition(|piece| piece.ended_at > piece.started_at);
    let shape = lasting.into_iter().map(|piece| {
        (time(piece.started_at), time(piece.ended_at), piece.machine, piece.operator, piece.local_hour)
    });
    (shape.collect(), gone.len())
}

async fn runtime_is_cut_at_local_hours_and_where_links_change(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.post("machines", json!({ "name": "Loader", "kind": "loader" })).await;
    yard.put(
        "base_stations/1/installation",
        json!({ "machine_id": 2, "effective_from": "2026-03-01T09:20:00Z" }),
    )
    .await;
    yard.send_accepted(json!([runtime("1", "08:30", "10:10", Some("TAG-2"))])).await;
    let piece = |from: &str, to: &str, machine, hour| {
        (from.to_owned(), to.to_owned(), Some(MachineId(machine)), Some(PersonId(2)), hour)
    };
    // The loader is at no worksite, so its hours are in the brand's time zone, UTC.
    let expected = [
        piece("08:30", "09:00", 1, 9),
        piece("09:00", "09:20", 1, 10),
        piece("09:20", "10:00", 2, 9),
        piece("10:00", "10:10", 2, 10),
    ];
    assert_eq!(pieces(&yard).await, (expected.to_vec(), 0));
}

async fn reports_come_to_the_same_pieces_in_any_order(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    // Successive reports of a station while the machine runs, with another operator from 8:40 to 8:50.
    let reports = [
        runtime("1", "08:00", "08:10", None),
        runtime("2", "08:10", "08:30", None),
        runtime("3", "08:00", "09:30", None),
        runtime("4", "08:40", "08:50", Some("TAG-2")),
    ];
    let mut expected = None;
    for (day, order) in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]].into_iter().enumerate() {
        let on = |event: &Value| {
            let text = event.to_string().replace("2026-03-01", &format!("2026-02-{:02}", day + 1));
            serde_json::from_str::<Value>(&text).unwrap()
        };
        for index in order {
            yard.send_accepted(json!([on(&reports[index])])).await;
        }
        assert_eq!(yard.send_accepted(json!(reports.iter().map(on).collect::<Vec<_>>())).await, (0, 4));
        let found = pieces(&yard).await.0.split_off(day * 4);
        assert_eq!(found.len(), 4, "{found:?}");
        assert_eq!(*expected.get_or_insert_with(|| found.clone()), found);
    }
    let found = expected.unwrap();
    let times: Vec<_> = found.iter().map(|piece| (piece.0.as_str(), piece.1.as_str(), piece.3)).collect();
    let ben = Some(PersonId(2));
    assert_eq!(
        times,
        [
            ("08:00", "08:40", None),
            ("08:40", "08:50", ben),
            ("08:50", "09:00", None),
            ("09:00", "09:30", None)
        ]
    );
}

async fn pieces_that_are_no_more_keep_their_row_without_length(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.send_accepted(json!([runtime("1", "08:10", "08:20", None)])).await;
    yard.send_accepted(json!([runtime("2", "08:05", "08:40", None)])).await;
    let (lasting, gone) = pieces(&yard).await;
    assert_eq!(lasting.len(), 1);
    assert_eq!((lasting[0].0.as_str(), lasting[0].1.as_str(), gone), ("08:05", "08:40", 1));
    // An empty piece can get a length again.
    yard.send_accepted(json!([runtime("3", "08:10", "08:15", Some("TAG-2"))])).await;
    let (lasting, gone) = pieces(&yard).await;
    let times: Vec<_> = lasting.iter().map(|piece| (piece.0.as_str(), piece.1.as_str())).collect();
    assert_eq!((times, gone), (vec![("08:05", "08:10"), ("08:10", "08:15"), ("08:15", "08:40")], 0));
    assert_eq!(testkit::count_rows(yard.app.database()).await["runtime_history"], 3);
}

async fn a_neighbour_keeps_its_operator_though_only_the_next_stretch_is_told(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.send_accepted(json!([runtime("1", "08:00", "08:40", Some("TAG-2"))])).await;
    // A change of the registry invalidates the attribution cache.
    yard.post("projects", json!({ "name": "South" })).await;
    yard.send_accepted(json!([runtime("2", "08:40", "08:50", None)])).await;
    let operators: Vec<_> = pieces(&yard).await.0.iter().map(|piece| piece.3).collect();
    assert_eq!(operators, [Some(PersonId(2)), None]);
    assert_eq!(testkit::count_rows(yard.app.database()).await["runtime_history"], 0);
}
