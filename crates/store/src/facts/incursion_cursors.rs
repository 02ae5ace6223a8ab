//! The cursors of lists of incursions. Without a start, the period of a filter begins some days before today, which moves with the
//! clock. The cursors of such a list carry the start, so that all its pages are of the same period.

use domain::insights::IncursionFilter;
use domain::{Cursor, IncursionId, IncursionOrder, Period, PeriodBound, Slice, Window, WindowPosition};

use crate::Error;
use crate::engine::page::CursorCodec as _;

/// Separates the start of the period from the keys of the row, which contain no control characters but their own separator.
const START_SEPARATOR: char = '\u{1e}';

/// The cursors of a list.
pub(super) struct ListCursors {
    /// Identifies the list by its filter as it was sent, its ids and its order.
    pub list: String,
    /// The start of the period, if the filter was sent without one.
    start: Option<PeriodBound>,
}

impl ListCursors {
    /// The filter of the list has the start that the filter as it was sent may lack.
    pub fn new(
        (sent, filter): (&IncursionFilter, &IncursionFilter),
        ids: &[IncursionId],
        order: IncursionOrder,
    ) -> Self {
        let start = filter.period.and_then(|period| period.from).filter(|_| lacks_start(sent));
        Self { list: list_name(sent, ids, order), start }
    }

    /// Returns the same window with a cursor of the row alone.
    pub fn open(&self, window: &Window) -> Result<Window, Error> {
        let row_alone = |cursor: &Cursor| -> Result<Cursor, Error> {
            if self.start.is_none() {
                return Ok(cursor.clone());
            }
            let (text, id) = cursor.decode(&self.list).ok_or(Error::InvalidCursor)?;
            let (_, keys) = text.split_once(START_SEPARATOR).ok_or(Error::InvalidCursor)?;
            Ok(Cursor::new(&self.list, keys, id))
        };
        let position = match &window.position {
            WindowPosition::Start => WindowPosition::Start,
            WindowPosition::After(cursor) => WindowPosition::After(row_alone(cursor)?),
            WindowPosition::Before(cursor) => WindowPosition::Before(row_alone(cursor)?),
        };
        Ok(Window { size: window.size, position })
    }

    /// Returns the same slice with cursors for clients.
    pub fn seal<T>(&self, slice: Slice<T>) -> Slice<T> {
        let with_start = |cursor: Cursor| match (self.start, cursor.decode(&self.list)) {
            (Some(start), Some((keys, id))) => {
                Cursor::new(&self.list, &format!("{start}{START_SEPARATOR}{keys}"), id)
            }
            _ => cursor,
        };
        let Slice { rows, previous, next } = slice;
        Slice { rows, previous: previous.map(with_start), next: next.map(with_start) }
    }
}

/// Returns the start of the period that the cursor of a page carries; none on the first page, and if the filter was sent with one.
pub(super) fn carried_start(
    sent: &IncursionFilter,
    ids: &[IncursionId],
    order: IncursionOrder,
    position: &WindowPosition,
) -> Result<Option<PeriodBound>, Error> {
    let (WindowPosition::After(cursor) | WindowPosition::Before(cursor)) = position else { return Ok(None) };
    if !lacks_start(sent) {
        return Ok(None);
    }
    let (text, _) = cursor.decode(&list_name(sent, ids, order)).ok_or(Error::InvalidCursor)?;
    let (start, _) = text.split_once(START_SEPARATOR).ok_or(Error::InvalidCursor)?;
    PeriodBound::parse(start).map(Some).map_err(|_| Error::InvalidCursor)
}

fn lacks_start(sent: &IncursionFilter) -> bool {
    matches!(sent.period, Some(Period { from: None, .. }))
}

fn list_name(sent: &IncursionFilter, ids: &[IncursionId], order: IncursionOrder) -> String {
    format!("incursions {sent:?} {ids:?} {order:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(from: Option<&str>) -> IncursionFilter {
        let from = from.map(|text| PeriodBound::parse(text).unwrap());
        IncursionFilter { period: Some(Period { from, to: None }), ..IncursionFilter::default() }
    }

    fn keys(cursors: &ListCursors, window: &Window) -> Option<(String, i64)> {
        match cursors.open(window).unwrap().position {
            WindowPosition::After(cursor) => cursor.decode(&cursors.list),
            _ => None,
        }
    }

    #[test]
    fn a_cursor_carries_the_start_of_its_list() {
        let order = IncursionOrder::NEWEST_FIRST;
        let (sent, resolved) = (filter(None), filter(Some("2026-02-02")));
        let cursors = ListCursors::new((&sent, &resolved), &[], order);
        let plain = Cursor::new(&cursors.list, "12", 3);
        let sealed = cursors.seal(Slice { rows: vec![()], previous: None, next: Some(plain.clone()) });
        let position = WindowPosition::After(sealed.next.unwrap());
        let start = carried_start(&sent, &[], order, &position).unwrap();
        assert_eq!(start, PeriodBound::parse("2026-02-02").ok());
        let window = Window { size: 2, position };
        assert_eq!(keys(&cursors, &window), Some(("12".to_owned(), 3)));
        // A cursor without a start is none of this list, whatever it is bound to.
        let forged = [
            plain,
            Cursor::new(&cursors.list, "\u{1e}12", 3),
            Cursor::new(&cursors.list, "noon\u{1e}12", 3),
            Cursor::new("another list", "2026-02-02\u{1e}12", 3),
        ];
        for cursor in forged {
            let position = WindowPosition::After(cursor);
            assert!(matches!(carried_start(&sent, &[], order, &position), Err(Error::InvalidCursor)));
        }
    }

    #[test]
    fn a_cursor_of_a_period_with_a_start_carries_none() {
        let order = IncursionOrder::NEWEST_FIRST;
        for filter in [filter(Some("2026-02-02")), IncursionFilter::default()] {
            let cursors = ListCursors::new((&filter, &filter), &[], order);
            let plain = Cursor::new(&cursors.list, "12", 3);
            let slice = cursors.seal(Slice { rows: vec![()], previous: Some(plain.clone()), next: None });
            assert_eq!(slice.previous, Some(plain.clone()));
            let window = Window { size: 2, position: WindowPosition::After(plain) };
            assert_eq!(carried_start(&filter, &[], order, &window.position).unwrap(), None);
            assert_eq!(keys(&cursors, &window), Some(("12".to_owned(), 3)));
        }
    }
}
