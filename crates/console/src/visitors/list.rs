//! GET /visitors: the form of a check-in, who is on site now, and the visits that ended.

use std::sync::Arc;

use app::{App, Error};
use askama::Template;
use axum::extract::State;
use domain::access::{ReadRegistry, WriteRegistry};
use domain::insights::IncursionFilter;
use domain::{
    Direction, Invalid, ListOrder, ListRequest, Listing, PageRequest, SortKey, Sorting, Visit, VisitFilter,
    VisitState, WorksiteId,
};
use texts::console::visitors as t;
use web::{Caller, FromParams, ListParams, Params, Query, Result};

use super::PATH;
use super::check_in::Choices;
use super::site_zones::SiteZones;
use super::visits::{columns, none_ended, row, state_badge, stay, write_stay};
use crate::frame::Frame;
use crate::parts::{self, Action, Badge, Empty, FormPart, MAX_CSV_ROWS, Pager, Table, read_csv_format};
use crate::pickers::{PickerRow, Pickers};
use crate::response;

/// The maximum number of visitors on site that are listed.
const MAX_ON_SITE: u16 = 500;
/// The maximum number of sites of the picked projects.
const MAX_SITES: i64 = 10_000;

pub struct VisitQuery {
    pickers: Pickers,
    direction: Direction,
    csv: bool,
    list: ListParams,
}

impl FromParams for VisitQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let pickers = Pickers::read(query)?;
        let direction = query.one("sort", |text| match text {
            "checked_in_at" => Ok(Direction::Ascending),
            "-checked_in_at" => Ok(Direction::Descending),
            _ => Err(Invalid::new("invalid_sort", "must be checked_in_at or -checked_in_at")),
        })?;
        Ok(Self {
            pickers,
            direction: direction.unwrap_or(Direction::Descending),
            csv: read_csv_format(query)?,
            list: ListParams::read(query)?,
        })
    }
}

/// A visitor who has not checked out.
struct OnSite {
    name: String,
    href: String,
    /// Company, site and tag.
    about: String,
    since: String,
    /// How long they have been here, and the same in seconds, from which a module counts on.
    stay: String,
    stay_s: i64,
    state: Badge,
    check_out: Option<Action>,
}

#[derive(Template)]
#[template(path = "visitors/list.html")]
struct ListPage<'a> {
    frame: &'a Frame,
    pickers: PickerRow,
    form: Option<FormPart>,
    on_site: Vec<OnSite>,
    on_site_text: String,
    nobody: Empty,
    history: Table,
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(_): Caller<ReadRegistry>,
    frame: Frame,
    Params(query): Params<VisitQuery>,
) -> Result {
    let VisitQuery { pickers, direction, csv, list } = query;
    let pickers = pickers.load(&app, &frame).await?;
    let sites = Sites::of(&app, &frame, &pickers.filter).await?;
    let page = match csv {
        true => PageRequest { limit: MAX_CSV_ROWS, after: None },
        false => list.page(),
    };
    let history = history(&app, &frame, &sites, &pickers.filter, (direction, &page)).await?;
    if csv {
        return Ok(parts::csv_response("visits.csv", &history));
    }
    let present = on_site(&app, &frame, &sites).await?;
    let zones = SiteZones::of(&app, &frame, &present.rows).await?;
    let number = present.total.unwrap_or_else(|| i64::try_from(present.rows.len()).unwrap_or(i64::MAX));
    let form = match frame.may::<WriteRegistry>() {
        true => {
            let choices = Choices::load(&app, &frame).await?;
            Some(choices.form(&frame, &choices.fresh_view(&frame, None)))
        }
        false => None,
    };
    let page = ListPage {
        pickers,
        form,
        on_site: present.rows.iter().map(|visit| OnSite::new(&frame, &zones, visit)).collect(),
        on_site_text: frame.count(t::ON_SITE_COUNT, number),
        nobody: Empty {
            title: frame.text(t::NOBODY).to_owned(),
            reason: frame.text(t::NOBODY_REASON).to_owned(),
            action: None,
        },
        history,
        frame: &frame,
    };
    response::page(&frame, &page)
}

/// The sites whose visits are listed.
enum Sites {
    All,
    These(Vec<WorksiteId>),
    /// The picked projects have no sites, so that there is nothing to list.
    None,
}

