//! How measured numbers are shown, the same in both versions.

use app::insights::{Labelled, LabelledId, QueryResult};
use domain::Invalid;
use domain::insights::{Figure, GroupOrder, Measure};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use utoipa::openapi::schema::AdditionalProperties;
use utoipa::openapi::{ObjectBuilder, Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// A measured number: what it comes to, what it was made of, and if it comes to nothing, why.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Metric {
    /// What it comes to; null with a reason.
    #[schema(example = 0.82)]
    pub value: Option<f64>,
    /// Above the line: how many, or a sum in the unit.
    #[schema(example = 41.0)]
    pub numerator: Option<f64>,
    /// Below the line: of how many, or of how many hours.
    #[schema(example = 50.0)]
    pub denominator: Option<f64>,
    /// `count`, `ratio`, `seconds`, `hours` or `per_hour`.
    #[schema(example = "ratio")]
    pub unit: &'static str,
    /// Why there is no value: `no_incursions`, `no_runtime` or `no_data`.
    #[schema(example = json!(null))]
    pub reason: Option<&'static str>,
}

impl Metric {
    /// A figure of a measure.
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

/// What a figure comes to, or why it comes to nothing.
pub fn metric_value(measure: Measure, figure: Figure) -> (Option<f64>, Option<&'static str>) {
    match figure.value(measure) {
        Ok(value) => (Some(value), None),
        Err(reason) => (None, Some(reason.as_str())),
    }
}

/// Several measured numbers, by their names.
#[derive(Clone, Debug)]
pub struct NamedMetrics(Vec<(&'static str, Metric)>);

impl NamedMetrics {
    /// Figures of measures, in their order.
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

impl PartialSchema for NamedMetrics {
    fn schema() -> RefOr<Schema> {
        let metric = AdditionalProperties::RefOr(RefOr::Ref(Ref::from_schema_name("Metric")));
        ObjectBuilder::new()
            .description(Some("Measured numbers, by their names"))
            .additional_properties(Some(metric))
            .into()
    }
}

impl ToSchema for NamedMetrics {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push(("Metric".to_owned(), Metric::schema()));
        Metric::schemas(schemas);
    }
}

/// Of what an answer is true.
#[derive(Serialize, ToSchema)]
pub struct AnswerScope {
    /// Where the period begins: an instant, or a day on each site's own clock.
    #[schema(example = "2026-02-01")]
    from: String,
    /// Where it ends, exclusive.
    #[schema(example = "2026-03-01T12:00:00Z")]
    to: String,
    /// By which clocks days and hours are told: those of the worksites it is about.
    #[schema(example = json!(["Europe/Berlin"]))]
    time_zones: Vec<String>,
    /// The brand's last change that the answer knows of.
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

/// What an answer is split into.
#[derive(Serialize, ToSchema)]
pub struct DimensionValue {
    /// An id, a number or a word, by what it is split by; null for what has none.
    #[schema(value_type = Option<DimensionValueId>)]
    id: DimensionValueId,
    /// What it is called.
    #[schema(example = "North quay")]
    label: String,
}

/// An id, a number or a word; null for what has none.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum DimensionValueId {
    /// An id, or a number such as an hour.
    #[schema(example = 3)]
    Number(i64),
    /// A word, a date.
    #[schema(example = "danger")]
    Text(String),
    /// None.
    None,
}

impl DimensionValue {
    /// What is told apart by a word that is also its name.
    pub fn from_text(word: String) -> Self {
        Self { id: DimensionValueId::Text(word.clone()), label: word }
    }

    /// What tells it apart, and what it is called.
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

/// By which measure something is sorted, and which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sorting {
    /// The measure.
    pub measure: Measure,
    is_descending: bool,
}

impl Sorting {
    /// The greatest first.
    pub const fn descending(measure: Measure) -> Self {
        Self { measure, is_descending: true }
    }

    /// Reads `measure` or `-measure`; the latter is the greatest first.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        match text.strip_prefix('-') {
            Some(rest) => Measure::parse(rest).map(Self::descending),
            None => Measure::parse(text).map(|measure| Self { measure, is_descending: false }),
        }
    }

    /// The order, where the measure stands at that place.
    pub const fn order_at(self, place: usize) -> GroupOrder {
        if self.is_descending { GroupOrder::Descending(place) } else { GroupOrder::Ascending(place) }
    }
}
