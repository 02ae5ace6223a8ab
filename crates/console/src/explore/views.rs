//! /explore/views: the list of saved views; opening, saving, changing and deleting one.

use std::sync::Arc;

use app::{App, Error, NewView, ViewChange};
use askama::Template;
use axum::extract::State;
use domain::access::{ManageBrand, ReadInsights};
use domain::{
    Change, Direction, Invalid, Name, SavedView, SavedViewFilter, SavedViewId, SavedViewKind, SortKey,
    Sorting, Window, WindowPosition,
};
use serde_json::Value;
use texts::console::explore as t;
use web::{BodyField, Caller, Fields, FromParams, ListParams, Params, PathId, Query, Result};

use super::page::{self, Refused};
use super::query::ExploreQuery;
use super::{VIEW_CHANGED, VIEW_DELETED, VIEW_SAVED, view_address, view_forms};
use crate::form::{Form, Kind};
use crate::frame::Frame;
use crate::parts::{
    self, Badge, Cell, Column, Empty, MAX_CSV_ROWS, Pager, Plain, Row, Table, Tone, read_csv_format,
};
use crate::pickers::Pickers;
use crate::response;

const KINDS: &[(&str, Kind)] = &[("name", Kind::Text), ("shared", Kind::Flag)];
const CHANGED_KINDS: &[(&str, Kind)] =
    &[("name", Kind::Text), ("shared", Kind::Flag), ("replace", Kind::Flag)];
/// The orders of the list.
const ORDERS: [(&str, SortKey); 2] = [("name", SortKey::Name), ("updated_at", SortKey::UpdatedAt)];

pub struct ViewsParams {
    sort: String,
    sorting: Sorting,
    list: ListParams,
    csv: bool,
}

impl FromParams for ViewsParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        // The pickers of other pages stay in the address. They mean nothing here.
        Pickers::read(query)?;
        let sort = query.one("sort", |text| {
            let word = text.strip_prefix('-').unwrap_or(text);
            match ORDERS.iter().find(|(name, _)| *name == word) {
                Some((_, key)) => Ok((text.to_owned(), *key, text.starts_with('-'))),
                None => Err(Invalid::new("invalid_sort", "must be one of name, updated_at")),
            }
        })?;
        let (sort, key, is_descending) = sort.unwrap_or(("name".to_owned(), SortKey::Name, false));
        let direction = if is_descending { Direction::Descending } else { Direction::Ascending };
        let csv = read_csv_format(query)?;
        let sorting = Sorting::by(key, direction);
        Ok(Self { sort, sorting, list: ListParams::read(query)?, csv })
    }
}

#[derive(Template)]
#[template(path = "explore/views.html")]
struct ViewsPage<'a> {
    frame: &'a Frame,
    table: Table,
}

pub async fn list(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    frame: Frame,
    Params(params): Params<ViewsParams>,
) -> Result {
    let page = params.list.page();
    let window = match params.csv {
        true => Window { size: MAX_CSV_ROWS, position: WindowPosition::Start },
        false => Window {
            size: page.limit,
            position: page.after.map_or(WindowPosition::Start, WindowPosition::After),
        },
    };
    let filter = SavedViewFilter::default();
    let found = app.list_saved_views(&caller, &filter, params.sorting, &window, true).await?;
    let columns = vec![
        Column::text(frame.text(t::VIEW_NAME)).sorted(&frame, "name", &params.sort),
        Column::text(frame.text(t::KIND)),
        Column::text(frame.text(t::OWNER)),
        Column::text(frame.text(t::SEEN_BY)),
        Column::text(frame.text(t::UPDATED)).sorted(&frame, "updated_at", &params.sort),
        Column::text(frame.text(t::ACTIONS)),
    ];
    let rows = found.rows.iter().map(|view| row(&frame, view)).collect();
    let build = (frame.text(t::BUILD_TABLE).to_owned(), frame.link("/explore"));
    let empty = Empty {
        title: frame.text(t::NO_VIEWS).to_owned(),
        reason: frame.text(t::NO_VIEWS_REASON).to_owned(),
        action: Some(build),
    };
    let pager = Pager::of(&frame, found.rows.len(), found.total, found.next.as_ref());
    let table = Table::new(frame.text(t::VIEWS), columns, rows, empty).paged(pager).with_csv(&frame);
    if params.csv {
        return Ok(parts::csv_response("views.csv", &table));
    }
    response::page(&frame, &ViewsPage { frame: &frame, table })
}

