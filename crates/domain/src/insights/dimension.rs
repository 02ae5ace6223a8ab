//! Dimensions by which incursions and runtime can be grouped.

use crate::Invalid;
use crate::values::text::humanize;

/// The H3 resolution of a heat map, which sets the size of its hexagons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Resolution(u8);

impl Resolution {
    /// The finest resolution, in which cells are stored.
    pub const FINEST: Self = Self(13);
    /// The coarsest resolution that can be requested.
    pub const COARSEST: Self = Self(9);

    /// Accepts a number from 9 to 13.
    pub fn new(number: i64) -> Option<Self> {
        let number = u8::try_from(number).ok()?;
        (Self::COARSEST.0..=Self::FINEST.0).contains(&number).then_some(Self(number))
    }

    pub const fn number(self) -> u8 {
        self.0
    }

    /// Returns the AND mask and the OR mask that turn a cell of the finest resolution into its ancestor in this resolution. An
    /// H3 index holds the resolution in four bits from bit 52 on and three bits per level, which are 7 for unused levels.
    pub const fn masks(self) -> (i64, i64) {
        let unused = (1_i64 << (3 * (15 - self.0 as i64))) - 1;
        (!(0xF << 52 | unused), (self.0 as i64) << 52 | unused)
    }

    /// Returns the cell of this resolution that contains a cell of the finest.
    pub const fn cell(self, finest: i64) -> i64 {
        let (keep, set) = self.masks();
        finest & keep | set
    }
}

/// A bucket of the duration histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DurationBucket(u8);

impl DurationBucket {
    /// Lower bounds of the buckets in seconds; the last bucket is open-ended.
    pub const LOWER_BOUNDS_S: [i64; 7] = [0, 5, 15, 30, 60, 120, 300];

    pub fn all() -> impl Iterator<Item = Self> {
        (0..=6).map(Self)
    }

    pub fn from_duration_ms(duration_ms: i64) -> Self {
        let at = Self::LOWER_BOUNDS_S.iter().skip(1).take_while(|from| duration_ms >= **from * 1_000).count();
        Self(u8::try_from(at).unwrap_or(6))
    }

    /// Returns its index, from 0.
    pub const fn number(self) -> i64 {
        self.0 as i64
    }

    /// Returns the lower and the upper bound in seconds; the last bucket has no upper bound.
    pub fn bounds_s(self) -> (i64, Option<i64>) {
        let at = usize::from(self.0);
        (Self::LOWER_BOUNDS_S[at.min(6)], Self::LOWER_BOUNDS_S.get(at + 1).copied())
    }
}

/// A dimension to group by. Hours, days, weeks and months are those of the worksite's local time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dimension {
    /// The project at the time of the fact; keys are ids.
    Project,
    /// The worksite; keys are ids.
    Worksite,
    /// The current kind of the worksite; keys are indexes into `WorksiteKind::ALL`.
    WorksiteKind,
    /// The machine; keys are ids.
    Machine,
    /// The current kind of the machine; keys are indexes into `MachineKind::ALL`.
    MachineKind,
    /// The base station; keys are ids.
    BaseStation,
    /// The person on foot; keys are ids.
    Pedestrian,
    /// The person driving; keys are ids.
    Operator,
    /// The current kind of the person on foot; keys are indexes into `PersonKind::ALL`.
    PersonKind,
    /// The tag worn on foot; keys are ids.
    Tag,
    /// The zone; keys are the codes of `Zone`.
    Zone,
    /// Whether the incursion was acknowledged in the cab: 0 or 1.
    Acknowledged,
    /// The office's review; keys are the codes of `Review`.
    Review,
    /// A particular hour; keys are the number of the `Day` times 24 plus the hour.
    Hour,
    /// The hour of the day, 0 to 23.
    HourOfDay,
    /// The day of the week, 0 for Monday.
    DayOfWeek,
    /// The day; keys are the numbers of `Day`.
    Day,
    /// The week; keys are the numbers of `Week`.
    Week,
    /// The month; keys are the numbers of `Month`.
    Month,
    /// The duration; keys are the numbers of `DurationBucket`, or none if the incursion has no end.
    Duration,
    /// The hexagon of the position; keys are H3 cells, or none without a position.
    Cell(Resolution),
}