impl Sites {
    async fn of(app: &App, frame: &Frame, picked: &IncursionFilter) -> Result<Self, Error> {
        if picked.projects.is_empty() {
            return Ok(match picked.worksites.is_empty() {
                true => Self::All,
                false => Self::These(picked.worksites.clone()),
            });
        }
        let caller = frame.caller::<ReadRegistry>()?;
        let found = app.worksites_of_projects(&caller, &picked.projects, MAX_SITES).await?;
        let is_picked = |id: &WorksiteId| picked.worksites.is_empty() || picked.worksites.contains(id);
        let sites: Vec<WorksiteId> = found.into_iter().map(|site| site.id).filter(is_picked).collect();
        Ok(if sites.is_empty() { Self::None } else { Self::These(sites) })
    }

    /// The filter of visits at these sites; none if there can be no visits.
    fn filter(&self, state: VisitState) -> Option<VisitFilter> {
        let worksites = match self {
            Self::All => Vec::new(),
            Self::These(sites) => sites.clone(),
            Self::None => return None,
        };
        Some(VisitFilter { states: vec![state], worksites, ..VisitFilter::default() })
    }
}

async fn find(
    app: &App,
    frame: &Frame,
    filter: Option<VisitFilter>,
    (direction, page): (Direction, &PageRequest),
) -> Result<Listing<Visit>, Error> {
    let Some(filter) = filter else {
        return Ok(Listing { rows: Vec::new(), previous: None, next: None, total: Some(0), changes: None });
    };
    let order = ListOrder::Sorted(Sorting::by(SortKey::StartedAt, direction));
    let caller = frame.caller::<ReadRegistry>()?;
    app.list_visitor_sessions(&caller.reader(), &filter, &ListRequest::of_page(order, page, true)).await
}

/// Finds who is on site now, the longest first, whenever they came.
async fn on_site(app: &App, frame: &Frame, sites: &Sites) -> Result<Listing<Visit>, Error> {
    let page = PageRequest { limit: MAX_ON_SITE, after: None };
    find(app, frame, sites.filter(VisitState::Active), (Direction::Ascending, &page)).await
}

/// Lists the visits that began in the period and have ended.
async fn history(
    app: &App,
    frame: &Frame,
    sites: &Sites,
    picked: &IncursionFilter,
    (direction, page): (Direction, &PageRequest),
) -> Result<Table, Error> {
    let period = picked.period.unwrap_or_default();
    let bounds = period.bounds(frame.now, &frame.preferences.time_zone);
    let (from, to) = bounds.map_err(|(name, invalid)| Error::bad_parameter(name, invalid))?;
    let filter =
        sites.filter(VisitState::Completed).map(|filter| VisitFilter { from: Some(from), to, ..filter });
    let found = find(app, frame, filter, (direction, page)).await?;
    let zones = SiteZones::of(app, frame, &found.rows).await?;
    let rows: Vec<_> = found.rows.iter().map(|visit| row(frame, &zones, visit)).collect();
    let sort = match direction {
        Direction::Ascending => "checked_in_at",
        Direction::Descending => "-checked_in_at",
    };
    let pager = Pager::of(frame, rows.len(), found.total, found.next.as_ref());
    let table = Table::new(frame.text(t::HISTORY), columns(frame, Some(sort)), rows, none_ended(frame));
    Ok(table.paged(pager).with_csv(frame))
}

impl OnSite {
    fn new(frame: &Frame, zones: &SiteZones, visit: &Visit) -> Self {
        let site = visit.worksite.as_ref().map(|site| site.name.clone());
        let about = [visit.company.clone(), site, Some(visit.tag_serial.clone())];
        let since = frame.formats().instant(visit.checked_in_at, zones.zone_of(visit));
        let stay = stay(frame, visit);
        Self {
            name: visit.person.name.clone(),
            href: frame.link(&format!("{PATH}/{}", visit.id)),
            about: about.into_iter().flatten().collect::<Vec<_>>().join(" · "),
            since: format!("{} {since}", frame.text(t::SINCE)),
            stay: write_stay(frame, stay),
            stay_s: stay.whole_seconds(),
            state: state_badge(frame, visit),
            check_out: frame.may::<WriteRegistry>().then(|| Action {
                to: frame.link(&format!("{PATH}/{}/check-out", visit.id)),
                text: frame.text(t::CHECK_OUT).to_owned(),
                is_danger: false,
                hidden: Vec::new(),
            }),
        }
    }
}
