//! The enumerations in the OpenAPI documents. Their values come from the domain, so that the two cannot differ.

use domain::schedule::CadenceKind;
use serde::{Serialize, Serializer};
#[cfg(feature = "openapi")]
use utoipa::openapi::extensions::{Extensions, ExtensionsBuilder};
#[cfg(feature = "openapi")]
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
#[cfg(feature = "openapi")]
use utoipa::{PartialSchema, ToSchema};

#[cfg(feature = "openapi")]
fn enumeration<I>(words: I) -> RefOr<Schema>
where
    I: IntoIterator,
    I::Item: Into<serde_json::Value>,
{
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).into()
}

macro_rules! enum_schemas {
    ($($(#[$doc:meta])* $name:ident = $domain:path;)+) => {$(
        $(#[$doc])*
        pub struct $name;

        #[cfg(feature = "openapi")]
        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                enumeration(<$domain>::ALL.map(<$domain>::as_str))
            }
        }

        #[cfg(feature = "openapi")]
        impl ToSchema for $name {}
    )+};
}

enum_schemas! {
    ClipState = domain::ClipState;
    ExportFormat = app::ExportFormat;
    ExportKind = domain::ExportKind;
    SavedViewKind = domain::SavedViewKind;
    ExportState = domain::ExportState;
    /// The steps of a trend.
    Interval = domain::insights::Interval;
    /// The metrics of insights.
    Measure = domain::insights::Measure;
    DateFormat = domain::locale::DateFormat;
    FirstDay = domain::locale::FirstDayOfWeek;
    /// Units of length.
    Units = domain::locale::Units;
    MessageState = domain::MessageState;
    MachineKind = domain::MachineKind;
    /// The subjects of notes.
    EntityType = domain::EntityType;
    Activity = domain::Activity;
    PersonKind = domain::PersonKind;
    /// The results of a review.
    Review = domain::Review;
    Role = domain::Role;
    StationStatus = domain::StationStatus;
    /// Conditions of a tag that need attention.
    TagFlag = domain::TagFlag;
    TagState = domain::TagState;
    ChartFormat = crate::ChartFormat;
    /// The forms of the cells of a pivot.
    PivotCellFormat = crate::CellFormat;
    TagRole = domain::TagRole;
    TimelineKind = domain::TimelineKind;
    UserState = domain::UserState;
    WorksiteKind = domain::WorksiteKind;
    Zone = domain::Zone;
    /// Units of measures.
    MeasureUnit = domain::insights::Unit;
    NoValueReason = domain::insights::NoValueReason;
    ChartKind = domain::insights::ChartKind;
    SeriesKind = app::insights::SeriesKind;
    /// The measures by which a heat map can be shaded.
    HeatmapShade = app::insights::Shade;
    /// The members among which outliers are found.
    OutlierDimension = app::insights::OutlierBy;
    /// The reasons why a candidate was not tested.
    OutlierSkipReason = app::insights::SkipReason;
    ExposureUnit = app::insights::ExposureUnit;
    /// The causes of changes of an incursion.
    ChangeCause = domain::ChangeCause;
    SessionKind = domain::SessionKind;
    /// Severities of alarms and log entries.
    Severity = domain::event::Severity;
    VisitState = domain::VisitState;
    ActorKind = domain::ActorKind;
    /// What a person or machine can be linked to.
    EntityLinkKind = domain::LinkKind;
    /// The roles of people and machines in incursions.
    EntityRole = app::EntityRole;
    /// The roles of people in events.
    Involvement = app::Involvement;
    /// Sizes of the pages of a PDF.
    Paper = domain::Paper;
    ReportFormat = domain::ReportFormat;
    ReportKind = domain::ReportKind;
    ReportState = domain::ReportState;
    /// The periods that the reports of a schedule cover.
    ReportPeriod = domain::ReportPeriod;
    /// The reasons why a schedule does not run.
    PauseReason = domain::PauseReason;
    /// How far the last run of a schedule has come.
    ScheduleRunState = domain::RunState;
    /// What wrote a site report.
    SiteReportGenerator = domain::SiteReportGenerator;
    /// How sure a fact is.
    FactCertainty = app::reports::narrative::Certainty;
    FactKind = app::reports::narrative::FactKind;
    /// Units of facts.
    FactUnit = app::reports::narrative::FactUnit;
    /// The reasons why a sentence of a language model was dropped.
    SentenceDropReason = app::reports::narrative::DropReason;
    /// The languages of texts.
    TextLanguage = app::reports::texts::Language;
    /// What an alert watches.
    AlertMetric = domain::AlertMetric;
    /// What a webhook is called about.
    AlertEvent = domain::AlertEvent;
    /// The side of the threshold on which an alert fires.
    AlertComparison = domain::AlertComparison;
    /// How serious the firings of an alert are.
    AlertSeverity = domain::AlertSeverity;
    /// What an alert has one firing each for.
    AlertSplit = domain::AlertSplit;
    AlertStatus = domain::AlertStatus;
    /// Units of the values of alerts.
    AlertUnit = domain::AlertUnit;
    /// Windows that begin with the day or the week of a worksite.
    CalendarUnit = domain::CalendarUnit;
    /// The reasons why a firing ended.
    ClearReason = domain::ClearReason;
    DeliveryState = domain::DeliveryState;
    FiringState = domain::FiringState;
    NotNotifiedReason = domain::NotNotifiedReason;
    /// What happens to messages outside active hours.
    OutsideHours = domain::OutsideHours;
    /// The reasons why a webhook is disabled.
    WebhookDisabled = domain::WebhookDisabled;
}

