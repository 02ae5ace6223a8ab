//! The values of each chart for a few known facts.

use domain::{BaseStationId, MachineId, Role, WorksiteId};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{Yard, busy_yard, chart, incursion, send_get, series};
use crate::v1::insights::runtime;

on_both_engines!(
    acknowledged_incursions_come_with_their_rate,
    time_in_zones_is_told_by_zone_and_by_part,
    a_rate_needs_runtime,
    of_many_rates_ten_have_a_line,
    lengths_fall_into_their_steps,
    every_hour_of_the_week_is_there,
    an_hour_that_the_period_does_not_have_has_no_value,
    what_has_not_come_has_no_value,
    a_score_says_how_sure_it_is,
    hexagons_are_those_of_the_ground,
    a_skipped_hour_is_no_step,
    idle_is_not_empty_and_not_unknown,
    a_restricted_user_gets_only_theirs,
    those_who_do_not_see_names_get_none,
);

const DAYS: &str = "from=2026-02-24&to=2026-02-27";

async fn acknowledged_incursions_come_with_their_rate(app: TestApp) {
    let yard = busy_yard(app).await;
    let answer = chart(&yard, &format!("/acknowledged_incursions?{DAYS}")).await;
    assert_eq!(
        series(&answer),
        [
            json!([
                "acknowledged",
                "Acknowledged",
                [["2026-02-24", 1], ["2026-02-25", 0], ["2026-02-26", 0]]
            ]),
            json!([
                "unacknowledged",
                "Not acknowledged",
                [["2026-02-24", 2], ["2026-02-25", 1], ["2026-02-26", 0]]
            ]),
            json!([
                "acknowledgement_rate",
                "Acknowledgement rate",
                [["2026-02-24", 1.0 / 3.0], ["2026-02-25", 0], ["2026-02-26", "no_incursions"]]
            ]),
        ]
    );
    assert_eq!(
        (
            &answer["chart"],
            &answer["unit"],
            &answer["interval"],
            &answer["from"],
            &answer["to"],
            &answer["time_zones"]
        ),
        (
            &json!("acknowledged_incursions"),
            &json!("count"),
            &json!("day"),
            &json!("2026-02-24"),
            &json!("2026-02-27"),
            &json!(["UTC"])
        )
    );
    let weekly = chart(&yard, &format!("/acknowledged_incursions?{DAYS}&interval=week&zone=danger")).await;
    assert_eq!(series(&weekly)[1], json!(["unacknowledged", "Not acknowledged", [["2026-02-23", 2]]]));
}

async fn time_in_zones_is_told_by_zone_and_by_part(app: TestApp) {
    let yard = busy_yard(app).await;
    let by_zone = chart(&yard, "/zone_time").await;
    assert_eq!(series(&by_zone), [json!(["exposure", "Time in zones", [["Danger", 60], ["Warning", 30]]])]);
    assert_eq!((&by_zone["unit"], &by_zone["interval"]), (&json!("seconds"), &json!(null)));
    let by_machine = chart(&yard, "/zone_time?by=machine").await;
    assert_eq!(
        series(&by_machine),
        [
            json!(["warning", "Warning", [["Crane 1", 30], ["Crane 2", 0]]]),
            json!(["danger", "Danger", [["Crane 1", 30], ["Crane 2", 30]]]),
        ]
    );
    assert_eq!(by_machine["series"][0]["points"][0]["key"], json!(1));
    assert_eq!((&by_zone["without_end"], &by_machine["without_end"]), (&json!(0), &json!(0)));
    let one = chart(&yard, "/zone_time?by=worksite&limit=1").await;
    assert_eq!((&series(&one)[0][2], &one["more"]), (&json!([["Site 1", 30]]), &json!(1)));
    // The operator is unknown for most of it.
    let by_operator = chart(&yard, "/zone_time?by=operator").await;
    let point = &by_operator["series"][0]["points"][0];
    assert_eq!((&point["key"], &point["label"]), (&json!(null), &json!("Unknown")));
}

