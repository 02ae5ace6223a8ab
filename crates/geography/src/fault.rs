//! Why a boundary is refused, and where.

use domain::Invalid;

use crate::position::Position;

/// Why a boundary is refused, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundaryFault {
    pub kind: FaultKind,
    /// Longitude and latitude of the place to look at, in degrees rounded to a tenth of a metre.
    pub near: Option<(f64, f64)>,
    /// One sentence for programs.
    message: String,
}

/// What is wrong with a boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// No object at all.
    WrongType,
    /// An object that is neither a polygon nor a circle, or whose members cannot be read.
    Malformed,
    OffTheGlobe,
    TooManyPoints,
    TooFewPoints,
    NotClosed,
    Crosses,
    RepeatedPoint,
    FoldsBack,
    HoleOutside,
    HoleInHole,
    OverAntimeridian,
    OverPole,
    TooSmall,
    TooLarge,
}

impl FaultKind {
    pub const ALL: [Self; 15] = [
        Self::WrongType,
        Self::Malformed,
        Self::OffTheGlobe,
        Self::TooManyPoints,
        Self::TooFewPoints,
        Self::NotClosed,
        Self::Crosses,
        Self::RepeatedPoint,
        Self::FoldsBack,
        Self::HoleOutside,
        Self::HoleInHole,
        Self::OverAntimeridian,
        Self::OverPole,
        Self::TooSmall,
        Self::TooLarge,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WrongType => "wrong_type",
            Self::Malformed => "malformed",
            Self::OffTheGlobe => "off_the_globe",
            Self::TooManyPoints => "too_many_points",
            Self::TooFewPoints => "too_few_points",
            Self::NotClosed => "not_closed",
            Self::Crosses => "crosses",
            Self::RepeatedPoint => "repeated_point",
            Self::FoldsBack => "folds_back",
            Self::HoleOutside => "hole_outside",
            Self::HoleInHole => "hole_in_hole",
            Self::OverAntimeridian => "over_antimeridian",
            Self::OverPole => "over_pole",
            Self::TooSmall => "too_small",
            Self::TooLarge => "too_large",
        }
    }
}

impl BoundaryFault {
    pub(crate) fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { kind, near: None, message: message.into() }
    }

    pub(crate) fn malformed(message: impl Into<String>) -> Self {
        Self::new(FaultKind::Malformed, message)
    }

    pub(crate) fn at(self, place: Position) -> Self {
        self.near(place.lon(), place.lat())
    }

    pub(crate) fn near(self, lon: f64, lat: f64) -> Self {
        Self { near: Some((rounded(lon), rounded(lat))), ..self }
    }
}

impl From<BoundaryFault> for Invalid {
    fn from(fault: BoundaryFault) -> Self {
        let code = match fault.kind {
            FaultKind::WrongType => "wrong_type",
            _ => "invalid_polygon",
        };
        Self::new(code, fault.message)
    }
}

pub(crate) fn rounded(degrees: f64) -> f64 {
    (degrees * 1e6).round() / 1e6
}
