//! Incursions follow from geometry.

use domain::{EventPayload, Zone};
use geography::{Boundary, Position};

use super::{arrivals, incursions, machine_at, plan, world};
use crate::entities::site_geometry::Spot;
use crate::primitives::checked_values::at_ms;
use crate::primitives::compass;
use crate::{Plan, World};

fn boundaries(world: &World) -> Vec<Boundary> {
    let sites = world.registry().sites.iter();
    sites.map(|site| Boundary::from_geojson(&site.boundary).unwrap()).collect()
}

#[test]
fn the_pass_tells_zone_and_duration() {
    let world = world(plan());
    let (mut passes, mut danger) = (0, 0);
    for site in 0..world.site_profiles.len() {
        for day in 0..world.local_days() {
            let shifts = world.shifts(site, day);
            for encounter in world.encounters(site, day, &shifts) {
                let pass = encounter.pass;
                passes += 1;
                danger += usize::from(pass.zone() == Zone::Danger);
                assert_eq!(pass.zone() == Zone::Danger, pass.closest_cm <= pass.danger_cm);
                assert!(pass.danger_cm < pass.warning_cm && (30..pass.warning_cm).contains(&pass.closest_cm));
                let half_cm = (pass.warning_cm.pow(2) as f64 - pass.closest_cm.pow(2) as f64).sqrt();
                let seconds = 2.0 * half_cm / 100.0 / (pass.speed_mm_s as f64 / 1_000.0);
                let found = (encounter.ended_ms - encounter.started_ms) as f64 / 1_000.0;
                assert!((found - seconds).abs() <= 0.0006, "{found} s instead of {seconds} s: {pass:?}");
                let shift = &shifts[encounter.shift];
                let zones = world.station_profiles[shift.station].zones(day);
                let fits = zones.iter().any(|zones| {
                    (zones.warning.centimetres(), zones.danger.centimetres())
                        == (pass.warning_cm, pass.danger_cm)
                });
                assert!(fits, "no antenna has such zones: {pass:?}");
                // The machine was on, and at the position of its track.
                let on = shift.track.ignition_periods().iter();
                let on = on.filter(|(from, to)| *from <= encounter.started_ms && encounter.ended_ms <= *to);
                assert_eq!(on.count(), 1);
                let spot = shift.track.spot(shift.track.running_time_at(encounter.started_ms));
                assert_eq!(encounter.position, world.site_profiles[site].geometry.coordinates(spot));
            }
        }
    }
    assert!(passes > 10_000);
    assert!((0.15..0.45).contains(&(danger as f64 / passes as f64)), "{danger} of {passes}");
}

#[test]
fn reports_say_what_the_pass_was() {
    let world = world(plan());
    let arrivals = arrivals(&world);
    let reports = incursions(&arrivals);
    let mut lengths = [0_usize; 3];
    for (_, report) in &reports {
        let (end, closest) = (report.ended_at.unwrap(), report.closest_cm.unwrap());
        assert!(end > report.started_at && (30..1_000).contains(&closest));
        assert!(report.acknowledged_at.is_none_or(|at| at > report.started_at));
        let seconds = (end - report.started_at).whole_seconds();
        lengths[if seconds < 15 {
            0
        } else if seconds < 60 {
            1
        } else {
            2
        }] += 1;
    }
    // Short ones are people passing by, long ones are people working beside the machine; both occur.
    assert!(
        lengths[0] > lengths[1] && lengths[1] > lengths[2] && lengths[2] * 100 > reports.len(),
        "{lengths:?}"
    );
}

#[test]
fn everything_happens_inside_the_boundary_of_the_machine_s_site() {
    let world = world(Plan { days: 7, sites: 8, machines: 16, gps_interval_s: Some(60), ..plan() });
    let boundaries = boundaries(&world);
    let (mut incursions, mut fixes) = (0, 0);
    for arrival in arrivals(&world) {
        let (at, places): (_, Vec<(f64, f64)>) = match &arrival.event.payload {
            EventPayload::Incursion(report) => {
                incursions += 1;
                let place = report.position.unwrap();
                (report.started_at, vec![(place.lon(), place.lat())])
            }
            EventPayload::Gps(found) => {
                fixes += found.len();
                assert!((1..=90).contains(&found.len()));
                let degrees = |part: i32| f64::from(part) / 1e6;
                let places = found.iter().map(|fix| (degrees(fix.lon_e6), degrees(fix.lat_e6)));
                (at_ms(found[0].at_ms), places.collect())
            }
            _ => continue,
        };
        let machine = machine_at(&world, arrival.station, at).unwrap();
        let site = world.registry().machines[machine].site;
        for (lon, lat) in places {
            assert!(
                boundaries[site].contains(Position::new(lon, lat).unwrap()),
                "{lon}, {lat} of site {site}"
            );
        }
    }
    assert!(incursions > 2_000 && fixes > 10_000, "{incursions}, {fixes}");
}

#[test]
fn sites_lie_apart_and_hold_the_ground_that_is_used() {
    for seed in 0..40 {
        let world = world(Plan { sites: 24, machines: 24, people: 100, days: 1, seed, ..plan() });
        for (site, boundary) in world.site_profiles.iter().zip(boundaries(&world)) {
            for step in 0..compass::STEPS {
                // The edge of the inner part, plus the error of a position.
                let (spot, (east, north)) =
                    (site.geometry.spot(compass::heading_vector(step)), compass::heading_vector(step));
                let spot = Spot { east_m: spot.east_m + 1.7 * east, north_m: spot.north_m + 1.7 * north };
                let place = site.geometry.coordinates(spot);
                let inside = boundary.contains(Position::new(place.lon(), place.lat()).unwrap());
                assert!(inside, "{place:?} with seed {seed}");
            }
        }
        let boxes: Vec<[f64; 4]> = boundaries(&world).iter().map(Boundary::bbox).collect();
        for (index, [west, south, east, north]) in boxes.iter().enumerate() {
            for other in &boxes[..index] {
                let apart = other[2] < *west || *east < other[0] || other[3] < *south || *north < other[1];
                assert!(apart, "two sites overlap with seed {seed}");
            }
        }
    }
}

#[test]
fn fixes_come_at_their_interval_and_at_a_machine_s_pace() {
    let world = world(Plan { days: 3, gps_interval_s: Some(10), ..plan() });
    let mut moving = 0;
    for arrival in arrivals(&world) {
        let EventPayload::Gps(fixes) = arrival.event.payload else { continue };
        assert!(fixes.windows(2).all(|pair| pair[1].at_ms - pair[0].at_ms == 10_000));
        for fix in fixes {
            assert!(fix.heading_5deg.is_none_or(|heading| heading < 72));
            assert!(fix.speed_half_kmh.is_some_and(|speed| speed <= 2 * 25));
            assert_eq!(fix.heading_5deg.is_some(), fix.speed_half_kmh != Some(0));
            moving += usize::from(fix.heading_5deg.is_some());
        }
    }
    assert!(moving > 1_000, "{moving}");
}