/// Sets that are a part of an enumeration, or made from one or several.
macro_rules! derived_schemas {
    ($($(#[$doc:meta])* $name:ident = $schema:expr;)+) => {$(
        $(#[$doc])*
        pub struct $name;

        #[cfg(feature = "openapi")]
        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                $schema
            }
        }

        #[cfg(feature = "openapi")]
        impl ToSchema for $name {}
    )+};
}

derived_schemas! {
    AlertNoDataReason = enumeration(domain::judge::NO_DATA_REASONS);
    AlertStatusReason = enumeration(
        domain::judge::NO_DATA_REASONS.into_iter().chain(domain::AlertStatus::REASONS_TO_STOP)
    );
    /// The date formats that a brand can choose.
    BrandDateFormat =
        enumeration(domain::locale::DateFormat::BRAND_CHOICES.map(domain::locale::DateFormat::as_str));
    /// The background that a chart is drawn for.
    ChartTheme = enumeration(crate::ChartTheme::ALL);
    /// Whether a chart image has its title and subtitle.
    ChartTitle = enumeration(crate::ChartTitle::ALL);
    ScheduleCadence = cadences();
    /// The dimensions of a pivot.
    Dimension = dimensions(domain::insights::Dimension::PIVOTABLE);
    /// The dimensions of a breakdown, by which trends can also be split.
    BreakdownDimension = dimensions(domain::insights::Dimension::SPLITTABLE);
    /// The dimensions by which a chart of incursions per runtime hour can be split.
    RateDimension = dimensions(domain::insights::Dimension::RATE_SPLITS);
    /// The dimensions of a chart of the time in zones.
    ZoneTimeDimension = dimensions(app::insights::ZoneTimeRequest::BY);
    /// The periods to compare with.
    ComparedPeriod = enumeration(app::insights::Compare::NAMES);
    /// The sort orders of groups: by any measure.
    MeasureSort = sort_orders(domain::insights::Measure::ALL.map(domain::insights::Measure::as_str));
    /// The sort orders of people and machines.
    EntitySort = sort_orders(app::EntitySort::ALL.map(app::EntitySort::as_str));
    /// The sort orders of incursions.
    IncursionSort = sort_orders(domain::IncursionSort::ALL.map(domain::IncursionSort::as_str));
    /// The sort orders of records with a name.
    NamedSort = sort_orders(crate::SortOrders::BY_NAME.names());
    /// The sort orders of devices with a serial number.
    SerialSort = sort_orders(crate::SortOrders::BY_SERIAL.names());
    /// The sort orders of tag assignments.
    TagAssignmentSort = sort_orders(crate::SortOrders::OF_ASSIGNMENTS.names());
    /// The sort orders of visits.
    VisitorSessionSort = sort_orders(crate::SortOrders::OF_VISITS.names());
    /// The kinds of people and of machines.
    EntityKind = entity_kinds();
    /// Who can sign in or present a token.
    UserType = enumeration(
        [domain::ActorKind::User, domain::ActorKind::ServiceAccount].map(domain::ActorKind::as_str)
    );
    /// What became of an answer of a language model.
    ModelAnswerOutcome = enumeration(
        ["accepted"].into_iter().chain(app::SiteReportWriting::FALLBACK_REASONS)
    );
    /// The reasons why the rules wrote a site report although a language model is configured.
    FallbackReason = enumeration(app::SiteReportWriting::FALLBACK_REASONS);
    /// The key of the only series of a chart of the acknowledgement score.
    ScoreSeriesKey = enumeration([domain::insights::Measure::AcknowledgementRate.as_str()]);
}

