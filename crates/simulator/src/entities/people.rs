//! Staff: who drives, who walks, and who wears which tag during which period.

use domain::{PersonKind, TagRole};

use crate::activity::batteries::Battery;
use crate::activity::habits::{AcknowledgementHabit, TestingHabit};
use crate::entities::machines::MachineProfile;
use crate::entities::names;
use crate::entities::sites::SiteProfile;
use crate::plan::Plan;
use crate::primitives::calendar::EXTRA_DAYS;
use crate::primitives::chance::{Chance, Purpose, Source};
use crate::primitives::checked_values;
use crate::registry::{Assignment, Person, Registry, Tag};

/// How many times more often the planted person is met than others on the worksite.
const PLANTED_WEIGHT: f64 = 3.0;

/// The number of machines that share a relief operator.
const MACHINES_PER_RELIEF: usize = 6;

/// Per worksite, one in so many people on foot leaves and passes the tag on, and one in so many gets a new tag.
const HANDOVER_EVERY: usize = 12;
const REPLACE_EVERY: usize = 9;

/// A person wears a tag on local days; the end is exclusive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TagPeriod {
    pub from: usize,
    pub to: usize,
    pub tag: usize,
}

/// A person who may come near a machine of a worksite.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub person: usize,
    pub shift: usize,
    /// How often they are met, relative to others.
    pub weight: f64,
    pub tag_periods: Vec<TagPeriod>,
    pub testing: TestingHabit,
}

impl Member {
    /// Returns the tag they wear on a day.
    pub fn tag(&self, day: usize) -> Option<usize> {
        self.tag_periods.iter().find(|wear| (wear.from..wear.to).contains(&day)).map(|wear| wear.tag)
    }
}

/// A person who drives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operator {
    pub person: usize,
    pub tag: usize,
    pub acknowledging: AcknowledgementHabit,
    pub testing: TestingHabit,
}

/// The people of the world.
#[derive(Clone, Debug, Default)]
pub(crate) struct Staff {
    /// The operator of each machine.
    pub operators: Vec<Operator>,
    /// The relief operators of each worksite.
    pub reliefs: Vec<Vec<Operator>>,
    /// The people on foot of each worksite, including relief operators, who walk on other days.
    pub members: Vec<Vec<Member>>,
    /// The battery of each tag.
    pub batteries: Vec<Battery>,
    /// The person who is met much too often.
    pub planted: usize,
}

/// Returns the relief operator of a machine on a day. Each of them drives at most one machine a day.
pub(crate) fn relief_index(machines: &[usize], machine: usize, day: usize) -> Option<usize> {
    let place = machines.iter().position(|other| *other == machine)?;
    let turn = place % MACHINES_PER_RELIEF;
    (day % 8 == turn).then_some(place / MACHINES_PER_RELIEF)
}

/// Creates the staff; `machines` are those of each worksite.
pub(crate) fn create_staff(
    plan: &Plan,
    source: &Source,
    worksites: &[SiteProfile],
    rigs: &[MachineProfile],
    machines: &[Vec<usize>],
    registry: &mut Registry,
) -> Staff {
    let mut staff = Staff::default();
    let end = plan.days + EXTRA_DAYS;
    for _ in rigs {
        let operator = create_operator(source, registry, &mut staff);
        staff.operators.push(operator);
    }
    for machines in machines {
        let count = machines.len().div_ceil(MACHINES_PER_RELIEF);
        let reliefs: Vec<Operator> =
            (0..count).map(|_| create_operator(source, registry, &mut staff)).collect();
        let members = reliefs.iter().enumerate().map(|(index, relief)| Member {
            person: relief.person,
            shift: rigs[machines[index * MACHINES_PER_RELIEF]].shift,
            weight: 0.5,
            tag_periods: vec![TagPeriod { from: 0, to: end, tag: relief.tag }],
            testing: relief.testing,
        });
        staff.members.push(members.collect());
        staff.reliefs.push(reliefs);
    }
    let mut walkers: Vec<Vec<Member>> = vec![Vec::new(); plan.sites];
    for count in 0..plan.people - registry.people.len() {
        // The first two people go to each worksite, the others to where the machines are.
        let near = count.checked_sub(2 * plan.sites).map(|count| count % rigs.len());
        let site = near.map_or(count % plan.sites, |machine| rigs[machine].site);
        let mut chance = source.stream(Purpose::People, registry.people.len(), 1);
        let person = create_person(source, registry);
        let shifts = worksites[site].hours.shifts.len();
        let shift = near.map_or(walkers[site].len() % shifts, |machine| rigs[machine].shift);
        let weight = chance.between(0.75, 1.25);
        walkers[site].push(Member {
            person,
            shift,
            weight,
            tag_periods: Vec::new(),
            testing: TestingHabit::new(&mut chance),
        });
    }
    plant(source, &mut walkers, &mut staff);
    for (members, walkers) in staff.members.iter_mut().zip(&mut walkers) {
        hand_out_tags(plan, source, staff.planted, walkers, registry, &mut staff.batteries);
        members.append(walkers);
    }
    record_assignments(plan, worksites, &staff, registry);
    staff
}

