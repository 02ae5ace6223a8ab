//! Maps of a worksite, with the machines there, the track of a machine and marked positions.

use ::charts::{ChartOptions, MapMarker, Position, SiteMap, Tone, Track};
use domain::access::{ReadInsights, ReadRegistry};
use domain::{Coordinates, Fix, MachineId, WorksiteId};
use texts::Language;

use super::{ChartImageRequest, reader_options};
use crate::{App, Caller, Error, MachineAtWorksite, TrackRequest};

/// The size of a map if none is requested, in pixels.
const WIDTH: u32 = 960;
const HEIGHT: u32 = 560;

/// What a map shows.
#[derive(Clone, Debug, Default)]
pub struct SiteMapRequest {
    /// The worksite whose boundary is drawn.
    pub worksite: Option<WorksiteId>,
    /// Whether the machines that are at the worksite now are drawn.
    pub with_machines: bool,
    /// The machine whose track is drawn.
    pub track: Option<(MachineId, TrackRequest)>,
    /// Positions to mark, such as that of an incursion, each with its label.
    pub marks: Vec<(String, Coordinates)>,
}

#[macros::boxed]
impl App {
    /// Draws a map as an SVG document without a title, according to the caller's preferences.
    pub async fn render_site_map(
        &self,
        caller: &Caller<ReadInsights>,
        request: SiteMapRequest,
        image: ChartImageRequest,
    ) -> Result<String, Error> {
        let registry = caller.with_permission::<ReadRegistry>()?;
        let preferences = self.preferences_of(caller).await?;
        let language = Language::of_tag(preferences.language.as_str());
        let (mut outline, mut markers) = (None, Vec::new());
        if let Some(site) = request.worksite {
            let (_, _, machines) = self.find_worksite_geo(&registry, site, None).await?;
            outline = self.site_outline(caller, site).await?;
            markers.extend(machines.into_iter().filter(|_| request.with_machines).map(machine_marker));
        }
        let mut tracks = Vec::new();
        if let Some((machine, track)) = request.track {
            let label = self.find_machine(&registry, machine).await?.name;
            let lines = self.list_machine_tracks(caller, machine, track).await?;
            tracks.push(Track { label, lines: lines.iter().map(|line| positions(line)).collect() });
        }
        markers.extend(request.marks.into_iter().map(|(label, at)| MapMarker {
            label,
            at: Position::new(at.lon(), at.lat()),
            tone: Tone::Danger,
        }));
        let empty_reason = Some(texts::console::sites::NOTHING_ON_MAP.get(language).to_owned());
        let map = SiteMap { outline, markers, tracks, empty_reason };
        let options = ChartOptions {
            width: image.width.unwrap_or(WIDTH),
            height: image.height.unwrap_or(HEIGHT),
            theme: image.theme,
            ..reader_options(&preferences, language)
        };
        self.compute(move || map.svg(&options)).await
    }
}

/// Machines that are assigned to the worksite but elsewhere are drawn hollow.
fn machine_marker(machine: MachineAtWorksite) -> MapMarker {
    let at = machine.position.position;
    MapMarker {
        label: machine.position.machine_name,
        at: Position::new(at.lon(), at.lat()),
        tone: if machine.inside { Tone::Plain } else { Tone::Neutral },
    }
}

fn positions(line: &[Fix]) -> Vec<Position> {
    let degrees = |millionths: i32| f64::from(millionths) / 1e6;
    line.iter().map(|fix| Position::new(degrees(fix.lon_e6), degrees(fix.lat_e6))).collect()
}

#[cfg(test)]
mod tests {
    use domain::{BaseStationId, MachineKind, MachinePosition, Timestamp};

    use super::*;

    #[test]
    fn a_machine_that_has_left_is_hollow() {
        let machine = |inside: bool| MachineAtWorksite {
            position: MachinePosition {
                machine: MachineId(1),
                machine_name: "Digger".to_owned(),
                machine_kind: MachineKind::Excavator,
                base_station: (BaseStationId(1), "ST-1".to_owned()),
                worksite: Some(WorksiteId(1)),
                at: Timestamp::from_seconds(0),
                position: Coordinates { lat_e7: 525_000_000, lon_e7: 134_000_000 },
            },
            assigned: true,
            inside,
        };
        let (here, gone) = (machine_marker(machine(true)), machine_marker(machine(false)));
        assert_eq!((here.tone, gone.tone), (Tone::Plain, Tone::Neutral));
        assert_eq!((here.at.longitude, here.at.latitude), (13.4, 52.5));
    }

    #[test]
    fn fixes_are_drawn_in_degrees() {
        let fix = Fix {
            at_ms: 0,
            lat_e6: -33_865_000,
            lon_e6: 151_209_000,
            speed_half_kmh: None,
            heading_5deg: None,
            accuracy_m: None,
        };
        assert_eq!(positions(&[fix]), [Position::new(151.209, -33.865)]);
    }
}