/// The example is one that fits the weekday in the examples of schedules; a reference to this schema cannot have its own.
#[cfg(feature = "openapi")]
fn cadences() -> RefOr<Schema> {
    let words = CadenceKind::ALL.map(CadenceKind::as_str);
    let object = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words));
    object.examples([CadenceKind::Weekly.as_str()]).into()
}

#[cfg(feature = "openapi")]
fn dimensions<const N: usize>(dimensions: [domain::insights::Dimension; N]) -> RefOr<Schema> {
    enumeration(dimensions.map(domain::insights::Dimension::as_str))
}

#[cfg(feature = "openapi")]
fn entity_kinds() -> RefOr<Schema> {
    let machines = domain::MachineKind::ALL.map(domain::MachineKind::as_str);
    enumeration(domain::PersonKind::ALL.map(domain::PersonKind::as_str).into_iter().chain(machines))
}

/// Returns the schema of a sort order: each key for ascending order and, with a leading `-`, for descending order. Generators would
/// number the values that begin with a minus, so their names are given.
#[cfg(feature = "openapi")]
pub fn sort_orders(keys: impl IntoIterator<Item = &'static str>) -> RefOr<Schema> {
    let (mut orders, mut names) = (Vec::new(), Vec::new());
    for key in keys {
        orders.extend([key.to_owned(), format!("-{key}")]);
        names.extend([key.to_owned(), format!("{key}_descending")]);
    }
    let names = ExtensionsBuilder::new().add("x-enum-varnames", names).build();
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(orders)).extensions(Some(names)).into()
}

/// Returns the schema of a member that is always `true`, by which two kinds of entries of a list differ. It is a `const`, which utoipa has
/// no method for: generators do not support an `enum` of booleans.
#[cfg(feature = "openapi")]
pub fn always_true() -> Schema {
    ObjectBuilder::new()
        .schema_type(Type::Boolean)
        .description(Some("Always `true`."))
        .extensions(Some(Extensions::from_iter([("const", true)])))
        .build()
        .into()
}

/// Values of members that always have the same one. What is sent is what is documented.
macro_rules! constants {
    ($($name:ident = $word:literal;)+) => {$(
        pub struct $name;

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($word)
            }
        }

        #[cfg(feature = "openapi")]
        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                enumeration([$word])
            }
        }

        #[cfg(feature = "openapi")]
        impl ToSchema for $name {}
    )+};
}

constants! {
    AssignedRelation = "assigned";
    FeatureCollectionType = "FeatureCollection";
    FeatureType = "Feature";
    LineStringType = "LineString";
    PointType = "Point";
    PolygonType = "Polygon";
    ProblemType = "about:blank";
    TrendLineMethod = "theil_sen";
}

#[cfg(feature = "openapi")]
#[cfg(test)]
mod tests {
    use super::*;

    fn words<T: PartialSchema>() -> Vec<String> {
        let schema = serde_json::to_value(T::schema()).unwrap();
        serde_json::from_value(schema["enum"].clone()).unwrap()
    }

    #[test]
    fn documented_sort_orders_are_those_that_are_read() {
        for word in words::<MeasureSort>() {
            assert!(crate::Sorting::parse(&word).is_ok(), "{word}");
        }
        for word in words::<EntitySort>() {
            assert!(app::EntityOrder::parse(&word).is_ok(), "{word}");
        }
        assert_eq!(words::<EntitySort>()[..2], ["name", "-name"]);
    }

    #[test]
    fn documented_comparisons_are_those_that_are_read() {
        for word in words::<ComparedPeriod>() {
            assert!(app::insights::Compare::parse(&word).is_ok(), "{word}");
        }
    }

    #[test]
    fn constants_are_sent_as_documented() {
        assert_eq!(serde_json::to_string(&FeatureCollectionType).unwrap(), "\"FeatureCollection\"");
        assert_eq!(words::<FeatureCollectionType>(), ["FeatureCollection"]);
    }
}