fn row(frame: &Frame, view: &SavedView) -> Row {
    let is_owner = frame.identity().is_some_and(|identity| identity.user == view.owner);
    let kind = match view.kind {
        SavedViewKind::Pivot => t::KIND_PIVOT,
        SavedViewKind::Filter => t::KIND_FILTER,
    };
    let (word, sign) = if view.shared { (t::SHARED, "●") } else { (t::PRIVATE, "○") };
    let can_delete = is_owner || frame.may::<ManageBrand>();
    Row::new(vec![
        Cell::head(view.name.as_str(), frame.link(&view_address::path(view))),
        Cell::text(frame.text(kind)),
        Cell::text(frame.text(if is_owner { t::YOURS } else { t::SOMEBODYS })),
        Cell::badge(Badge { word: frame.text(word).to_owned(), sign, tone: Tone::Neutral }),
        Cell::text(frame.formats().own(view.updated_at)).plain(Plain::time(view.updated_at)),
        if can_delete { Cell::action(view_forms::delete_action(frame, view)) } else { Cell::text("") },
    ])
}

/// Opens a view: its table, or the incursions that it selects.
pub async fn open(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    frame: Frame,
    PathId(id): PathId,
) -> Result {
    let view = app.find_saved_view(&caller, SavedViewId(id)).await?;
    Ok(response::redirect(&view_address::address(&frame, &view)?, None))
}

fn read_new(fields: &mut Fields, definition: Value) -> Option<NewView> {
    let name = fields.required("name", Name::from_json);
    let shared = fields.required("shared", bool::from_json);
    let definition = web::read_view_definition(fields, SavedViewKind::Pivot, definition);
    Some(NewView { name: name?, definition: definition?, shared: shared? })
}

pub async fn create(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    frame: Frame,
    Params(query): Params<ExploreQuery>,
    form: Form,
) -> Result {
    let definition = query.clone().resolved(&frame).definition(&frame);
    let saved = match form.read(KINDS, |fields| read_new(fields, definition)) {
        Ok(new) => {
            let once = response::made(form.once(&frame), view_address::path);
            app.create_saved_view(&caller, new, once).await
        }
        Err(error) => Err(error),
    };
    match saved {
        Ok(stored) => {
            let to = frame.link(&response::stored_location(stored));
            Ok(response::redirect(&to, Some((&VIEW_SAVED, None))))
        }
        Err(error) => {
            let view = form.view(&frame, error)?;
            page::render(&app, &frame, &caller, query, Some(Refused::Save(view))).await
        }
    }
}

/// Reads a change; the definition takes the place of that of the view if the form says so.
fn read_change(fields: &mut Fields, kind: SavedViewKind, definition: Value) -> Option<ViewChange> {
    let name = fields.change("name", Name::from_json);
    let shared = fields.change("shared", bool::from_json);
    let replaces = fields.required("replace", bool::from_json);
    let definition = match replaces? {
        true => Change::Set(web::read_view_definition(fields, kind, definition)?),
        false => Change::Keep,
    };
    Some(ViewChange { name: name?, definition, shared: shared? })
}

pub async fn change(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    frame: Frame,
    PathId(id): PathId,
    Params(query): Params<ExploreQuery>,
    form: Form,
) -> Result {
    let before = app.check_saved_view_owner(&caller, SavedViewId(id)).await?;
    let definition = query.clone().resolved(&frame).definition(&frame);
    let changed = match form.read(CHANGED_KINDS, |fields| read_change(fields, before.kind, definition)) {
        Ok(change) => app.change_saved_view(&caller, before.id, &form.if_match(), change).await,
        Err(error) => Err(error),
    };
    match changed {
        Ok(view) => {
            Ok(response::redirect(&view_address::address(&frame, &view)?, Some((&VIEW_CHANGED, None))))
        }
        Err(error) => {
            let view = form.view(&frame, error)?;
            let query = ExploreQuery { view: Some(before.id), ..query };
            page::render(&app, &frame, &caller, query, Some(Refused::Change(view))).await
        }
    }
}

pub async fn delete(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    form.read(&[], |_| Some(()))?;
    app.delete_saved_view(&caller, SavedViewId(id), &form.if_match()).await?;
    Ok(response::redirect(&frame.link("/explore/views"), Some((&VIEW_DELETED, None))))
}
