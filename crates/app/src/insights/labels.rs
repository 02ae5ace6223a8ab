//! Labels for the keys of groups.

use std::collections::HashMap;

use domain::access::ReadInsights;
use domain::insights::{Dimension, DurationBucket, Groups, Interval, Key};
use domain::text::humanize;
use domain::{MachineKind, PersonKind, Review, SortedSet, WorksiteKind, Zone};

use super::query::QueryScope;
use crate::{App, Caller, Error};

/// The id of a group, for programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelledId {
    /// An id, or a number such as an hour.
    Number(i64),
    /// A name such as a kind, or a date.
    Word(String),
    /// The group without a value, for example without an operator or worksite.
    None,
}

/// The id of a group with its label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelled {
    pub id: LabelledId,
    /// The name for people.
    pub label: String,
}

/// The names of registry entries, by dimension and id.
#[derive(Debug, Default)]
pub(crate) struct Labels(HashMap<(Dimension, i64), String>);

const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

impl Labels {
    /// Returns the name of a record, if it was loaded.
    pub fn name(&self, dimension: Dimension, id: i64) -> Option<&str> {
        self.0.get(&(dimension, id)).map(String::as_str)
    }

    /// Returns all names that were loaded, in no order.
    pub fn names(&self) -> impl Iterator<Item = (Dimension, i64, &str)> {
        self.0.iter().map(|((dimension, id), name)| (*dimension, *id, name.as_str()))
    }

    /// Returns the label of a key.
    pub fn label(&self, dimension: Dimension, key: Key) -> Labelled {
        let Some(key) = key else {
            return Labelled { id: LabelledId::None, label: no_value_label(dimension).to_owned() };
        };
        let word = |word: &str| Labelled { id: LabelledId::Word(word.to_owned()), label: humanize(word) };
        let unknown = || word("unknown");
        let place = usize::try_from(key).unwrap_or(usize::MAX);
        match dimension {
            Dimension::Project
            | Dimension::Worksite
            | Dimension::Machine
            | Dimension::BaseStation
            | Dimension::Pedestrian
            | Dimension::Operator
            | Dimension::Tag => {
                let label = self.0.get(&(dimension, key)).cloned();
                let label = label.unwrap_or_else(|| format!("{} {key}", dimension.label()));
                Labelled { id: LabelledId::Number(key), label }
            }
            Dimension::WorksiteKind => {
                WorksiteKind::ALL.get(place).map_or_else(unknown, |kind| word(kind.as_str()))
            }
            Dimension::MachineKind => {
                MachineKind::ALL.get(place).map_or_else(unknown, |kind| word(kind.as_str()))
            }
            Dimension::PersonKind => {
                PersonKind::ALL.get(place).map_or_else(unknown, |kind| word(kind.as_str()))
            }
            Dimension::Zone => Zone::from_code(key).map_or_else(unknown, |zone| word(zone.as_str())),
            Dimension::Review => Review::from_code(key).map_or_else(unknown, |review| word(review.as_str())),
            Dimension::Acknowledged => word(if key == 0 { "unacknowledged" } else { "acknowledged" }),
            Dimension::HourOfDay => Labelled { id: LabelledId::Number(key), label: format!("{key:02}:00") },
            // ISO 8601 numbers days from 1.
            Dimension::DayOfWeek => Labelled {
                id: LabelledId::Number(key + 1),
                label: DAYS.get(place).copied().unwrap_or_default().to_owned(),
            },
            Dimension::Hour => date(Interval::Hour.label(key)),
            Dimension::Day => date(Interval::Day.label(key)),
            Dimension::Week => date(Interval::Week.label(key)),
            Dimension::Month => {
                let first = Interval::Month.label(key);
                Labelled { label: first.chars().take(7).collect(), id: LabelledId::Word(first) }
            }
            Dimension::Duration => {
                let bucket = DurationBucket::all().nth(place).map(DurationBucket::bounds_s);
                let label = match bucket {
                    Some((from, Some(to))) => format!("{from}-{to} s"),
                    Some((from, None)) => format!("{from} s and longer"),
                    None => String::new(),
                };
                Labelled { id: LabelledId::Number(key), label }
            }
            Dimension::Cell(_) => {
                Labelled { id: LabelledId::Word(format!("{key:x}")), label: format!("{key:x}") }
            }
        }
    }
}

