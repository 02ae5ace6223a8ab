//! The list of incursions, with all filters.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use app::{App, Error, IncursionList, IncursionView};
use askama::Template;
use axum::extract::State;
use domain::access::{ReadInsights, ReadRegistry};
use domain::{PageRequest, Review, TimeZone, WorksiteId};
use futures_util::future;
use texts::console::incursions as t;
use texts::values;
use web::{FromParams, Params, Query, Result};

use super::cells::IncursionCells;
use super::chips::{Chip, chips};
use super::filters::{FilterForm, machine_choices};
use super::query::{IncursionQuery, kept_pairs, with_query};
use super::search::{OpenSearch, Resolution, Searches};
use crate::address::Address;
use crate::frame::Frame;
use crate::parts::{self, Badge, Cell, Column, Empty, MAX_CSV_ROWS, Pager, Row, Table, Tone};
use crate::pickers::PickerRow;
use crate::response;

#[derive(Template)]
#[template(path = "incursions/list.html")]
struct ListPage<'a> {
    frame: &'a Frame,
    pickers: PickerRow,
    filters: FilterForm,
    chips: Vec<Chip>,
    /// What must be asked about what was written into the fields.
    open: Vec<OpenSearch>,
    /// None until that is known.
    table: Option<Table>,
    /// What is said of the export, with its address, if a CSV cannot have all rows.
    export: Option<(String, String)>,
}

/// The parameters of the list, and what was written into the fields in which records are looked for.
pub struct ListQuery {
    list: IncursionQuery,
    searches: Searches,
}

impl FromParams for ListQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self { searches: Searches::read(query)?, list: IncursionQuery::read(query)? })
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    web::Caller(caller): web::Caller<ReadInsights>,
    frame: Frame,
    Params(ListQuery { list: query, searches }): Params<ListQuery>,
) -> Result {
    let query = query.resolved(&frame);
    match searches.resolve(&app, &frame).await? {
        Resolution::Nothing => {}
        Resolution::Found(address) => return Ok(response::redirect(&address.to_string(), None)),
        Resolution::Open(open) => return ask_back(&app, &frame, query, (&searches, open)).await,
    }
    if query.csv {
        // From the beginning of the list, whatever page is shown, and all at once: in an order that no index has, each page would read all
        // matching rows again.
        let page = PageRequest { limit: MAX_CSV_ROWS, after: None };
        let found = app.list_incursions(&caller, &query.filter, query.order, &page, false).await?.page;
        let table = table(&app, &frame, &found.rows).await?.incomplete(found.next.is_some());
        return Ok(parts::csv_response("incursions.csv", &table));
    }
    let (page, chips, machines) = future::try_join3(
        app.list_incursions(&caller, &query.filter, query.order, &query.list.page(), true),
        chips(&app, &frame, &query.filter),
        machine_choices(&app, &frame, &query.filter),
    )
    .await?;
    let IncursionList { page: found, total, .. } = page;
    let pager = Pager::of(&frame, found.rows.len(), total, found.next.as_ref());
    let table = table(&app, &frame, &found.rows).await?.paged(pager).with_csv(&frame);
    let filters = FilterForm::new(&frame, &query.filter, machines, &searches, &[]);
    let pickers = query.pickers.load(&app, &frame).await?;
    let export = total.and_then(|total| export_of(&frame, total));
    let (open, table) = (Vec::new(), Some(table));
    response::page(&frame, &ListPage { frame: &frame, pickers, filters, chips, open, table, export })
}

/// Shows the form with the records that are perhaps meant, in place of a list that would not be the one that was asked for.
async fn ask_back(
    app: &App,
    frame: &Frame,
    query: IncursionQuery,
    (searches, open): (&Searches, Vec<OpenSearch>),
) -> Result {
    let (chips, machines) =
        future::try_join(chips(app, frame, &query.filter), machine_choices(app, frame, &query.filter))
            .await?;
    let filters = FilterForm::new(frame, &query.filter, machines, searches, &open);
    let pickers = query.pickers.load(app, frame).await?;
    response::page(frame, &ListPage { frame, pickers, filters, chips, open, table: None, export: None })
}

