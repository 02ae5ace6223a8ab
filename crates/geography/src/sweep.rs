//! Finds two edges of rings that meet where they should not, by sweeping a line over them from west to east.
//!
//! This is the algorithm of Shamos and Hoey: only edges that are neighbours along the line are compared, so that ten thousand
//! edges cost a few hundred thousand comparisons, however they lie. Until the first meeting is found, edges that the line
//! touches do not cross to its left, so their order along it is a true one; exact arithmetic keeps it so.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::Bound::{Excluded, Unbounded};

use crate::position::{Position, is_between, side};

/// A point of a ring, by the ring's number and its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Corner {
    pub ring: usize,
    pub point: usize,
}

/// Two edges that meet, each named by the point it begins at, and about where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Meeting {
    pub first: Corner,
    pub second: Corner,
    pub near: (f64, f64),
}

/// An edge, from its western end to its eastern one (of two ends above each other, from the southern one).
#[derive(Clone, Copy, Debug)]
struct Edge {
    left: Position,
    right: Position,
    start: Corner,
    /// How many points its ring has.
    ring_len: usize,
}

impl Edge {
    fn new(rings: &[Vec<Position>], start: Corner) -> Self {
        let ring = &rings[start.ring];
        let (a, b) = (ring[start.point], ring[(start.point + 1) % ring.len()]);
        Self { left: a.min(b), right: a.max(b), start, ring_len: ring.len() }
    }

    /// Whether they follow each other along a ring, and so share an end.
    fn is_beside(&self, other: &Self) -> bool {
        let (a, b) = (self.start, other.start);
        let follows = |a: Corner, b: Corner| (a.point + 1) % self.ring_len == b.point;
        a.ring == b.ring && (follows(a, b) || follows(b, a))
    }

    /// Where they meet; edges beside each other are meant to.
    fn meeting(&self, other: &Self) -> Option<Meeting> {
        if self.is_beside(other) || !do_meet(self, other) {
            return None;
        }
        let (first, second) = (self.start.min(other.start), self.start.max(other.start));
        Some(Meeting { first, second, near: crossing(self, other) })
    }
}

/// Whether two segments have a point in common.
fn do_meet(one: &Edge, other: &Edge) -> bool {
    let (a, b, c, d) = (one.left, one.right, other.left, other.right);
    let sides = [side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b)].map(i128::signum);
    let [c_side, d_side, a_side, b_side] = sides;
    if c_side * d_side < 0 && a_side * b_side < 0 {
        return true;
    }
    (c_side == 0 && is_between(a, b, c))
        || (d_side == 0 && is_between(a, b, d))
        || (a_side == 0 && is_between(c, d, a))
        || (b_side == 0 && is_between(c, d, b))
}

/// About where two segments that meet do so, in degrees: for people to look at.
fn crossing(one: &Edge, other: &Edge) -> (f64, f64) {
    let (a, b, c) = (one.left, one.right, other.left);
    let (one_lon, one_lat) = ((b.lon - a.lon) as f64, (b.lat - a.lat) as f64);
    let (other_lon, other_lat) = ((other.right.lon - c.lon) as f64, (other.right.lat - c.lat) as f64);
    let across = one_lon * other_lat - one_lat * other_lon;
    let along = ((c.lon - a.lon) as f64 * other_lat - (c.lat - a.lat) as f64 * other_lon) / across;
    let along = if along.is_finite() { along.clamp(0.0, 1.0) } else { 1.0 };
    ((a.lon as f64 + along * one_lon) / 1e9, (a.lat as f64 + along * one_lat) / 1e9)
}

/// Edges that the line touches are ordered from south to north, where the later one of them begins.
impl Ord for Edge {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.start == other.start {
            return Ordering::Equal;
        }
        if self.left > other.left {
            return other.cmp(self).reverse();
        }
        // A point to the left of an eastward edge is above it.
        let above = |point| 0.cmp(&side(self.left, self.right, point));
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

/// The first two edges found that meet, but for those that follow each other. Rings are given without their closing point,
/// have at least three points, all of them different, and do not fold back on themselves.
pub(crate) fn first_meeting(rings: &[Vec<Position>]) -> Option<Meeting> {
    let mut corners: Vec<Corner> = rings
        .iter()
        .enumerate()
        .flat_map(|(ring, points)| (0..points.len()).map(move |point| Corner { ring, point }))
        .collect();
    corners.sort_unstable_by_key(|corner| rings[corner.ring][corner.point]);
    let mut line: BTreeSet<Edge> = BTreeSet::new();
    for corner in corners {
        let ring = &rings[corner.ring];
        let here = ring[corner.point];
        let before = (corner.point + ring.len() - 1) % ring.len();
        let edges = [Corner { point: before, ..corner }, corner].map(|start| Edge::new(rings, start));
        for edge in edges.iter().filter(|edge| edge.right == here) {
            line.remove(edge);
            if let (Some(below), Some(above)) = neighbours(&line, edge)
                && let Some(meeting) = below.meeting(&above)
            {
                return Some(meeting);
            }
        }
        for edge in edges.iter().filter(|edge| edge.left == here) {
            line.insert(*edge);
            let (below, above) = neighbours(&line, edge);
            for neighbour in [below, above].into_iter().flatten() {
                if let Some(meeting) = edge.meeting(&neighbour) {
                    return Some(meeting);
                }
            }
        }
    }
    None
}

fn neighbours(line: &BTreeSet<Edge>, edge: &Edge) -> (Option<Edge>, Option<Edge>) {
    let below = line.range((Unbounded, Excluded(edge))).next_back().copied();
    let above = line.range((Excluded(edge), Unbounded)).next().copied();
    (below, above)
}
