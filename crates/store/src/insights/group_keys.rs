//! Group keys of analytics questions as SQL expressions.

use domain::insights::{Dimension, DurationBucket, Key};
use domain::{MachineKind, PersonKind, WorksiteKind};

use crate::Scope;
use crate::engine::statement::Statement;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FactTable {
    Incursions,
    Pieces,
}

/// The column names of the keys: one for each dimension, with every cell resolution counted separately.
const COLUMN_NAMES: [&str; 25] = [
    "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9", "k10", "k11", "k12", "k13", "k14", "k15",
    "k16", "k17", "k18", "k19", "k20", "k21", "k22", "k23", "k24",
];

/// The distinct keys of a grouping.
pub(super) struct GroupKeys {
    /// Each dimension once.
    dimensions: Vec<Dimension>,
    /// The index into `dimensions` for each dimension of the grouping.
    positions: Vec<usize>,
}

impl GroupKeys {
    pub fn new(by: &[Dimension]) -> Self {
        let mut dimensions: Vec<Dimension> = Vec::new();
        let positions = by
            .iter()
            .map(|dimension| {
                let known = dimensions.iter().position(|known| known == dimension);
                known.unwrap_or_else(|| {
                    dimensions.push(*dimension);
                    dimensions.len() - 1
                })
            })
            .collect();
        Self { dimensions, positions }
    }

    /// Returns the number of key columns.
    pub fn len(&self) -> usize {
        self.dimensions.len()
    }

    /// Reads the keys of a group from the key columns of a row.
    pub fn read(&self, columns: &[Option<i64>]) -> Vec<Key> {
        self.positions.iter().map(|place| columns.get(*place).copied().flatten()).collect()
    }

    /// Appends the column names, each followed by a comma.
    pub fn names(&self, mut statement: Statement) -> Statement {
        for (_, name) in self.columns() {
            statement = statement.push(name).push(", ");
        }
        statement
    }

    /// Appends the `group by` of `f`. Without dimensions nothing is appended: the total is one row even if there are no facts.
    pub fn group_by(&self, mut statement: Statement) -> Statement {
        for (place, (_, name)) in self.columns().enumerate() {
            statement = statement.push(if place == 0 { " group by " } else { ", " }).push(name);
        }
        statement
    }

    /// Appends the keys of a row under their names, each followed by a comma. Columns are not qualified with their table, because
    /// no two joined tables share a name that is used here.
    pub fn expressions(&self, table: FactTable, mut statement: Statement) -> Statement {
        for (dimension, name) in self.columns() {
            statement = expression(dimension, table, statement).push(" as ").push(name).push(", ");
        }
        statement
    }

    /// Appends the joins that the keys need.
    pub fn joins(&self, scope: &Scope, mut statement: Statement) -> Statement {
        for dimension in &self.dimensions {
            statement = match dimension {
                Dimension::WorksiteKind => {
                    let head = " left join (select id as kinds_worksite, case kind";
                    push_kind_codes(head, WorksiteKind::ALL.map(WorksiteKind::as_str), statement)
                        .push(" end as worksite_kind from worksites")
                        .push_with(" where brand_id = $?", [scope.brand().into()])
                        .push(") as worksite_kinds on kinds_worksite = worksite_id")
                }
                Dimension::MachineKind => {
                    let head = " left join (select id as kinds_machine, case kind";
                    push_kind_codes(head, MachineKind::ALL.map(MachineKind::as_str), statement)
                        .push(" end as machine_kind from machines")
                        .push_with(" where brand_id = $?", [scope.brand().into()])
                        .push(") as machine_kinds on kinds_machine = machine_id")
                }
                Dimension::PersonKind => {
                    let head = " left join (select id as kinds_person, case kind";
                    push_kind_codes(head, PersonKind::ALL.map(PersonKind::as_str), statement)
                        .push(" end as person_kind from people")
                        .push_with(" where brand_id = $?", [scope.brand().into()])
                        .push(") as person_kinds on kinds_person = pedestrian_id")
                }
                _ => statement,
            };
        }
        statement
    }

    fn columns(&self) -> impl Iterator<Item = (Dimension, &'static str)> {
        self.dimensions.iter().copied().zip(COLUMN_NAMES)
    }
}