/// Offers the export of the same incursions, if there are more than a CSV can have.
fn export_of(frame: &Frame, total: i64) -> Option<(String, String)> {
    if total <= i64::from(MAX_CSV_ROWS) {
        return None;
    }
    let total = frame.formats().integer(total);
    // An export is always in the order of the start.
    let filters = kept_pairs(frame).filter(|(name, _)| *name != "sort");
    let to = filters.fold(Address::new("/explore/exports"), |to, (name, value)| to.and(name, value));
    Some((frame.fill(t::EXPORT_HAS_ALL, &[("total", &total)]), format!("{to}#export")))
}

async fn table(app: &App, frame: &Frame, rows: &[IncursionView]) -> Result<Table, Error> {
    let zones = zones(app, frame, rows).await?;
    let sort = frame.address.first("sort").unwrap_or("-started_at").to_owned();
    let columns = vec![
        Column::text(frame.text(t::STARTED)).sorted(frame, "started_at", &sort),
        Column::text(frame.text(t::SITE)),
        Column::text(frame.text(t::MACHINE)),
        Column::text(frame.text(t::PEDESTRIAN)),
        Column::text(frame.text(t::OPERATOR)),
        Column::text(frame.text(t::ZONE)),
        Column::number(frame.text(t::LENGTH)).sorted(frame, "duration_ms", &sort),
        Column::number(frame.text(t::ACKNOWLEDGED)).sorted(frame, "ack_ms", &sort),
        Column::text(frame.text(t::REVIEW)),
    ];
    let rows = rows.iter().map(|view| row(frame, view, &zones)).collect();
    let empty = Empty {
        title: frame.text(t::NO_MATCH).to_owned(),
        reason: frame.text(t::NO_MATCH_REASON).to_owned(),
        action: Some((frame.text(t::ALL_INCURSIONS).to_owned(), "/incursions?period=365d".to_owned())),
    };
    Ok(Table::new(frame.text(t::TITLE), columns, rows, empty))
}

fn row(frame: &Frame, view: &IncursionView, zones: &HashMap<WorksiteId, TimeZone>) -> Row {
    let row = &view.details.stored.row;
    let own = &frame.preferences.time_zone;
    let zone = row.attribution.worksite.and_then(|site| zones.get(&site)).unwrap_or(own);
    let page = with_query(frame, &format!("/incursions/{}", view.details.stored.id));
    let mut cells = IncursionCells::new(frame, view, zone, page).all();
    cells.push(Cell::badge(review_badge(frame, row.review)));
    Row::new(cells).muted(!Review::COUNTED.contains(&row.review))
}

/// Returns the time zones of the sites in a list.
pub async fn zones(
    app: &App,
    frame: &Frame,
    rows: &[IncursionView],
) -> Result<HashMap<WorksiteId, TimeZone>, Error> {
    let sites = rows.iter().filter_map(|view| view.details.stored.row.attribution.worksite);
    let sites: Vec<WorksiteId> = sites.collect::<BTreeSet<_>>().into_iter().collect();
    let found = app.find_worksites_by_id(&frame.caller::<ReadRegistry>()?, &sites).await?;
    let zone = |site: domain::Worksite| Some((site.id, TimeZone::parse(&site.time_zone).ok()?));
    Ok(found.into_iter().filter_map(zone).collect())
}

pub fn review_badge(frame: &Frame, review: Review) -> Badge {
    let (sign, tone) = match review {
        Review::Unreviewed => ("○", Tone::Neutral),
        Review::Confirmed => ("✓", Tone::Good),
        Review::Dismissed => ("–", Tone::Neutral),
        Review::FalseDetection => ("✕", Tone::Neutral),
    };
    Badge { word: values::review(frame.language, review.as_str()).to_owned(), sign, tone }
}

#[cfg(test)]
mod tests {
    use texts::Language;

    use super::*;

    #[test]
    fn what_a_csv_cannot_have_is_offered_as_an_export() {
        let address = "/incursions?period=90d&zone=danger&machine_id=3&sort=-duration_ms&cursor=a&limit=5";
        let frame = crate::frame::sample(Language::English, address);
        assert_eq!(export_of(&frame, 10_000), None);
        let (text, href) = export_of(&frame, 78_138).unwrap();
        assert!(text.contains("78,138"), "{text}");
        assert_eq!(href, "/explore/exports?period=90d&zone=danger&machine_id=3#export");
    }
}
