//! GET /sites/{id}/roll-call: who is on site now, as a list to tick off and to print.

use std::sync::Arc;

use app::{App, Error};
use askama::Template;
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{
    Direction, LastSeenAt, ListOrder, ListRequest, PageRequest, PersonName, SortKey, Sorting, TimeZone,
    Timestamp, Visit, VisitFilter, VisitState, Worksite, WorksiteId,
};
use texts::console::sites as t;
use web::{Caller, PathId, Result};

use super::zone_of;
use crate::frame::Frame;
use crate::response;

/// The maximum number of visitors on a list.
const MAX_VISITORS: u16 = 500;

/// Someone on the list.
pub struct Present {
    pub name: String,
    /// Company and tag of a visitor, the kind of others.
    pub about: String,
    pub time: String,
    pub href: String,
}

/// The people who are on site as far as the service knows.
pub struct OnSite {
    pub visitors: Vec<Present>,
    pub seen_today: Vec<Present>,
    pub seen_earlier: Vec<Present>,
    /// Whether there were more people than are listed.
    pub more: bool,
    pub visitors_text: String,
    pub seen_text: String,
}

#[derive(Template)]
#[template(path = "sites/roll_call.html")]
struct RollCallPage<'a> {
    frame: &'a Frame,
    site: &'a Worksite,
    title: String,
    at: String,
    names_hidden: bool,
    on_site: OnSite,
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    frame: Frame,
    PathId(id): PathId,
) -> Result {
    let site = app.find_worksite(&caller, WorksiteId(id)).await?;
    let now = frame.formats().instant(frame.now, &zone_of(&site));
    let page = RollCallPage {
        title: frame.fill(t::ROLL_CALL_OF, &[("name", &site.name)]),
        at: frame.fill(t::ROLL_CALL_AT, &[("at", &now)]),
        names_hidden: !frame.sees_names(),
        on_site: load(&app, &frame, &site).await?,
        site: &site,
        frame: &frame,
    };
    response::page(&frame, &page)
}

/// Finds who is on site: visitors who have not checked out, and people whom a machine detected.
pub async fn load(app: &App, frame: &Frame, site: &Worksite) -> Result<OnSite, Error> {
    let caller = frame.caller::<ReadRegistry>()?;
    let zone = zone_of(site);
    let filter =
        VisitFilter { states: vec![VisitState::Active], worksites: vec![site.id], ..VisitFilter::default() };
    let order = ListOrder::Sorted(Sorting::by(SortKey::StartedAt, Direction::Ascending));
    let request = ListRequest::of_page(order, &PageRequest { limit: MAX_VISITORS, after: None }, true);
    let visits = app.list_visitor_sessions(&caller.reader(), &filter, &request).await?;
    let seen = app.list_seen_at_worksite(&caller, site.id).await?;
    // A visitor who was also detected is on the list once.
    let is_visitor = |person: &PersonName| visits.rows.iter().any(|visit| visit.person.id == person.id);
    let others: Vec<&LastSeenAt<PersonName>> =
        seen.people.iter().filter(|seen| !is_visitor(&seen.subject)).collect();
    let (today, earlier): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|seen| is_same_day(seen.last_seen_at, frame.now, &zone));
    let person = |seen: &LastSeenAt<PersonName>| Present {
        name: seen.subject.name.clone(),
        about: texts::values::person_kind(frame.language, seen.subject.kind.as_str()).to_owned(),
        time: frame.formats().minute(seen.last_seen_at, &zone),
        href: format!("/people/{}", seen.subject.id),
    };
    let visitor = |visit: &Visit| Present {
        name: visit.person.name.clone(),
        about: match &visit.company {
            Some(company) => format!("{company}, {}", visit.tag_serial),
            None => visit.tag_serial.clone(),
        },
        time: frame.formats().minute(visit.checked_in_at, &zone),
        href: format!("/visitors/{}", visit.id),
    };
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let on_site = visits.total.unwrap_or_else(|| count(visits.rows.len()));
    Ok(OnSite {
        visitors_text: frame.count(t::VISITORS_COUNT, on_site),
        seen_text: frame.count(t::SEEN_COUNT, count(today.len())),
        visitors: visits.rows.iter().map(visitor).collect(),
        seen_today: today.into_iter().map(person).collect(),
        seen_earlier: earlier.into_iter().map(person).collect(),
        more: seen.more || visits.next.is_some(),
    })
}

fn is_same_day(one: Timestamp, other: Timestamp, zone: &TimeZone) -> bool {
    zone.local(one).day == zone.local(other).day
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_site() {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let berlin = TimeZone::parse("Europe/Berlin").unwrap();
        let (evening, night) = (at("2026-03-01T22:30:00Z"), at("2026-03-01T23:30:00Z"));
        assert!(is_same_day(evening, night, &TimeZone::utc()));
        assert!(!is_same_day(evening, night, &berlin));
    }
}
