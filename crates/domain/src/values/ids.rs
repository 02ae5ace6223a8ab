//! Ids: 64-bit integers, one type per entity, so that no id is ever taken for another's.

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
    /// The tenant. Everything but the platform's own tables belongs to one.
    BrandId;
    /// Someone who signs in.
    UserId;
    /// A project, which holds worksites.
    ProjectId;
    /// A sign-in, by cookie or by JWT.
    SessionId;
    /// A credential of a device.
    TokenId;
    /// A tester device, base station or gateway; which of them, its kind says.
    DeviceId;
    /// A person who wears a tag.
    PersonId;
    /// A tag that a person wears.
    TagId;
    /// Who wears a tag, from when to when.
    TagAssignmentId;
    /// A test of a tag.
    TagTestId;
    /// A visitor's stay, from check-in to check-out.
    VisitId;
    /// A row of the audit log.
    AuditId;
    /// A place where people and machines share the ground.
    WorksiteId;
    /// A machine.
    MachineId;
    /// A machine's time at a worksite.
    MachineAssignmentId;
    /// A base station, which is fitted on a machine.
    BaseStationId;
    /// A base station's time on a machine.
    InstallationId;
    /// A note on a person or machine.
    NoteId;
    /// A link that a mail carries: an invitation, a password reset.
    AccountLinkId;
    /// A piece of work that outlives its request.
    JobId;
    /// A time that a tag was inside a machine's zone.
    IncursionId;
    /// A piece of a machine's runtime.
    RuntimePieceId;
    /// An alarm, log line, state, battery, test or receipt of a station.
    DeviceEventId;
    /// A text to a cab.
    MessageId;
    /// A piece of video.
    ClipId;
    /// A table that was asked for as a file.
    ExportId;
    /// A question that someone keeps, to ask it again.
    SavedViewId;
}
