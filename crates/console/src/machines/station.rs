//! The base station of a machine: its health and the sizes of its zones until now.

use app::{App, Error, StationDetails};
use domain::access::{ManageDevices, ReadInsights, ReadRegistry};
use domain::{BaseStationId, PageRequest, StationStatus, StationZones, Timestamp};
use texts::console::machines as t;

use super::MachineAtSite;
use crate::entities::parts::option_of;
use crate::frame::Frame;
use crate::parts::{Badge, Cell, Column, Details, Empty, Row, Table, Tone};

/// The number of zone sizes that are listed.
const MAX_ZONES: u16 = 50;

pub struct StationPanel {
    /// When it came to the machine; none if it has just left it.
    pub since: Option<Timestamp>,
    pub details: Details,
    pub zones: Table,
    /// Names of its cameras.
    pub cameras: Vec<String>,
}

impl StationPanel {
    pub async fn load(
        app: &App,
        frame: &Frame,
        at: &MachineAtSite,
        station: BaseStationId,
    ) -> Result<Self, Error> {
        let found = app.find_station_details(&frame.caller::<ReadInsights>()?, station).await?;
        let page = PageRequest { limit: MAX_ZONES, after: None };
        let registry = frame.caller::<ReadRegistry>()?;
        let (zones, _) = app.list_station_zones(&registry, station, &page, false).await?;
        Ok(Self {
            since: at.since(&found.view.station),
            details: describe(frame, at, &found),
            zones: zone_table(frame, at, &zones.rows),
            cameras: found.view.station.cameras,
        })
    }
}

fn describe(frame: &Frame, at: &MachineAtSite, found: &StationDetails) -> Details {
    let (formats, view) = (frame.formats(), &found.view);
    let row = |text: texts::Text, cell: Cell| (frame.text(text).to_owned(), cell);
    let serial = match frame.may::<ManageDevices>() {
        true => Cell::link(
            view.station.serial.as_str(),
            frame.link(&format!("/settings/base-stations/{}", view.station.id)),
        ),
        false => Cell::text(view.station.serial.as_str()),
    };
    let mut status = Cell::badge(status_badge(frame, view.health.status));
    if let Some(since) = view.health.since {
        status = status.note(frame.fill(t::STATUS_SINCE, &[("at", &formats.instant(since, &at.zone))]));
    }
    let heartbeat = &view.station.heartbeat;
    let last_seen = Cell::text(option_of(frame, heartbeat.last_seen_at, t::NEVER_SEEN));
    let mut rows =
        vec![row(t::STATION, serial), row(t::STATION_STATUS, status), row(t::LAST_SEEN, last_seen)];
    if !heartbeat.faults.is_empty() {
        rows.push(row(t::FAULTS, Cell::text(heartbeat.faults.join(", "))));
    }
    if let Some(firmware) = &view.station.firmware {
        rows.push(row(t::FIRMWARE, Cell::text(firmware.as_str())));
    }
    if let Some((_, _, since)) = &view.station.machine {
        rows.push(row(t::INSTALLED_SINCE, Cell::text(formats.instant(*since, &at.zone))));
    }
    Details { rows }
}

fn status_badge(frame: &Frame, status: StationStatus) -> Badge {
    let (sign, tone) = match status {
        StationStatus::Online => ("●", Tone::Good),
        StationStatus::Silent => ("▲", Tone::Warning),
        StationStatus::Faulty => ("▲", Tone::Bad),
        StationStatus::NeverSeen => ("○", Tone::Neutral),
    };
    Badge { word: t::station_status(frame.language, status.as_str()).to_owned(), sign, tone }
}

fn zone_table(frame: &Frame, at: &MachineAtSite, zones: &[StationZones]) -> Table {
    let formats = frame.formats();
    let columns = vec![
        Column::text(frame.text(t::ANTENNA)),
        Column::number(frame.text(t::WARNING_REACH)),
        Column::number(frame.text(t::DANGER_REACH)),
        Column::text(frame.text(t::FROM)),
        Column::text(frame.text(t::TO)),
    ];
    let reach = |metres: f64| Cell::text(format!("{}\u{a0}m", formats.decimal(metres, 2)));
    let row = |zones: &StationZones| {
        let until = match zones.to {
            Some(to) => formats.instant(to, &at.zone),
            None => frame.text(t::STILL).to_owned(),
        };
        Row::new(vec![
            Cell::text(zones.zones.antenna.as_str()),
            reach(zones.zones.warning.metres()),
            reach(zones.zones.danger.metres()),
            Cell::text(formats.instant(zones.from, &at.zone)),
            Cell::text(until),
        ])
        .muted(zones.to.is_some())
    };
    let empty = Empty {
        title: frame.text(t::NO_ZONES).to_owned(),
        reason: frame.text(t::NO_ZONES_REASON).to_owned(),
        action: None,
    };
    Table::new(frame.text(t::ZONE_SIZES), columns, zones.iter().map(row).collect(), empty)
}