async fn a_rate_needs_runtime(app: TestApp) {
    let yard = busy_yard(app).await;
    let answer = chart(&yard, &format!("/incursion_rate?{DAYS}")).await;
    assert_eq!(
        series(&answer),
        [json!([
            "incursions_per_runtime_hour",
            "Incursions per runtime hour",
            [["2026-02-24", 6], ["2026-02-25", "no_runtime"], ["2026-02-26", 0]]
        ])]
    );
    let split = chart(&yard, &format!("/incursion_rate?{DAYS}&split_by=machine")).await;
    assert_eq!(
        series(&split),
        [
            json!([
                "1",
                "Crane 1",
                [["2026-02-24", 4], ["2026-02-25", "no_runtime"], ["2026-02-26", "no_runtime"]]
            ]),
            json!([
                "2",
                "Crane 2",
                [["2026-02-24", "no_runtime"], ["2026-02-25", "no_runtime"], ["2026-02-26", 0]]
            ]),
        ]
    );
}

async fn of_many_rates_ten_have_a_line(app: TestApp) {
    let yard = Yard::new(app).await;
    let (mut pieces, mut rows) = (Vec::new(), Vec::new());
    for id in 1..=13_i64 {
        // Machine 13 ran longest, and machine 1 hardly.
        let mut piece = runtime("2026-02-24T10:00:00Z", id * 4);
        piece.base_station = BaseStationId(id);
        piece.machine = Some(MachineId(id));
        pieces.push(piece);
        let mut row = incursion(&yard, "2026-02-24T10:00:00Z", 5);
        row.uid = format!("of {id}");
        row.attribution.machine = Some(MachineId(id));
        rows.push(row);
    }
    yard.facts.put_runtime(&pieces).await;
    yard.facts.add_incursions(rows).await;
    let rest = "/incursion_rate?split_by=machine&from=2026-02-24&to=2026-02-26";
    let answer = chart(&yard, rest).await;
    assert_eq!((answer["series"].as_array().unwrap().len(), &answer["more"]), (10, &json!(3)));
    assert_eq!((&answer["series"][0]["key"], &answer["series"][9]["key"]), (&json!("13"), &json!("4")));
    // One incursion in 4, 8 and 12 minutes.
    let others = &answer["rest"];
    assert_eq!((&others["members"], others["points"].as_array().unwrap().len()), (&json!(3), 2));
    let point = &others["points"][0];
    let range = (point["low"].as_f64().unwrap(), point["high"].as_f64().unwrap());
    assert!((range.0 - 5.0).abs() < 1e-9 && (range.1 - 15.0).abs() < 1e-9, "{range:?}");
    assert_eq!((&point["at"], &point["partial"]), (&json!("2026-02-24"), &json!(false)));
    assert_eq!((&others["points"][1]["low"], &others["points"][1]["high"]), (&json!(null), &json!(null)));
    let svg = send_get(&yard, &yard.admin, &format!("{rest}&format=svg")).await.expect(200);
    let svg = String::from_utf8(svg.body).unwrap();
    assert!(svg.contains(">3 others</text>") && !svg.contains("are not shown"), "{svg}");
    // If all have one, nothing is left.
    let few = chart(&yard, "/incursion_rate?split_by=worksite&from=2026-02-24&to=2026-02-26").await;
    assert_eq!(few["rest"], json!(null));
    assert_eq!(chart(&yard, "/incursion_rate").await["rest"], json!(null));
}

async fn lengths_fall_into_their_steps(app: TestApp) {
    let yard = busy_yard(app).await;
    let mut open = incursion(&yard, "2026-02-25T10:00:00Z", 0);
    open.ended_at = None;
    yard.facts.add_incursions(vec![open]).await;
    let answer = chart(&yard, "/durations").await;
    // Their time is not known either.
    for by in ["zone", "machine", "operator"] {
        let time = chart(&yard, &format!("/zone_time?by={by}&limit=1")).await;
        assert_eq!(time["without_end"], json!(1), "{by}");
    }
    let points = &series(&answer)[0][2];
    assert_eq!(points[1], json!(["5–15 s", 1]));
    assert_eq!(points[3], json!(["30–60 s", 2]));
    assert_eq!(points[6], json!(["300 s and longer", 0]));
    assert_eq!(
        (&answer["without_end"], &answer["metrics"]["median_duration"]["value"]),
        (&json!(1), &json!(20))
    );
}

