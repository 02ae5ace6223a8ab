//! The patterns that the data should reveal.

use std::collections::BTreeMap;

use domain::{EventPayload, Span, Timestamp};
use jiff::civil::Weekday;

use super::{arrivals, incursions, machine_at, plan, tag_index, wearer_at, world};
use crate::{Arrival, Plan, World};

fn local(world: &World, site: usize, at: Timestamp) -> jiff::Zoned {
    let zone = world.registry().sites[site].time_zone.rules().clone();
    jiff::Timestamp::from_microsecond(at.micros()).unwrap().to_zoned(zone)
}

#[test]
fn people_work_in_the_hours_of_their_site_over_a_change_of_clocks() {
    // In these days London changes its clocks on 29 March, Denver has changed before, and Brisbane never does.
    let world = world(plan());
    let mut weekend = 0;
    let mut offsets: BTreeMap<usize, Vec<i32>> = BTreeMap::new();
    let arrivals = arrivals(&world);
    for arrival in &arrivals {
        let (from, to) = match &arrival.event.payload {
            EventPayload::Runtime(report) => (report.started_at, report.ended_at),
            EventPayload::Incursion(report) => {
                (report.started_at, report.ended_at.unwrap_or(report.started_at))
            }
            _ => continue,
        };
        let machine = machine_at(&world, arrival.station, from).unwrap();
        let site = world.registry().machines[machine].site;
        let hours = world.site_profiles[site].hours.shifts;
        let (from, to) = (local(&world, site, from), local(&world, site, to));
        let minute = |at: &jiff::Zoned| f64::from(at.hour()) * 60.0 + f64::from(at.minute());
        assert!(minute(&from) >= hours[0].0 && minute(&to) <= hours[hours.len() - 1].1, "{from} to {to}");
        weekend += usize::from(matches!(from.weekday(), Weekday::Saturday | Weekday::Sunday));
        offsets.entry(site).or_default().push(from.offset().seconds());
    }
    assert!(offsets.values().any(|of_site| of_site.iter().any(|offset| *offset != of_site[0])));
    assert!(weekend > 0 && weekend * 8 < arrivals.len(), "{weekend} of {}", arrivals.len());
}

/// Returns the incursions per hour of runtime, for each machine.
fn rates(world: &World, arrivals: &[Arrival]) -> Vec<f64> {
    let mut counts = vec![(0.0, 0.0); world.registry().machines.len()];
    for (station, report) in incursions(arrivals) {
        counts[machine_at(world, station, report.started_at).unwrap()].0 += 1.0;
    }
    for arrival in arrivals {
        if let EventPayload::Runtime(report) = &arrival.event.payload {
            let machine = machine_at(world, arrival.station, report.started_at).unwrap();
            counts[machine].1 += (report.ended_at - report.started_at).micros() as f64 / 3.6e9;
        }
    }
    counts.iter().map(|(count, hours)| count / hours).collect()
}

#[test]
fn the_planted_machine_stands_out() {
    for seed in [1, 2, 3] {
        let world = world(Plan { seed, ..plan() });
        let rates = rates(&world, &arrivals(&world));
        let planted = world.planted().machine;
        for (machine, rate) in rates.iter().enumerate().filter(|(machine, _)| *machine != planted) {
            let ratio = rates[planted] / rate;
            let kinds = [planted, machine].map(|machine| world.registry().machines[machine].kind);
            let least = if kinds[0] == kinds[1] { 2.0 } else { 1.2 };
            assert!(ratio > least, "{ratio} against machine {machine} with seed {seed}");
        }
        let others = rates.iter().sum::<f64>() - rates[planted];
        assert!(rates[planted] / (others / (rates.len() - 1) as f64) > 2.0);
    }
}

#[test]
fn the_planted_person_stands_out() {
    for seed in [1, 2, 3] {
        let world = world(Plan { seed, ..plan() });
        let planted = world.planted().person;
        let members =
            world.staff.members.iter().find(|members| members.iter().any(|one| one.person == planted));
        // The people of the worksite and shift who were present all the time.
        let members = members.unwrap();
        let shift = members.iter().find(|one| one.person == planted).unwrap().shift;
        let reliefs = world.staff.reliefs.iter().flatten().map(|relief| relief.person).collect::<Vec<_>>();
        let peers = members.iter().filter(|one| one.shift == shift && !reliefs.contains(&one.person));
        let peers: Vec<usize> = peers
            .filter(|one| {
                one.tag_periods[0].from == 0 && one.tag_periods.last().unwrap().to == world.local_days()
            })
            .map(|one| one.person)
            .collect();
        let mut counts: BTreeMap<usize, f64> = BTreeMap::new();
        for (_, report) in incursions(&arrivals(&world)) {
            let person = wearer_at(&world, tag_index(&world, &report.tag), report.started_at).unwrap();
            *counts.entry(person).or_default() += 1.0;
        }
        assert!(peers.len() >= 3, "{} peers", peers.len());
        let others: Vec<f64> =
            peers.iter().filter(|peer| **peer != planted).map(|peer| counts[peer]).collect();
        let mean = others.iter().sum::<f64>() / others.len() as f64;
        assert!(counts[&planted] / mean > 2.0, "{} against {others:?}", counts[&planted]);
    }
}

