//! The ground: positions, the boundaries of worksites, and an index that finds the site of a position.
//!
//! Pure and synchronous. Positions are whole nanodegrees (a tenth of a millimetre), so that whether edges cross and whether
//! a position is inside is decided by whole numbers, exactly; only lengths and areas are floating, on the WGS 84 ellipsoid.

mod boundary;
mod circle;
mod index;
mod polygon;
mod position;
mod rings;
mod sweep;

pub use boundary::Boundary;
pub use index::{BoundaryTerm, SiteIndex};
pub use position::Position;
