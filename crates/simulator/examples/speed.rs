//! Prints how many incursions per second one core generates, without and with positions. Nothing is asserted, because machines differ.
//!
//! `cargo run -p simulator --release --example speed`

#![expect(clippy::print_stdout, reason = "it prints its results")]
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
                    // Ignores those that only report a beginning.
                    EventPayload::Incursion(report) => incursions += u32::from(report.ended_at.is_some()),
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
