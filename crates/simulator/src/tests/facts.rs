//! Events are like those of devices: well-formed, unique, and in order of arrival.

use std::collections::{BTreeMap, BTreeSet};

use domain::{EventPayload, PartName, Serial, Span, TimeWindow, Uid};

use super::{arrivals, incursions, machine_at, plan, wearer_at, world};
use crate::primitives::checked_values::at_ms;
use crate::{Plan, World};

#[test]
fn there_are_about_as_many_incursions_as_the_plan_asks_for() {
    let near = |world: &World, days: usize| {
        let plan = world.plan();
        let asked = f64::from(plan.incursions_per_machine_day) * (plan.machines * days) as f64;
        incursions(&arrivals(world)).len() as f64 / asked
    };
    for seed in [1, 2] {
        let world = world(Plan { days: 42, sites: 8, machines: 30, people: 140, seed, ..plan() });
        let ratio = near(&world, 42);
        assert!((0.85..1.15).contains(&ratio), "{ratio} with seed {seed}");
    }
    let many = world(Plan { incursions_per_machine_day: 300, people: 120, days: 14, ..plan() });
    let ratio = near(&many, 14);
    assert!((0.85..1.15).contains(&ratio), "{ratio} of many");
    assert_eq!(incursions(&arrivals(&world(Plan { incursions_per_machine_day: 0, ..plan() }))).len(), 0);
}

#[test]
fn arrivals_are_in_order_and_within_their_day() {
    let world = world(plan());
    let days: Vec<_> = world.days().collect();
    assert_eq!(days.len(), 28);
    assert_eq!((days[0].from, days[27].to), (world.plan().start(), world.plan().until));
    for day in &days {
        assert!(day.arrivals.iter().all(|arrival| (day.from..day.to).contains(&arrival.received_at)));
        assert!(day.arrivals.is_sorted_by_key(|arrival| arrival.received_at));
    }
    assert!(days.windows(2).all(|pair| pair[0].to == pair[1].from));
}

#[test]
fn uids_are_told_once_but_for_completions() {
    let world = world(Plan { gps_interval_s: Some(60), ..plan() });
    let mut seen: BTreeMap<(usize, &'static str, String), Vec<EventPayload>> = BTreeMap::new();
    for arrival in arrivals(&world) {
        let event = arrival.event;
        let key = (arrival.station, event.payload.kind(), event.uid.into_string());
        seen.entry(key).or_default().push(event.payload);
    }
    let (mut completed, mut never_ended) = (0, 0);
    for (key, reports) in seen {
        match &reports[..] {
            [EventPayload::Incursion(only)] => never_ended += usize::from(only.ended_at.is_none()),
            [_] => {}
            [EventPayload::Incursion(one), EventPayload::Incursion(other)] => {
                completed += 1;
                assert_eq!((&one.tag, one.started_at), (&other.tag, other.started_at), "{key:?}");
                assert_eq!(usize::from(one.ended_at.is_some()) + usize::from(other.ended_at.is_some()), 1);
            }
            _ => panic!("{key:?} was reported {} times", reports.len()),
        }
    }
    assert!(completed > 500 && never_ended > 20, "{completed} completed, {never_ended} never ended");
}

#[test]
fn events_pass_the_checks_that_devices_must() {
    let world = world(Plan { gps_interval_s: Some(300), ..plan() });
    let mut kinds = BTreeSet::new();
    for arrival in arrivals(&world) {
        let event = arrival.event;
        kinds.insert(event.payload.kind());
        assert_eq!(Uid::parse(event.uid.as_str()), Ok(event.uid.clone()));
        let serial = &world.registry().stations[arrival.station].serial;
        assert_eq!(event.base_station.as_ref(), Some(serial));
        assert_eq!(Serial::parse(serial.as_str()).as_ref(), Ok(serial));
        let window = TimeWindow { from: world.plan().start(), to: arrival.received_at };
        let times = match event.payload {
            EventPayload::Incursion(report) => {
                let mut times = vec![report.started_at];
                times.extend(report.ended_at);
                times.extend(report.acknowledged_at);
                times
            }
            EventPayload::Runtime(report) => {
                assert!(report.started_at < report.ended_at);
                vec![report.started_at, report.ended_at]
            }
            EventPayload::Gps(fixes) => fixes.iter().map(|fix| at_ms(fix.at_ms)).collect(),
            EventPayload::Status(report) => vec![report.at],
            EventPayload::LogEntry(report) => vec![report.at],
            EventPayload::TagBattery(report) => vec![report.at],
            EventPayload::TagTest(report) => vec![report.at],
            EventPayload::Receipt(report) => vec![report.at],
        };
        for at in times {
            assert_eq!(window.check(at), Ok(at));
        }
    }
    let all = ["alarm", "gps", "incursion", "log", "runtime", "status", "tag_battery", "tag_test"];
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), all);
}

