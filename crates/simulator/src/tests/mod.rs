//! Properties of every world, tested on worlds that are small enough to inspect completely.

mod facts;
mod geometry;
mod registry;
mod repeats;
mod stories;
mod weeks;

use domain::event::IncursionReport;
use domain::{EventPayload, Timestamp};

use crate::{Arrival, Plan, World};

/// Four weeks of twelve machines across a change of clocks in Europe, without positions.
fn plan() -> Plan {
    Plan {
        projects: 2,
        sites: 4,
        machines: 12,
        people: 60,
        days: 28,
        seed: 42,
        gps_interval_s: None,
        ..Plan::new(Timestamp::parse("2026-04-08T15:20:00Z").unwrap())
    }
}

fn world(plan: Plan) -> World {
    World::new(plan).unwrap()
}

fn arrivals(world: &World) -> Vec<Arrival> {
    world.days().flat_map(|day| day.arrivals).collect()
}

/// Returns the incursions among them, each in its last version.
fn incursions(arrivals: &[Arrival]) -> Vec<(usize, &IncursionReport)> {
    let reports = arrivals.iter().filter_map(|arrival| match &arrival.event.payload {
        EventPayload::Incursion(report) => Some((arrival.station, report)),
        _ => None,
    });
    reports.filter(|(_, report)| report.ended_at.is_some()).collect()
}

/// Returns the machine that a station was on at a time.
fn machine_at(world: &World, station: usize, at: Timestamp) -> Option<usize> {
    let on = |from: Timestamp, to: Option<Timestamp>| from <= at && to.is_none_or(|to| at < to);
    let mut found = world.registry().installations.iter().filter(|there| there.station == station);
    found.find(|there| on(there.from, there.to)).map(|there| there.machine)
}

/// Returns the person who wore a tag at a time.
fn wearer_at(world: &World, tag: usize, at: Timestamp) -> Option<usize> {
    let on = |from: Timestamp, to: Option<Timestamp>| from <= at && to.is_none_or(|to| at < to);
    let mut found = world.registry().assignments.iter().filter(|worn| worn.tag == tag);
    found.find(|worn| on(worn.from, worn.to)).map(|worn| worn.person)
}

/// Returns the index of a tag by its serial.
fn tag_index(world: &World, serial: &domain::Serial) -> usize {
    world.registry().tags.iter().position(|tag| tag.serial == *serial).unwrap()
}
