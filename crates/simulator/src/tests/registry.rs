//! The registry can be registered as it is.

use std::collections::{BTreeMap, BTreeSet};

use domain::{Name, PersonKind, Serial, Timestamp, ZoneRadius};

use super::{plan, world};
use crate::{Plan, World};

/// The periods of an entity do not overlap, and only the last may be open.
fn check_apart(mut times: Vec<(Timestamp, Option<Timestamp>)>) {
    times.sort();
    for pair in times.windows(2) {
        assert!(pair[0].1.is_some_and(|to| to <= pair[1].0), "{pair:?}");
    }
    assert!(times.iter().all(|(from, to)| to.is_none_or(|to| *from < to)), "{times:?}");
}

fn check_links(world: &World) {
    let registry = world.registry();
    let group = |keyed: Vec<(usize, (Timestamp, Option<Timestamp>))>| {
        let mut groups: BTreeMap<usize, Vec<_>> = BTreeMap::new();
        for (key, times) in keyed {
            assert!(times.0 >= world.plan().start() && times.0 < world.plan().until);
            groups.entry(key).or_default().push(times);
        }
        groups.into_values().for_each(check_apart);
    };
    group(registry.assignments.iter().map(|worn| (worn.tag, (worn.from, worn.to))).collect());
    group(registry.assignments.iter().map(|worn| (worn.person, (worn.from, worn.to))).collect());
    group(registry.installations.iter().map(|there| (there.station, (there.from, there.to))).collect());
    group(registry.installations.iter().map(|there| (there.machine, (there.from, there.to))).collect());
    group(
        registry.visits.iter().map(|visit| (visit.person, (visit.checked_in, visit.checked_out))).collect(),
    );
}

#[test]
fn links_never_overlap_whatever_the_seed() {
    for seed in 0..12 {
        check_links(&world(Plan { seed, ..plan() }));
        check_links(&world(Plan { seed, days: 3, sites: 8, machines: 40, people: 120, ..plan() }));
        let until = Timestamp::parse("2026-10-26T23:59:59Z").unwrap();
        check_links(&world(Plan { seed, days: 4, until, ..plan() }));
    }
}

#[test]
fn the_smallest_and_the_shortest_worlds_work() {
    let least = Plan { projects: 1, sites: 1, machines: 1, people: 4, days: 1, ..plan() };
    for seed in 0..20 {
        let world = world(Plan { seed, ..least });
        assert_eq!(world.planted().silent, None);
        assert_eq!(world.days().count(), 1);
        check_links(&world);
    }
    let busy = world(Plan { days: 14, ..least });
    assert!(super::arrivals(&busy).len() > 100);
}

#[test]
fn names_and_serials_are_valid_and_told_apart() {
    for seed in 0..20 {
        let world = world(Plan { projects: 14, sites: 50, machines: 60, people: 300, seed, ..plan() });
        let registry = world.registry();
        let unique = |keys: Vec<String>| {
            let count = keys.len();
            assert_eq!(keys.into_iter().collect::<BTreeSet<_>>().len(), count);
        };
        unique(registry.projects.iter().map(|project| project.name.key()).collect());
        unique(registry.projects.iter().map(|project| project.code.key()).collect());
        unique(registry.sites.iter().map(|site| site.name.key()).collect());
        unique(registry.machines.iter().map(|machine| machine.name.key()).collect());
        unique(registry.machines.iter().map(|machine| machine.serial_number.key()).collect());
        unique(registry.tags.iter().map(|tag| tag.serial.key()).collect());
        unique(registry.stations.iter().map(|station| station.serial.key()).collect());
        let employees = registry.people.iter().filter_map(|person| person.employee_id.as_ref());
        unique(employees.map(Name::key).collect());
        assert!(
            registry.tags.iter().all(|tag| Serial::parse(tag.serial.as_str()).as_ref() == Ok(&tag.serial))
        );
        for zones in registry.stations.iter().flat_map(|station| &station.zones) {
            for reach in [zones.warning, zones.danger] {
                assert_eq!(ZoneRadius::from_metres(reach.metres()), Ok(reach));
            }
            assert!(zones.danger < zones.warning && zones.warning.metres() <= 10.0);
        }
    }
}

#[test]
fn sites_are_in_several_zones_and_belong_to_projects() {
    let world = world(plan());
    let registry = world.registry();
    let zones: BTreeSet<&str> = registry.sites.iter().map(|site| site.time_zone.as_str()).collect();
    assert!(zones.contains("Europe/London") && zones.contains("Australia/Brisbane"), "{zones:?}");
    let projects: BTreeSet<usize> = registry.sites.iter().map(|site| site.project).collect();
    assert_eq!(projects.len(), registry.projects.len());
    let sites: BTreeSet<usize> = registry.machines.iter().map(|machine| machine.site).collect();
    assert_eq!(sites.len(), registry.sites.len());
}

#[test]
fn visitors_come_and_some_never_check_out() {
    let world = world(plan());
    let registry = world.registry();
    let staff = registry.people.iter().filter(|person| person.kind == PersonKind::Staff).count();
    assert_eq!(staff, world.plan().people);
    assert!(registry.visits.iter().all(|visit| registry.people[visit.person].kind == PersonKind::Visitor));
    let open = registry.visits.iter().filter(|visit| visit.checked_out.is_none()).count();
    assert!(registry.visits.len() > 20 && open >= 1 && open * 4 < registry.visits.len(), "{open}");
    for worn in registry.assignments.iter().filter(|worn| worn.visit.is_some()) {
        let visit = &registry.visits[worn.visit.unwrap()];
        assert_eq!(
            (worn.tag, worn.person, worn.from, worn.to),
            (visit.tag, visit.person, visit.checked_in, visit.checked_out)
        );
    }
}

#[test]
fn some_tags_change_hands() {
    let world = world(plan());
    let mut wearers: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for worn in world.registry().assignments.iter().filter(|worn| worn.visit.is_none()) {
        wearers.entry(worn.tag).or_default().insert(worn.person);
    }
    let passed_on = wearers.values().filter(|people| people.len() > 1).count();
    assert!(passed_on >= 1 && passed_on * 4 < wearers.len(), "{passed_on} of {}", wearers.len());
}