/// Appends the branches of a `case` that maps each kind to its index.
fn push_kind_codes<const N: usize>(
    head: &'static str,
    words: [&'static str; N],
    statement: Statement,
) -> Statement {
    let mut statement = statement.push(head);
    for (place, word) in (0_i64..).zip(words) {
        statement = statement.push_with(" when $? then $?", [word.into(), place.into()]);
    }
    statement
}

/// Appends the key of a row.
///
/// Engines truncate quotients towards zero, so days are first shifted by 400,000 years, a whole number of weeks and of
/// calendar cycles and more than any timestamp before 1970 can reach back.
fn expression(dimension: Dimension, table: FactTable, statement: Statement) -> Statement {
    let text = match (dimension, table) {
        (Dimension::Project, _) => "project_id",
        (Dimension::Worksite, _) => "worksite_id",
        (Dimension::WorksiteKind, _) => "worksite_kind",
        (Dimension::Machine, _) => "machine_id",
        (Dimension::MachineKind, _) => "machine_kind",
        (Dimension::BaseStation, _) => "base_station_id",
        (Dimension::Pedestrian, _) => "pedestrian_id",
        (Dimension::Operator, _) => "operator_id",
        (Dimension::PersonKind, _) => "person_kind",
        (Dimension::Tag, _) => "tag_id",
        (Dimension::Zone, _) => "zone",
        (Dimension::Acknowledged, _) => "case when acknowledged_at is null then 0 else 1 end",
        (Dimension::Review, _) => "review",
        (Dimension::Hour, FactTable::Incursions) => "local_day * 24 + local_minute % 1440 / 60",
        (Dimension::Hour, FactTable::Pieces) => "local_day * 24 + local_hour",
        (Dimension::HourOfDay, FactTable::Incursions) => "local_minute % 1440 / 60",
        (Dimension::HourOfDay, FactTable::Pieces) => "local_hour",
        (Dimension::DayOfWeek, FactTable::Incursions) => "local_minute / 1440",
        (Dimension::DayOfWeek, FactTable::Pieces) => "(local_day + 146097003) % 7",
        (Dimension::Day, _) => "local_day",
        (Dimension::Week, _) => "(local_day + 146097003) / 7 - 20871000",
        (Dimension::Month, _) => MONTH,
        (Dimension::Duration, _) => return duration_bucket(statement),
        (Dimension::Cell(resolution), _) => {
            let (keep, set) = resolution.masks();
            return statement.push_with("((cell & $?) | $?)", [keep.into(), set.into()]);
        }
    };
    statement.push(text)
}

macro_rules! quarter_days {
    () => {
        // Counts the days since the first of March of the year -400,000, so that leap days come last in their year.
        "(4 * (local_day + 146816468) + 3)"
    };
}

macro_rules! quarter_days_of_century {
    () => {
        concat!("(4 * (", quarter_days!(), " % 146097 / 4) + 3)")
    };
}

/// The number of a `Month`. A century of this count has 146,097 quarter days and a year has 1,461; every five months from March
/// on have 153 days.
const MONTH: &str = concat!(
    "12 * (100 * (",
    quarter_days!(),
    " / 146097) + ",
    quarter_days_of_century!(),
    " / 1461) + (5 * (",
    quarter_days_of_century!(),
    " % 1461 / 4) + 2) / 153 - 4823638"
);

/// Appends the number of the bucket that a duration falls into.
fn duration_bucket(statement: Statement) -> Statement {
    let mut statement = statement.push("case when ended_at is null then null");
    for bucket in DurationBucket::all() {
        let number = bucket.number().into();
        statement = match bucket.bounds_s() {
            (_, Some(to_s)) => statement.push_with(
                " when (ended_at - started_at) / 1000 < $? then $?",
                [(to_s * 1_000).into(), number],
            ),
            (_, None) => statement.push_with(" else $? end", [number]),
        };
    }
    statement
}

#[cfg(test)]
mod tests {
    use domain::Day;
    use domain::insights::Month;

    use super::*;

    #[test]
    fn a_dimension_that_is_asked_for_twice_is_one_column() {
        let keys = GroupKeys::new(&[Dimension::Day, Dimension::Zone, Dimension::Day]);
        assert_eq!(keys.len(), 2);
        assert_eq!(keys.read(&[Some(7), None]), [Some(7), None, Some(7)]);
    }

    #[test]
    fn months_are_counted_as_the_calendar_does() {
        let of = |local_day: i64| {
            let quarters = 4 * (local_day + 146_816_468) + 3;
            let of_century = 4 * (quarters % 146_097 / 4) + 3;
            12 * (100 * (quarters / 146_097) + of_century / 1_461) + (5 * (of_century % 1_461 / 4) + 2) / 153
                - 4_823_638
        };
        for number in (-800_000..800_000).chain([-106_751_991, 106_751_991]) {
            assert_eq!(of(number), Month::of(Day::from_number(number)).number(), "{number}");
        }
    }
}
