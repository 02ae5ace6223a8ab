//! The kinds of charts with their titles and descriptions.

use super::Unit;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChartKind {
    /// Ignition hours of machines.
    MachineRuntime,
    /// Incursions by whether they were acknowledged in the cab.
    AcknowledgedIncursions,
    /// Summed duration of incursions.
    ZoneTime,
    /// Any measure over time.
    Trends,
    /// Incursions per hour of runtime.
    IncursionRate,
    /// Histogram of incursion durations.
    Durations,
    /// Incursions by location.
    Heatmap,
    /// A measure by hour and day of the week.
    HoursOfWeek,
    /// Acknowledgement rate day by day.
    AcknowledgementScore,
}

impl ChartKind {
    /// All kinds, in the order of the documentation.
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

    pub const fn title(self) -> &'static str {
        match self {
            Self::MachineRuntime => "Machine runtime",
            Self::AcknowledgedIncursions => "Acknowledged incursions",
            Self::ZoneTime => "Time in zones",
            Self::Trends => "Trends",
            Self::IncursionRate => "Incursions per runtime hour",
            Self::Durations => "Incursion durations",
            Self::Heatmap => "Incursions by location",
            Self::HoursOfWeek => "Hours of the week",
            Self::AcknowledgementScore => "Acknowledgement score",
        }
    }

    /// Describes what the chart shows and how it is computed; used in the API documentation.
    pub const fn description(self) -> &'static str {
        match self {
            Self::MachineRuntime => {
                "Hours with the ignition on, for each machine; with operators, also who drove it and when."
            }
            Self::AcknowledgedIncursions => {
                "Incursions that were acknowledged in the cab and those that were not, with the share of acknowledged ones."
            }
            Self::ZoneTime => {
                "Time that people spent in zones: the summed durations of the incursions that have ended."
            }
            Self::Trends => {
                "Measures over time with the previous period and a Theil-Sen trend line. Its slope is the median of the slopes \
                 between all pairs of complete intervals with a value, so that a few outliers do not affect it."
            }
            Self::IncursionRate => {
                "Incursions divided by the runtime hours of the machines concerned. Without runtime there is no rate."
            }
            Self::Durations => {
                "Number of incursions by duration. Short ones are usually people passing by, long ones people working close by."
            }
            Self::Heatmap => "Number of incursions that started in each hexagon of the map.",
            Self::HoursOfWeek => "A measure for each hour of the week, in the local time of each worksite.",
            Self::AcknowledgementScore => {
                "Acknowledged incursions divided by all incursions, for each day in the local time of the worksite. A day without \
                 incursions has no score. The range is the 95 % Wilson confidence interval, which is wide if there were few \
                 incursions."
            }
        }
    }

    /// Returns the unit of its values; `None` if it depends on the measure.
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
