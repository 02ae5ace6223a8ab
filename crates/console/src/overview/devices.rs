//! How many devices, tags and alarms wait for someone.

use texts::console::overview as t;

use super::attention::troubled_stations;
use super::data::Overview;
use crate::frame::Frame;
use crate::parts::{Cell, Details};

pub fn details(frame: &Frame, found: &Overview) -> Details {
    let formats = frame.formats();
    let (part, whole) = (found.stations.troubled_total, found.stations.total);
    let stations =
        frame.fill(t::PART_OF, &[("part", &formats.integer(part)), ("whole", &formats.integer(whole))]);
    let tags = |flag: &str, number: i64| {
        Cell::link(formats.integer(number), frame.link_with("/settings/tags", &[("flag", flag)]))
    };
    let label = |text: texts::Text| frame.text(text).to_owned();
    Details {
        rows: vec![
            (label(t::OPEN_ALARMS), Cell::link(formats.integer(found.firings.1), frame.link("/alerts"))),
            (label(t::TROUBLED_STATIONS), Cell::link(stations, troubled_stations(frame))),
            (label(t::OVERDUE_TAGS), tags("test_overdue", found.tags.overdue)),
            (label(t::DUE_TAGS), tags("test_due", found.tags.due)),
            (label(t::UNTESTED_TAGS), tags("never_tested", found.tags.never_tested)),
        ],
    }
}
