//! A spatial index that finds the worksite of a position.

use std::sync::Arc;

use domain::{Timestamp, WorksiteId};
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};

use crate::{Boundary, Position};

/// A worksite's boundary with the period during which it was valid.
#[derive(Clone, Debug)]
pub struct BoundaryTerm {
    pub from: Timestamp,
    /// Exclusive; `None` for the current boundary.
    pub to: Option<Timestamp>,
    pub boundary: Arc<Boundary>,
}

/// A boundary with its worksite, indexed by its bounding box.
type Entry = GeomWithData<Rectangle<[f64; 2]>, (WorksiteId, BoundaryTerm)>;

/// The boundaries of many worksites over time, indexed by position.
pub struct SiteIndex {
    tree: RTree<Entry>,
}

impl SiteIndex {
    pub fn new(boundaries: impl IntoIterator<Item = (WorksiteId, BoundaryTerm)>) -> Self {
        let entry = |(site, dated): (WorksiteId, BoundaryTerm)| {
            // Nanodegrees on the globe are exact in a double.
            let [west, south, east, north] = dated.boundary.extent().map(|parts| parts as f64);
            GeomWithData::new(Rectangle::from_corners([west, south], [east, north]), (site, dated))
        };
        Self { tree: RTree::bulk_load(boundaries.into_iter().map(entry).collect()) }
    }

    /// Returns the worksite at a position and time. If boundaries overlap, the smallest area wins, then the lowest id.
    pub fn site_at(&self, position: Position, at: Timestamp) -> Option<WorksiteId> {
        let then = |dated: &BoundaryTerm| dated.from <= at && dated.to.is_none_or(|to| at < to);
        self.matching_sites(position, then).into_iter().next()
    }

    /// Returns the worksites whose current boundary contains a position, the smallest first.
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
