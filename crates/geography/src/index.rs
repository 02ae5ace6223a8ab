//! Finding the site of a position.

use std::sync::Arc;

use domain::{Timestamp, WorksiteId};
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};

use crate::{Boundary, Position};

/// A boundary that was a site's from a moment on, until the next one.
#[derive(Clone, Debug)]
pub struct BoundaryTerm {
    /// Since when.
    pub from: Timestamp,
    /// Until when, exclusive; none for the one of now.
    pub to: Option<Timestamp>,
    /// What it is, or was.
    pub boundary: Arc<Boundary>,
}

/// A boundary with its site, under the box around it.
type Entry = GeomWithData<Rectangle<[f64; 2]>, (WorksiteId, BoundaryTerm)>;

/// The boundaries of many sites over time, found by position.
pub struct SiteIndex {
    tree: RTree<Entry>,
}

impl SiteIndex {
    /// Puts them together.
    pub fn new(boundaries: impl IntoIterator<Item = (WorksiteId, BoundaryTerm)>) -> Self {
        let entry = |(site, dated): (WorksiteId, BoundaryTerm)| {
            // Nanodegrees of a globe are exact in a double.
            let [west, south, east, north] = dated.boundary.extent().map(|parts| parts as f64);
            GeomWithData::new(Rectangle::from_corners([west, south], [east, north]), (site, dated))
        };
        Self { tree: RTree::bulk_load(boundaries.into_iter().map(entry).collect()) }
    }

    /// The site at a position at a time: of several, the one of the smallest area, then of the lowest id.
    pub fn site_at(&self, position: Position, at: Timestamp) -> Option<WorksiteId> {
        let then = |dated: &BoundaryTerm| dated.from <= at && dated.to.is_none_or(|to| at < to);
        self.matching_sites(position, then).into_iter().next()
    }

    /// The sites whose boundary of now holds a position, the smallest first.
    pub fn sites_containing(&self, position: Position) -> Vec<WorksiteId> {
        self.matching_sites(position, |dated| dated.to.is_none())
    }

    fn matching_sites(&self, position: Position, counts: impl Fn(&BoundaryTerm) -> bool) -> Vec<WorksiteId> {
        let point = AABB::from_point([position.lon_e9 as f64, position.lat_e9 as f64]);
        let near = self.tree.locate_in_envelope_intersecting(&point).map(|entry| &entry.data);
        let mut found: Vec<(i64, WorksiteId)> = near
            .filter(|(_, dated)| counts(dated) && dated.boundary.contains(position))
            .map(|(site, dated)| (dated.boundary.area_m2(), *site))
            .collect();
        found.sort_unstable();
        found.into_iter().map(|(_, site)| site).collect()
    }
}
