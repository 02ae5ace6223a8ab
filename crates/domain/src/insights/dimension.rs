//! What incursions and runtime can be grouped by.

use crate::Invalid;
use crate::values::text::humanize;

/// The size of the hexagons of a heat map: a resolution of H3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Resolution(u8);

impl Resolution {
    /// The finest, in which cells are kept.
    pub const FINEST: Self = Self(13);
    /// The coarsest that can be asked for.
    pub const COARSEST: Self = Self(9);

    /// Takes a number from 9 to 13.
    pub fn new(number: i64) -> Option<Self> {
        let number = u8::try_from(number).ok()?;
        (Self::COARSEST.0..=Self::FINEST.0).contains(&number).then_some(Self(number))
    }

    /// Its number.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The two masks that make a cell of the finest resolution the cell of this one which holds it: what to keep, what to set.
    /// A cell is its resolution (four bits from the 52nd) and a digit of three bits for each step down, 7 where there is none.
    pub const fn masks(self) -> (i64, i64) {
        let unused = (1_i64 << (3 * (15 - self.0 as i64))) - 1;
        (!(0xF << 52 | unused), (self.0 as i64) << 52 | unused)
    }

    /// The cell of this resolution that holds one of the finest.
    pub const fn cell(self, finest: i64) -> i64 {
        let (keep, set) = self.masks();
        finest & keep | set
    }
}

/// How long an incursion lasted, in the steps of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DurationBucket(u8);

impl DurationBucket {
    /// Where the buckets begin, in seconds; the last has no end.
    pub const LOWER_BOUNDS_S: [i64; 7] = [0, 5, 15, 30, 60, 120, 300];

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..=6).map(Self)
    }

    /// The bucket of a length.
    pub fn from_duration_ms(duration_ms: i64) -> Self {
        let at = Self::LOWER_BOUNDS_S.iter().skip(1).take_while(|from| duration_ms >= **from * 1_000).count();
        Self(u8::try_from(at).unwrap_or(6))
    }

    /// Its number, from 0.
    pub const fn number(self) -> i64 {
        self.0 as i64
    }

    /// Where it begins and ends, in seconds.
    pub fn bounds_s(self) -> (i64, Option<i64>) {
        let at = usize::from(self.0);
        (Self::LOWER_BOUNDS_S[at.min(6)], Self::LOWER_BOUNDS_S.get(at + 1).copied())
    }
}

/// What numbers are grouped by. Days, hours, weeks and months are those of the worksite's own clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dimension {
    /// The project at the time; keys are ids.
    Project,
    /// The worksite; keys are ids.
    Worksite,
    /// The worksite's kind now; keys are places in `WorksiteKind::ALL`.
    WorksiteKind,
    /// The machine; keys are ids.
    Machine,
    /// The machine's kind now; keys are places in `MachineKind::ALL`.
    MachineKind,
    /// The base station; keys are ids.
    BaseStation,
    /// The person on foot; keys are ids.
    Pedestrian,
    /// The person driving; keys are ids.
    Operator,
    /// The kind of the person on foot now; keys are places in `PersonKind::ALL`.
    PersonKind,
    /// The tag worn on foot; keys are ids.
    Tag,
    /// How near; keys are the codes of `Zone`.
    Zone,
    /// Whether the cab acknowledged it: 0 or 1.
    Acknowledged,
    /// What the office made of it; keys are the codes of `Review`.
    Review,
    /// The hour of a day: the day's number times 24, and the hour.
    Hour,
    /// The hour of any day, 0 to 23.
    HourOfDay,
    /// The day of the week, 0 for Monday.
    DayOfWeek,
    /// The day; keys are the numbers of `Day`.
    Day,
    /// The week; keys are the numbers of `Week`.
    Week,
    /// The month; keys are the numbers of `Month`.
    Month,
    /// How long it lasted; keys are the numbers of `DurationBucket`, none for what has no end.
    Duration,
    /// The hexagon it lies in; keys are cells of H3, none without a position.
    Cell(Resolution),
}

impl Dimension {
    /// Those that a pivot may be made of, in the order of their documentation.
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

    /// The word for it.
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

    /// What it is called, unless someone calls it otherwise.
    pub fn label(self) -> String {
        humanize(self.as_str())
    }

    /// Reads the word of one that a pivot may be made of.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::PIVOTABLE.into_iter().find(|dimension| dimension.as_str() == text);
        found.ok_or_else(|| {
            let words = Self::PIVOTABLE.map(Self::as_str).join(", ");
            Invalid::new("invalid_dimension", format!("must be one of {words}"))
        })
    }

    /// Whether runtime can be told apart by it: a machine runs whoever walks by, and however near.
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
