//! The numbers beneath the map of incursions: those of each machine, with the way to the incursions behind them.

use app::insights::{BreakdownRequest, BreakdownRow, LabelledId};
use app::{App, Error};
use domain::WorksiteId;
use domain::access::ReadInsights;
use domain::insights::{Dimension, GroupOrder, IncursionFilter, Measure};
use texts::console::sites as t;
use texts::values;

use crate::behind::link_of;
use crate::frame::Frame;
use crate::parts::{Cell, Column, Empty, Row, Table};

const MEASURES: [Measure; 4] = [
    Measure::Incursions,
    Measure::Unacknowledged,
    Measure::AcknowledgementRate,
    Measure::IncursionsPerRuntimeHour,
];
/// The maximum number of machines that are listed.
const MAX_MACHINES: usize = 50;

/// Returns the figures of the machines at a worksite, those with the most incursions first.
pub async fn load(
    app: &App,
    frame: &Frame,
    site: WorksiteId,
    filter: &IncursionFilter,
) -> Result<Table, Error> {
    let caller = frame.caller::<ReadInsights>()?;
    let request = BreakdownRequest {
        by: Dimension::Machine,
        measures: MEASURES.to_vec(),
        order: GroupOrder::Descending(0),
        limit: MAX_MACHINES,
    };
    let found = app.insight_breakdown(&caller, filter, &request).await?;
    let mut columns = vec![Column::text(frame.text(t::MACHINE))];
    columns.extend(
        MEASURES.iter().map(|measure| Column::number(values::measure(frame.language, measure.as_str()))),
    );
    let site = site.to_string();
    let rows = found.rows.iter().map(|row| machine_row(frame, &site, row)).collect();
    let empty = Empty {
        title: frame.text(t::NO_INCURSIONS).to_owned(),
        reason: frame.text(t::NO_INCURSIONS_REASON).to_owned(),
        action: None,
    };
    Ok(Table::new(frame.text(t::BY_MACHINE), columns, rows, empty))
}

fn machine_row(frame: &Frame, site: &str, row: &BreakdownRow) -> Row {
    // What belongs to no machine cannot be filtered for.
    let machine = match row.part.id {
        LabelledId::Number(id) => Some(id.to_string()),
        LabelledId::Word(_) | LabelledId::None => None,
    };
    let mut cells = vec![match &machine {
        Some(id) => Cell::head(row.part.label.as_str(), frame.link(&format!("/machines/{id}"))),
        None => Cell::text(values::no_value(frame.language, "machine")),
    }];
    for (measure, figure) in MEASURES.into_iter().zip(&row.figures) {
        let href = machine
            .as_deref()
            .and_then(|id| link_of(frame, measure, &[("worksite_id", site), ("machine_id", id)]));
        cells.push(Cell::figure(&frame.formats().figure(measure, *figure), href));
    }
    Row::new(cells)
}