fn date(text: String) -> Labelled {
    Labelled { id: LabelledId::Word(text.clone()), label: text }
}

/// Returns the label of the group without a value.
const fn no_value_label(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::Project => "No project",
        Dimension::Worksite | Dimension::WorksiteKind => "No worksite",
        Dimension::Machine | Dimension::MachineKind => "No machine",
        Dimension::Cell(_) => "No position",
        Dimension::Duration => "No end",
        _ => "Unknown",
    }
}

impl App {
    /// Loads the names that the labels of these groups need, as far as the caller may see them.
    pub(crate) async fn load_labels<'a>(
        &self,
        caller: &Caller<ReadInsights>,
        groups: impl IntoIterator<Item = (&'a [Dimension], &'a Groups)>,
    ) -> Result<Labels, Error> {
        self.load_labels_in(caller.query_scope(), groups).await
    }

    /// The same for a query scope, such as that of a stored request.
    pub(crate) async fn load_labels_in<'a>(
        &self,
        QueryScope { scope, names }: QueryScope<'_>,
        groups: impl IntoIterator<Item = (&'a [Dimension], &'a Groups)>,
    ) -> Result<Labels, Error> {
        let mut wanted: HashMap<Dimension, Vec<i64>> = HashMap::new();
        for (by, groups) in groups {
            for group in &groups.groups {
                for (dimension, key) in by.iter().zip(&group.keys) {
                    wanted.entry(*dimension).or_default().extend(*key);
                }
            }
        }
        let mut tx = self.store.read().await?;
        let mut labels = Labels::default();
        for (dimension, ids) in wanted {
            let ids: SortedSet<i64> = ids.into_iter().collect();
            let found = match dimension {
                Dimension::Project => tx.labels(scope).projects(&ids).await?,
                Dimension::Worksite => tx.labels(scope).worksites(&ids).await?,
                Dimension::Machine => tx.labels(scope).machines(&ids).await?,
                Dimension::BaseStation => tx.labels(scope).base_stations(&ids).await?,
                Dimension::Tag => tx.labels(scope).tags(&ids).await?,
                Dimension::Pedestrian | Dimension::Operator => {
                    let people = tx.labels(scope).people(&ids).await?;
                    let people = people.into_iter().map(|person| names.redact_record(person));
                    people.map(|person| (person.id.0, person.name)).collect()
                }
                _ => continue,
            };
            labels.0.extend(found.into_iter().map(|(id, name)| ((dimension, id), name)));
        }
        Ok(labels)
    }
}

#[cfg(test)]
mod tests {
    use domain::insights::Resolution;

    use super::*;

    #[test]
    fn every_key_of_every_dimension_is_called_something() {
        let labels = Labels::default();
        let others = [
            Dimension::BaseStation,
            Dimension::Tag,
            Dimension::Duration,
            Dimension::Cell(Resolution::FINEST),
        ];
        for dimension in Dimension::PIVOTABLE.into_iter().chain(others) {
            for key in [None, Some(0), Some(1)] {
                assert!(!labels.label(dimension, key).label.is_empty(), "{dimension:?} {key:?}");
            }
            labels.label(dimension, Some(i64::MAX / 100));
            labels.label(dimension, Some(-1));
        }
        let monday = labels.label(Dimension::DayOfWeek, Some(0));
        assert_eq!((monday.id, monday.label.as_str()), (LabelledId::Number(1), "Monday"));
        let danger = labels.label(Dimension::Zone, Some(2));
        assert_eq!((danger.id, danger.label.as_str()), (LabelledId::Word("danger".to_owned()), "Danger"));
        assert_eq!(labels.label(Dimension::Machine, Some(7)).label, "Machine 7");
        assert_eq!(labels.label(Dimension::Month, Some(0)).label, "1970-01");
    }
}
