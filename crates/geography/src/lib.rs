//! Positions, the boundaries of worksites, and an index that finds the worksite of a position.
//!
//! Pure and synchronous. Positions are whole nanodegrees (a tenth of a millimetre), so that intersection and containment are
//! decided exactly, with integers; only lengths and areas are floating-point numbers, on the WGS 84 ellipsoid.

mod boundary;
mod circle;
mod fault;
mod index;
mod polygon;
mod position;
mod rings;
mod sweep;

pub use boundary::Boundary;
pub use fault::{BoundaryFault, FaultKind};
pub use index::{BoundaryTerm, SiteIndex};
pub use position::Position;
