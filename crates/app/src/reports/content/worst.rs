//! Where incursions concentrate: a machine, hours, a place, or a machine and a person.

use documents::{Finding, Text, Tone};
use domain::insights::{Dimension, Measure};
use texts::reports;

use super::composer::Composer;
use crate::reports::busiest_hours::BusiestHours;
use crate::reports::figures::GroupView;
use crate::reports::thresholds::MIN_INCURSIONS;

/// A group stands out if it has this many times its even share.
pub(super) const TIMES_EVEN: f64 = 2.0;

/// What a concentration is about.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Place {
    /// A machine, worksite or person.
    Part(Dimension, i64),
    /// Hours of the day in a row.
    Hours {
        from: i64,
        to: i64,
    },
    Hexagon,
    Pair {
        machine: i64,
        person: i64,
    },
}

/// A group with its share of all incursions.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Concentration {
    pub place: Place,
    pub count: i64,
    pub total: i64,
    /// Number of groups that it consists of, such as three hours.
    parts: u64,
    /// Number of groups among which the incursions are spread.
    groups: u64,
}

impl Concentration {
    fn share(&self) -> f64 {
        self.count as f64 / self.total.max(1) as f64
    }

    fn even_share(&self) -> f64 {
        (self.parts as f64 / self.groups.max(1) as f64).min(1.0)
    }

    fn stands_out(&self) -> bool {
        self.count >= MIN_INCURSIONS && self.share() >= TIMES_EVEN * self.even_share()
    }
}

/// The answers in which concentrations are looked for.
#[derive(Clone, Copy)]
pub(super) struct Searched {
    pub main: &'static str,
    pub pattern: &'static str,
    /// Groupings of the main answer by one dimension.
    pub parts: &'static [(&'static str, Dimension)],
}

/// Returns the group with the highest share among those that have clearly more than the others.
pub(super) fn find(composer: &Composer<'_>, searched: Searched) -> Option<Concentration> {
    let found = candidates(composer, searched).into_iter().filter(Concentration::stands_out);
    found.reduce(|best, next| if next.share() > best.share() { next } else { best })
}

fn candidates(composer: &Composer<'_>, searched: Searched) -> Vec<Concentration> {
    let figures = composer.figures();
    let total = figures.total(searched.main, Measure::Incursions).incursions;
    let mut found = Vec::new();
    for (grouping, dimension) in searched.parts {
        let known = known_groups(composer, searched.main, grouping);
        if let Some(fullest) = known.groups.first() {
            let place = Place::Part(*dimension, fullest.key(0).unwrap_or(0));
            let count = fullest.incursions();
            found.push(Concentration { place, count, total, parts: 1, groups: known.number });
        }
    }
    found.extend(busiest_hours(composer, searched.pattern));
    let cells = known_groups(composer, searched.pattern, "by_cell");
    if let Some(fullest) = cells.groups.first() {
        let placed = cells.groups.iter().map(GroupView::incursions).sum();
        let (place, count) = (Place::Hexagon, fullest.incursions());
        found.push(Concentration { place, count, total: placed, parts: 1, groups: cells.number });
    }
    let pairs = known_groups(composer, searched.main, "by_pair");
    if let Some(fullest) = pairs.groups.first()
        && let (Some(machine), Some(person)) = (fullest.key(0), fullest.key(1))
    {
        let (place, count) = (Place::Pair { machine, person }, fullest.incursions());
        found.push(Concentration { place, count, total, parts: 1, groups: pairs.number });
    }
    found
}

/// Groups with incursions of which everything is known, the fullest first, and their number beyond the limit as well.
struct KnownGroups<'a> {
    groups: Vec<GroupView<'a>>,
    number: u64,
}

fn known_groups<'a>(composer: &Composer<'a>, answer: &str, grouping: &str) -> KnownGroups<'a> {
    let is_known = |group: &GroupView<'_>| group.keys.iter().all(Option::is_some) && group.incursions() > 0;
    let mut groups = composer.figures().groups(answer, grouping);
    groups.retain(is_known);
    let number = groups.len() as u64 + composer.figures().more(answer, grouping);
    KnownGroups { groups, number }
}

/// Returns the hours of the day with most incursions, which are spread over the hours that have any.
fn busiest_hours(composer: &Composer<'_>, pattern: &str) -> Option<Concentration> {
    let mut hours = [0; 24];
    for group in composer.figures().groups(pattern, "by_hour") {
        let hour = group.key(1).and_then(|hour| usize::try_from(hour).ok());
        if let Some(count) = hour.and_then(|hour| hours.get_mut(hour)) {
            *count += group.incursions().unsigned_abs();
        }
    }
    let found = BusiestHours::find(&hours)?;
    let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    Some(Concentration {
        place: Place::Hours { from: i64::from(found.from), to: i64::from(found.to) },
        count: count(found.incursions),
        total: count(found.all),
        parts: u64::from(found.to - found.from),
        groups: hours.iter().filter(|count| **count > 0).count() as u64,
    })
}