async fn every_hour_of_the_week_is_there(app: TestApp) {
    let yard = busy_yard(app).await;
    let value =
        |answer: &Value, day: usize, hour: usize| answer["series"][day]["points"][hour]["value"].clone();
    let answer = chart(&yard, "/hours_of_week").await;
    assert_eq!(answer["series"].as_array().unwrap().len(), 7);
    assert!(
        answer["series"].as_array().unwrap().iter().all(|day| day["points"].as_array().unwrap().len() == 24)
    );
    // 24 February 2026 was a Tuesday.
    assert_eq!(
        (&answer["series"][1]["key"], &answer["series"][1]["label"]),
        (&json!("2"), &json!("Tuesday"))
    );
    assert_eq!(
        (value(&answer, 1, 10), value(&answer, 1, 11), value(&answer, 2, 10)),
        (json!(1), json!(2), json!(1))
    );
    assert_eq!(value(&answer, 6, 23), json!(0));
    let rate = chart(&yard, "/hours_of_week?metric=acknowledgement_rate").await;
    assert_eq!((value(&rate, 1, 10), value(&rate, 1, 11)), (json!(1), json!(0)));
    assert_eq!(rate["series"][0]["points"][0]["reason"], "no_incursions");
    assert_eq!((&rate["unit"], &answer["unit"]), (&json!("ratio"), &json!("count")));
    let hours = chart(&yard, "/hours_of_week?metric=runtime_hours").await;
    assert_eq!(
        (value(&hours, 1, 10), value(&hours, 3, 10), value(&hours, 0, 0)),
        (json!(0.5), json!(0.25), json!(0))
    );
}

async fn an_hour_that_the_period_does_not_have_has_no_value(app: TestApp) {
    let yard = Yard::new(app).await;
    // From Friday on; it is Sunday, 1 March, shortly after noon.
    let rows = ["2026-02-27T10:30:00Z", "2026-03-01T09:30:00Z"].map(|at| incursion(&yard, at, 10));
    yard.facts.add_incursions(rows.into()).await;
    let point = |answer: &Value, day: usize, hour: usize| {
        let point = &answer["series"][day]["points"][hour];
        json!([point["value"], point["reason"], point["partial"]])
    };
    for metric in ["incursions", "acknowledgement_rate", "runtime_hours"] {
        let answer = chart(&yard, &format!("/hours_of_week?metric={metric}&from=2026-02-27")).await;
        for (day, hour) in [(0, 0), (1, 10), (3, 23)] {
            assert_eq!(point(&answer, day, hour), json!([null, "not_in_period", false]), "{metric}");
        }
    }
    let answer = chart(&yard, "/hours_of_week?from=2026-02-27").await;
    assert_eq!(point(&answer, 4, 10), json!([1, null, false]));
    assert_eq!(point(&answer, 5, 23), json!([0, null, false]));
    assert_eq!(point(&answer, 6, 9), json!([1, null, false]));
    // The running hour, and the rest of the running day.
    assert_eq!(point(&answer, 6, 12), json!([0, null, true]));
    assert_eq!(point(&answer, 6, 13), json!([null, "not_in_period", true]));
    let answer = chart(&yard, "/hours_of_week?from=2026-02-27&to=2026-03-02").await;
    assert_eq!(point(&answer, 6, 13), json!([null, "not_yet", true]));
    assert_eq!(point(&answer, 0, 13), json!([null, "not_in_period", false]));
    // Four weeks have every hour, some of them once less.
    let answer = chart(&yard, "/hours_of_week").await;
    assert_eq!(point(&answer, 6, 13), json!([0, null, true]));
    assert_eq!(point(&answer, 0, 13), json!([0, null, false]));
    let svg = send_get(&yard, &yard.admin, "/hours_of_week?from=2026-02-27&format=svg").await.expect(200);
    let svg = String::from_utf8(svg.body).unwrap();
    assert!(svg.contains(">No value: not in period</text>") && svg.contains(">Incomplete</text>"), "{svg}");
    assert!(svg.contains("Incomplete: Sun 12:00–24:00."), "{svg}");
}

