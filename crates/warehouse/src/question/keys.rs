//! Keys of groups as expressions over the columns of a row, and as they are read back.

use std::collections::BTreeMap;

use domain::insights::{Dimension, DurationBucket, Key, Question};
use domain::{Day, MachineKind, PersonKind, WorksiteKind};

use super::Kinds;
use crate::copy::FactTable;

/// Stands for no kind and no bucket. It is a letter, too: the last one.
const NO_CODE: u8 = 25;
/// As many ids may lie between the first and the last of some records, or this many times as their number, so that a text has their kinds.
const MAX_SPAN: u32 = 100_000;
const MAX_SPAN_PER_ID: u32 = 64;

/// The expression of the month, as the store has it: whole numbers from the first of March of the year -400,000 on, so that leap days come
/// last in their year.
const MONTH: &str = "12 * (100 * intDiv(4 * (local_day + 146816468) + 3, 146097) \
     + intDiv(4 * intDiv((4 * (local_day + 146816468) + 3) % 146097, 4) + 3, 1461)) \
     + intDiv(5 * intDiv((4 * intDiv((4 * (local_day + 146816468) + 3) % 146097, 4) + 3) % 1461, 4) + 2, 153) - 4823638";

/// The same for days that the calendar of ClickHouse has, which takes half of the time of a question by months.
const MONTH_OF_CALENDAR: &str = "toRelativeMonthNum(toDate32(local_day)) - 23641";

/// The local days that a question can meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LocalDays {
    Any,
    /// Days of `Date32`, which are those of the years 1900 to 2299. Later ones would be read as seconds, and earlier ones as the first.
    OfCalendar,
}

impl LocalDays {
    /// The first and the last day of `Date32`, with more than a month to spare at both ends: facts of a period may have begun a day earlier,
    /// and local days differ by a day.
    const CALENDAR: (Day, Day) = (Day::from_number(-25_500), Day::from_number(120_450));

    pub fn of(question: &Question) -> Self {
        let (first, last) = (Self::CALENDAR.0.midnight_utc(), Self::CALENDAR.1.midnight_utc());
        match (question.from, question.to) {
            (Some(from), Some(to)) if from.earliest() >= first && to.latest() <= last => Self::OfCalendar,
            _ => Self::Any,
        }
    }
}

/// Returns the key of a row. Quotients are truncated towards zero, so that days are first shifted by 400,000 years.
pub(super) fn expression(dimension: Dimension, of: FactTable, days: LocalDays, kinds: &Kinds) -> String {
    let text = match (dimension, of) {
        (Dimension::Project, _) => "project",
        (Dimension::Worksite, _) => "worksite",
        (Dimension::Machine, _) => "machine",
        (Dimension::BaseStation, _) => "station",
        (Dimension::Pedestrian, _) => "pedestrian",
        (Dimension::Operator, _) => "operator",
        (Dimension::Tag, _) => "tag",
        (Dimension::Zone, _) => "zone",
        (Dimension::Acknowledged, _) => "toUInt8(acknowledged)",
        (Dimension::Review, _) => "review",
        (Dimension::Hour, FactTable::Incursions) => "local_day * 24 + intDiv(local_minute % 1440, 60)",
        (Dimension::Hour, FactTable::Runtime) => "local_day * 24 + local_hour",
        (Dimension::HourOfDay, FactTable::Incursions) => "intDiv(local_minute % 1440, 60)",
        (Dimension::HourOfDay, FactTable::Runtime) => "local_hour",
        (Dimension::DayOfWeek, FactTable::Incursions) => "intDiv(local_minute, 1440)",
        (Dimension::DayOfWeek, FactTable::Runtime) => "(local_day + 146097003) % 7",
        (Dimension::Day, _) => "local_day",
        (Dimension::Week, _) => "intDiv(local_day + 146097003, 7) - 20871000",
        (Dimension::Month, _) => match days {
            LocalDays::Any => MONTH,
            LocalDays::OfCalendar => MONTH_OF_CALENDAR,
        },
        (Dimension::WorksiteKind, _) => {
            let code = |kind: WorksiteKind| place(&WorksiteKind::ALL, kind);
            return kind_of("worksite", kinds.worksites.iter().map(|(id, kind)| (id.0, code(*kind))));
        }
        (Dimension::MachineKind, _) => {
            let code = |kind: MachineKind| place(&MachineKind::ALL, kind);
            return kind_of("machine", kinds.machines.iter().map(|(id, kind)| (id.0, code(*kind))));
        }
        (Dimension::PersonKind, _) => {
            let code = |kind: PersonKind| place(&PersonKind::ALL, kind);
            return kind_of("pedestrian", kinds.people.iter().map(|(id, kind)| (id.0, code(*kind))));
        }
        (Dimension::Duration, _) => return duration_bucket(),
        (Dimension::Cell(resolution), _) => {
            let (keep, set) = resolution.masks();
            return format!("if(cell = 0, 0, bitOr(bitAnd(cell, toInt64({keep})), toInt64({set})))");
        }
    };
    text.to_owned()
}

