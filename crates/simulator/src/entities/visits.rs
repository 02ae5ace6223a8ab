//! Visitors: who comes, when they leave, and who forgets to check out.

use domain::{PersonKind, TagRole};
use jiff::civil::Weekday;

use crate::entities::names;
use crate::entities::people::{Staff, create_tag};
use crate::entities::sites::SiteProfile;
use crate::plan::Plan;
use crate::primitives::chance::{Chance, Purpose, Source};
use crate::primitives::checked_values;
use crate::registry::{Assignment, Person, Registry, Visit};

/// The probability that visitors come to a worksite on a weekday.
const VISIT_PROBABILITY: f64 = 0.35;

/// The probability that a visitor leaves without checking out.
const NO_CHECK_OUT_PROBABILITY: f64 = 0.06;

/// The maximum number of different visitors of a worksite; after that only known ones come.
const MAX_KNOWN_VISITORS: usize = 40;

/// A visitor at a worksite on a day.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guest {
    pub day: usize,
    pub tag: usize,
    pub from_ms: i64,
    pub to_ms: i64,
}

/// The state of a reception.
#[derive(Default)]
struct Reception {
    /// Visitors, each with the last day they came.
    known_visitors: Vec<(usize, usize)>,
    /// Tags, each with the time from which it can be handed out.
    tags: Vec<(usize, i64)>,
}

/// Creates the visits. Returns the visitors of each worksite, day by day.
pub(crate) fn create_visits(
    plan: &Plan,
    source: &Source,
    worksites: &[SiteProfile],
    staff: &mut Staff,
    registry: &mut Registry,
) -> Vec<Vec<Guest>> {
    let mut guests = vec![Vec::new(); worksites.len()];
    for (site, worksite) in worksites.iter().enumerate() {
        let mut reception = Reception::default();
        for (day, local) in worksite.days.iter().enumerate() {
            let mut chance = source.stream(Purpose::Visits, site, day);
            let is_weekend = matches!(local.weekday(), Weekday::Saturday | Weekday::Sunday);
            if local.is_off || is_weekend || !chance.happens(VISIT_PROBABILITY) {
                continue;
            }
            for _ in 0..chance.integer(1, 3) {
                let from_ms = local.at_minute(chance.between(480.0, 750.0));
                let to_ms = from_ms + chance.integer(30 * 60_000, 180 * 60_000);
                if checked_values::at_ms(from_ms) < plan.start()
                    || checked_values::at_ms(from_ms) >= plan.until
                {
                    continue;
                }
                let Some(visitor) = pick_visitor(day, source, &mut reception, registry, &mut chance) else {
                    continue;
                };
                let free = reception.tags.iter().position(|(_, free_ms)| *free_ms < from_ms);
                let place = free.unwrap_or_else(|| {
                    let tag = create_tag(source, TagRole::Pedestrian, registry, &mut staff.batteries);
                    reception.tags.push((tag, 0));
                    reception.tags.len() - 1
                });
                let forgets = chance.happens(NO_CHECK_OUT_PROBABILITY);
                // A tag that was not returned is gone with the visitor, who does not come again either.
                let checked_out = checked_values::at_ms(to_ms);
                let checked_out = (!forgets && checked_out < plan.until).then_some(checked_out);
                reception.tags[place].1 = if checked_out.is_some() { to_ms } else { i64::MAX };
                let (person, tag) = (reception.known_visitors[visitor].0, reception.tags[place].0);
                if checked_out.is_none() {
                    reception.known_visitors.swap_remove(visitor);
                }
                let until = from_ms + chance.integer(2, 12) * 15 * 60_000;
                registry.visits.push(Visit {
                    person,
                    tag,
                    site,
                    company: registry.people[person].company.clone(),
                    expected_until: chance.happens(0.8).then(|| checked_values::at_ms(until)),
                    checked_in: checked_values::at_ms(from_ms),
                    checked_out,
                });
                guests[site].push(Guest { day, tag, from_ms, to_ms });
            }
        }
    }
    registry.visits.sort_by_key(|visit| (visit.checked_in, visit.site, visit.person));
    for (index, visit) in registry.visits.iter().enumerate() {
        let Visit { person, tag, checked_in: from, checked_out: to, .. } = *visit;
        registry.assignments.push(Assignment { tag, person, from, to, visit: Some(index) });
    }
    registry.assignments.sort_by_key(|assignment| (assignment.from, assignment.tag));
    guests
}

/// Returns a person who has not come yet that day, either a new or a known visitor.
fn pick_visitor(
    day: usize,
    source: &Source,
    reception: &mut Reception,
    registry: &mut Registry,
    chance: &mut Chance,
) -> Option<usize> {
    let known = &mut reception.known_visitors;
    if known.len() < MAX_KNOWN_VISITORS && (known.is_empty() || chance.happens(0.6)) {
        let index = registry.people.len();
        let mut words = source.stream(Purpose::People, index, 0);
        registry.people.push(Person {
            kind: PersonKind::Visitor,
            name: checked_values::name(&names::person(&mut words)),
            employee_id: None,
            company: Some(checked_values::name(&names::company(&mut words))),
        });
        known.push((index, day));
        return Some(known.len() - 1);
    }
    let found = chance.below(known.len());
    (known[found].1 < day).then(|| {
        known[found].1 = day;
        found
    })
}
