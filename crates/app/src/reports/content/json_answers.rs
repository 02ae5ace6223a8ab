//! Answers and pivots of a JSON file: measures by name, in their units, and keys in words.

use domain::insights::{Dimension, DurationBucket, Measure, Resolution, Unit};
use domain::{SortedMap, Timestamp};
use serde::{Serialize, Serializer};

use crate::insights::PivotRequest;
use crate::insights::labels::{LabelledId, Labels};
use crate::reports::figures::{
    PivotFigure, PivotFigureRow, StoredAnswer, StoredFigure, StoredGrouping, read_figure,
};

/// A number, which is written without a decimal point if it is whole, such as a count.
#[derive(Clone, Copy, Debug)]
struct Number(f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Beyond this limit not every whole number can be represented.
        match self.0.fract() == 0.0 && self.0.abs() < 9e15 {
            true => serializer.serialize_i64(self.0 as i64),
            false => serializer.serialize_f64(self.0),
        }
    }
}

/// The answer to one question, with several groupings of the same facts.
#[derive(Serialize)]
pub(super) struct JsonAnswer<'a> {
    name: &'a str,
    from: &'a str,
    to: &'a str,
    time_zones: &'a [String],
    seq: i64,
    computed_at: Timestamp,
    measures: Vec<JsonMeasure>,
    groupings: Vec<JsonGrouping<'a>>,
}

/// A measure with the units of its value and of what the value is computed from.
#[derive(Serialize)]
struct JsonMeasure {
    name: &'static str,
    unit: &'static str,
    numerator_unit: &'static str,
    /// None if the value is the numerator.
    denominator_unit: Option<&'static str>,
}

#[derive(Serialize)]
struct JsonGrouping<'a> {
    name: &'a str,
    /// The words of its dimensions.
    by: &'a [String],
    groups: Vec<JsonGroup>,
    /// Number of groups beyond the limit.
    more: u64,
}

#[derive(Serialize)]
struct JsonGroup {
    keys: JsonKeys,
    incursions: i64,
    figures: JsonMetrics,
}

/// Keys by the word of their dimension.
type JsonKeys = SortedMap<&'static str, JsonKey>;
/// Figures by the name of their measure.
type JsonMetrics = SortedMap<&'static str, JsonMetric>;

#[derive(Serialize)]
struct JsonMetric {
    value: Option<Number>,
    numerator: Option<Number>,
    denominator: Option<Number>,
    /// Why there is no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

/// The key of a group.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum JsonKey {
    /// An id, or a number such as an hour.
    Number(i64),
    /// A word, a date or a hexagon.
    Word(String),
    /// Durations in seconds; the last have no end.
    Durations { from_s: i64, to_s: Option<i64> },
    /// The group without a value.
    None,
}

impl JsonKey {
    pub(super) fn new(dimension: Dimension, key: Option<i64>) -> Self {
        if let (Dimension::Duration, Some(key)) = (dimension, key) {
            let place = usize::try_from(key).unwrap_or(usize::MAX);
            let Some(bucket) = DurationBucket::all().nth(place) else { return Self::None };
            let (from_s, to_s) = bucket.bounds_s();
            return Self::Durations { from_s, to_s };
        }
        // The same words as in answers of the API.
        match Labels::default().label(dimension, key).id {
            LabelledId::Number(number) => Self::Number(number),
            LabelledId::Word(word) => Self::Word(word),
            LabelledId::None => Self::None,
        }
    }
}

impl<'a> JsonAnswer<'a> {
    pub(super) fn new(answer: &'a StoredAnswer) -> Self {
        let measures: Vec<Option<Measure>> =
            answer.measures.iter().map(|word| Measure::parse(word).ok()).collect();
        let groupings = answer.groupings.iter().map(|grouping| JsonGrouping::new(grouping, &measures));
        Self {
            name: &answer.name,
            from: &answer.from,
            to: &answer.to,
            time_zones: &answer.time_zones,
            seq: answer.seq,
            computed_at: answer.now,
            groupings: groupings.collect(),
            measures: measures.into_iter().flatten().map(JsonMeasure::new).collect(),
        }
    }
}

impl JsonMeasure {
    fn new(measure: Measure) -> Self {
        let unit = measure.unit();
        let (numerator, denominator) = match measure {
            Measure::AcknowledgementRate => (Unit::Count, Some(Unit::Count)),
            Measure::IncursionsPerRuntimeHour => (Unit::Count, Some(Unit::Hours)),
            Measure::AverageDuration
            | Measure::AverageAckTime
            | Measure::MedianDuration
            | Measure::P95Duration
            | Measure::LongestDuration => (unit, Some(Unit::Count)),
            _ => (unit, None),
        };
        Self {
            name: measure.as_str(),
            unit: unit.as_str(),
            numerator_unit: numerator.as_str(),
            denominator_unit: denominator.map(Unit::as_str),
        }
    }
}

impl<'a> JsonGrouping<'a> {
    fn new(grouping: &'a StoredGrouping, measures: &[Option<Measure>]) -> Self {
        let dimensions: Vec<Option<Dimension>> = grouping.by.iter().map(|word| dimension_of(word)).collect();
        let groups = grouping.groups.iter().map(|group| JsonGroup {
            keys: keys(dimensions.iter().copied().zip(group.k.iter().copied())),
            incursions: group.f.first().map_or(0, |(_, _, incursions)| *incursions),
            figures: metrics(measures.iter().copied(), &group.f),
        });
        Self { name: &grouping.name, by: &grouping.by, groups: groups.collect(), more: grouping.more }
    }
}