#[test]
fn every_incursion_can_be_attributed() {
    let world = world(plan());
    let mut tags = BTreeMap::new();
    for (index, tag) in world.registry().tags.iter().enumerate() {
        tags.insert(tag.serial.as_str(), index);
    }
    let arrivals = arrivals(&world);
    let (mut with_operator, mut visitors) = (0, 0);
    for (station, report) in incursions(&arrivals) {
        assert!(machine_at(&world, station, report.started_at).is_some());
        let person = wearer_at(&world, tags[report.tag.as_str()], report.started_at).unwrap();
        visitors += usize::from(person >= world.plan().people);
        if let Some(operator) = &report.operator_tag {
            with_operator += 1;
            let operator = wearer_at(&world, tags[operator.as_str()], report.started_at).unwrap();
            assert_ne!(person, operator);
        }
    }
    let all = incursions(&arrivals).len();
    assert!(with_operator < all && with_operator * 10 > all * 8, "{with_operator} of {all}");
    assert!(visitors > 20, "{visitors}");
}

#[test]
fn nobody_is_near_two_machines_or_drives_two_at_once() {
    let world = world(plan());
    let mut walks: BTreeMap<String, Vec<_>> = BTreeMap::new();
    let mut drives: BTreeMap<String, Vec<_>> = BTreeMap::new();
    let mut runs: BTreeMap<usize, Vec<_>> = BTreeMap::new();
    for arrival in arrivals(&world) {
        match arrival.event.payload {
            EventPayload::Incursion(report) => {
                if let Some(ended_at) = report.ended_at {
                    walks.entry(report.tag.to_string()).or_default().push((report.started_at, ended_at));
                }
            }
            EventPayload::Runtime(report) => {
                runs.entry(arrival.station).or_default().push((report.started_at, report.ended_at));
                if let Some(tag) = report.operator_tag {
                    drives.entry(tag.to_string()).or_default().push((report.started_at, report.ended_at));
                }
            }
            _ => {}
        }
    }
    let lists = walks.into_values().chain(drives.into_values()).chain(runs.into_values());
    for mut times in lists {
        times.sort();
        for pair in times.windows(2) {
            assert!(pair[0].1 <= pair[1].0, "{pair:?}");
        }
    }
}

#[test]
fn some_data_is_late_and_some_comes_in_bursts() {
    let world = world(plan());
    let arrivals = arrivals(&world);
    let late = |least: Span| {
        let late = arrivals.iter().filter(|arrival| match &arrival.event.payload {
            EventPayload::Incursion(report) => {
                report.ended_at.is_some_and(|ended_at| arrival.received_at - ended_at >= least)
            }
            _ => false,
        });
        late.count() as f64 / incursions(&arrivals).len() as f64
    };
    assert!((0.005..0.15).contains(&late(Span::minutes(60))), "{}", late(Span::minutes(60)));
    assert!((0.0005..0.08).contains(&late(Span::minutes(24 * 60))), "{}", late(Span::minutes(24 * 60)));
    assert!(late(Span::seconds(90)) < 0.2);
    // Twenty seconds in which one station reports more than an hour of events.
    let mut stations: BTreeMap<usize, Vec<_>> = BTreeMap::new();
    for arrival in &arrivals {
        if let EventPayload::Incursion(report) = &arrival.event.payload {
            stations.entry(arrival.station).or_default().push((arrival.received_at, report.started_at));
        }
    }
    let bursts = stations.values().flat_map(|reports| reports.windows(8)).filter(|reports| {
        let noticed = reports.iter().map(|(_, at)| *at);
        let spread = noticed.clone().max().unwrap() - noticed.min().unwrap();
        reports[7].0 - reports[0].0 < Span::seconds(25) && spread > Span::minutes(60)
    });
    assert!(bursts.count() > 3);
}

#[test]
fn zones_are_told_at_the_start_and_when_they_change() {
    let world = world(Plan { sites: 4, machines: 16, people: 60, ..plan() });
    let mut reported: BTreeMap<usize, Vec<_>> = BTreeMap::new();
    for arrival in arrivals(&world) {
        if let EventPayload::Status(status) = arrival.event.payload {
            assert!(status.firmware.is_some());
            if let Some(zones) = status.zones {
                assert!(zones.iter().all(|zone| PartName::parse(zone.antenna.as_str()).is_ok()));
                reported.entry(arrival.station).or_default().push((status.at, zones));
            }
        }
    }
    let mut changed = 0;
    for (station, mut states) in reported {
        states.sort_by_key(|(at, _)| *at);
        let first = &world.registry().stations[station].zones;
        assert!(states[0].1 == *first, "station {station}: {:?}", world.zone_event_days[station]);
        assert!(states.len() <= 2);
        changed += usize::from(states.len() == 2 && states[0].1 != states[1].1);
    }
    assert!(changed >= 1, "{changed}");
}
