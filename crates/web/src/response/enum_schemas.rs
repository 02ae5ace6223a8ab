//! The enumerations in the OpenAPI documents. Their values come from the domain, so that the two cannot differ.

use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

macro_rules! enum_schemas {
    ($($(#[$doc:meta])* $name:ident = $domain:path;)+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let words = <$domain>::ALL.map(<$domain>::as_str);
                ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).into()
            }
        }

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
    TagRole = domain::TagRole;
    TimelineKind = domain::TimelineKind;
    UserState = domain::UserState;
    WorksiteKind = domain::WorksiteKind;
    Zone = domain::Zone;
}

/// The date formats that a brand can choose.
pub struct BrandDateFormat;

impl PartialSchema for BrandDateFormat {
    fn schema() -> RefOr<Schema> {
        let words = domain::locale::DateFormat::BRAND_CHOICES.map(domain::locale::DateFormat::as_str);
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).into()
    }
}

impl ToSchema for BrandDateFormat {}

/// The dimensions of a pivot.
pub struct Dimension;

impl PartialSchema for Dimension {
    fn schema() -> RefOr<Schema> {
        let words = domain::insights::Dimension::PIVOTABLE.map(domain::insights::Dimension::as_str);
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).into()
    }
}

impl ToSchema for Dimension {}

/// The background that a chart is drawn for.
pub struct ChartTheme;

impl PartialSchema for ChartTheme {
    fn schema() -> RefOr<Schema> {
        let words = crate::ChartTheme::ALL;
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).into()
    }
}

impl ToSchema for ChartTheme {}
