//! Prints how many incursions a second one core makes, without and with positions. Nothing is asserted: machines differ.
//!
//! `cargo run -p simulator --release --example speed`

#![expect(clippy::print_stdout, reason = "that is what it is for")]
#![expect(clippy::disallowed_methods, reason = "it measures real time")]

use std::time::Instant;

use domain::{EventPayload, Timestamp};
use simulator::{Plan, PlanError, World};

fn main() -> Result<(), PlanError> {
    let base = Plan { days: 90, ..Plan::new(Timestamp::from_seconds(1_772_323_200)) };
    for gps_interval_s in [None, Some(60), Some(10)] {
        let begun = Instant::now();
        let world = World::new(Plan { gps_interval_s, ..base })?;
        let founded = begun.elapsed();
        let (mut incursions, mut events, mut fixes) = (0_u32, 0_u32, 0);
        for day in world.days() {
            for arrival in day.arrivals {
                events += 1;
                match arrival.event.payload {
                    // Not those that only tell of a begin.
                    EventPayload::Incursion(told) => incursions += u32::from(told.ended_at.is_some()),
                    EventPayload::Gps(found) => fixes += found.len(),
                    _ => {}
                }
            }
        }
        let seconds = begun.elapsed().as_secs_f64();
        println!(
            "positions every {gps_interval_s:?} s: {incursions} incursions, {events} events, {fixes} fixes in {seconds:.2} s \
             ({founded:.0?} for the registry): {:.0} incursions a second",
            f64::from(incursions) / seconds
        );
    }
    Ok(())
}
