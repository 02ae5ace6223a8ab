//! The rules that rings must follow to form a polygon.

use std::collections::HashMap;

use crate::fault::{BoundaryFault, FaultKind, rounded};
use crate::position::{Position, is_between, orientation};
use crate::sweep::{self, VertexIndex};

/// Maximum number of points of a polygon, over all its rings.
pub(crate) const MAX_POINTS: usize = 10_000;

const HALF_TURN_E9: i64 = 180_000_000_000;

/// Checks rings given without their closing point: the first is the outline, the others are holes.
pub(crate) fn check(rings: &[Vec<Position>]) -> Result<(), BoundaryFault> {
    check_points(rings)?;
    check_edges(rings)?;
    if let Some(meeting) = sweep::first_intersection(rings) {
        let (first, second) = (meeting.first, meeting.second);
        let who = if first.ring == second.ring {
            format!("ring {} crosses or touches itself", first.ring)
        } else {
            format!("ring {} crosses or touches ring {}", first.ring, second.ring)
        };
        let (lon, lat) = meeting.near;
        let message = format!(
            "{who} between points {} and {} near [{}, {}]",
            first.point,
            second.point,
            rounded(lon),
            rounded(lat)
        );
        return Err(BoundaryFault::new(FaultKind::Crosses, message).near(lon, lat));
    }
    check_holes(rings)
}

/// Rejects duplicate points.
fn check_points(rings: &[Vec<Position>]) -> Result<(), BoundaryFault> {
    let mut seen: HashMap<Position, VertexIndex> = HashMap::new();
    for (ring, points) in rings.iter().enumerate() {
        for (point, at) in points.iter().enumerate() {
            let Some(first) = seen.insert(*at, VertexIndex { ring, point }) else { continue };
            let place = format_position(*at);
            let message = if first.ring != ring {
                format!(
                    "ring {} and ring {ring} touch at points {} and {point} near {place}",
                    first.ring, first.point
                )
            } else {
                format!("points {} and {point} of ring {ring} are the same, near {place}", first.point)
            };
            return Err(BoundaryFault::new(FaultKind::RepeatedPoint, message).at(*at));
        }
    }
    Ok(())
}

/// Rejects edges across the antimeridian and edges that fold back on the one before.
fn check_edges(rings: &[Vec<Position>]) -> Result<(), BoundaryFault> {
    for (ring, points) in rings.iter().enumerate() {
        for point in 0..points.len() {
            let before = points[(point + points.len() - 1) % points.len()];
            let (here, after) = (points[point], points[(point + 1) % points.len()]);
            if (after.lon_e9 - here.lon_e9).abs() > HALF_TURN_E9 {
                let message = format!(
                    "ring {ring} crosses the antimeridian after point {point} near {}; a boundary must lie on one side of it",
                    format_position(here)
                );
                return Err(BoundaryFault::new(FaultKind::OverAntimeridian, message).at(here));
            }
            let goes_back = orientation(before, here, after) == 0
                && (is_between(before, here, after) || is_between(here, after, before));
            if goes_back {
                let message = format!(
                    "ring {ring} folds back on itself at point {point} near {}",
                    format_position(here)
                );
                return Err(BoundaryFault::new(FaultKind::FoldsBack, message).at(here));
            }
        }
    }
    Ok(())
}

/// Requires each hole to lie in the outline and in no other hole. Rings that do not intersect are nested entirely or not at
/// all, so one point of each ring is enough.
fn check_holes(rings: &[Vec<Position>]) -> Result<(), BoundaryFault> {
    let Some((outline, holes)) = rings.split_first() else { return Ok(()) };
    let boxes: Vec<[i64; 4]> = holes.iter().map(|hole| extent(hole)).collect();
    for (index, hole) in holes.iter().enumerate() {
        let Some(first) = hole.first() else { continue };
        if !encloses(outline, *first) {
            let message = format!("ring {} lies outside ring 0, near {}", index + 1, format_position(*first));
            return Err(BoundaryFault::new(FaultKind::HoleOutside, message).at(*first));
        }
        for (other, around) in holes.iter().enumerate() {
            let [west, south, east, north] = boxes[other];
            let can_hold = (west..=east).contains(&first.lon_e9) && (south..=north).contains(&first.lat_e9);
            if other != index && can_hold && encloses(around, *first) {
                let place = format_position(*first);
                let message = format!("ring {} lies inside ring {}, near {place}", index + 1, other + 1);
                return Err(BoundaryFault::new(FaultKind::HoleInHole, message).at(*first));
            }
        }
    }
    Ok(())
}

/// Whether a position is inside a ring or on it.
pub(crate) fn encloses(ring: &[Position], at: Position) -> bool {
    locate(ring, at) != PointLocation::Outside
}

/// The location of a position relative to a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PointLocation {
    Inside,
    OnEdge,
    Outside,
}

/// Casts a ray to the east and counts its crossings of the ring.
pub(crate) fn locate(ring: &[Position], at: Position) -> PointLocation {
    let mut inside = false;
    let Some(mut from) = ring.last().copied() else { return PointLocation::Outside };
    for to in ring.iter().copied() {
        // Skips edges that lie entirely above or below the ray.
        if (from.lat_e9 <= at.lat_e9) != (to.lat_e9 <= at.lat_e9)
            || from.lat_e9 == at.lat_e9
            || to.lat_e9 == at.lat_e9
        {
            let turn = orientation(from, to, at);
            if turn == 0 && is_between(from, to, at) {
                return PointLocation::OnEdge;
            }
            if (from.lat_e9 <= at.lat_e9) != (to.lat_e9 <= at.lat_e9)
                && (turn > 0) == (to.lat_e9 > from.lat_e9)
            {
                inside = !inside;
            }
        }
        from = to;
    }
    if inside { PointLocation::Inside } else { PointLocation::Outside }
}

/// Returns the bounding box: west, south, east, north.
pub(crate) fn extent(ring: &[Position]) -> [i64; 4] {
    let none = [i64::MAX, i64::MAX, i64::MIN, i64::MIN];
    ring.iter().fold(none, |[west, south, east, north], at| {
        [west.min(at.lon_e9), south.min(at.lat_e9), east.max(at.lon_e9), north.max(at.lat_e9)]
    })
}

/// Returns twice the signed area of a ring, positive if it runs counterclockwise.
pub(crate) fn signed_doubled_area(ring: &[Position]) -> i128 {
    let Some(first) = ring.first().copied() else { return 0 };
    ring.windows(2).map(|pair| orientation(first, pair[0], pair[1])).sum()
}

pub(crate) fn format_position(at: Position) -> String {
    format!("[{}, {}]", rounded(at.lon()), rounded(at.lat()))
}
