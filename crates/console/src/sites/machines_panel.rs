//! The machines of a worksite: those assigned to it, and those that were last inside its boundary.

use app::{App, Error, MachineAtWorksite};
use domain::access::{ReadRegistry, WriteRegistry};
use domain::{MachineAssignment, PageRequest, Timestamp, Worksite};
use texts::console::sites as t;

use super::zone_of;
use crate::form::{FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Action, Cell, Column, Empty, Field, Input, Row, Table};
use crate::settings;

pub const KINDS: &[(&str, Kind)] = &[("machine_id", Kind::Number), ("effective_from", Kind::LocalTime)];

/// The maximum number of machines that are listed.
const MAX_MACHINES: u16 = 500;

/// The machines of a worksite, and the form that assigns one.
pub struct MachinesPanel {
    pub table: Table,
    /// None for readers who may not assign machines, and for archived worksites.
    pub fields: Vec<Field>,
    /// Above the fields.
    pub notice: Option<String>,
    /// The zone in which a time is entered.
    pub zone: String,
}

impl MachinesPanel {
    pub async fn load(
        app: &App,
        frame: &Frame,
        site: &Worksite,
        present: &[MachineAtWorksite],
        view: &FormView,
    ) -> Result<Self, Error> {
        let caller = frame.caller::<ReadRegistry>()?;
        let page = PageRequest { limit: MAX_MACHINES, after: None };
        let (open, _) = app.list_worksite_assignments(&caller, site.id, Some(true), &page, false).await?;
        let zone = zone_of(site).as_str().to_owned();
        let can_assign = frame.may::<WriteRegistry>() && site.archived_at.is_none();
        let fields = match can_assign {
            true => fields(app, frame, view, &zone).await?,
            false => Vec::new(),
        };
        let table = table(frame, site, &open.rows, present, can_assign);
        Ok(Self { table, fields, notice: view.notice.clone(), zone })
    }
}

async fn fields(app: &App, frame: &Frame, view: &FormView, zone: &str) -> Result<Vec<Field>, Error> {
    let machines = settings::machine_choices(app, frame).await?;
    Ok(vec![
        Field::new(frame, view, "machine_id", t::MACHINE, Input::Select(machines)).required(),
        Field::new(frame, view, "effective_from", t::SINCE, Input::DateTime)
            .hint(frame.fill(t::ASSIGN_SINCE_HINT, &[("zone", zone)])),
    ])
}

fn table(
    frame: &Frame,
    site: &Worksite,
    assigned: &[MachineAssignment],
    present: &[MachineAtWorksite],
    can_end: bool,
) -> Table {
    let zone = zone_of(site);
    let position_of = |machine| present.iter().find(|there| there.position.machine == machine);
    let seen = |there: Option<&MachineAtWorksite>| match there {
        Some(there) => {
            let place = if there.inside { t::INSIDE } else { t::OUTSIDE };
            Cell::text(frame.formats().ago(there.position.at)).note(frame.text(place))
        }
        None => Cell::text(""),
    };
    let since = |at: Timestamp| Cell::text(frame.formats().minute(at, &zone));
    let mut rows: Vec<Row> = Vec::new();
    for one in assigned {
        let id = one.machine.to_string();
        let mut cells = vec![
            Cell::head(one.machine_name.clone(), frame.link(&format!("/machines/{id}"))),
            since(one.from),
            seen(position_of(one.machine)),
        ];
        if can_end {
            cells.push(Cell::action(Action {
                to: format!("/sites/{}/machines/end", site.id),
                text: frame.text(t::END).to_owned(),
                is_danger: false,
                hidden: vec![("machine_id".to_owned(), id)],
            }));
        }
        rows.push(Row::new(cells));
    }
    for there in present.iter().filter(|there| !there.assigned) {
        let position = &there.position;
        let href = frame.link(&format!("/machines/{}", position.machine));
        let mut cells = vec![
            Cell::head(position.machine_name.clone(), href),
            Cell::text(frame.text(t::NOT_ASSIGNED)),
            seen(Some(there)),
        ];
        if can_end {
            cells.push(Cell::text(""));
        }
        rows.push(Row::new(cells));
    }
    let mut columns = vec![
        Column::text(frame.text(t::MACHINE)),
        Column::text(frame.text(t::ASSIGNED_SINCE)),
        Column::text(frame.text(t::LAST_POSITION)),
    ];
    if can_end {
        columns.push(Column::text(frame.text(t::ACTION)));
    }
    let empty = Empty {
        title: frame.text(t::NO_MACHINES).to_owned(),
        reason: frame.text(t::NO_MACHINES_REASON).to_owned(),
        action: None,
    };
    Table::new(frame.text(t::MACHINES), columns, rows, empty)
}
