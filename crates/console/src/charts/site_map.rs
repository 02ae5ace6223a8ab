//! GET /charts/site-map/{worksite_id} and GET /charts/track/{machine_id}: maps as images.

use std::sync::Arc;

use app::chart_images::{ChartImageRequest, SiteMapRequest, Theme};
use app::{App, Error, TrackRequest};
use axum::Router;
use axum::extract::State;
use axum::routing::get;
use domain::access::ReadInsights;
use domain::{Coordinates, Invalid, MachineId, PeriodBound, WorksiteId};
use web::{Caller, EdgeState, FromParams, Params, PathId, Query, Result, read_chart_image, svg_response};

/// The maximum number of positions that are marked.
const MAX_MARKS: usize = 20;
/// The maximum distance of an omitted position from the line of a track, in metres.
const SIMPLIFY_M: f64 = 2.0;

pub fn routes() -> Router<EdgeState> {
    Router::new().route("/charts/site-map/{id}", get(site_map)).route("/charts/track/{id}", get(track))
}

struct MapParams {
    /// Whether the machines that are at the worksite now are drawn.
    with_machines: bool,
    /// The machine whose track is drawn on the map of a worksite.
    machine: Option<MachineId>,
    track: TrackRequest,
    marks: Vec<Coordinates>,
    image: ChartImageRequest,
}

impl FromParams for MapParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        // The pickers of pages are part of every link. A map has a place of its own, and its period is that of the track.
        for name in ["period", "project_id", "worksite_id", "compare"] {
            query.many(name, 100, |_| Ok(()))?;
        }
        let image = read_chart_image(query, Theme::Auto)?;
        Ok(Self {
            with_machines: query.flag("machines")?,
            machine: query.id("machine_id")?.map(MachineId),
            track: TrackRequest {
                from: query.one("from", PeriodBound::parse)?,
                to: query.one("to", PeriodBound::parse)?,
                simplify_m: SIMPLIFY_M,
            },
            marks: query.many("mark", MAX_MARKS, parse_mark)?,
            image,
        })
    }
}

/// Parses `lon,lat` in degrees.
fn parse_mark(text: &str) -> Result<Coordinates, Invalid> {
    let invalid = || Invalid::new("out_of_range", "must be lon,lat in degrees, such as 13.405,52.52");
    let (lon, lat) = text.split_once(',').ok_or_else(invalid)?;
    let degrees = |text: &str| text.trim().parse::<f64>().map_err(|_| invalid());
    Ok(Coordinates {
        lat_e7: Coordinates::latitude_e7(degrees(lat)?)?,
        lon_e7: Coordinates::longitude_e7(degrees(lon)?)?,
    })
}

impl MapParams {
    /// The request for a map; marks have no label, because the page says what they are.
    fn request(self, worksite: Option<WorksiteId>, machine: Option<MachineId>) -> SiteMapRequest {
        SiteMapRequest {
            worksite,
            with_machines: self.with_machines,
            track: machine.map(|machine| (machine, self.track)),
            marks: self.marks.into_iter().map(|at| (String::new(), at)).collect(),
        }
    }
}

/// The boundary of a worksite, on request with its machines, the track of one of them and marked positions.
async fn site_map(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PathId(id): PathId,
    Params(params): Params<MapParams>,
) -> Result {
    let (image, machine) = (params.image, params.machine);
    let request = params.request(Some(WorksiteId(id)), machine);
    Ok(svg_response(app.render_site_map(&caller, request, image).await?))
}

/// The track of a machine with marked positions.
async fn track(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PathId(id): PathId,
    Params(params): Params<MapParams>,
) -> Result {
    let image = params.image;
    let request = params.request(None, Some(MachineId(id)));
    Ok(svg_response(app.render_site_map(&caller, request, image).await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_a_position_on_earth() {
        let mark = parse_mark("13.4, 52.5").unwrap();
        assert_eq!(mark, Coordinates { lat_e7: 525_000_000, lon_e7: 134_000_000 });
        for text in ["", "13.4", "13.4,91", "181,0", "x,y", "NaN,1"] {
            assert_eq!(parse_mark(text).unwrap_err().code, "out_of_range", "{text}");
        }
    }
}
