//! Positions of incursions, by hexagon.

use domain::access::ReadInsights;
use domain::insights::{Dimension, Figure, GroupOrder, Grouping, IncursionFilter, Measure, Resolution};
use h3o::CellIndex;

use super::query::{QueryResult, QuerySpec};
use crate::{App, Caller, Error};

/// A hexagon with its figures.
#[derive(Clone, Debug)]
pub struct Hexagon {
    /// The H3 index.
    pub cell: String,
    /// The corners as longitude and latitude in degrees; the first is repeated at the end.
    pub corners: Vec<[f64; 2]>,
    /// One figure for each of [`Heatmap::MEASURES`].
    pub figures: Vec<Figure>,
}

/// Incursions by hexagon.
#[derive(Clone, Debug)]
pub struct Heatmap {
    pub resolution: Resolution,
    /// The hexagons with incursions, the busiest first.
    pub hexagons: Vec<Hexagon>,
    /// Number of hexagons beyond the limit, those with the fewest incursions.
    pub more: u64,
    pub without_position: i64,
    pub result: QueryResult,
}

const MAX_HEXAGONS: usize = 20_000;

impl Heatmap {
    pub const MEASURES: [Measure; 2] = [Measure::Incursions, Measure::AcknowledgementRate];
}

#[macros::boxed]
impl App {
    /// Returns the matching incursions by hexagon.
    pub async fn insight_heatmap(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        resolution: Resolution,
    ) -> Result<Heatmap, Error> {
        // One more for the group without a position.
        let cells = Grouping {
            dimensions: vec![Dimension::Cell(resolution)],
            order: GroupOrder::Descending(0),
            limit: Some(MAX_HEXAGONS + 1),
        };
        let of = QuerySpec { filter, measures: Heatmap::MEASURES.to_vec(), groupings: vec![cells] };
        let mut result = self.run_query(caller, of).await?;
        let mut found = result.take_next_groups();
        let mut without_position = 0;
        found.groups.retain(|group| {
            let is_placed = group.keys.iter().all(Option::is_some);
            if !is_placed {
                without_position = group.figures.first().map_or(0, |figure| figure.incursions);
            }
            is_placed
        });
        let left_off = found.groups.len().saturating_sub(MAX_HEXAGONS);
        found.groups.truncate(MAX_HEXAGONS);
        let hexagons = found.groups.into_iter().filter_map(|group| {
            let cell = u64::try_from(group.keys.first().copied().flatten()?).ok()?;
            let cell = CellIndex::try_from(cell).ok()?;
            let mut corners: Vec<[f64; 2]> =
                cell.boundary().iter().map(|corner| [rounded(corner.lng()), rounded(corner.lat())]).collect();
            corners.extend(corners.first().copied());
            Some(Hexagon { cell: cell.to_string(), corners, figures: group.figures })
        });
        let hexagons = hexagons.collect();
        Ok(Heatmap { resolution, hexagons, more: found.more + left_off as u64, without_position, result })
    }
}

/// Rounds to seven decimals, which is about a centimetre.
fn rounded(degrees: f64) -> f64 {
    (degrees * 1e7).round() / 1e7
}
