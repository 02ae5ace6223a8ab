//! Tables of alarms.

use app::FiringView;
use texts::console::alerts as t;

use super::marks::{firing_badge, severity_badge};
use super::terms;
use crate::frame::Frame;
use crate::parts::{Cell, Column, Empty, Row, Table};

/// Whether a table says which alert each alarm is of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Of {
    AllAlerts,
    OneAlert,
}

pub fn table(frame: &Frame, of: Of, rows: &[FiringView], empty: Empty) -> Table {
    let mut columns = vec![Column::text(frame.text(t::FIRED_AT))];
    if of == Of::AllAlerts {
        columns.push(Column::text(frame.text(t::ALERT)));
    }
    columns.extend([
        Column::text(frame.text(t::STATE)),
        Column::text(frame.text(t::WHERE)),
        Column::number(frame.text(t::VALUE)),
        Column::text(frame.text(t::SEVERITY)),
        Column::text(frame.text(t::CLEARED_AT)),
    ]);
    let rows = rows.iter().map(|view| row(frame, of, view)).collect();
    Table::new(frame.text(t::ALARMS), columns, rows, empty)
}

fn row(frame: &Frame, of: Of, view: &FiringView) -> Row {
    let (firing, formats) = (&view.firing, frame.formats());
    let page = frame.link(&format!("/alerts/{}/firings/{}", firing.rule, firing.id));
    let mut cells = vec![Cell::head(formats.instant(firing.fired_at, &firing.time_zone), page)];
    if of == Of::AllAlerts {
        cells.push(Cell::link(firing.rule_name.as_str(), frame.link(&format!("/alerts/{}", firing.rule))));
    }
    let value = terms::value(frame, firing.metric, firing.value().as_f64());
    let threshold = terms::threshold(frame, firing.metric, firing.comparison, firing.threshold);
    let cleared = firing.cleared_at.map(|at| formats.instant(at, &firing.time_zone));
    cells.extend([
        Cell::badge(firing_badge(frame, firing)),
        Cell::text(place(frame, view)),
        Cell::text(value).note(threshold),
        Cell::badge(severity_badge(frame, firing.severity)),
        Cell::text(cleared.unwrap_or_default()),
    ]);
    Row::new(cells).muted(firing.cleared_at.is_some())
}

/// Writes what an alarm is about: the person and the machine, the device, or the place.
pub fn place(frame: &Frame, view: &FiringView) -> String {
    let labels = &view.labels;
    let near = [&labels.person, &labels.machine, &labels.base_station, &labels.tag];
    let near: Vec<&str> = near.into_iter().flatten().map(String::as_str).collect();
    let far = labels.worksite.as_deref().or(labels.project.as_deref());
    match (near.as_slice(), far) {
        ([], None) => frame.text(t::EVERYTHING).to_owned(),
        ([], Some(far)) => far.to_owned(),
        (near, None) => near.join(", "),
        (near, Some(far)) => format!("{} ({far})", near.join(", ")),
    }
}