/// Returns the key that a number stands for.
pub(super) fn read(dimension: Dimension, number: i64) -> Key {
    let none = match dimension {
        Dimension::Project
        | Dimension::Worksite
        | Dimension::Machine
        | Dimension::BaseStation
        | Dimension::Pedestrian
        | Dimension::Operator
        | Dimension::Tag
        | Dimension::Cell(_) => 0,
        Dimension::WorksiteKind | Dimension::MachineKind | Dimension::PersonKind | Dimension::Duration => {
            i64::from(NO_CODE)
        }
        Dimension::Zone
        | Dimension::Acknowledged
        | Dimension::Review
        | Dimension::Hour
        | Dimension::HourOfDay
        | Dimension::DayOfWeek
        | Dimension::Day
        | Dimension::Week
        | Dimension::Month => return Some(number),
    };
    (number != none).then_some(number)
}

/// Returns the code of the kind that the record in a column has now. A fact without the record has the id 0, which has no kind.
///
/// The kinds of many records are the letters of a text, one for each id from the first to the last: ClickHouse reads a million of them in
/// a tenth of a second, and lists of numbers fifty times as slowly.
fn kind_of(column: &str, codes: impl Iterator<Item = (i64, u8)>) -> String {
    // Ids that the tables cannot have would only widen the type.
    let known = codes.filter_map(|(id, code)| Some((u32::try_from(id).ok().filter(|id| *id > 0)?, code)));
    let known: BTreeMap<u32, u8> = known.collect();
    if let (Some((first, _)), Some((last, _))) = (known.first_key_value(), known.last_key_value()) {
        let span = last - first;
        let count = u32::try_from(known.len()).unwrap_or(u32::MAX);
        if span <= MAX_SPAN.max(count.saturating_mul(MAX_SPAN_PER_ID)) {
            let letter = |id: u32| char::from(b'a' + known.get(&id).copied().unwrap_or(NO_CODE));
            let letters: String = (*first..=*last).map(letter).collect();
            return format!(
                "if({column} >= {first} and {column} <= {last}, ascii(substring('{letters}', {column} - {}, 1)) - 97, {NO_CODE})",
                first - 1
            );
        }
    }
    let ids: Vec<String> = [0].iter().chain(known.keys()).map(ToString::to_string).collect();
    let codes: Vec<String> = [NO_CODE].iter().chain(known.values()).map(ToString::to_string).collect();
    format!("transform({column}, [{}], [{}], {NO_CODE})", ids.join(", "), codes.join(", "))
}

/// Returns the code of a kind: its place among all.
pub(super) fn place<T: Copy + PartialEq>(all: &[T], kind: T) -> u8 {
    let place = all.iter().position(|known| *known == kind);
    place.and_then(|place| u8::try_from(place).ok()).unwrap_or(NO_CODE)
}

