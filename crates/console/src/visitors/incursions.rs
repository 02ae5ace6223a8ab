//! The incursions of a visit: those of the visitor's tag from check-in to check-out.

use app::{App, Error, ErrorKind, IncursionView};
use domain::access::{ReadInsights, ReadRegistry};
use domain::insights::IncursionFilter;
use domain::{IncursionOrder, PageRequest, Period, PeriodBound, Review, TimeZone, Visit};
use texts::console::incursions as i;
use texts::console::visitors as t;

use crate::address::Address;
use crate::frame::Frame;
use crate::incursions::IncursionCells;
use crate::parts::{Column, Empty, Pager, Row, Table};

/// The number of incursions that are listed; the list of incursions has all of them.
const MAX_SHOWN: u16 = 50;

pub struct IncursionsOfVisit {
    pub table: Table,
    /// The address of the list of incursions with these.
    pub href: String,
}

impl IncursionsOfVisit {
    pub async fn load(app: &App, frame: &Frame, visit: &Visit, zone: &TimeZone) -> Result<Self, Error> {
        let period = period(app, frame, visit).await?;
        let filter = IncursionFilter {
            period: Some(period),
            tags: vec![visit.tag],
            reviews: Review::COUNTED.to_vec(),
            ..IncursionFilter::default()
        };
        let caller = frame.caller::<ReadInsights>()?;
        let page = PageRequest { limit: MAX_SHOWN, after: None };
        let found = app.list_incursions(&caller, &filter, IncursionOrder::NEWEST_FIRST, &page, true).await?;
        let columns = vec![
            Column::text(frame.text(i::STARTED)),
            Column::text(frame.text(i::MACHINE)),
            Column::text(frame.text(i::ZONE)),
            Column::number(frame.text(i::LENGTH)),
            Column::number(frame.text(i::ACKNOWLEDGED)),
        ];
        let empty = Empty {
            title: frame.text(t::NO_INCURSIONS).to_owned(),
            reason: frame.text(t::NO_INCURSIONS_REASON).to_owned(),
            action: None,
        };
        let rows: Vec<Row> = found.page.rows.iter().map(|view| row(frame, view, zone)).collect();
        let pager = Pager::of(frame, rows.len(), found.total, None);
        let table = Table::new(frame.text(t::INCURSIONS), columns, rows, empty).paged(pager);
        Ok(Self { table, href: list_address(visit, period) })
    }
}

/// The time in which the visitor wore the tag. One that was returned early may be worn by someone else before the visitor leaves.
async fn period(app: &App, frame: &Frame, visit: &Visit) -> Result<Period, Error> {
    let caller = frame.caller::<ReadRegistry>()?;
    let taken_back = match app.find_tag_assignment(&caller.reader(), visit.assignment).await {
        Ok(assignment) => assignment.ended_at,
        Err(error) if error.kind == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    // The clock of another host may be ahead of ours.
    let from = visit.checked_in_at.min(frame.now);
    let until = [visit.checked_out_at, taken_back].into_iter().flatten().min();
    Ok(Period {
        from: Some(PeriodBound::Instant(from)),
        to: until.map(|until| PeriodBound::Instant(until.max(from))),
    })
}

/// The address without the pickers, which might leave some out.
fn list_address(visit: &Visit, period: Period) -> String {
    let mut address =
        Address::new("/incursions").and("tag_id", &visit.tag.to_string()).and("period", "custom");
    for (name, bound) in [("from", period.from), ("to", period.to)] {
        if let Some(bound) = bound {
            address = address.and(name, &bound.to_string());
        }
    }
    address.to_string()
}

fn row(frame: &Frame, view: &IncursionView, zone: &TimeZone) -> Row {
    let page = frame.link(&format!("/incursions/{}", view.details.stored.id));
    let cells = IncursionCells::new(frame, view, zone, page);
    Row::new(vec![cells.started, cells.machine, cells.zone, cells.length, cells.acknowledged])
}