fn create_person(source: &Source, registry: &mut Registry) -> usize {
    let index = registry.people.len();
    let mut chance = source.stream(Purpose::People, index, 0);
    let company = chance.happens(0.3).then(|| checked_values::name(&names::company(&mut chance)));
    registry.people.push(Person {
        kind: PersonKind::Staff,
        name: checked_values::name(&names::person(&mut chance)),
        employee_id: Some(checked_values::name(&format!("E{:05}", 10_001 + index))),
        company,
    });
    index
}

/// Creates a tag with its battery.
pub(crate) fn create_tag(
    source: &Source,
    role: TagRole,
    registry: &mut Registry,
    batteries: &mut Vec<Battery>,
) -> usize {
    let index = registry.tags.len();
    let mut chance = source.stream(Purpose::Tags, index, 0);
    let serial = format!("T{:03X}-{:05}", chance.below(4_096), 1 + index);
    registry.tags.push(Tag { serial: checked_values::serial(&serial), role });
    batteries.push(Battery::new(&mut chance));
    index
}

fn create_operator(source: &Source, registry: &mut Registry, staff: &mut Staff) -> Operator {
    let person = create_person(source, registry);
    let mut chance = source.stream(Purpose::People, person, 1);
    let tag = create_tag(source, TagRole::Operator, registry, &mut staff.batteries);
    Operator {
        person,
        tag,
        acknowledging: AcknowledgementHabit::new(&mut chance),
        testing: TestingHabit::new(&mut chance),
    }
}

/// Chooses the person who is met too often: from the worksite with the most people on foot, so that there are others to compare with.
fn plant(source: &Source, walkers: &mut [Vec<Member>], staff: &mut Staff) {
    let max = walkers.iter().map(Vec::len).max().unwrap_or_default();
    let Some(members) = walkers.iter_mut().find(|members| members.len() == max) else { return };
    let chosen = source.stream(Purpose::Planted, 0, 1).below(members.len());
    members[chosen].weight = PLANTED_WEIGHT;
    staff.planted = members[chosen].person;
}

/// Gives everyone on foot a tag; some tags change hands or are replaced.
fn hand_out_tags(
    plan: &Plan,
    source: &Source,
    planted: usize,
    walkers: &mut [Member],
    registry: &mut Registry,
    batteries: &mut Vec<Battery>,
) {
    let end = plan.days + EXTRA_DAYS;
    // One in every twelve takes over from the previous one.
    let takes_over = |walkers: &[Member], index: usize| {
        index % HANDOVER_EVERY == 3
            && walkers[index - 1].person != planted
            && walkers[index].person != planted
    };
    for index in 0..walkers.len() {
        let mut chance = source.stream(Purpose::Tags, walkers[index].person, 1);
        let day = |chance: &mut Chance| chance.integer(3, plan.days as i64) as usize;
        if plan.days >= 3 && takes_over(walkers, index) {
            let day = day(&mut chance);
            let Some(last) = walkers[index - 1].tag_periods.last_mut() else { continue };
            // The previous person has no other tag.
            last.to = day;
            let tag = last.tag;
            walkers[index].tag_periods.push(TagPeriod { from: day, to: end, tag });
            continue;
        }
        let first = create_tag(source, TagRole::Pedestrian, registry, batteries);
        walkers[index].tag_periods.push(TagPeriod { from: 0, to: end, tag: first });
        if plan.days >= 3 && index % REPLACE_EVERY == 0 {
            let day = day(&mut chance);
            let next = create_tag(source, TagRole::Pedestrian, registry, batteries);
            walkers[index].tag_periods[0].to = day;
            walkers[index].tag_periods.push(TagPeriod { from: day, to: end, tag: next });
        }
    }
}

/// Records the tag assignments in the registry.
fn record_assignments(plan: &Plan, worksites: &[SiteProfile], staff: &Staff, registry: &mut Registry) {
    for operator in &staff.operators {
        let (tag, person) = (operator.tag, operator.person);
        registry.assignments.push(Assignment { tag, person, from: plan.start(), to: None, visit: None });
    }
    let end = plan.days + EXTRA_DAYS;
    for (worksite, members) in worksites.iter().zip(&staff.members) {
        for member in members {
            for wear in &member.tag_periods {
                // A tag is returned in the early morning, and handed out again half an hour later.
                let at = |day: usize, minute| checked_values::at_ms(worksite.days[day].at_minute(minute));
                let from = if wear.from == 0 { plan.start() } else { at(wear.from, 270.0) };
                let to = (wear.to < end).then(|| at(wear.to, 240.0));
                let person = member.person;
                registry.assignments.push(Assignment { tag: wear.tag, person, from, to, visit: None });
            }
        }
    }
}
