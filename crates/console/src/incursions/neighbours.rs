//! The incursions before and after one in the list from which it was opened.

use app::{App, Caller, Error, IncursionView};
use domain::access::ReadInsights;
use domain::insights::IncursionFilter;
use domain::{
    Direction, IncursionId, IncursionOrder, IncursionSort, PageRequest, Period, PeriodBound, Span, Timestamp,
};

use super::query::IncursionQuery;
use crate::frame::Frame;

/// Many incursions can start at the same moment, but not this many.
const SAME_START: u16 = 100;
/// The rows of a list in another order than that of the start in which the neighbours are looked for.
const MAX_LOOKED_AT: u16 = 500;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    pub previous: Option<IncursionId>,
    pub next: Option<IncursionId>,
}

/// Finds the neighbours of an incursion, which need not be in the list itself: a review may have taken it out.
pub async fn find(
    app: &App,
    frame: &Frame,
    caller: &Caller<ReadInsights>,
    query: &IncursionQuery,
    of: (IncursionId, Timestamp),
) -> Result<Neighbours, Error> {
    let Some(direction) = query.order.of_start() else {
        return in_other_order(app, caller, query, of.0).await;
    };
    let (older, newer) = futures_util::future::try_join(
        nearest(app, frame, caller, &query.filter, of, Direction::Descending),
        nearest(app, frame, caller, &query.filter, of, Direction::Ascending),
    )
    .await?;
    Ok(match direction {
        Direction::Descending => Neighbours { previous: newer, next: older },
        Direction::Ascending => Neighbours { previous: older, next: newer },
    })
}

/// Finds the nearest incursion that started before one, or after it. Of several at the same moment, the id decides.
async fn nearest(
    app: &App,
    frame: &Frame,
    caller: &Caller<ReadInsights>,
    filter: &IncursionFilter,
    (id, started_at): (IncursionId, Timestamp),
    direction: Direction,
) -> Result<Option<IncursionId>, Error> {
    let period = filter.period.unwrap_or_default();
    // The page of the list has refused a wrong period already; here it has no neighbours.
    let Ok((from, to)) = period.bounds(frame.now, &frame.preferences.time_zone) else { return Ok(None) };
    let moment = PeriodBound::Instant(started_at);
    let after_moment = PeriodBound::Instant(started_at + Span::from_micros(1));
    let period = match direction {
        Direction::Descending => Period { from: Some(from), to: Some(after_moment) },
        Direction::Ascending => Period { from: Some(moment), to },
    };
    // An incursion outside the period of the list has no neighbours in it.
    if period.bounds(frame.now, &frame.preferences.time_zone).is_err() {
        return Ok(None);
    }
    let filter = IncursionFilter { period: Some(period), ..filter.clone() };
    let order = IncursionOrder::by(IncursionSort::StartedAt, direction);
    let page = PageRequest { limit: SAME_START, after: None };
    let found = app.list_incursions(caller, &filter, order, &page, false).await?;
    let is_beyond = |view: &&IncursionView| {
        let place = (view.details.stored.row.started_at, view.details.stored.id);
        match direction {
            Direction::Descending => place < (started_at, id),
            Direction::Ascending => place > (started_at, id),
        }
    };
    Ok(found.page.rows.iter().find(is_beyond).map(|view| view.details.stored.id))
}

async fn in_other_order(
    app: &App,
    caller: &Caller<ReadInsights>,
    query: &IncursionQuery,
    id: IncursionId,
) -> Result<Neighbours, Error> {
    let page = PageRequest { limit: MAX_LOOKED_AT, after: None };
    let found = app.list_incursions(caller, &query.filter, query.order, &page, false).await?;
    let ids: Vec<IncursionId> = found.page.rows.iter().map(|view| view.details.stored.id).collect();
    Ok(match ids.iter().position(|known| *known == id) {
        Some(place) => Neighbours {
            previous: place.checked_sub(1).and_then(|place| ids.get(place).copied()),
            next: ids.get(place + 1).copied(),
        },
        None => Neighbours { previous: None, next: ids.first().copied() },
    })
}
