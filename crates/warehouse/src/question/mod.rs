//! Questions as SQL of ClickHouse, and answers from its rows. Pure.
//!
//! All groupings of a question are the grouping sets of one statement over incursions, and of one over runtime if that is needed. A row
//! says by `grouping()` to which set it belongs, because a total and a group without a key have the same numbers there. Everything is a
//! whole number, as in the store.

mod answer;
mod conditions;
mod keys;
mod measures;

use domain::insights::{Answer, Dimension, Grouping, Question};
use domain::{MachineId, MachineKind, PersonId, PersonKind, Timestamp, WorksiteId, WorksiteKind};

use crate::Error;
use crate::copy::FactTable;
use crate::result_rows::ResultRow;
use keys::LocalDays;
pub(crate) use measures::DurationType;
use measures::Sum;

/// The kinds that records have now; empty for a question that depends on none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kinds {
    pub worksites: Vec<(WorksiteId, WorksiteKind)>,
    pub machines: Vec<(MachineId, MachineKind)>,
    pub people: Vec<(PersonId, PersonKind)>,
}

impl Kinds {
    /// Whether a question depends on kinds.
    pub fn are_needed(question: &Question) -> bool {
        let kinds = [Dimension::WorksiteKind, Dimension::MachineKind, Dimension::PersonKind];
        let mut groupings = question.groupings.iter();
        question.filter.needs_kinds()
            || groupings.any(|grouping| grouping.dimensions.iter().any(|by| kinds.contains(by)))
    }
}

/// The times from which facts are kept; none for all times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeptFrom {
    pub incursions: Option<Timestamp>,
    pub runtime: Option<Timestamp>,
}

impl KeptFrom {
    pub(crate) const fn of(self, table: FactTable) -> Option<Timestamp> {
        match table {
            FactTable::Incursions => self.incursions,
            FactTable::Runtime => self.runtime,
        }
    }
}

/// The grouping sets of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sets {
    /// Each dimension once, in the order of the key columns.
    dimensions: Vec<Dimension>,
    /// The sets, each as the places of its dimensions in ascending order, each once.
    places: Vec<Vec<usize>>,
}

impl Sets {
    fn new<'a>(groupings: impl Iterator<Item = &'a Grouping>) -> Self {
        let mut sets = Self { dimensions: Vec::new(), places: Vec::new() };
        for grouping in groupings {
            for dimension in &grouping.dimensions {
                if !sets.dimensions.contains(dimension) {
                    sets.dimensions.push(*dimension);
                }
            }
            let places = sets.places_of(grouping);
            if !sets.places.contains(&places) {
                sets.places.push(places);
            }
        }
        sets
    }

    fn place(&self, dimension: Dimension) -> usize {
        self.dimensions.iter().position(|known| *known == dimension).unwrap_or_default()
    }

    fn places_of(&self, grouping: &Grouping) -> Vec<usize> {
        let mut places: Vec<usize> = grouping.dimensions.iter().map(|by| self.place(*by)).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// Returns the number by which `grouping()` tells the set of a grouping: a bit for each key that is not one of its own, the first key
    /// being the highest.
    fn mask(&self, grouping: &Grouping) -> i64 {
        let own = self.places_of(grouping);
        (0..self.dimensions.len()).fold(0, |mask, place| mask << 1 | i64::from(!own.contains(&place)))
    }

    /// Returns the column that tells the set of a row.
    fn mask_column(&self) -> String {
        if self.dimensions.is_empty() {
            return "0".to_owned();
        }
        let names: Vec<String> = (0..self.dimensions.len()).map(key_name).collect();
        format!("grouping({})", names.join(", "))
    }

    /// Returns the clauses that group rows and stop after one group too many. Without dimensions there are none: the total is one row even
    /// if there are no facts.
    fn clauses(&self, max_groups: usize) -> String {
        if self.dimensions.is_empty() {
            return String::new();
        }
        let set = |places: &Vec<usize>| {
            let names: Vec<String> = places.iter().map(|place| key_name(*place)).collect();
            names.join(", ")
        };
        let by = match self.places.as_slice() {
            [one] => set(one),
            several => {
                let sets: Vec<String> = several.iter().map(|places| format!("({})", set(places))).collect();
                format!("grouping sets ({})", sets.join(", "))
            }
        };
        format!(" group by {by} limit {} by s", max_groups.saturating_add(1))
    }
}

fn key_name(place: usize) -> String {
    format!("k{place}")
}

/// A question as statements, which also read its answer.
#[derive(Clone, Debug)]
pub(crate) struct Translated<'a> {
    question: &'a Question,
    kinds: &'a Kinds,
    kept_from: KeptFrom,
    max_groups: usize,
    sets: Sets,
    /// Those of runtime; none if it is not needed or cannot be divided.
    runtime_sets: Option<Sets>,
    sums: Vec<Sum>,
}

impl<'a> Translated<'a> {
    pub fn new(question: &'a Question, kinds: &'a Kinds, kept_from: KeptFrom, max_groups: usize) -> Self {
        let divisible: Vec<&Grouping> =
            question.groupings.iter().filter(|grouping| grouping.applies_to_runtime()).collect();
        let has_runtime =
            question.needs_runtime() && question.filter.applies_to_runtime() && !divisible.is_empty();
        Self {
            question,
            kinds,
            kept_from,
            max_groups,
            sets: Sets::new(question.groupings.iter()),
            runtime_sets: has_runtime.then(|| Sets::new(divisible.into_iter())),
            sums: Sum::needed(&question.measures),
        }
    }

    /// Returns the statement over a table, which is read from `source`; none if the question does not need it.
    pub fn statement(&self, table: FactTable, source: &str, durations: DurationType) -> Option<String> {
        let (sets, sums) = match table {
            FactTable::Incursions => {
                (&self.sets, self.sums.iter().map(|sum| sum.expression(durations)).collect::<Vec<_>>())
            }
            FactTable::Runtime => {
                (self.runtime_sets.as_ref()?, vec![format!("sum({})", conditions::runtime_ms(self.question))])
            }
        };
        let days = LocalDays::of(self.question);
        let mut columns = vec![format!("{} as s", sets.mask_column())];
        for (place, dimension) in sets.dimensions.iter().enumerate() {
            let key = keys::expression(*dimension, table, days, self.kinds);
            columns.push(format!("{key} as {}", key_name(place)));
        }
        columns.extend(sums);
        Some(format!(
            "select {} from {source} final where {}{} format JSONCompact",
            columns.join(", "),
            conditions::of(table, self.question, self.kept_from.of(table), self.kinds),
            sets.clauses(self.max_groups)
        ))
    }

    /// Whether the statement over a table must be run again with durations of eight bytes, because a group in these rows has such.
    pub fn has_long_durations(&self, table: FactTable, rows: &[ResultRow]) -> bool {
        let place = self.sums.iter().position(|sum| *sum == Sum::LongDurations);
        let Some(place) = place.filter(|_| table == FactTable::Incursions) else { return false };
        let place = 1 + self.sets.dimensions.len() + place;
        rows.iter().any(|row| !matches!(row.get(place), Some(Some(0))))
    }

    /// Reads the answer from the rows of both statements.
    pub fn answer(&self, incursions: &[ResultRow], runtime: &[ResultRow]) -> Result<Answer, Error> {
        answer::assemble(self, incursions, runtime)
    }
}

#[cfg(test)]
mod tests;
