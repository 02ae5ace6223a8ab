//! Closed sets of words in the OpenAPI documents, taken from the domain so that they cannot drift from it.

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
    /// Where a video clip stands.
    ClipState = domain::ClipState;
    /// What an export is written as.
    ExportFormat = app::ExportFormat;
    /// What an export is a table of.
    ExportKind = domain::ExportKind;
    /// What a saved view is a view of.
    SavedViewKind = domain::SavedViewKind;
    /// Where an export stands.
    ExportState = domain::ExportState;
    /// The steps of a trend.
    Interval = domain::insights::Interval;
    /// What is measured.
    Measure = domain::insights::Measure;
    /// How dates are written.
    DateFormat = domain::locale::DateFormat;
    /// With which day a week is shown to begin.
    FirstDay = domain::locale::FirstDayOfWeek;
    /// What lengths are told in.
    Units = domain::locale::Units;
    /// How far a message to a cab came.
    MessageState = domain::MessageState;
    /// What sort of machine it is.
    MachineKind = domain::MachineKind;
    /// What kind of thing a note is about.
    EntityType = domain::EntityType;
    /// How a person or a machine stands.
    Activity = domain::Activity;
    /// Why a person is on site.
    PersonKind = domain::PersonKind;
    /// What the office made of an incursion.
    Review = domain::Review;
    /// What a user may do.
    Role = domain::Role;
    /// How a base station stands.
    StationStatus = domain::StationStatus;
    /// What should be looked at about a tag.
    TagFlag = domain::TagFlag;
    /// Where a tag is.
    TagState = domain::TagState;
    /// The forms of a chart.
    ChartFormat = crate::ChartFormat;
    /// Whom a tag is meant for.
    TagRole = domain::TagRole;
    /// What an entry of a timeline is about.
    TimelineKind = domain::TimelineKind;
    /// Where a user stands.
    UserState = domain::UserState;
    /// What is done on a site.
    WorksiteKind = domain::WorksiteKind;
    /// How near a tag came.
    Zone = domain::Zone;
}

/// How a brand writes dates.
pub struct BrandDateFormat;

impl PartialSchema for BrandDateFormat {
    fn schema() -> RefOr<Schema> {
        let words = domain::locale::DateFormat::BRAND_CHOICES.map(domain::locale::DateFormat::as_str);
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).into()
    }
}

impl ToSchema for BrandDateFormat {}

/// What a pivot may be made of.
pub struct Dimension;

impl PartialSchema for Dimension {
    fn schema() -> RefOr<Schema> {
        let words = domain::insights::Dimension::PIVOTABLE.map(domain::insights::Dimension::as_str);
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).into()
    }
}

impl ToSchema for Dimension {}

/// For which ground a picture is drawn.
pub struct ChartTheme;

impl PartialSchema for ChartTheme {
    fn schema() -> RefOr<Schema> {
        let words = crate::ChartTheme::ALL;
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).into()
    }
}

impl ToSchema for ChartTheme {}
