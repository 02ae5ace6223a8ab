//! The types that columns store as text: words, names and small documents.

use domain::locale::{DateFormat, FirstDayOfWeek, Locale, Units};
use domain::{
    ActiveHours, AlertComparison, AlertEvent, AlertMessageKind, AlertMessageState, AlertMetric, AlertScope,
    AlertSeverity, AlertSplit, AlertStatus, ClearReason, ClipState, DeliveryState, DeviceKind, EntityType,
    ExportKind, ExportState, LinkPurpose, MachineKind, Name, OutsideHours, PartName, PauseReason, PersonKind,
    ReportFormat, ReportKind, ReportPeriod, ReportState, Role, RunState, SavedViewKind, SiteReportGenerator,
    SplitKey, TagRole, TimeZone, UserState, VideoType, WebhookDisabled, WorksiteKind,
};

use crate::engine::row::impl_from_word;

impl_from_word! {
    ActiveHours, ActiveHours::parse_stored;
    AlertComparison, AlertComparison::parse;
    AlertEvent, AlertEvent::parse;
    AlertMessageKind, AlertMessageKind::parse;
    AlertMessageState, AlertMessageState::parse;
    AlertMetric, AlertMetric::parse;
    AlertScope, AlertScope::parse_stored;
    AlertSeverity, AlertSeverity::parse;
    AlertSplit, AlertSplit::parse;
    AlertStatus, AlertStatus::parse;
    ClearReason, ClearReason::parse;
    ClipState, ClipState::parse;
    DateFormat, DateFormat::parse;
    DeliveryState, DeliveryState::parse;
    DeviceKind, DeviceKind::parse;
    EntityType, EntityType::parse;
    ExportKind, ExportKind::parse;
    ExportState, ExportState::parse;
    FirstDayOfWeek, FirstDayOfWeek::parse;
    LinkPurpose, |word| LinkPurpose::parse(word).ok_or(());
    Locale, Locale::parse;
    MachineKind, MachineKind::parse;
    Name, Name::parse_stored;
    OutsideHours, OutsideHours::parse;
    PartName, PartName::parse;
    PauseReason, PauseReason::parse;
    PersonKind, PersonKind::parse;
    ReportFormat, ReportFormat::parse;
    ReportKind, ReportKind::parse;
    ReportPeriod, ReportPeriod::parse;
    ReportState, ReportState::parse;
    Role, Role::parse;
    RunState, RunState::parse;
    Vec<Role>, Role::parse_list;
    SavedViewKind, SavedViewKind::parse;
    SiteReportGenerator, SiteReportGenerator::parse;
    SplitKey, SplitKey::parse_stored;
    TagRole, TagRole::parse;
    TimeZone, TimeZone::parse;
    Units, Units::parse;
    UserState, |word| UserState::parse(word).ok_or(());
    VideoType, VideoType::parse;
    WebhookDisabled, WebhookDisabled::parse;
    WorksiteKind, WorksiteKind::parse;
}
