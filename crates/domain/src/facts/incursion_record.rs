//! Incursions as they are recorded, with their links, reviews and earlier versions.

use crate::{
    Actor, BaseStationId, ClipId, ClipState, Coordinates, IncursionId, MachineId, PersonId, PersonName,
    ProjectId, Review, TagId, Timestamp, WorksiteId, Zone,
};

/// The records that a fact belongs to, by the links that held when it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, macros::FromRow)]
pub struct Attribution {
    /// The machine on which the station was installed.
    #[row(column = "machine_id")]
    pub machine: Option<MachineId>,
    /// The person who wore the tag.
    #[row(column = "pedestrian_id")]
    pub pedestrian: Option<PersonId>,
    /// The person who wore the operator's tag.
    #[row(column = "operator_id")]
    pub operator: Option<PersonId>,
    #[row(column = "worksite_id")]
    pub worksite: Option<WorksiteId>,
    /// The worksite's project.
    #[row(column = "project_id")]
    pub project: Option<ProjectId>,
    /// The day in the worksite's time zone, in days since 1970.
    pub local_day: i64,
    /// The minute of the week in the worksite's time zone, counted from Monday 0:00.
    pub local_minute: i64,
    /// The H3 cell of resolution 13 that contains the position.
    pub cell: Option<i64>,
}

/// All fields of an incursion except its id.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct IncursionRow {
    /// Sequence number of the last change.
    pub seq: i64,
    #[row(column = "base_station_id")]
    pub base_station: BaseStationId,
    /// Identifier chosen by the station.
    pub uid: String,
    /// The tag of the pedestrian.
    #[row(column = "tag_id")]
    pub tag: TagId,
    /// The tag of the operator.
    #[row(column = "operator_tag_id")]
    pub operator_tag: Option<TagId>,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    /// Time at which the service stopped waiting for an end.
    pub closed_at: Option<Timestamp>,
    /// Time at which the operator pressed the button in the cab.
    pub acknowledged_at: Option<Timestamp>,
    /// The most dangerous zone that was entered.
    pub zone: Zone,
    pub closest_cm: Option<i64>,
    #[row(columns("lat_e7", "lon_e7"))]
    pub position: Option<Coordinates>,
    #[row(flatten)]
    pub attribution: Attribution,
    pub review: Review,
    /// Time at which the server received the first report.
    pub received_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct StoredIncursion {
    pub id: IncursionId,
    #[row(flatten)]
    pub row: IncursionRow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeCause {
    /// A station reported more about it.
    Report,
    /// A link was corrected.
    Attribution,
    /// A user reviewed it.
    Review,
    /// Its end was never reported.
    Closing,
}

impl ChangeCause {
    pub const ALL: [Self; 4] = [Self::Report, Self::Attribution, Self::Review, Self::Closing];

    /// Returns the value stored in the history and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Attribution => "attribution",
            Self::Review => "review",
            Self::Closing => "closing",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.as_str() == word)
    }
}

/// A review of an incursion by a user.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct StoredReview {
    pub review: Review,
    #[row(columns("user_kind", "user_id", "name"))]
    pub by: Actor,
    #[row(column = "created_at")]
    pub at: Timestamp,
    pub comment: Option<String>,
    /// Sequence number of the change that the review made.
    pub seq: i64,
}

/// An incursion with its last review. The records that it is linked to are given by their ids.
#[derive(Clone, Debug)]
pub struct ReviewedIncursion {
    pub stored: StoredIncursion,
    pub last_review: Option<StoredReview>,
    /// Time of the change that gave it its sequence number.
    pub updated_at: Timestamp,
}

impl From<IncursionDetails> for ReviewedIncursion {
    fn from(details: IncursionDetails) -> Self {
        let IncursionDetails { stored, last_review, updated_at, .. } = details;
        Self { stored, last_review, updated_at }
    }
}

impl AsRef<StoredIncursion> for ReviewedIncursion {
    fn as_ref(&self) -> &StoredIncursion {
        &self.stored
    }
}

impl AsRef<StoredIncursion> for IncursionDetails {
    fn as_ref(&self) -> &StoredIncursion {
        &self.stored
    }
}

/// An incursion with the names of the records that it is linked to.
#[derive(Clone, Debug)]
pub struct IncursionDetails {
    pub stored: StoredIncursion,
    pub machine: Option<(MachineId, String)>,
    /// The station with its serial.
    pub base_station: (BaseStationId, String),
    /// The pedestrian's tag with its serial.
    pub tag: (TagId, String),
    /// The operator's tag with its serial.
    pub operator_tag: Option<(TagId, String)>,
    pub pedestrian: Option<PersonName>,
    pub operator: Option<PersonName>,
    pub worksite: Option<(WorksiteId, String)>,
    pub project: Option<(ProjectId, String)>,
    pub last_review: Option<StoredReview>,
    /// Time of the change that gave it its sequence number.
    pub updated_at: Timestamp,
}

/// A change of an incursion, with the version that it replaced.
#[derive(Clone, Debug)]
pub struct IncursionChange {
    pub seq: i64,
    pub at: Timestamp,
    pub cause: ChangeCause,
    /// The replaced version; none for callers to whom it was not visible.
    pub replaced: Option<IncursionVersion>,
}

/// An earlier version of an incursion: the fields that can change.
#[derive(Clone, Debug, macros::FromRow)]
pub struct IncursionVersion {
    /// Sequence number of the change that made this version.
    pub seq: i64,
    pub ended_at: Option<Timestamp>,
    /// Time at which the service stopped waiting for an end.
    pub closed_at: Option<Timestamp>,
    /// Time at which the operator pressed the button in the cab.
    pub acknowledged_at: Option<Timestamp>,
    /// The most dangerous zone that was entered.
    pub zone: Zone,
    pub closest_cm: Option<i64>,
    #[row(flatten)]
    pub attribution: Attribution,
    pub review: Review,
}

/// A video clip of an incursion.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct IncursionClip {
    pub id: ClipId,
    #[row(column = "incursion_id")]
    pub incursion: IncursionId,
    pub camera: String,
    pub state: ClipState,
}

/// The incursions of a tag or station in brief, without those whose review excludes them from counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, macros::FromRow)]
pub struct IncursionSummary {
    /// Number of incursions since the requested time.
    pub count: i64,
    /// Start of the last incursion, even if it is earlier than the requested time.
    pub last_at: Option<Timestamp>,
}