async fn what_has_not_come_has_no_value(app: TestApp) {
    let yard = busy_yard(app).await;
    let days = "from=2026-02-24&to=2026-03-04";
    // Values, reasons and whether they are partial, from 28 February on.
    let points = |series: &Value| -> Vec<Value> {
        let points = series["points"].as_array().unwrap()[4..].iter();
        points.map(|point| json!([point["value"], point["reason"], point["partial"]])).collect()
    };
    let ahead = json!([null, "not_yet", true]);
    let (zero, no_runtime, no_incursions) =
        ([json!(0), json!(null)], [json!(null), json!("no_runtime")], [json!(null), json!("no_incursions")]);
    for (rest, [value, reason]) in [
        ("trends?", &zero),
        ("machine_runtime?", &zero),
        ("acknowledged_incursions?", &zero),
        ("incursion_rate?", &no_runtime),
        ("incursion_rate?split_by=machine&", &no_runtime),
        ("acknowledgement_score?", &no_incursions),
    ] {
        let answer = chart(&yard, &format!("/{rest}{days}")).await;
        // Yesterday, today, and the days after.
        let expected =
            [json!([value, reason, false]), json!([value, reason, true]), ahead.clone(), ahead.clone()];
        assert_eq!(points(&answer["series"][0]), expected, "{rest}");
        let future = &answer["series"][0]["points"][7];
        assert_eq!((&future["numerator"], &future["denominator"]), (&json!(null), &json!(null)), "{rest}");
        if let Some(total) = answer.get("total") {
            assert_eq!(points(total), expected, "{rest}");
        }
    }
    // V1 says the same.
    let path = format!("/api/v1/insights/trends?{days}&metric=incursions&metric=runtime_hours");
    let trends = yard.app.get(&path).cookie(&yard.admin.cookie).send().await.expect(200).json();
    for series in trends["series"].as_array().unwrap() {
        assert_eq!(points(series)[2..], [ahead.clone(), ahead.clone()]);
    }
    // Facts count wherever they are: the clock of a station may be ahead.
    yard.facts.add_incursions(vec![incursion(&yard, "2026-03-02T00:03:00Z", 5)]).await;
    let answer = chart(&yard, &format!("/trends?{days}")).await;
    assert_eq!(points(&answer["series"][0])[2..], [json!([1, null, true]), ahead]);
    // The picture has a gap there, and its description does not count zeros.
    let rest = "/trends?from=2026-02-24&to=2026-03-09&format=svg";
    let svg = send_get(&yard, &yard.admin, rest).await.expect(200);
    let svg = String::from_utf8(svg.body).unwrap();
    assert!(svg.contains(">No value: not yet</text>"), "{svg}");
    assert!(svg.contains("Incursions: mean 0.71, lowest 0, highest 3"), "{svg}");
}

async fn a_score_says_how_sure_it_is(app: TestApp) {
    let yard = busy_yard(app).await;
    let answer = chart(&yard, &format!("/acknowledgement_score?{DAYS}")).await;
    let points = answer["series"][0]["points"].as_array().unwrap();
    assert_eq!(points[0]["value"], json!(1.0 / 3.0));
    let (low, high) = (points[0]["low"].as_f64().unwrap(), points[0]["high"].as_f64().unwrap());
    // One of three; reference values from scipy.
    assert!((low - 0.061_490).abs() < 1e-5 && (high - 0.792_345).abs() < 1e-5, "{low} {high}");
    assert_eq!((&points[1]["value"], &points[1]["low"]), (&json!(0), &json!(0.0)));
    assert_eq!(
        (&points[2]["value"], &points[2]["low"], &points[2]["reason"]),
        (&json!(null), &json!(null), &json!("no_incursions"))
    );
}

async fn hexagons_are_those_of_the_ground(app: TestApp) {
    let yard = busy_yard(app).await;
    let answer = chart(&yard, "/heatmap").await;
    assert_eq!((&answer["type"], &answer["without_position"]), (&json!("FeatureCollection"), &json!(1)));
    assert_eq!(answer["features"].as_array().unwrap().len(), 1);
    assert_eq!(answer["features"][0]["properties"]["incursions"]["value"], json!(3));
    assert_eq!(answer["series"][0]["points"][0]["key"], answer["features"][0]["id"]);
    assert_eq!(answer["series"][0]["points"][0]["value"], json!(3));
    assert_eq!(answer["resolution"], json!(11));
}

async fn a_skipped_hour_is_no_step(app: TestApp) {
    let yard = Yard::new(app).await;
    let site = json!({ "name": "Thames", "colour": "#ff8800", "kind": "other", "time_zone": "Europe/London", "project_id": 1 });
    yard.app.post("/api/v1/worksites").cookie(&yard.admin.cookie).json(&site).send().await.expect(201);
    // At 0:30, and an hour later, when local time is 2:30.
    let mut rows = [incursion(&yard, "2026-03-29T00:30:00Z", 5), incursion(&yard, "2026-03-29T01:30:00Z", 5)];
    for (row, hour) in rows.iter_mut().zip([0, 2]) {
        row.attribution.worksite = Some(WorksiteId(4));
        row.attribution.local_minute = 6 * 1_440 + hour * 60 + 30;
    }
    yard.facts.add_incursions(rows.to_vec()).await;
    let answer = chart(&yard, "/trends?from=2026-03-29&to=2026-03-30&interval=hour&worksite_id=4").await;
    assert_eq!(answer["time_zones"], json!(["Europe/London"]));
    let points = series(&answer)[0][2].as_array().unwrap().clone();
    assert_eq!(points.len(), 23);
    assert_eq!(
        points[..3],
        [
            json!(["2026-03-29T00:00", 1]),
            json!(["2026-03-29T02:00", 1]),
            // It is 1 March, so that there is nothing to count yet.
            json!(["2026-03-29T03:00", "not_yet"]),
        ]
    );
}

