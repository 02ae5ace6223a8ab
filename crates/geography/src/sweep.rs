//! Finds two edges of rings that intersect, with a sweep line from west to east.
//!
//! This is the algorithm of Shamos and Hoey: only edges that are neighbours along the sweep line are compared, so that ten
//! thousand edges cost a few hundred thousand comparisons, however they lie. Until the first intersection is found, the edges
//! on the sweep line do not cross to its left, so their order along it is consistent; exact arithmetic guarantees this.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::Bound::{Excluded, Unbounded};

use crate::position::{Position, is_between, orientation};

/// A point of a ring, by the index of the ring and of the point in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct VertexIndex {
    pub ring: usize,
    pub point: usize,
}

/// Two intersecting edges, each identified by its first point, and the approximate place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Intersection {
    pub first: VertexIndex,
    pub second: VertexIndex,
    pub near: (f64, f64),
}

/// An edge from its western to its eastern end; a vertical edge runs from south to north.
#[derive(Clone, Copy, Debug)]
struct Edge {
    left: Position,
    right: Position,
    start: VertexIndex,
    /// Number of points of its ring.
    ring_len: usize,
}

impl Edge {
    fn new(rings: &[Vec<Position>], start: VertexIndex) -> Self {
        let ring = &rings[start.ring];
        let (a, b) = (ring[start.point], ring[(start.point + 1) % ring.len()]);
        Self { left: a.min(b), right: a.max(b), start, ring_len: ring.len() }
    }

    /// Whether the edges follow each other along a ring and so share an end.
    fn is_adjacent(&self, other: &Self) -> bool {
        let (a, b) = (self.start, other.start);
        let follows = |a: VertexIndex, b: VertexIndex| (a.point + 1) % self.ring_len == b.point;
        a.ring == b.ring && (follows(a, b) || follows(b, a))
    }

    /// Returns the intersection, if any; adjacent edges share an end and do not count.
    fn intersection(&self, other: &Self) -> Option<Intersection> {
        if self.is_adjacent(other) || !intersect(self, other) {
            return None;
        }
        let (first, second) = (self.start.min(other.start), self.start.max(other.start));
        Some(Intersection { first, second, near: approximate_intersection(self, other) })
    }
}

/// Whether two segments have a point in common.
fn intersect(one: &Edge, other: &Edge) -> bool {
    let (a, b, c, d) = (one.left, one.right, other.left, other.right);
    let sides = [orientation(a, b, c), orientation(a, b, d), orientation(c, d, a), orientation(c, d, b)]
        .map(i128::signum);
    let [c_side, d_side, a_side, b_side] = sides;
    if c_side * d_side < 0 && a_side * b_side < 0 {
        return true;
    }
    (c_side == 0 && is_between(a, b, c))
        || (d_side == 0 && is_between(a, b, d))
        || (a_side == 0 && is_between(c, d, a))
        || (b_side == 0 && is_between(c, d, b))
}

/// Returns the approximate intersection of two segments in degrees, for error messages.
fn approximate_intersection(one: &Edge, other: &Edge) -> (f64, f64) {
    let (a, b, c) = (one.left, one.right, other.left);
    let (one_lon, one_lat) = ((b.lon_e9 - a.lon_e9) as f64, (b.lat_e9 - a.lat_e9) as f64);
    let (other_lon, other_lat) =
        ((other.right.lon_e9 - c.lon_e9) as f64, (other.right.lat_e9 - c.lat_e9) as f64);
    let across = one_lon * other_lat - one_lat * other_lon;
    let along =
        ((c.lon_e9 - a.lon_e9) as f64 * other_lat - (c.lat_e9 - a.lat_e9) as f64 * other_lon) / across;
    let along = if along.is_finite() { along.clamp(0.0, 1.0) } else { 1.0 };
    ((a.lon_e9 as f64 + along * one_lon) / 1e9, (a.lat_e9 as f64 + along * one_lat) / 1e9)
}

/// Edges on the sweep line are ordered from south to north, at the start of the one that begins further east.
impl Ord for Edge {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.start == other.start {
            return Ordering::Equal;
        }
        if self.left > other.left {
            return other.cmp(self).reverse();
        }
        // A point to the left of an eastward edge is above it.
        let above = |point| 0.cmp(&orientation(self.left, self.right, point));
        above(other.left).then(above(other.right)).then(self.start.cmp(&other.start))
    }
}

impl PartialOrd for Edge {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Edge {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Edge {}

/// Returns the first intersection found of two edges that are not adjacent. Rings are given without their closing point; they
/// have at least three points, all different, and do not fold back on themselves.
pub(crate) fn first_intersection(rings: &[Vec<Position>]) -> Option<Intersection> {
    let mut corners: Vec<VertexIndex> = rings
        .iter()
        .enumerate()
        .flat_map(|(ring, points)| (0..points.len()).map(move |point| VertexIndex { ring, point }))
        .collect();
    corners.sort_unstable_by_key(|corner| rings[corner.ring][corner.point]);
    let mut active_edges: BTreeSet<Edge> = BTreeSet::new();
    for corner in corners {
        let ring = &rings[corner.ring];
        let here = ring[corner.point];
        let before = (corner.point + ring.len() - 1) % ring.len();
        let edges = [VertexIndex { point: before, ..corner }, corner].map(|start| Edge::new(rings, start));
        for edge in edges.iter().filter(|edge| edge.right == here) {
            active_edges.remove(edge);
            if let (Some(below), Some(above)) = neighbours(&active_edges, edge)
                && let Some(meeting) = below.intersection(&above)
            {
                return Some(meeting);
            }
        }
        for edge in edges.iter().filter(|edge| edge.left == here) {
            active_edges.insert(*edge);
            let (below, above) = neighbours(&active_edges, edge);
            for neighbour in [below, above].into_iter().flatten() {
                if let Some(meeting) = edge.intersection(&neighbour) {
                    return Some(meeting);
                }
            }
        }
    }
    None
}

fn neighbours(active_edges: &BTreeSet<Edge>, edge: &Edge) -> (Option<Edge>, Option<Edge>) {
    let below = active_edges.range((Unbounded, Excluded(edge))).next_back().copied();
    let above = active_edges.range((Excluded(edge), Unbounded)).next().copied();
    (below, above)
}
