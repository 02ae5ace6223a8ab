//! The figures of one base station.

use crate::Span;

/// The figures of a station in a period. Incursions whose review excludes them from counts are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StationFigures {
    /// Number of incursions that started.
    pub incursions: i64,
    /// Number of these incursions that were acknowledged in the cab.
    pub acknowledged: i64,
    /// Number of these incursions that have an end.
    pub ended: i64,
    /// Total duration of the incursions that have an end.
    pub exposure: Span,
    /// Number of distinct pedestrians.
    pub pedestrians: i64,
    /// Number of distinct operators in incursions.
    pub operators: i64,
    /// Total ignition-on time.
    pub runtime: Span,
}
