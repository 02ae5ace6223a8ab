//! Facts, sentences and checks of a site report, as documents show them.

use app::reports::narrative;
use app::{FactView, SentenceView};
use serde::Deserialize;
use serde_json::Value;
#[cfg(feature = "openapi")]
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use web::{PartialSchema, ToSchema, enum_schemas, json_number};

/// Sentence of a site report.
#[web::answer]
pub struct SiteReportSentence {
    /// Role of the sentence in the report: a `finding`, a `recommendation` or a `limitation`.
    #[schema(value_type = SiteReportSentenceRole, example = "finding")]
    role: &'static str,
    /// Text. Names are those that you may see.
    #[schema(example = "There were 310 incursions in 28 days, 12 % more than in the previous period (277).")]
    text: String,
    /// Ids of the facts that the sentence rests on.
    #[schema(example = json!(["f1"]))]
    facts: Vec<String>,
}

/// Fact of a site report.
#[web::answer]
pub struct SiteReportFact {
    /// Id within the site report.
    #[schema(example = "f1")]
    id: String,
    /// Kind of the fact.
    #[schema(value_type = enum_schemas::FactKind, example = "incursions")]
    kind: &'static str,
    /// The fact as a sentence, in the language of the site report.
    #[schema(example = "There were 310 incursions in 28 days, 12 % more than in the previous period (277).")]
    text: String,
    /// Value, in the given unit.
    #[schema(value_type = f64, example = 310)]
    value: Value,
    /// Unit of the value, of the comparison and of the interval.
    #[schema(value_type = enum_schemas::FactUnit, example = "count")]
    unit: &'static str,
    /// Count that a share or rate consists of.
    #[schema(value_type = Option<f64>, example = json!(null))]
    numerator: Value,
    /// Count, hours or days by which it is divided or during which it was counted.
    #[schema(value_type = Option<f64>, example = json!(null))]
    denominator: Value,
    /// Number that the value is compared with.
    comparison: Option<SiteReportComparison>,
    /// Interval that contains the true value with a confidence of 95 %; for outliers, the range that is usual among peers.
    interval: Option<SiteReportInterval>,
    /// Certainty of the difference or, without a comparison, whether the value rests on enough incursions.
    #[schema(value_type = enum_schemas::FactCertainty, example = "high")]
    certainty: &'static str,
    /// Whom and what the fact is about; empty for the whole worksite.
    subjects: Vec<SiteReportSubject>,
    /// Hours of the day that the fact is about.
    hours: Option<SiteReportHours>,
    /// Hexagon of the map that the fact is about.
    place: Option<SiteReportPlace>,
    /// Zone that the fact is about.
    #[schema(value_type = Option<FactZone>, example = json!(null))]
    zone: Option<&'static str>,
}

/// Comparison of the value of a fact.
#[web::answer]
pub struct SiteReportComparison {
    /// Basis of the comparison.
    #[schema(value_type = FactComparedWith, example = "previous_period")]
    with: &'static str,
    /// Compared value, in the unit of the fact.
    #[schema(value_type = f64, example = 277)]
    value: Value,
    /// Where the value of the fact lies; `level` if they differ by less than 5 %.
    #[schema(value_type = FactDirection, example = "up")]
    direction: &'static str,
    /// Difference in percent of the compared value; null for percentages, and if the compared value is 0.
    #[schema(value_type = Option<f64>, example = 11.9)]
    change_percent: Value,
}

/// Interval of a fact.
#[web::answer]
pub struct SiteReportInterval {
    /// Lower bound.
    #[schema(value_type = f64, example = 0.37)]
    low: Value,
    /// Upper bound.
    #[schema(value_type = f64, example = 0.47)]
    high: Value,
}

/// Subject of a fact.
#[web::answer]
pub struct SiteReportSubject {
    /// Kind of the subject.
    #[schema(value_type = FactSubjectKind, example = "machine")]
    kind: &'static str,
    /// Identifier of the machine, person, base station or tag.
    #[schema(example = 7)]
    id: i64,
    /// Name, or a placeholder such as `Person 7` if you may not see it.
    #[schema(example = "Excavator 4")]
    name: String,
}

