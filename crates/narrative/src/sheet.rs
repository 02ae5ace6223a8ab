//! The fact sheet: what is known about a worksite in a period, in numbers and ids.

use serde::{Deserialize, Serialize};

/// The facts of a written site report. Fields may only be added, with a default, because sheets are stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactSheet {
    pub worksite: i64,
    /// Beginning and end of the period, each a day or an instant; the end is exclusive.
    pub from: String,
    pub to: String,
    /// Number of local days in the period.
    pub days: i64,
    pub facts: Vec<Fact>,
}

impl FactSheet {
    pub fn fact(&self, id: &str) -> Option<&Fact> {
        self.facts.iter().find(|fact| fact.id == id)
    }

    /// Returns the first fact of a kind.
    pub fn of_kind(&self, kind: FactKind) -> Option<&Fact> {
        self.facts.iter().find(|fact| fact.kind == kind)
    }

    /// Returns whom and what the facts are about, each once, in the order of the sheet.
    pub fn subjects(&self) -> Vec<Subject> {
        let mut found = Vec::new();
        for subject in self.facts.iter().flat_map(|fact| &fact.subjects) {
            if !found.contains(subject) {
                found.push(*subject);
            }
        }
        found
    }
}

/// One thing that is known, with its number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// `f1`, `f2`, … in the order of the sheet.
    pub id: String,
    pub kind: FactKind,
    /// Whom or what it is about; none for the whole worksite.
    pub subjects: Vec<Subject>,
    pub value: f64,
    /// Decimal places of the value.
    pub digits: u8,
    pub unit: FactUnit,
    /// Their units depend on the kind.
    pub numerator: Option<f64>,
    pub denominator: Option<f64>,
    pub comparison: Option<FactComparison>,
    /// The 95 % interval of the value; for outliers, the range that is usual among peers.
    pub interval: Option<(f64, f64)>,
    /// How sure it is that the difference is real or, without a comparison, that the value is typical.
    pub certainty: Certainty,
    /// Hours of the day (from, to exclusive) and weekdays (0 is Monday) that the fact is about.
    #[serde(default)]
    pub hours: Option<(u8, u8)>,
    #[serde(default)]
    pub weekdays: Vec<u8>,
    /// The place that the fact is about.
    #[serde(default)]
    pub place: Option<Place>,
    /// The zone that the fact is about.
    #[serde(default)]
    pub zone: Option<FactZone>,
}

/// A hexagon of the map with its centre.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// The H3 index.
    pub cell: String,
    pub lat: f64,
    pub lon: f64,
}

/// What a value is compared with, in the unit of the value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactComparison {
    pub with: ComparedWith,
    pub value: f64,
    /// Where the value is, seen from the compared one.
    pub direction: Direction,
    /// The difference in percent of the compared value; none for values that are percentages themselves.
    pub change_percent: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Subject {
    pub kind: SubjectKind,
    pub id: i64,
}

/// Defines an enumeration whose words are stored and sent.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident [$count:literal] { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $word)] $variant,)*
        }

        impl $name {
            pub const ALL: [Self; $count] = [$(Self::$variant,)*];

            /// Returns the word that is stored and sent.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }
    };
}
pub(crate) use words;

words! {
    FactKind [21] {
        /// Number of incursions.
        Incursions = "incursions",
        /// Incursions by the runtime hours of the machines.
        IncursionRate = "incursion_rate",
        /// Share of incursions that were acknowledged in the cab.
        AcknowledgementRate = "acknowledgement_rate",
        AverageDuration = "average_duration",
        /// Summed duration of incursions.
        ZoneTime = "zone_time",
        /// Share of incursions that reached the danger zone.
        DangerShare = "danger_share",
        RuntimeHours = "runtime_hours",
        /// A machine that differs from others of its kind; the denominator is its runtime.
        OutlierMachine = "outlier_machine",
        /// Someone on foot who differs from others; the denominator is their days.
        OutlierPedestrian = "outlier_pedestrian",
        /// An operator who differs from others; the denominator is their hours of driving.
        OutlierOperator = "outlier_operator",
        /// The rate against that of the weeks after the installation.
        Drift = "drift",
        /// Share of incursions in the three busiest hours of the day, against the share of runtime in them.
        BusiestHours = "busiest_hours",
        /// Share of incursions in the busiest hexagon.
        BusiestPlace = "busiest_place",
        /// A machine and a person on foot who met repeatedly; the denominator is the number of days.
        RepeatedPair = "repeated_pair",
        /// Share of incursions of the machine with most, against its share of the runtime.
        TopMachine = "top_machine",
        /// Share of tags with incursions that were in test at the end of the period.
        TestCompliance = "test_compliance",
        /// Share of incursions whose tag was not in test at the time.
        IncursionsWithoutTest = "incursions_without_test",
        /// Number of silent base stations among those of the worksite.
        SilentStations = "silent_stations",
        /// Working days without incursions and runtime.
        DaysWithoutData = "days_without_data",
        /// Share of incursions whose person on foot is not known.
        UnknownPedestrians = "unknown_pedestrians",
        /// A zone of a machine that was made larger or smaller in the period.
        ZoneSizeChanged = "zone_size_changed",
    }
}

words! {
    FactUnit [8] {
        Count = "count",
        Percent = "percent",
        Seconds = "seconds",
        Hours = "hours",
        /// Incursions per runtime hour.
        PerHour = "per_hour",
        Days = "days",
        /// A ratio of two values.
        Times = "times",
        Metres = "metres",
    }
}

words! {
    /// How sure a statement is, by what chance explains and the number of incursions behind it.
    Certainty [3] {
        Low = "low",
        Moderate = "moderate",
        High = "high",
    }
}

words! {
    SubjectKind [6] {
        Worksite = "worksite",
        Machine = "machine",
        Pedestrian = "pedestrian",
        Operator = "operator",
        BaseStation = "base_station",
        Tag = "tag",
    }
}

words! {
    ComparedWith [5] {
        PreviousPeriod = "previous_period",
        /// The weeks after the stations were installed.
        AfterInstallation = "after_installation",
        /// What others of the same kind let expect.
        Peers = "peers",
        /// The share of the runtime.
        Runtime = "runtime",
        /// The setting before it was changed.
        BeforeChange = "before_change",
    }
}

words! {
    Direction [3] {
        Up = "up",
        Down = "down",
        Level = "level",
    }
}

words! {
    FactZone [2] {
        Warning = "warning",
        Danger = "danger",
    }
}

impl FactKind {
    /// Returns the unit of the denominator; numerators are counts.
    pub(crate) const fn denominator_unit(self) -> FactUnit {
        match self {
            Self::IncursionRate | Self::Drift | Self::OutlierMachine | Self::OutlierOperator => {
                FactUnit::Hours
            }
            Self::OutlierPedestrian | Self::RepeatedPair | Self::DaysWithoutData => FactUnit::Days,
            _ => FactUnit::Count,
        }
    }
}

impl Fact {
    pub(crate) fn direction(&self) -> Option<Direction> {
        self.comparison.map(|comparison| comparison.direction)
    }

    /// Returns the first subject of a kind.
    pub(crate) fn subject(&self, kind: SubjectKind) -> Option<Subject> {
        self.subjects.iter().copied().find(|subject| subject.kind == kind)
    }
}
