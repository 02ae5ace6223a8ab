//! Where incursions concentrate: a machine, an hour, a place, or a machine and a person.

use std::collections::BTreeMap;

use documents::{Finding, Text, Tone};
use domain::insights::{Dimension, Measure};
use texts::reports;

use super::composer::Composer;
use super::formats::MIN_INCURSIONS;
use crate::reports::figures::GroupView;

/// A group stands out if it has this many times its even share.
const TIMES_EVEN: f64 = 2.0;

/// What a concentration is about.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Place {
    /// A machine, worksite or person.
    Part(Dimension, i64),
    /// The hour of the day.
    Hour(i64),
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
    /// Number of groups among which the incursions are spread.
    groups: u64,
}

impl Concentration {
    fn share(&self) -> f64 {
        self.count as f64 / self.total.max(1) as f64
    }

    fn even_share(&self) -> f64 {
        1.0 / self.groups.max(1) as f64
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
            found.push(Concentration { place, count, total, groups: known.number });
        }
    }
    found.extend(busiest_hour(composer, searched.pattern));
    let cells = known_groups(composer, searched.pattern, "by_cell");
    if let Some(fullest) = cells.groups.first() {
        let placed = cells.groups.iter().map(GroupView::incursions).sum();
        let count = fullest.incursions();
        found.push(Concentration { place: Place::Hexagon, count, total: placed, groups: cells.number });
    }
    let pairs = known_groups(composer, searched.main, "by_pair");
    if let Some(fullest) = pairs.groups.first()
        && let (Some(machine), Some(person)) = (fullest.key(0), fullest.key(1))
    {
        let (place, count) = (Place::Pair { machine, person }, fullest.incursions());
        found.push(Concentration { place, count, total, groups: pairs.number });
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

/// Returns the hour of the day with most incursions, among the hours that have any.
pub(super) fn busiest_hour(composer: &Composer<'_>, pattern: &str) -> Option<Concentration> {
    let mut hours: BTreeMap<i64, i64> = BTreeMap::new();
    for group in composer.figures().groups(pattern, "by_hour") {
        if let Some(hour) = group.key(1) {
            *hours.entry(hour).or_default() += group.incursions();
        }
    }
    hours.retain(|_, count| *count > 0);
    let total = hours.values().sum();
    let fullest = hours.iter().reduce(|best, next| if next.1 > best.1 { next } else { best });
    let (hour, count) = fullest.map(|(hour, count)| (*hour, *count))?;
    Some(Concentration { place: Place::Hour(hour), count, total, groups: hours.len() as u64 })
}

/// Says where it is worst, or that nothing stands out.
pub(super) fn finding(composer: &Composer<'_>, found: Option<&Concentration>) -> Finding {
    let heading = composer.text(reports::WHERE_WORST);
    let Some(found) = found else {
        return Finding {
            tone: Tone::Plain,
            heading,
            text: Text::plain(composer.text(reports::NOTHING_STANDS_OUT)),
            evidence: composer.text(reports::WHEN_SOMETHING_STANDS_OUT),
        };
    };
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
        Place::Hour(hour) => {
            let (from, to) = hour_bounds(*hour);
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

/// Returns the beginning and the end of an hour of the day.
pub(super) fn hour_bounds(hour: i64) -> (String, String) {
    (format!("{hour:02}:00"), format!("{:02}:00", (hour + 1) % 24))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_concentration_of_enough_incursions_stands_out() {
        let of = |count, total, groups| Concentration { place: Place::Hexagon, count, total, groups };
        assert!(of(10, 40, 8).stands_out());
        // Too few, not twice its share, and the only one of its kind.
        assert!(!of(9, 36, 8).stands_out());
        assert!(!of(10, 41, 8).stands_out());
        assert!(!of(40, 40, 1).stands_out());
        assert!(!of(0, 0, 0).stands_out());
    }

    #[test]
    fn the_last_hour_ends_at_midnight() {
        assert_eq!(hour_bounds(7), ("07:00".to_owned(), "08:00".to_owned()));
        assert_eq!(hour_bounds(23).1, "00:00");
    }
}
