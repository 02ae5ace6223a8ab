//! Visits as they are shown: their state, how long they last, and as a table.

use app::{App, Error};
use domain::access::ReadRegistry;
use domain::{
    ActorKind, Direction, ListOrder, ListRequest, PageRequest, PersonId, SortKey, Sorting, Span, Visit,
    VisitFilter,
};
use texts::console::visitors as t;
use texts::values;

use super::site_zones::SiteZones;
use crate::frame::Frame;
use crate::parts::{Badge, Cell, Column, Empty, Plain, Row, Table, Tone};

/// The number of visits of one person that are listed.
const MAX_OF_PERSON: u16 = 20;

/// Whether the visitor should have left by now.
pub fn is_overdue(frame: &Frame, visit: &Visit) -> bool {
    visit.checked_out_at.is_none() && visit.expected_until.is_some_and(|until| until < frame.now)
}

pub fn state_badge(frame: &Frame, visit: &Visit) -> Badge {
    let by = visit.checked_out_by.as_ref();
    let (text, sign, tone) = match visit.checked_out_at {
        None if is_overdue(frame, visit) => (t::OVERDUE, "▲", Tone::Warning),
        None => (t::HERE, "●", Tone::Good),
        Some(_) if by.is_some_and(|by| by.kind == ActorKind::Service) => {
            (t::CLOSED_AUTOMATICALLY, "△", Tone::Warning)
        }
        Some(_) => (t::LEFT, "○", Tone::Neutral),
    };
    Badge { word: frame.text(text).to_owned(), sign, tone }
}

/// The time on site until check-out or until now. The clocks of hosts differ, so that it could be negative.
pub fn stay(frame: &Frame, visit: &Visit) -> Span {
    (visit.checked_out_at.unwrap_or(frame.now) - visit.checked_in_at).max(Span::ZERO)
}

/// Writes a time on site in whole minutes, as the module that counts on does: the first minute in seconds, two days and more in days and
/// hours.
pub fn write_stay(frame: &Frame, stay: Span) -> String {
    let seconds = stay.whole_seconds();
    let hours = seconds / 3_600;
    if hours >= 48 {
        let amount = |number: i64, unit: &str| format!("{}\u{a0}{unit}", frame.formats().integer(number));
        let days = amount(hours / 24, "d");
        return if hours % 24 == 0 { days } else { format!("{days} {}", amount(hours % 24, "h")) };
    }
    let shown = if seconds < 60 { seconds } else { seconds - seconds % 60 };
    frame.formats().seconds(i32::try_from(shown).map_or(f64::from(i32::MAX), f64::from))
}

/// The columns of a table of visits. With an order, the table is sorted by the check-in.
pub fn columns(frame: &Frame, sort: Option<&str>) -> Vec<Column> {
    let since = Column::text(frame.text(t::SINCE));
    vec![
        Column::text(frame.text(t::VISITOR)),
        Column::text(frame.text(values::WORKSITE)),
        Column::text(frame.text(values::TAG)),
        match sort {
            Some(sort) => since.sorted(frame, "checked_in_at", sort),
            None => since,
        },
        Column::text(frame.text(t::UNTIL)),
        Column::number(frame.text(t::STAY)),
        Column::text(frame.text(t::STATE)),
    ]
}

pub fn row(frame: &Frame, zones: &SiteZones, visit: &Visit) -> Row {
    let (formats, zone) = (frame.formats(), zones.zone_of(visit));
    let mut name = Cell::head(visit.person.name.as_str(), frame.link(&format!("/visitors/{}", visit.id)));
    if let Some(company) = &visit.company {
        name = name.note(company.as_str());
    }
    let site = match &visit.worksite {
        Some(site) => Cell::link(site.name.as_str(), frame.link(&format!("/sites/{}", site.id))),
        None => Cell::text(frame.text(t::NO_SITE)),
    };
    let stay = stay(frame, visit);
    let until = visit.checked_out_at.map(|at| formats.instant(at, zone)).unwrap_or_default();
    Row::new(vec![
        name,
        site,
        Cell::text(visit.tag_serial.as_str()),
        Cell::text(formats.instant(visit.checked_in_at, zone)).plain(Plain::time(visit.checked_in_at)),
        Cell::text(until).plain(Plain::time(visit.checked_out_at)),
        Cell::text(write_stay(frame, stay))
            .plain(Plain { unit: Some("s"), ..Plain::whole(stay.whole_seconds()) }),
        Cell::badge(state_badge(frame, visit)),
    ])
}

/// The latest visits of a person; none if there were none.
pub async fn visits_of_person(app: &App, frame: &Frame, id: PersonId) -> Result<Option<Table>, Error> {
    let caller = frame.caller::<ReadRegistry>()?;
    let filter = VisitFilter { people: vec![id], ..VisitFilter::default() };
    let order = ListOrder::Sorted(Sorting::by(SortKey::StartedAt, Direction::Descending));
    let page = PageRequest { limit: MAX_OF_PERSON, after: None };
    let request = ListRequest::of_page(order, &page, false);
    let found = app.list_visitor_sessions(&caller.reader(), &filter, &request).await?;
    if found.rows.is_empty() {
        return Ok(None);
    }
    let zones = SiteZones::of(app, frame, &found.rows).await?;
    let rows = found.rows.iter().map(|visit| row(frame, &zones, visit)).collect();
    Ok(Some(Table::new(frame.text(t::TITLE), columns(frame, None), rows, none_ended(frame))))
}

/// What a table without visits says.
pub fn none_ended(frame: &Frame) -> Empty {
    Empty {
        title: frame.text(t::NO_HISTORY).to_owned(),
        reason: frame.text(t::NO_HISTORY_REASON).to_owned(),
        action: None,
    }
}

#[cfg(test)]
mod tests {
    use texts::Language;

    use super::*;
    use crate::frame;

    #[test]
    fn a_stay_is_written_in_minutes() {
        let frame = frame::sample(Language::English, "/visitors");
        let written = |seconds| write_stay(&frame, Span::seconds(seconds)).replace('\u{a0}', " ");
        assert_eq!(written(0), "0 s");
        assert_eq!(written(59), "59 s");
        assert_eq!(written(119), "1 min");
        assert_eq!(written(7_559), "2 h 5 min");
        assert_eq!(written(7_200), "2 h");
    }
}