#[test]
fn acknowledgement_fades_over_the_weeks() {
    let world = world(Plan { days: 91, ..plan() });
    let arrivals = arrivals(&world);
    let share = |from: i64, to: i64| {
        let day = |days: i64| world.plan().start() + Span::minutes(days * 24 * 60);
        let reports = incursions(&arrivals).into_iter().map(|(_, report)| report);
        let reports: Vec<_> =
            reports.filter(|report| (day(from)..day(to)).contains(&report.started_at)).collect();
        let pressed = reports.iter().filter(|report| report.acknowledged_at.is_some()).count();
        (pressed as f64 / reports.len() as f64, reports.len())
    };
    let (first, last) = (share(0, 21), share(70, 91));
    assert!(first.0 > last.0 + 0.1 && first.0 < 0.98 && last.0 > 0.3, "{first:?}, {last:?}");
    // People keep away for a while, and come back.
    assert!(share(0, 14).1 > share(28, 42).1 && share(28, 42).1 < share(77, 91).1);
}

#[test]
fn operators_differ() {
    let world = world(plan());
    let mut counts: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for (_, report) in incursions(&arrivals(&world)) {
        if let Some(operator) = &report.operator_tag {
            let counts = counts.entry(operator.to_string()).or_default();
            counts.0 += 1.0;
            counts.1 += f64::from(u8::from(report.acknowledged_at.is_some()));
        }
    }
    let shares: Vec<f64> =
        counts.values().filter(|(all, _)| *all > 300.0).map(|(all, pressed)| pressed / all).collect();
    let (min, max) =
        shares.iter().fold((1.0_f64, 0.0_f64), |(min, max), share| (min.min(*share), max.max(*share)));
    assert!(shares.len() >= 8 && max - min > 0.1, "{shares:?}");
}

#[test]
fn a_station_falls_silent() {
    let world = world(plan());
    let (station, from) = world.planted().silent.unwrap();
    assert!(world.plan().until - from >= Span::minutes(36 * 60));
    let arrivals = arrivals(&world);
    let own: Vec<_> = arrivals.iter().filter(|arrival| arrival.station == station).collect();
    assert!(own.len() > 100 && own.iter().all(|arrival| arrival.received_at < from));
    assert!(arrivals.iter().any(|arrival| arrival.received_at >= from));
    let machine = machine_at(&world, station, from).unwrap();
    assert_ne!(machine, world.planted().machine);
}

#[test]
fn tags_are_tested_by_habit() {
    let world = world(plan());
    let mut last: BTreeMap<usize, Timestamp> = BTreeMap::new();
    let (mut count, mut failed) = (0, 0);
    for test in world.tag_tests() {
        assert!((world.plan().start()..world.plan().until).contains(&test.tested_at));
        assert!(wearer_at(&world, test.tag, test.tested_at).is_some());
        count += 1;
        failed += usize::from(!test.passed);
        let last = last.entry(test.tag).or_insert(test.tested_at);
        *last = test.tested_at.max(*last);
    }
    let worn: Vec<usize> = (world.registry().assignments.iter())
        .filter(|worn| worn.visit.is_none() && worn.to.is_none() && worn.from == world.plan().start())
        .map(|worn| worn.tag)
        .collect();
    let never = worn.iter().filter(|tag| !last.contains_key(tag)).count();
    let week_ago = world.plan().until - Span::minutes(7 * 24 * 60);
    let late = worn.iter().filter(|tag| last.get(tag).is_some_and(|at| *at < week_ago)).count();
    assert!(count > 400 && failed > 0 && failed * 20 < count, "{failed} of {count} failed");
    assert!(never >= 1 && never * 4 < worn.len(), "{never} of {} never", worn.len());
    assert!(late >= 1 && late * 2 < worn.len(), "{late} of {} late", worn.len());
}

#[test]
fn batteries_run_down() {
    let world = world(Plan { days: 60, ..plan() });
    let mut levels: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    let mut events = 0;
    for arrival in arrivals(&world) {
        if let EventPayload::TagBattery(battery) = arrival.event.payload {
            events += 1;
            levels.entry(battery.tag.to_string()).or_default().push(battery.percent.get());
        }
    }
    let low = levels.values().filter(|levels| levels.iter().any(|level| *level <= 20)).count();
    let critical = levels.values().filter(|levels| levels.iter().any(|level| *level <= 10)).count();
    let full = levels.values().filter(|levels| levels.iter().any(|level| *level >= 90)).count();
    assert!(
        events > 300 && low > critical && critical >= 1 && full >= 1,
        "{events}, {low}, {critical}, {full}"
    );
}
