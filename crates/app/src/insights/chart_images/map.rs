//! The positions of incursions, as maps of hexagons.

use ::charts::{ChartOptions, Hexagon, HexagonMap, MapPanel, Outline, Position, ShadeBy as Shown};
use domain::insights::{Figure, Measure};
use texts::{Language, Text, charts};

use super::format_count;
use super::site_maps::SiteMaps;
use crate::insights::{Heatmap, Hexagon as Cell, Shade};

/// A map wider than this many hexagons would show them as dots; it shows the area around the busiest one instead.
const MAX_HEXAGONS_ACROSS: f64 = 90.0;

/// Returns the notes of a map, or of the maps of several worksites.
pub(super) fn notes(heatmap: &Heatmap, sites: Option<&SiteMaps>, language: Language) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = |count: i64, text: Text| {
        if let Ok(count @ 1..) = u64::try_from(count) {
            notes.push(text.fill(language, &[("n", &format_count(count))]));
        }
    };
    match sites {
        None => note(incursions_off_map(heatmap), charts::OUTSIDE_AREA),
        Some(sites) => {
            let off_maps = sites.maps.iter().map(|site| incursions_off_map(&site.heatmap)).sum();
            note(off_maps, charts::OUTSIDE_AREAS);
            note(i64::try_from(sites.more).unwrap_or(i64::MAX), charts::MORE_WORKSITES);
            note(sites.outside, charts::OUTSIDE_WORKSITES);
        }
    }
    note(i64::try_from(heatmap.more).unwrap_or(i64::MAX), charts::MORE_HEXAGONS);
    note(heatmap.without_position, charts::WITHOUT_POSITION);
    notes
}

/// Counts the incursions outside the area of the map.
fn incursions_off_map(heatmap: &Heatmap) -> i64 {
    let count = |cell: &Cell| cell.figures.first().map_or(0, |figure| figure.incursions);
    let near: i64 = hexagons_near_fullest(&heatmap.hexagons).into_iter().map(count).sum();
    heatmap.hexagons.iter().map(count).sum::<i64>() - near
}

/// Draws the map of one worksite, or one map for each of several.
pub(super) fn draw(
    (heatmap, shade): (&Heatmap, Shade),
    outline: Option<&Outline>,
    sites: Option<&SiteMaps>,
    language: Language,
    options: &ChartOptions,
) -> String {
    let panels = match sites {
        None => vec![panel("", heatmap, outline)],
        Some(sites) => {
            let maps = sites.maps.iter();
            maps.map(|site| panel(&site.label, &site.heatmap, site.outline.as_ref())).collect()
        }
    };
    let empty = if heatmap.without_position > 0 { charts::NO_POSITIONS } else { charts::NO_INCURSIONS };
    HexagonMap {
        unit: charts::UNIT_INCURSIONS.get(language).to_owned(),
        rate_label: charts::RATE_ACKNOWLEDGED.get(language).to_owned(),
        shade_by: match shade {
            Shade::Incursions => Shown::Count,
            Shade::AcknowledgementRate => Shown::Rate,
        },
        panels,
        empty_reason: Some(empty.get(language).to_owned()),
    }
    .svg(options)
}

fn panel(label: &str, heatmap: &Heatmap, outline: Option<&Outline>) -> MapPanel {
    let near = hexagons_near_fullest(&heatmap.hexagons);
    let hexagon = |cell: &&Cell| Hexagon {
        corners: cell.corners.iter().map(|corner| Position::new(corner[0], corner[1])).collect(),
        count: number(cell.figures.first(), Measure::Incursions).unwrap_or(0.0),
        rate: number(cell.figures.get(1), Measure::AcknowledgementRate).map(|rate| rate * 100.0),
    };
    MapPanel {
        label: label.to_owned(),
        hexagons: near.iter().map(hexagon).collect(),
        outline: outline.filter(|_| incursions_off_map(heatmap) == 0).cloned(),
    }
}

fn number(figure: Option<&Figure>, measure: Measure) -> Option<f64> {
    figure?.value(measure).ok()
}

/// Returns all hexagons or, if they are too far apart, those around the busiest one.
fn hexagons_near_fullest(all: &[Cell]) -> Vec<&Cell> {
    let Some(fullest) = all.first() else { return Vec::new() };
    let (west, south, east, north) = bounds([fullest]);
    let (across, down) = ((east - west).max(1e-9), (north - south).max(1e-9));
    let (left, bottom, right, top) = bounds(all);
    if (right - left) / across <= MAX_HEXAGONS_ACROSS && (top - bottom) / down <= MAX_HEXAGONS_ACROSS {
        return all.iter().collect();
    }
    let reach = MAX_HEXAGONS_ACROSS / 2.0;
    let is_near = |cell: &&Cell| {
        let (w, s, e, n) = bounds([*cell]);
        w >= west - across * reach
            && e <= east + across * reach
            && s >= south - down * reach
            && n <= north + down * reach
    };
    all.iter().filter(is_near).collect()
}

/// Returns west, south, east and north in degrees.
fn bounds<'a>(cells: impl IntoIterator<Item = &'a Cell>) -> (f64, f64, f64, f64) {
    let mut bounds = (f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY);
    for [lon, lat] in cells.into_iter().flat_map(|cell| cell.corners.iter().copied()) {
        bounds = (bounds.0.min(lon), bounds.1.min(lat), bounds.2.max(lon), bounds.3.max(lat));
    }
    bounds
}