/// Hours of the day.
#[web::answer]
pub struct SiteReportHours {
    /// First hour, 0 to 23.
    #[schema(example = 7)]
    from: u8,
    /// Hour at which they end, 1 to 24.
    #[schema(example = 10)]
    to: u8,
}

/// Hexagon of the map.
#[web::answer]
pub struct SiteReportPlace {
    /// H3 index.
    #[schema(example = "8c1f1d48b1a81ff")]
    cell: String,
    /// Latitude of its centre, in degrees.
    #[schema(example = 53.5511)]
    lat: f64,
    /// Longitude of its centre, in degrees.
    #[schema(example = 9.9937)]
    lon: f64,
}

/// Checks of the answers of the language model, and their results.
#[web::answer]
#[derive(Deserialize)]
pub struct SiteReportChecks {
    /// Answers in order; empty if no language model is configured.
    attempts: Vec<SiteReportAttempt>,
}

/// Answer of the language model.
#[web::answer]
#[derive(Deserialize)]
pub struct SiteReportAttempt {
    /// `accepted`, `checks_failed`, or the reason why there was no answer.
    #[schema(value_type = enum_schemas::ModelAnswerOutcome, example = "accepted")]
    outcome: String,
    /// Number of sentences of the answer; null if it could not be read.
    #[serde(default)]
    #[schema(example = 8)]
    sentences: Option<i64>,
    /// Sentences that were dropped.
    #[serde(default)]
    dropped: Vec<SiteReportDroppedSentence>,
}

/// Sentence that was dropped.
#[web::answer]
#[derive(Deserialize)]
pub struct SiteReportDroppedSentence {
    /// Place in the answer, from 1.
    #[schema(example = 3)]
    sentence: i64,
    /// Why it was dropped.
    #[schema(value_type = enum_schemas::SentenceDropReason, example = "number")]
    reason: String,
    /// Word or number that failed; null if names were sent to the language model.
    #[serde(default)]
    #[schema(example = "311")]
    detail: Option<String>,
}

/// Declares the schemas of enumerations, whose words come from the facts.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident = $type:path;)+) => {$(
        $(#[$doc])*
        pub struct $name;

        #[cfg(feature = "openapi")]
        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let words = <$type>::ALL.map(<$type>::as_str);
                ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).into()
            }
        }

        #[cfg(feature = "openapi")]
        impl ToSchema for $name {}
    )+};
}

words! {
    /// What a sentence of a site report is.
    SiteReportSentenceRole = narrative::SentenceRole;
    FactZone = narrative::FactZone;
    /// What facts are compared with.
    FactComparedWith = narrative::ComparedWith;
    FactDirection = narrative::Direction;
    /// Kinds of subjects of facts.
    FactSubjectKind = narrative::SubjectKind;
}

impl From<SentenceView> for SiteReportSentence {
    fn from(sentence: SentenceView) -> Self {
        Self { role: sentence.role.as_str(), text: sentence.text, facts: sentence.facts }
    }
}

impl From<FactView> for SiteReportFact {
    fn from(FactView { fact, text, subjects }: FactView) -> Self {
        let number = |value: f64| json_number(Some(value));
        Self {
            kind: fact.kind.as_str(),
            text,
            value: number(fact.value),
            unit: fact.unit.as_str(),
            numerator: json_number(fact.numerator),
            denominator: json_number(fact.denominator),
            comparison: fact.comparison.map(|compared| SiteReportComparison {
                with: compared.with.as_str(),
                value: number(compared.value),
                direction: compared.direction.as_str(),
                change_percent: json_number(compared.change_percent),
            }),
            interval: fact
                .interval
                .map(|(low, high)| SiteReportInterval { low: number(low), high: number(high) }),
            certainty: fact.certainty.as_str(),
            subjects: subjects
                .into_iter()
                .map(|(subject, name)| SiteReportSubject {
                    kind: subject.kind.as_str(),
                    id: subject.id,
                    name,
                })
                .collect(),
            hours: fact.hours.map(|(from, to)| SiteReportHours { from, to }),
            place: fact.place.map(|place| SiteReportPlace {
                cell: place.cell,
                lat: place.lat,
                lon: place.lon,
            }),
            zone: fact.zone.map(narrative::FactZone::as_str),
            id: fact.id,
        }
    }
}