/// Returns keys by the word of their dimension. Those of a dimension that no longer exists are left out.
fn keys(found: impl Iterator<Item = (Option<Dimension>, Option<i64>)>) -> JsonKeys {
    let named = |(dimension, key): (Option<Dimension>, Option<i64>)| {
        let dimension = dimension?;
        Some((dimension.as_str(), JsonKey::new(dimension, key)))
    };
    found.filter_map(named).collect()
}

/// Returns figures by the name of their measure. Those of a measure that no longer exists are left out.
fn metrics(measures: impl Iterator<Item = Option<Measure>>, figures: &[StoredFigure]) -> JsonMetrics {
    let metric = |(measure, figure): (Option<Measure>, &StoredFigure)| {
        let (measure, figure) = (measure?, read_figure(*figure));
        let (value, reason) = match figure.value(measure) {
            Ok(value) => (Some(Number(value)), None),
            Err(reason) => (None, Some(reason.as_str())),
        };
        let (numerator, denominator) =
            (figure.display_numerator(measure), figure.display_denominator(measure));
        let metric = JsonMetric {
            value,
            numerator: numerator.map(Number),
            denominator: denominator.map(Number),
            reason,
        };
        Some((measure.as_str(), metric))
    };
    measures.zip(figures).filter_map(metric).collect()
}

/// Returns the dimension of a stored word; none if it no longer exists.
fn dimension_of(word: &str) -> Option<Dimension> {
    let others =
        [Dimension::BaseStation, Dimension::Tag, Dimension::Duration, Dimension::Cell(Resolution::FINEST)];
    Dimension::PIVOTABLE.into_iter().chain(others).find(|dimension| dimension.as_str() == word)
}

/// A pivot: each row with its keys, and for each column the figures of all measures.
#[derive(Serialize)]
pub(super) struct JsonPivot {
    measures: Vec<JsonMeasure>,
    columns: Vec<JsonColumn>,
    /// Each followed by its children.
    rows: Vec<JsonPivotRow>,
    totals: JsonPivotRow,
}

#[derive(Serialize)]
struct JsonColumn {
    keys: JsonKeys,
}

#[derive(Serialize)]
struct JsonPivotRow {
    /// Number of row dimensions that the row has keys of.
    level: usize,
    keys: JsonKeys,
    /// One for each column.
    cells: Vec<JsonMetrics>,
    total: JsonMetrics,
    /// Number of children beyond the limit.
    more: u64,
}

impl JsonPivot {
    pub(super) fn new(pivot: &PivotFigure, asked: &PivotRequest) -> Self {
        let by = |dimensions: &[Dimension], values: &[Option<i64>]| {
            keys(dimensions.iter().copied().map(Some).zip(values.iter().copied()))
        };
        let of = |figures: &Vec<StoredFigure>| metrics(asked.measures.iter().copied().map(Some), figures);
        let row = |row: &PivotFigureRow| JsonPivotRow {
            level: row.level,
            keys: by(&asked.rows, &row.keys),
            cells: row.cells.iter().map(of).collect(),
            total: of(&row.total),
            more: row.more,
        };
        Self {
            measures: asked.measures.iter().copied().map(JsonMeasure::new).collect(),
            columns: pivot.columns.iter().map(|keys| JsonColumn { keys: by(&asked.columns, keys) }).collect(),
            rows: pivot.rows.iter().map(row).collect(),
            totals: row(&pivot.totals),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn figures_have_names_and_units() {
        let measures = [Measure::Incursions, Measure::IncursionsPerRuntimeHour, Measure::AverageDuration];
        let figures = [(Some(45), None, 45), (Some(45), Some(18_000_000), 45), (Some(0), Some(0), 45)];
        let written = serde_json::to_value(metrics(measures.into_iter().map(Some), &figures)).unwrap();
        let expected = json!({
            "incursions": { "value": 45, "numerator": 45, "denominator": null },
            "incursions_per_runtime_hour": { "value": 9, "numerator": 45, "denominator": 5 },
            "average_duration": { "value": null, "numerator": 0, "denominator": 0, "reason": "no_data" },
        });
        assert_eq!(written, expected);
        let rate = serde_json::to_value(JsonMeasure::new(Measure::IncursionsPerRuntimeHour)).unwrap();
        let expected = json!({
            "name": "incursions_per_runtime_hour", "unit": "per_hour", "numerator_unit": "count",
            "denominator_unit": "hours",
        });
        assert_eq!(rate, expected);
    }

    #[test]
    fn keys_are_ids_words_dates_and_bounds() {
        for (dimension, key, expected) in [
            (Dimension::Machine, Some(7), json!(7)),
            (Dimension::Zone, Some(2), json!("danger")),
            (Dimension::Day, Some(0), json!("1970-01-01")),
            (Dimension::DayOfWeek, Some(0), json!(1)),
            (Dimension::Duration, Some(0), json!({ "from_s": 0, "to_s": 5 })),
            (Dimension::Duration, Some(6), json!({ "from_s": 300, "to_s": null })),
            (Dimension::Operator, None, json!(null)),
        ] {
            let written = serde_json::to_value(JsonKey::new(dimension, key)).unwrap();
            assert_eq!(written, expected, "{dimension:?}");
        }
        for dimension in Dimension::PIVOTABLE {
            assert_eq!(dimension_of(dimension.as_str()), Some(dimension));
        }
        assert_eq!(dimension_of("cell"), Some(Dimension::Cell(Resolution::FINEST)));
        assert_eq!(dimension_of("colour"), None);
    }
}