/// Returns the number of the bucket that a duration falls into.
fn duration_bucket() -> String {
    let mut branches = String::new();
    let mut last = i64::from(NO_CODE);
    for bucket in DurationBucket::all() {
        match bucket.bounds_s() {
            (_, Some(to_s)) => {
                branches.push_str(&format!("duration_ms < {}, {}, ", to_s * 1_000, bucket.number()));
            }
            (_, None) => last = bucket.number(),
        }
    }
    format!("if(ended, multiIf({branches}{last}), {NO_CODE})")
}

#[cfg(test)]
mod tests {
    use domain::insights::Resolution;
    use domain::{MachineId, WorksiteId};

    use super::*;

    #[test]
    fn kinds_are_those_that_records_have_now() {
        let kinds = Kinds {
            worksites: vec![
                (WorksiteId(4), WorksiteKind::ALL[1]),
                (WorksiteId(1 << 40), WorksiteKind::ALL[0]),
            ],
            machines: vec![(MachineId(3), MachineKind::ALL[0]), (MachineId(6), MachineKind::ALL[1])],
            people: Vec::new(),
        };
        let of = |dimension| expression(dimension, FactTable::Incursions, LocalDays::Any, &kinds);
        let expected = "if(worksite >= 4 and worksite <= 4, ascii(substring('b', worksite - 3, 1)) - 97, 25)";
        assert_eq!(of(Dimension::WorksiteKind), expected);
        let expected = "if(machine >= 3 and machine <= 6, ascii(substring('azzb', machine - 2, 1)) - 97, 25)";
        assert_eq!(of(Dimension::MachineKind), expected);
        assert_eq!(of(Dimension::PersonKind), "transform(pedestrian, [0], [25], 25)");
    }

    #[test]
    fn ids_that_lie_far_apart_are_listed() {
        let machines =
            vec![(MachineId(1), MachineKind::ALL[1]), (MachineId(4_000_000_000), MachineKind::ALL[0])];
        let kinds = Kinds { machines, ..Kinds::default() };
        let text = expression(Dimension::MachineKind, FactTable::Incursions, LocalDays::Any, &kinds);
        assert_eq!(text, "transform(machine, [0, 1, 4000000000], [25, 1, 0], 25)");
    }

    #[test]
    fn there_are_letters_for_all_kinds() {
        let kinds = [WorksiteKind::ALL.len(), MachineKind::ALL.len(), PersonKind::ALL.len()];
        assert!(kinds.iter().all(|count| *count <= usize::from(NO_CODE)), "{kinds:?}");
    }

    #[test]
    fn durations_and_cells_may_be_missing() {
        let of = |dimension| expression(dimension, FactTable::Incursions, LocalDays::Any, &Kinds::default());
        let buckets = "if(ended, multiIf(duration_ms < 5000, 0, duration_ms < 15000, 1, duration_ms < 30000, 2, \
             duration_ms < 60000, 3, duration_ms < 120000, 4, duration_ms < 300000, 5, 6), 25)";
        assert_eq!(of(Dimension::Duration), buckets);
        let cells = of(Dimension::Cell(Resolution::FINEST));
        assert!(cells.starts_with("if(cell = 0, 0, bitOr(bitAnd(cell, toInt64(-"), "{cells}");
        assert_eq!(read(Dimension::Duration, 25), None);
        assert_eq!(read(Dimension::Cell(Resolution::FINEST), 0), None);
    }

    #[test]
    fn zero_is_none_where_it_is_no_value() {
        assert_eq!((read(Dimension::Machine, 0), read(Dimension::Machine, 3)), (None, Some(3)));
        assert_eq!((read(Dimension::Day, 0), read(Dimension::Acknowledged, 0)), (Some(0), Some(0)));
        assert_eq!((read(Dimension::WorksiteKind, 0), read(Dimension::WorksiteKind, 25)), (Some(0), None));
    }

    #[test]
    fn whole_numbers_are_divided_as_whole_numbers() {
        for dimension in Dimension::PIVOTABLE {
            for of in FactTable::ALL {
                let text = expression(dimension, of, LocalDays::Any, &Kinds::default());
                assert!(!text.contains('/'), "{text}");
            }
        }
    }
}