/// Returns what was searched for concentrations: only what the figures have groups of.
fn searched_things(composer: &Composer<'_>, searched: Searched) -> Vec<String> {
    let places = candidates(composer, searched).into_iter().map(|candidate| candidate.place);
    let thing = |place: Place| match place {
        Place::Part(Dimension::Worksite, _) => reports::AMONG_WORKSITES,
        Place::Part(Dimension::Pedestrian, _) => reports::AMONG_PEDESTRIANS,
        Place::Part(Dimension::Operator, _) => reports::AMONG_OPERATORS,
        Place::Part(..) => reports::AMONG_MACHINES,
        Place::Hours { .. } => reports::AMONG_HOURS,
        Place::Hexagon => reports::AMONG_PLACES,
        Place::Pair { .. } => reports::AMONG_PAIRS,
    };
    places.map(|place| composer.text(thing(place))).collect()
}

/// Says that nothing stands out among what was searched, or that there was nothing to search.
fn nothing_stands_out(composer: &Composer<'_>, searched: Searched) -> Finding {
    let total = composer.figures().total(searched.main, Measure::Incursions).incursions;
    let text = match &searched_things(composer, searched)[..] {
        [] if total == 0 => composer.text(reports::NO_INCURSIONS),
        [] => composer.text(reports::NOTHING_KNOWN),
        things => composer.fill(reports::NOTHING_STANDS_OUT, &[("things", &composer.formats.list(things))]),
    };
    let least = composer.formats.count(MIN_INCURSIONS);
    Finding {
        tone: Tone::Plain,
        heading: composer.text(reports::WHERE_WORST),
        text: Text::plain(text),
        evidence: composer.fill(reports::WHEN_SOMETHING_STANDS_OUT, &[("n", &least)]),
    }
}

/// Says where it is worst, or that nothing stands out.
pub(super) fn finding(composer: &Composer<'_>, searched: Searched, found: Option<&Concentration>) -> Finding {
    let heading = composer.text(reports::WHERE_WORST);
    let Some(found) = found else { return nothing_stands_out(composer, searched) };
    let formats = composer.formats;
    let (count, total) = (formats.count(found.count), formats.count(found.total));
    let counts = [("n", count.as_str()), ("total", &total)];
    let with = |text: texts::Text, named: &[(&str, &str)]| composer.sentence(text, named, &counts);
    let text = match &found.place {
        Place::Part(dimension, key) => {
            let text = match dimension {
                Dimension::Worksite => reports::WORST_WORKSITE,
                Dimension::Pedestrian => reports::WORST_PEDESTRIAN,
                Dimension::Operator => reports::WORST_OPERATOR,
                _ => reports::WORST_MACHINE,
            };
            with(text, &[("name", &composer.label(*dimension, Some(*key)))])
        }
        Place::Hours { from, to } => {
            let (from, to) = (clock_hour(*from), clock_hour(*to));
            with(reports::WORST_HOUR, &[("from", &from), ("to", &to)])
        }
        Place::Hexagon => with(reports::WORST_PLACE, &[]),
        Place::Pair { machine, person } => {
            let machine = composer.label(Dimension::Machine, Some(*machine));
            let person = composer.label(Dimension::Pedestrian, Some(*person));
            with(reports::WORST_PAIR, &[("machine", &machine), ("person", &person)])
        }
    };
    let shares = [
        ("share", formats.ratio(found.share())),
        ("even", formats.ratio(found.even_share())),
        ("groups", formats.unsigned(found.groups)),
    ];
    let shares = shares.each_ref().map(|(name, value)| (*name, value.as_str()));
    Finding {
        tone: Tone::Warning,
        heading,
        text,
        evidence: composer.fill(reports::SHARE_AND_EVEN_SHARE, &shares),
    }
}

/// Returns the beginning of an hour of the day as clocks show it.
pub(super) fn clock_hour(hour: i64) -> String {
    format!("{:02}:00", hour.rem_euclid(24))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_concentration_of_enough_incursions_stands_out() {
        let place = Place::Hexagon;
        let of = |count, total, groups| {
            let place = place.clone();
            Concentration { place, count, total, parts: 1, groups }
        };
        assert!(of(10, 40, 8).stands_out());
        // Too few, not twice its share, and the only one of its kind.
        assert!(!of(9, 36, 8).stands_out());
        assert!(!of(10, 41, 8).stands_out());
        assert!(!of(40, 40, 1).stands_out());
        assert!(!of(0, 0, 0).stands_out());
        // Three of nine hours have a third of them if they are spread evenly, and three of two all.
        let hours = |count, groups| Concentration { parts: 3, ..of(count, 60, groups) };
        assert!(hours(40, 9).stands_out() && !hours(39, 9).stands_out());
        assert!(!hours(60, 2).stands_out());
    }

    #[test]
    fn the_last_hour_ends_at_midnight() {
        assert_eq!((clock_hour(7), clock_hour(24)), ("07:00".to_owned(), "00:00".to_owned()));
    }
}