impl Dimension {
    /// The dimensions available to pivots, in the order of the documentation.
    pub const PIVOTABLE: [Self; 17] = [
        Self::Project,
        Self::Worksite,
        Self::WorksiteKind,
        Self::Machine,
        Self::MachineKind,
        Self::Pedestrian,
        Self::Operator,
        Self::PersonKind,
        Self::Zone,
        Self::Acknowledged,
        Self::Review,
        Self::Hour,
        Self::HourOfDay,
        Self::DayOfWeek,
        Self::Day,
        Self::Week,
        Self::Month,
    ];

    /// The dimensions by which breakdowns and trends can be split, in the order of the documentation.
    pub const SPLITTABLE: [Self; 9] = [
        Self::Project,
        Self::Worksite,
        Self::Machine,
        Self::MachineKind,
        Self::Pedestrian,
        Self::Operator,
        Self::Zone,
        Self::HourOfDay,
        Self::DayOfWeek,
    ];

    /// The dimensions by which incursions per runtime hour can be split: those by which runtime is recorded.
    pub const RATE_SPLITS: [Self; 5] =
        [Self::Project, Self::Worksite, Self::Machine, Self::MachineKind, Self::Operator];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Worksite => "worksite",
            Self::WorksiteKind => "worksite_kind",
            Self::Machine => "machine",
            Self::MachineKind => "machine_kind",
            Self::BaseStation => "base_station",
            Self::Pedestrian => "pedestrian",
            Self::Operator => "operator",
            Self::PersonKind => "person_kind",
            Self::Tag => "tag",
            Self::Zone => "zone",
            Self::Acknowledged => "acknowledged",
            Self::Review => "review",
            Self::Hour => "hour",
            Self::HourOfDay => "hour_of_day",
            Self::DayOfWeek => "day_of_week",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Duration => "duration",
            Self::Cell(_) => "cell",
        }
    }

    /// Returns the default label.
    pub fn label(self) -> String {
        humanize(self.as_str())
    }

    /// Parses a dimension that is available to pivots.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::PIVOTABLE.into_iter().find(|dimension| dimension.as_str() == text);
        found.ok_or_else(|| {
            let words = Self::PIVOTABLE.map(Self::as_str).join(", ");
            Invalid::new("invalid_dimension", format!("must be one of {words}"))
        })
    }

    /// Whether runtime can be grouped by this dimension. Runtime has no pedestrian, zone or review, for example.
    pub const fn applies_to_runtime(self) -> bool {
        match self {
            Self::Project
            | Self::Worksite
            | Self::WorksiteKind
            | Self::Machine
            | Self::MachineKind
            | Self::BaseStation
            | Self::Operator
            | Self::Hour
            | Self::HourOfDay
            | Self::DayOfWeek
            | Self::Day
            | Self::Week
            | Self::Month => true,
            Self::Pedestrian
            | Self::PersonKind
            | Self::Tag
            | Self::Zone
            | Self::Acknowledged
            | Self::Review
            | Self::Duration
            | Self::Cell(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_both_ways() {
        for dimension in Dimension::PIVOTABLE {
            assert_eq!(Dimension::parse(dimension.as_str()), Ok(dimension));
        }
        for bad in ["", "tag", "cell", "Machine", "machines"] {
            assert_eq!(
                Dimension::parse(bad).map_err(|invalid| invalid.code),
                Err("invalid_dimension"),
                "{bad}"
            );
        }
    }

    #[test]
    fn lengths_fall_into_the_bucket_that_begins_with_them() {
        for (ms, number) in [
            (0, 0),
            (4_999, 0),
            (5_000, 1),
            (14_999, 1),
            (59_999, 3),
            (60_000, 4),
            (300_000, 6),
            (i64::MAX, 6),
        ] {
            assert_eq!(DurationBucket::from_duration_ms(ms).number(), number, "{ms}");
        }
        let bounds: Vec<_> = DurationBucket::all().map(DurationBucket::bounds_s).collect();
        assert_eq!((bounds[0], bounds[6]), ((0, Some(5)), (300, None)));
    }

    #[test]
    fn a_cell_of_the_finest_resolution_is_its_own() {
        let finest = 0x08D1_F1D4_8B1A_803F;
        assert_eq!(Resolution::FINEST.cell(finest), finest);
        assert_eq!(Resolution::new(8), None);
        assert_eq!(Resolution::new(14), None);
        assert_eq!(Resolution::new(9).map(Resolution::number), Some(9));
    }
}
