//! Days and hours follow the local time of each worksite, also when its clock changes.

use domain::insights::{Dimension, Grouping, IncursionFilter, Key, Measure, Question};
use domain::{Day, DeviceKind, PeriodBound, Timestamp};
use serde_json::{Value, json};
use testkit::insights::FactRows;
use testkit::{TestApp, on_both_engines};

use super::answer;
use crate::ingest::events::BerlinYard;

on_both_engines!(hours_that_come_twice_or_never_count_as_the_sites_clock_shows_them);

/// A day on which a worksite's clock changes: when the machine ran, and how many minutes each local hour has.
struct ClockChange {
    site: i64,
    day: &'static str,
    running_period: (&'static str, &'static str),
    minutes: &'static [(i64, i64)],
}

const CLOCK_CHANGES: [ClockChange; 6] = [
    // London goes from 1:00 to 2:00.
    ClockChange {
        site: 2,
        day: "2025-03-30",
        running_period: ("2025-03-30T00:00:00Z", "2025-03-30T03:00:00Z"),
        minutes: &[(0, 60), (2, 60), (3, 60)],
    },
    // And from 2:00 back to 1:00, which occurs twice.
    ClockChange {
        site: 2,
        day: "2025-10-26",
        running_period: ("2025-10-25T23:00:00Z", "2025-10-26T03:00:00Z"),
        minutes: &[(0, 60), (1, 120), (2, 60)],
    },
    ClockChange {
        site: 3,
        day: "2025-03-09",
        running_period: ("2025-03-09T05:00:00Z", "2025-03-09T08:00:00Z"),
        minutes: &[(0, 60), (1, 60), (3, 60)],
    },
    ClockChange {
        site: 3,
        day: "2025-11-02",
        running_period: ("2025-11-02T04:30:00Z", "2025-11-02T07:30:00Z"),
        minutes: &[(0, 30), (1, 120), (2, 30)],
    },
    // Lord Howe changes by half an hour: from 2:00 back to 1:30, and from 2:00 to 2:30.
    ClockChange {
        site: 4,
        day: "2025-04-06",
        running_period: ("2025-04-05T14:00:00Z", "2025-04-05T16:30:00Z"),
        minutes: &[(1, 90), (2, 60)],
    },
    ClockChange {
        site: 4,
        day: "2025-10-05",
        running_period: ("2025-10-04T14:30:00Z", "2025-10-04T16:30:00Z"),
        minutes: &[(1, 60), (2, 30), (3, 30)],
    },
];

async fn send(app: &TestApp, token: &str, events: Value) {
    let answer = app.post("/ingest/v1/events").bearer(token).json(&events).send().await.expect(200).json();
    assert_eq!(answer["rejected"], json!([]));
}

/// Creates worksites 2 to 4 in these time zones, each with a machine and a station of the same number.
async fn three_sites(app: TestApp) -> (BerlinYard, Vec<String>) {
    let yard = BerlinYard::set_up(app).await;
    let since = "2025-01-01T00:00:00Z";
    let mut tokens = Vec::new();
    for (number, zone) in [(2, "Europe/London"), (3, "America/New_York"), (4, "Australia/Lord_Howe")] {
        let serial = format!("ST-{number}");
        let site = json!({ "name": zone, "kind": "other", "colour": "#ff8800", "time_zone": zone,
            "effective_from": since });
        yard.post("worksites", site).await;
        yard.post("machines", json!({ "name": serial, "kind": "crane" })).await;
        tokens.push(yard.app.issue_token("Acme", DeviceKind::Station, &serial).await);
        let path = format!("worksites/{number}/assignments/machines/{number}");
        yard.put(&path, json!({ "effective_from": since })).await;
        let path = format!("base_stations/{number}/installation");
        yard.put(&path, json!({ "machine_id": number, "effective_from": since })).await;
    }
    (yard, tokens)
}

async fn hours_that_come_twice_or_never_count_as_the_sites_clock_shows_them(app: TestApp) {
    let (yard, tokens) = three_sites(app).await;
    for (number, change) in CLOCK_CHANGES.iter().enumerate() {
        let (from, to) = (
            Timestamp::parse(change.running_period.0).unwrap(),
            Timestamp::parse(change.running_period.1).unwrap(),
        );
        let mut events = vec![json!({ "uid": format!("r{number}"), "kind": "runtime",
            "started_at": from.to_string(), "ended_at": to.to_string() })];
        // An incursion every ten minutes.
        let minutes = (to - from).whole_seconds() / 60;
        for minute in (0..minutes).step_by(10) {
            let at = from + domain::Span::minutes(minute);
            events.push(json!({ "uid": format!("i{number}-{minute}"), "kind": "incursion", "tag": "TAG-1",
                "started_at": at.to_string(), "ended_at": (at + domain::Span::seconds(7)).to_string(),
                "zone": "danger" }));
        }
        let token = &tokens[usize::try_from(change.site - 2).unwrap()];
        send(&yard.app, token, json!(events)).await;
    }
    yard.app.run_jobs().await;
    let (store, scope) = yard.store_and_scope().await;
    let (rows, _) = FactRows::read(&store, &scope, 1_000).await;
    let measures = vec![Measure::RuntimeHours, Measure::Incursions, Measure::IncursionsPerRuntimeHour];
    for change in &CLOCK_CHANGES {
        let day = Day::parse(change.day).unwrap();
        let by =
            [vec![Dimension::Hour], vec![Dimension::HourOfDay, Dimension::DayOfWeek], vec![Dimension::Day]];
        let question = Question {
            from: Some(PeriodBound::Day(day)),
            to: Some(PeriodBound::Day(Day::from_number(day.number() + 1))),
            filter: IncursionFilter {
                worksites: vec![domain::WorksiteId(change.site)],
                ..Default::default()
            },
            visible_projects: None,
            measures: measures.clone(),
            groupings: by.into_iter().map(Grouping::by).collect(),
        };
        let found = answer(&store, &scope, &question).await;
        assert_eq!(found, rows.answer(&question), "{}", change.day);
        let hours: Vec<(Key, Option<i64>, Option<i64>)> = found.groupings[0]
            .groups
            .iter()
            .map(|group| (group.keys[0], group.figures[0].numerator, group.figures[1].numerator))
            .collect();
        let expected: Vec<_> = change
            .minutes
            .iter()
            .map(|(hour, minutes)| {
                (Some(day.number() * 24 + hour), Some(minutes * 60_000), Some(minutes / 10))
            })
            .collect();
        assert_eq!(hours, expected, "{}", change.day);
        assert_eq!(
            found.groupings[1].groups.iter().map(|group| group.keys[1]).max(),
            Some(Some(6)),
            "a Sunday"
        );
        assert_eq!(found.groupings[2].groups.len(), 1);
    }
    // With instants as bounds, runtime pieces are cut at the bounds.
    let cut = |text| Some(PeriodBound::Instant(Timestamp::parse(text).unwrap()));
    let question = Question {
        from: cut("2025-10-26T00:20:00Z"),
        to: cut("2025-10-26T01:30:00Z"),
        filter: IncursionFilter::default(),
        visible_projects: None,
        measures,
        groupings: vec![Grouping::by([Dimension::Hour])],
    };
    let found = answer(&store, &scope, &question).await;
    assert_eq!(found, rows.answer(&question));
    let figures = &found.groupings[0].groups[0].figures;
    assert_eq!(found.groupings[0].groups.len(), 1);
    assert_eq!((figures[0].numerator, figures[1].numerator), (Some(70 * 60_000), Some(7)));
}
