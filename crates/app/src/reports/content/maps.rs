//! The map of a report: hexagons shaded by incursions, and the boundary of the worksite.

use ::charts::{Outline, Position};
use documents::Block;
use domain::insights::{ChartKind, Measure, Resolution};
use h3o::CellIndex;
use texts::reports;

use super::charts::{figure, plain_chart};
use super::composer::Composer;
use crate::insights::{Chart, ChartDetails, Heatmap, Hexagon, Shade};
use crate::reports::figures::GroupView;

/// Draws where incursions began.
pub(super) fn map(composer: &Composer<'_>, pattern: &str) -> Option<Block> {
    let figures = composer.figures();
    let groups = figures.groups(pattern, "by_cell");
    let without_position =
        groups.iter().find(|group| group.key(0).is_none()).map_or(0, GroupView::incursions);
    let hexagons: Vec<Hexagon> = groups
        .iter()
        .take_while(|_| composer.is_in_time())
        .filter_map(|group| {
            let cell = CellIndex::try_from(u64::try_from(group.key(0)?).ok()?).ok()?;
            let measures = Heatmap::MEASURES.map(|measure| group.figure(measure));
            Some(Hexagon { cell: cell.to_string(), corners: corners(cell), figures: measures.to_vec() })
        })
        .collect();
    let fullest = hexagons.first().and_then(|hexagon| hexagon.figures.first())?.incursions;
    let placed: i64 =
        hexagons.iter().filter_map(|hexagon| hexagon.figures.first()).map(|figure| figure.incursions).sum();
    let formats = composer.formats;
    let (count, total) = (formats.count(fullest), formats.count(placed));
    let mut caption = composer.fill(reports::BUSIEST_HEXAGON, &[("n", &count), ("total", &total)]);
    if without_position > 0 {
        let missing = composer.counted(reports::WITHOUT_POSITION, without_position, &[]);
        caption = format!("{caption} {missing}");
    }
    let result = figures.answer(pattern)?.result();
    let resolution = Resolution::new(12).unwrap_or(Resolution::FINEST);
    let heatmap = Heatmap {
        resolution,
        hexagons,
        more: figures.more(pattern, "by_cell"),
        // The caption says it.
        without_position: 0,
        result: result.clone(),
    };
    let details = ChartDetails::Map { heatmap, shade: Shade::Incursions, outline: outline(composer) };
    let points = super::charts::series(Measure::Incursions, Vec::new());
    let chart = plain_chart(ChartKind::Heatmap, vec![points], result);
    Some(figure(composer, &Chart { details, ..chart }, 500, caption, 0.6))
}

/// Returns the corners of a cell as longitude and latitude, the first one also at the end.
fn corners(cell: CellIndex) -> Vec<[f64; 2]> {
    // Seven decimals are about a centimetre.
    let rounded = |degrees: f64| (degrees * 1e7).round() / 1e7;
    let mut corners: Vec<[f64; 2]> =
        cell.boundary().iter().map(|corner| [rounded(corner.lng()), rounded(corner.lat())]).collect();
    corners.extend(corners.first().copied());
    corners
}

fn outline(composer: &Composer<'_>) -> Option<Outline> {
    let rings = composer.figures().outline.as_ref()?;
    let ring = |ring: &Vec<[f64; 2]>| ring.iter().map(|[lon, lat]| Position::new(*lon, *lat)).collect();
    Some(Outline { rings: rings.iter().map(ring).collect() })
}
