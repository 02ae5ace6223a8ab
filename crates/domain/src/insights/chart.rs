//! The charts there are.

use super::Unit;

/// A chart, by what it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChartKind {
    /// How long machines ran.
    MachineRuntime,
    /// What cabs acknowledged, and what they did not.
    AcknowledgedIncursions,
    /// How long people were in zones.
    ZoneTime,
    /// Any measure over time.
    Trends,
    /// Incursions for each hour that machines ran.
    IncursionRate,
    /// How long incursions lasted.
    Durations,
    /// Where they were.
    Heatmap,
    /// At which hours of the week.
    HoursOfWeek,
    /// The part that was acknowledged, day by day.
    AcknowledgementScore,
}

impl ChartKind {
    /// All of them, in the order of their documentation.
    pub const ALL: [Self; 9] = [
        Self::MachineRuntime,
        Self::AcknowledgedIncursions,
        Self::ZoneTime,
        Self::Trends,
        Self::IncursionRate,
        Self::Durations,
        Self::Heatmap,
        Self::HoursOfWeek,
        Self::AcknowledgementScore,
    ];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MachineRuntime => "machine_runtime",
            Self::AcknowledgedIncursions => "acknowledged_incursions",
            Self::ZoneTime => "zone_time",
            Self::Trends => "trends",
            Self::IncursionRate => "incursion_rate",
            Self::Durations => "durations",
            Self::Heatmap => "heatmap",
            Self::HoursOfWeek => "hours_of_week",
            Self::AcknowledgementScore => "acknowledgement_score",
        }
    }

    /// What it is called.
    pub const fn title(self) -> &'static str {
        match self {
            Self::MachineRuntime => "Machine runtime",
            Self::AcknowledgedIncursions => "Acknowledged incursions",
            Self::ZoneTime => "Time in zones",
            Self::Trends => "Trends",
            Self::IncursionRate => "Incursions per runtime hour",
            Self::Durations => "Length of incursions",
            Self::Heatmap => "Where incursions happen",
            Self::HoursOfWeek => "Hours of the week",
            Self::AcknowledgementScore => "Acknowledgement score",
        }
    }

    /// What it answers, and how that is computed.
    pub const fn description(self) -> &'static str {
        match self {
            Self::MachineRuntime => {
                "How many hours the ignition of each machine was on. With operators, also who drove it when."
            }
            Self::AcknowledgedIncursions => {
                "How many incursions the cab acknowledged and how many it did not, and the part of all that it acknowledged."
            }
            Self::ZoneTime => {
                "How long people were in zones: the lengths of incursions that ended, added up."
            }
            Self::Trends => {
                "Measures over time, the period before beside them, and through them the line of Theil and Sen: its slope is the \
                 median of the slopes between all pairs of whole steps with a value, so that a few wild ones do not turn it."
            }
            Self::IncursionRate => {
                "Incursions divided by the hours that the machines concerned ran. Without runtime there is no rate."
            }
            Self::Durations => {
                "How many incursions lasted how long: short ones are people passing, long ones people working near."
            }
            Self::Heatmap => "How many incursions began in each hexagon of the ground.",
            Self::HoursOfWeek => "A measure for each hour of each day of the week, on each site's own clock.",
            Self::AcknowledgementScore => {
                "Acknowledged incursions divided by all, for each day of each site's own clock. A day without incursions has no \
                 score. The range is that of Wilson: with 95 % confidence the true part lies in it, which is wide where there \
                 were few."
            }
        }
    }

    /// What its values are counted in; none if its measure decides.
    pub const fn unit(self) -> Option<Unit> {
        match self {
            Self::MachineRuntime => Some(Unit::Hours),
            Self::AcknowledgedIncursions | Self::Durations | Self::Heatmap => Some(Unit::Count),
            Self::ZoneTime => Some(Unit::Seconds),
            Self::IncursionRate => Some(Unit::PerHour),
            Self::AcknowledgementScore => Some(Unit::Ratio),
            Self::Trends | Self::HoursOfWeek => None,
        }
    }
}
