//! Types that a field of a body can be read as.

use domain::insights::Dimension;
use domain::locale::{DateFormat, FirstDayOfWeek, Locale, Units};
use domain::{
    AlertComparison, AlertFiringId, AlertMetric, AlertRuleId, AlertSeverity, AlertSplit, BaseStationId,
    CalendarUnit, Colour, EmailAddress, EntityType, ExportKind, IncursionId, Invalid, MachineId, MachineKind,
    MessageText, MultilineText, Name, OutsideHours, Paper, PartName, Percent, PersonId, PersonKind,
    ProjectId, ReportFormat, ReportKind, ReportPeriod, ReportScheduleId, Review, Role, SavedViewId,
    SavedViewKind, Serial, SiteReportId, TagId, TagRole, TimeZone, Timestamp, WebhookId, WorksiteId,
    WorksiteKind,
};
use geography::Boundary;
use serde_json::Value;

use crate::request::fields::{boolean, id, percent, text};

/// A type that a field of a body can be read as. `#[web::body]` reads fields by it.
pub trait BodyField: Sized {
    /// The kind of JSON value that it is read from, to which the schema in OpenAPI must agree.
    const KIND: FieldKind;

    fn from_json(value: &Value) -> Result<Self, Invalid>;
}

/// A kind of JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    String,
    Integer,
    Boolean,
    Object,
}

macro_rules! impl_body_field {
    ($($type:ty: $kind:ident, $read:expr;)*) => {$(
        impl BodyField for $type {
            const KIND: FieldKind = FieldKind::$kind;

            fn from_json(value: &Value) -> Result<Self, Invalid> {
                $read(value)
            }
        }
    )*};
}

macro_rules! impl_for_text {
    ($($type:ident),* $(,)?) => {
        impl_body_field! { $($type: String, text($type::parse);)* }
    };
}

macro_rules! impl_for_ids {
    ($($type:ident),* $(,)?) => {
        impl_body_field! { $($type: Integer, |value| id(value).map($type);)* }
    };
}

impl_body_field! {
    bool: Boolean, boolean;
    Percent: Integer, percent;
    Boundary: Object, Boundary::from_geojson;
}

impl_for_text! {
    AlertComparison, AlertMetric, AlertSeverity, AlertSplit, CalendarUnit, Colour, DateFormat, Dimension, EmailAddress, EntityType,
    ExportKind, FirstDayOfWeek, Locale, MachineKind, MessageText, MultilineText, Name, OutsideHours, Paper, PartName, PersonKind,
    ReportFormat, ReportKind, ReportPeriod, Review, Role, SavedViewKind, Serial, TagRole, TimeZone, Timestamp, Units, WorksiteKind,
}

impl_for_ids! {
    AlertFiringId, AlertRuleId, BaseStationId, IncursionId, MachineId, PersonId, ProjectId, ReportScheduleId, SavedViewId,
    SiteReportId, TagId, WebhookId, WorksiteId,
}
