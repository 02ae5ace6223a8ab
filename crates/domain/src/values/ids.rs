//! Ids: 64-bit integers with one type per entity, so that ids cannot be confused.

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

ids! {
    /// The id of a tenant. Everything except the platform's own tables belongs to a brand.
    BrandId;
    /// The id of whoever acts in a brand: of a person who signs in, or of a service account.
    UserId;
    ProjectId;
    /// The id of a sign-in, by cookie or by JWT.
    SessionId;
    /// The id of a device's credential.
    TokenId;
    /// The id of a service account's token.
    ServiceTokenId;
    /// The id of a tester, base station or gateway.
    DeviceId;
    PersonId;
    TagId;
    /// The id of a period during which a person wears a tag.
    TagAssignmentId;
    TagTestId;
    /// The id of a visitor's stay, from check-in to check-out.
    VisitId;
    /// The id of an audit log entry.
    AuditId;
    WorksiteId;
    MachineId;
    /// The id of a machine's period at a worksite.
    MachineAssignmentId;
    BaseStationId;
    /// The id of a base station's period on a machine.
    InstallationId;
    /// The id of a note on a person or machine.
    NoteId;
    /// The id of a link sent by mail: an invitation or a password reset.
    AccountLinkId;
    JobId;
    IncursionId;
    /// The id of a piece of a machine's runtime.
    RuntimePieceId;
    /// The id of an alarm, log line, status, tag battery, tag test or receipt reported by a station.
    DeviceEventId;
    /// The id of a message to a cab.
    MessageId;
    /// The id of a video clip.
    ClipId;
    ExportId;
    SavedViewId;
    ReportId;
    ReportScheduleId;
    /// The id of an address that a schedule mails to.
    ReportRecipientId;
    /// The id of a written site report.
    SiteReportId;
    /// The id of an alert: of the rule, not of its firings.
    AlertRuleId;
    /// The id of a user or an address that an alert is mailed to.
    AlertRecipientId;
    /// The id of a firing of an alert, from the crossing to the clearing.
    AlertFiringId;
    /// The id of what an alert sends at once.
    AlertMessageId;
    /// The id of a message to one recipient, or of an event to one webhook.
    AlertDeliveryId;
    WebhookId;
}