async fn idle_is_not_empty_and_not_unknown(app: TestApp) {
    let yard = Yard::new(app).await;
    // Without any facts, no machine has a series and nothing has a rate.
    assert_eq!(series(&chart(&yard, "/machine_runtime").await), [Value::Null; 0]);
    let rate = |chart: &Value| series(chart)[0][2][0][1].clone();
    let query = "/incursion_rate?from=2026-02-24&to=2026-02-25";
    assert_eq!(rate(&chart(&yard, query).await), "no_runtime");
    // A machine ran without incursions: the value is zero.
    yard.facts.put_runtime(&[runtime("2026-02-24T10:00:00Z", 30)]).await;
    assert_eq!(rate(&chart(&yard, query).await), json!(0));
    let hours = chart(&yard, "/machine_runtime?from=2026-02-24&to=2026-02-26").await;
    assert_eq!(series(&hours), [json!(["1", "Crane 1", [["2026-02-24", 0.5], ["2026-02-25", 0]]])]);
    // A filter on a pedestrian does not select the machines that ran.
    yard.facts.add_incursions(vec![incursion(&yard, "2026-02-24T10:00:00Z", 5)]).await;
    let hours = chart(&yard, "/machine_runtime?from=2026-02-24&to=2026-02-25&pedestrian_id=1").await;
    assert_eq!(series(&hours), [json!(["1", "Crane 1", [["2026-02-24", "no_runtime"]]])]);
}

async fn a_restricted_user_gets_only_theirs(app: TestApp) {
    let yard = busy_yard(app).await;
    let viewer = yard.restricted("viewer@example.com", Role::Viewer, &[2]).await;
    let get = async |rest: &str| send_get(&yard, &viewer, rest).await.expect(200).json();
    let hours = get("/machine_runtime?from=2026-02-26&to=2026-02-27&operators=true").await;
    assert_eq!(series(&hours), [json!(["2", "Crane 2", [["2026-02-26", 0.25]]])]);
    assert_eq!(hours["operators"].as_array().unwrap().len(), 1);
    assert_eq!(series(&get("/zone_time?by=worksite").await), [json!(["danger", "Danger", [["Site 2", 30]]])]);
    assert_eq!(series(&get("/trends?from=2026-02-24&to=2026-02-25").await)[0][2], json!([["2026-02-24", 1]]));
    assert_eq!(get("/heatmap").await["features"], json!([]));
    // Also when they ask for what they cannot see.
    let hours = get("/machine_runtime?operators=true&machine_id=1").await;
    assert_eq!((&hours["series"], &hours["operators"]), (&json!([]), &json!([])));
    let nobody = yard.restricted("nobody@example.com", Role::Member, &[]).await;
    let hours = send_get(&yard, &nobody, "/machine_runtime?operators=true").await.expect(200).json();
    assert_eq!((&hours["series"], &hours["operators"]), (&json!([]), &json!([])));
}

async fn those_who_do_not_see_names_get_none(app: TestApp) {
    let yard = busy_yard(app).await;
    let viewer = yard.app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    for rest in ["/zone_time?by=pedestrian", "/zone_time?by=operator", "/machine_runtime?operators=true"] {
        for format in ["json", "svg"] {
            let text = async |user| {
                let answer = send_get(&yard, user, &format!("{rest}&format={format}")).await.expect(200);
                String::from_utf8(answer.body).unwrap().replace("Danger", "")
            };
            let names = |text: &str| text.contains("Ada") || text.contains("Dan");
            let (hidden, shown) = (text(&viewer).await, text(&yard.admin).await);
            assert!(hidden.contains("Person ") && !names(&hidden), "{rest}: {hidden}");
            assert!(!shown.contains("Person ") && names(&shown), "{rest}: {shown}");
        }
    }
}
