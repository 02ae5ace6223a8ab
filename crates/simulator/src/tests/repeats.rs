//! The same plan is the same world.

use domain::{EventPayload, Span};

use super::{plan, world};
use crate::{Plan, World};

/// A short plan that covers everything.
fn small() -> Plan {
    Plan { sites: 3, machines: 5, people: 30, days: 12, gps_interval_s: Some(30), ..plan() }
}

/// Returns everything about a world as text.
fn describe(world: &World, days: &str) -> String {
    let tests: Vec<_> = world.tag_tests().collect();
    format!("{:?}\n{:?}\n{tests:?}\n{days}", world.registry(), world.planted())
}

fn forward(world: &World) -> String {
    let days: Vec<String> = world.days().map(|day| format!("{day:?}")).collect();
    days.join("\n")
}

#[test]
fn the_same_plan_gives_the_same_bytes() {
    let (one, other) = (world(small()), world(small()));
    let first = describe(&one, &forward(&one));
    assert!(first.len() > 1_000_000, "only {} bytes to compare", first.len());
    // Compared without printing megabytes.
    assert!(first == describe(&one, &forward(&one)), "a world changed while it was read");
    assert!(first == describe(&other, &forward(&other)), "two worlds of a plan differ");
    let next = world(Plan { seed: 43, ..small() });
    assert!(first != describe(&next, &forward(&next)));
}

#[test]
fn days_are_the_same_in_whatever_order_they_are_asked_for() {
    // Enough incursions that some are days late.
    let world = world(Plan { gps_interval_s: None, incursions_per_machine_day: 200, ..small() });
    let late = super::arrivals(&world).into_iter().filter(|arrival| match &arrival.event.payload {
        EventPayload::Incursion(report) => arrival.received_at - report.started_at > Span::minutes(72 * 60),
        _ => false,
    });
    assert!(late.count() > 3);
    let mut backward: Vec<String> =
        (0..12).rev().map(|number| format!("{:?}", world.day(number).unwrap())).collect();
    backward.reverse();
    assert!(forward(&world) == backward.join("\n"));
    assert_eq!(world.day(12), None);
    assert_eq!(world.days().len(), 12);
}

#[test]
fn positions_change_nothing_else() {
    let quiet = world(Plan { gps_interval_s: None, ..small() });
    let loud = world(small());
    assert_eq!(quiet.registry(), loud.registry());
    let others: Vec<_> = super::arrivals(&loud)
        .into_iter()
        .filter(|arrival| !matches!(arrival.event.payload, EventPayload::Gps(_)))
        .collect();
    assert!(super::arrivals(&quiet) == others);
}
