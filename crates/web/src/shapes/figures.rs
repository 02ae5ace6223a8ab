//! The representation of metrics, shared by both API versions.

use app::insights::{Labelled, LabelledId, QueryResult};
use domain::Invalid;
use domain::insights::{Figure, GroupOrder, Measure};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;
#[cfg(feature = "openapi")]
use utoipa::openapi::schema::AdditionalProperties;
#[cfg(feature = "openapi")]
use utoipa::openapi::{ObjectBuilder, Ref, RefOr, Schema};

use crate::response::enum_schemas;
use crate::{PartialSchema, ToSchema};

/// A metric with its numerator and denominator, or the reason why it has no value.
#[macros::answer]
#[derive(Clone, Debug)]
pub struct Metric {
    /// Value of the metric; null with a `reason`.
    #[schema(example = 0.82)]
    #[serde(serialize_with = "serialize_number")]
    pub value: Option<f64>,
    /// Numerator: a count, or a sum in the unit of the metric.
    #[schema(example = 41)]
    #[serde(serialize_with = "serialize_number")]
    pub numerator: Option<f64>,
    /// Denominator: a count, or a number of hours; null if the metric has none.
    #[schema(example = 50)]
    #[serde(serialize_with = "serialize_number")]
    pub denominator: Option<f64>,
    /// Unit of the value.
    #[schema(value_type = enum_schemas::MeasureUnit, example = "ratio")]
    pub unit: &'static str,
    /// Reason why there is no value.
    #[schema(value_type = Option<enum_schemas::NoValueReason>)]
    pub reason: Option<&'static str>,
}

impl Metric {
    pub fn new(measure: Measure, figure: Figure) -> Self {
        let (value, reason) = metric_value(measure, figure);
        Self {
            value,
            numerator: figure.display_numerator(measure),
            denominator: figure.display_denominator(measure),
            unit: measure.unit().as_str(),
            reason,
        }
    }
}

/// Returns the value of a figure, or the reason why it has none.
pub fn metric_value(measure: Measure, figure: Figure) -> (Option<f64>, Option<&'static str>) {
    match figure.value(measure) {
        Ok(value) => (Some(value), None),
        Err(reason) => (None, Some(reason.as_str())),
    }
}

/// Writes a number that is whole, such as a count, without a decimal point.
pub fn serialize_number<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    json_number(*number).serialize(serializer)
}

/// Returns a number as JSON: without a decimal point if it is whole, such as a count.
pub fn json_number(number: Option<f64>) -> Value {
    match number {
        // Beyond this limit not every whole number can be represented.
        Some(number) if number.fract() == 0.0 && number.abs() < 9e15 => Value::from(number as i64),
        number => Value::from(number),
    }
}

/// Several metrics by name.
#[derive(Clone, Debug)]
pub struct NamedMetrics(Vec<(&'static str, Metric)>);

impl NamedMetrics {
    pub fn new(measures: &[Measure], figures: &[Figure]) -> Self {
        let named = measures.iter().zip(figures);
        Self(named.map(|(measure, figure)| (measure.as_str(), Metric::new(*measure, *figure))).collect())
    }
}

impl Serialize for NamedMetrics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, metric) in &self.0 {
            map.serialize_entry(name, metric)?;
        }
        map.end()
    }
}

#[cfg(feature = "openapi")]
impl PartialSchema for NamedMetrics {
    fn schema() -> RefOr<Schema> {
        let metric = AdditionalProperties::RefOr(RefOr::Ref(Ref::from_schema_name("Metric")));
        ObjectBuilder::new().description(Some("Metrics by name")).additional_properties(Some(metric)).into()
    }
}

#[cfg(feature = "openapi")]
impl ToSchema for NamedMetrics {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push(("Metric".to_owned(), Metric::schema()));
        Metric::schemas(schemas);
    }
}

/// The period and the data that an answer covers.
#[macros::answer]
pub struct AnswerScope {
    /// Start of the period: a time, or a date in the time zone of each worksite.
    #[schema(example = "2026-02-01")]
    from: String,
    /// End of the period, exclusive.
    #[schema(example = "2026-03-01T12:00:00Z")]
    to: String,
    /// Time zones of the worksites that the answer covers, with facts or without. They determine days and hours.
    #[schema(example = json!(["Europe/Berlin"]))]
    time_zones: Vec<String>,
    /// Sequence number of the latest change in the brand that the answer is sure to include. If a ClickHouse cluster answers, later
    /// changes of some base stations may be included, too.
    #[schema(example = 1207)]
    seq: i64,
}

impl From<&QueryResult> for AnswerScope {
    fn from(asked: &QueryResult) -> Self {
        Self {
            from: asked.from.to_string(),
            to: asked.to.to_string(),
            time_zones: asked.time_zones.iter().map(ToString::to_string).collect(),
            seq: asked.seq,
        }
    }
}

/// One value of the dimension that an answer is grouped by.
#[macros::answer]
pub struct DimensionValue {
    /// Identifier, number or word, depending on the dimension; null for records without a value.
    id: DimensionValueId,
    /// Name of the value.
    #[schema(example = "North quay")]
    label: String,
}

/// The identity of a dimension value: an identifier, a number or a word; null for records without a value.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum DimensionValueId {
    /// An identifier, or a number such as an hour.
    #[schema(example = 3)]
    Number(i64),
    /// A word or a date.
    #[schema(example = "danger")]
    Text(String),
    /// No value.
    None,
}

impl DimensionValue {
    /// Returns a value whose text is also its label.
    pub fn from_text(word: String) -> Self {
        Self { id: DimensionValueId::Text(word.clone()), label: word }
    }

    pub fn into_id_and_label(self) -> (DimensionValueId, String) {
        (self.id, self.label)
    }
}

impl From<Labelled> for DimensionValue {
    fn from(part: Labelled) -> Self {
        let id = match part.id {
            LabelledId::Number(number) => DimensionValueId::Number(number),
            LabelledId::Word(word) => DimensionValueId::Text(word),
            LabelledId::None => DimensionValueId::None,
        };
        Self { id, label: part.label }
    }
}

/// A sort order: a measure and a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sorting {
    pub measure: Measure,
    is_descending: bool,
}

impl Sorting {
    /// Sorts by a measure in descending order.
    pub const fn descending(measure: Measure) -> Self {
        Self { measure, is_descending: true }
    }

    /// Parses `measure` or `-measure`; the latter sorts in descending order.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        match text.strip_prefix('-') {
            Some(rest) => Measure::parse(rest).map(Self::descending),
            None => Measure::parse(text).map(|measure| Self { measure, is_descending: false }),
        }
    }

    /// Returns the order of groups whose measure has this index.
    pub const fn order_at(self, place: usize) -> GroupOrder {
        if self.is_descending { GroupOrder::Descending(place) } else { GroupOrder::Ascending(place) }
    }
}
