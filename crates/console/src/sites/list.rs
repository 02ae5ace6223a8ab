//! GET /sites: the worksites as a list and on maps.

use std::sync::Arc;

use app::{App, Error};
use askama::Template;
use axum::extract::State;
use domain::access::{ReadRegistry, WriteRegistry};
use domain::{
    Direction, ListOrder, ListRequest, PageRequest, SortKey, Sorting, Worksite, WorksiteFilter, WorksiteKind,
};
use texts::console::sites as t;
use web::{Caller, FromParams, ListParams, Params, Query, Result, SortOrders};

use super::{area_of, kind_of, zone_of};
use crate::frame::Frame;
use crate::parts::{
    Cell, ChartImage, Choice, Column, Empty, MAX_CSV_ROWS, Pager, Plain, Row, Slot, Table, csv_response,
    read_csv_format,
};
use crate::pickers::{PickerRow, Pickers};
use crate::response;

/// The maximum number of boundaries on the map of the list, each of which a browser asks for.
const MAX_MAPPED: usize = 30;

pub struct SitesParams {
    pickers: Pickers,
    filter: WorksiteFilter,
    order: ListOrder,
    list: ListParams,
    csv: bool,
}

impl FromParams for SitesParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let pickers = Pickers::read(query)?;
        let order = SortOrders::BY_NAME.read(query, &["q", "kind", "archived"])?;
        let filter = WorksiteFilter {
            archived: query.flag("archived")?,
            kinds: query.one("kind", WorksiteKind::parse)?.into_iter().collect(),
            projects: pickers.filter.projects.clone(),
            q: query.search("q")?,
            ..WorksiteFilter::default()
        };
        let csv = read_csv_format(query)?;
        Ok(Self { pickers, filter, order, list: ListParams::read(query)?, csv })
    }
}

#[derive(Template)]
#[template(path = "sites/list.html")]
struct ListPage<'a> {
    frame: &'a Frame,
    pickers: PickerRow,
    /// The parameters of the pickers and the order, which the form keeps.
    kept: Vec<(String, String)>,
    q: String,
    kinds: Vec<KindChoice>,
    archived: bool,
    can_edit: bool,
    table: Table,
    /// The map of incursions at the sites with the most of them.
    chart: ChartImage,
    /// The ids of the listed sites with a boundary, for the map with script.
    mapped: String,
    has_maps: bool,
}

struct KindChoice {
    choice: Choice,
    is_chosen: bool,
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    frame: Frame,
    Params(params): Params<SitesParams>,
) -> Result {
    let SitesParams { pickers, filter, order, list, csv } = params;
    let page = match csv {
        true => PageRequest { limit: MAX_CSV_ROWS, after: None },
        false => list.page(),
    };
    let request = ListRequest::of_page(order, &page, true);
    let found = app.list_worksites(&caller, filter.clone(), None, &request).await?;
    let pager = Pager::of(&frame, found.rows.len(), found.total, found.next.as_ref());
    let table = table(&frame, &found.rows, &filter, order).paged(pager).with_csv(&frame);
    if csv {
        return Ok(csv_response("sites.csv", &table));
    }
    let mapped: Vec<String> = found
        .rows
        .iter()
        .filter(|site| site.area_m2.is_some())
        .take(MAX_MAPPED)
        .map(|site| site.id.to_string())
        .collect();
    let kind_choice = |kind: WorksiteKind| KindChoice {
        choice: Choice::new(kind.as_str(), texts::values::worksite_kind(frame.language, kind.as_str())),
        is_chosen: filter.kinds.contains(&kind),
    };
    let order = frame.address.first("sort").map(|order| ("sort".to_owned(), order.to_owned()));
    let page = ListPage {
        pickers: pickers.load(&app, &frame).await?,
        kept: frame.pickers.0.iter().cloned().chain(order).collect(),
        q: filter.q.clone().unwrap_or_default(),
        kinds: WorksiteKind::ALL.into_iter().map(kind_choice).collect(),
        archived: filter.archived,
        can_edit: frame.may::<WriteRegistry>(),
        table,
        chart: ChartImage::new(&frame, "heatmap", &[], Slot::Full, 420, frame.text(t::WHERE_ALT)),
        mapped: mapped.join(","),
        has_maps: crate::map_libraries::EMBEDDED,
        frame: &frame,
    };
    response::page(&frame, &page)
}

fn table(frame: &Frame, sites: &[Worksite], filter: &WorksiteFilter, order: ListOrder) -> Table {
    let is_by = |key, direction| order == ListOrder::Sorted(Sorting::by(key, direction));
    let current = if is_by(SortKey::Name, Direction::Descending) {
        "-name"
    } else if is_by(SortKey::CreatedAt, Direction::Ascending) {
        "created_at"
    } else if is_by(SortKey::CreatedAt, Direction::Descending) {
        "-created_at"
    } else {
        "name"
    };
    let columns = vec![
        Column::text(frame.text(t::NAME)).sorted(frame, "name", current),
        Column::text(frame.text(t::KIND)),
        Column::number(frame.text(t::AREA)),
        Column::text(frame.text(t::TIME_ZONE)),
        Column::text(frame.text(t::CONTACT)),
        Column::text(frame.text(t::ADDED_AT)).sorted(frame, "created_at", current),
    ];
    let row = |site: &Worksite| {
        let cells = vec![
            Cell::head(site.name.clone(), frame.link(&format!("/sites/{}", site.id))),
            Cell::text(kind_of(frame, site)),
            Cell::text(area_of(frame, site.area_m2)).plain(match site.area_m2 {
                Some(area) => Plain { unit: Some("m²"), ..Plain::whole(area) },
                None => Plain::nothing(),
            }),
            Cell::text(site.time_zone.clone()),
            Cell::text(site.technical_contact.clone().unwrap_or_default()),
            Cell::text(frame.formats().minute(site.created_at, &zone_of(site)))
                .plain(Plain::time(site.created_at)),
        ];
        Row::new(cells).muted(site.archived_at.is_some())
    };
    Table::new(frame.text(t::TITLE), columns, sites.iter().map(row).collect(), empty(frame, filter))
}

fn empty(frame: &Frame, filter: &WorksiteFilter) -> Empty {
    let is_filtered =
        filter.archived || filter.q.is_some() || !filter.kinds.is_empty() || !filter.projects.is_empty();
    let action = match is_filtered {
        true => Some((frame.text(t::SHOW_ALL).to_owned(), "/sites".to_owned())),
        false if frame.may::<WriteRegistry>() => {
            Some((frame.text(t::NEW).to_owned(), "/sites/new".to_owned()))
        }
        false => None,
    };
    let (title, reason) =
        if is_filtered { (t::NO_MATCH, t::NO_MATCH_REASON) } else { (t::EMPTY, t::EMPTY_REASON) };
    Empty { title: frame.text(title).to_owned(), reason: frame.text(reason).to_owned(), action }
}
