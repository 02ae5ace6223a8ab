//! The cells of an incursion in tables.

use app::IncursionView;
use domain::{PersonName, TimeZone, Timestamp, Zone};
use texts::console::incursions as t;
use texts::values;

use crate::formats::seconds_between;
use crate::frame::Frame;
use crate::parts::{Badge, Cell, Plain, Tone};

/// The cells of an incursion, of which a table shows some or all.
pub struct IncursionCells {
    pub started: Cell,
    pub site: Cell,
    pub machine: Cell,
    pub pedestrian: Cell,
    pub operator: Cell,
    pub zone: Cell,
    pub length: Cell,
    pub acknowledged: Cell,
}

impl IncursionCells {
    /// `page` is the address of the incursion, `zone` the time zone in which its start is written.
    pub fn new(frame: &Frame, view: &IncursionView, zone: &TimeZone, page: String) -> Self {
        let (details, formats) = (&view.details, frame.formats());
        let row = &details.stored.row;
        let nothing = || Cell::text("–");
        let person = |person: Option<&PersonName>| {
            person.map_or_else(nothing, |person| {
                Cell::link(person.name.as_str(), frame.link(&format!("/people/{}", person.id)))
            })
        };
        let after = |at: Option<Timestamp>, otherwise| match at {
            Some(at) => {
                let seconds = seconds_between(row.started_at, at);
                Cell::text(formats.seconds(seconds)).plain(Plain::number(seconds, Some("s")))
            }
            None => Cell::text(frame.text(otherwise)).plain(Plain::nothing()),
        };
        Self {
            started: Cell::head(formats.instant(row.started_at, zone), page)
                .plain(Plain::time(row.started_at)),
            site: details.worksite.as_ref().map_or_else(nothing, |(id, name)| {
                Cell::link(name.as_str(), frame.link(&format!("/sites/{id}")))
            }),
            machine: details.machine.as_ref().map_or_else(nothing, |(id, name)| {
                Cell::link(name.as_str(), frame.link(&format!("/machines/{id}")))
            }),
            pedestrian: person(details.pedestrian.as_ref()),
            operator: person(details.operator.as_ref()),
            zone: Cell::badge(zone_badge(frame, row.zone)),
            length: after(row.ended_at, t::NO_END),
            acknowledged: after(row.acknowledged_at, t::NOT),
        }
    }

    /// Returns all of them in the order of their columns.
    pub fn all(self) -> Vec<Cell> {
        vec![
            self.started,
            self.site,
            self.machine,
            self.pedestrian,
            self.operator,
            self.zone,
            self.length,
            self.acknowledged,
        ]
    }
}

pub fn zone_badge(frame: &Frame, zone: Zone) -> Badge {
    let (sign, tone) = match zone {
        Zone::Danger => ("▲", Tone::Bad),
        Zone::Warning => ("◆", Tone::Warning),
    };
    Badge { word: values::zone(frame.language, zone.as_str()).to_owned(), sign, tone }
}
