//! Where incursions were, in hexagons.

use domain::access::ReadInsights;
use domain::insights::{Dimension, Figure, GroupOrder, Grouping, IncursionFilter, Measure, Resolution};
use h3o::CellIndex;

use super::query::{QueryResult, QuerySpec};
use crate::{App, Caller, Error};

/// A hexagon with what happened in it.
#[derive(Clone, Debug)]
pub struct Hexagon {
    /// Its cell of H3.
    pub cell: String,
    /// Its corners, as longitude and latitude in degrees, the first again at the end.
    pub corners: Vec<[f64; 2]>,
    /// One for each of [`Heatmap::MEASURES`].
    pub figures: Vec<Figure>,
}

/// Where incursions were.
#[derive(Clone, Debug)]
pub struct Heatmap {
    /// The size of the hexagons.
    pub resolution: Resolution,
    /// Those with anything in them, the fullest first.
    pub hexagons: Vec<Hexagon>,
    /// How many were left off, the emptiest ones.
    pub more: u64,
    /// How many incursions have no position.
    pub without_position: i64,
    /// What was asked.
    pub result: QueryResult,
}

/// How many hexagons are told at most.
const MAX_HEXAGONS: usize = 20_000;

impl Heatmap {
    /// What is measured of each hexagon.
    pub const MEASURES: [Measure; 2] = [Measure::Incursions, Measure::AcknowledgementRate];
}

impl App {
    /// Where the incursions were that the filter finds.
    pub async fn insight_heatmap(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        resolution: Resolution,
    ) -> Result<Heatmap, Error> {
        // One more, for those without a position.
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

/// To seven decimals, which is a centimetre.
fn rounded(degrees: f64) -> f64 {
    (degrees * 1e7).round() / 1e7
}
