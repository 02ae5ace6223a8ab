//! Weeks are the same world as days.

use domain::Timestamp;

use super::{arrivals, plan, world};
use crate::{Arrival, Plan, TagTest, World};

/// Orders events so that those of two orders can be compared.
fn sorted(mut events: Vec<Arrival>) -> Vec<Arrival> {
    events.sort_by_key(|arrival| {
        let event = &arrival.event;
        (arrival.received_at, arrival.station, event.uid.as_str().to_owned(), event.payload.kind())
    });
    events
}

#[test]
fn weeks_have_the_events_and_tests_of_all_days() {
    for days in [1, 6, 7, 20] {
        let world = world(Plan { days, gps_interval_s: Some(300), ..plan() });
        let weeks = world.weeks();
        let events: Vec<Arrival> = weeks.iter().flat_map(|week| world.events_of(week)).collect();
        assert!(sorted(events) == sorted(arrivals(&world)), "{days} days");
        let tests: Vec<TagTest> = weeks.iter().rev().flat_map(|week| world.tag_tests_of(week)).collect();
        assert_eq!(tests, world.tag_tests().collect::<Vec<_>>());
    }
}

#[test]
fn what_happened_since_the_first_day_of_a_week_is_in_it_or_in_a_newer_one() {
    let world = world(plan());
    let weeks = world.weeks();
    assert!(weeks.windows(2).all(|pair| pair[1].first_day < pair[0].first_day));
    // The plan ends on 8 April.
    assert_eq!(weeks[0].first_day.to_string(), "2026-04-01");
    assert_eq!((weeks.len(), weeks[0].days(), weeks[1].days()), (5, 9, 7));
    assert_eq!(weeks.iter().map(crate::Week::days).sum::<usize>(), world.local_days());
    for (place, week) in weeks.iter().enumerate() {
        assert!(world.events_of(week).is_sorted_by_key(|arrival| arrival.received_at));
        assert!(
            world
                .tag_tests_of(week)
                .iter()
                .all(|test| local_day(&world, test.site, test.tested_at) >= week.first_day)
        );
        let newer = place.checked_sub(1).map(|newer| weeks[newer].first_day);
        for test in world.tag_tests_of(week) {
            assert!(newer.is_none_or(|newer| local_day(&world, test.site, test.tested_at) < newer));
        }
    }
}

fn local_day(world: &World, site: usize, at: Timestamp) -> domain::Day {
    domain::Day::from_number(world.registry().sites[site].time_zone.local(at).day)
}
