//! /explore/exports: the reader's exports with their progress; ordering, downloading and deleting one.

use std::sync::Arc;

use app::{App, Caller, Error};
use askama::Template;
use axum::body::Body;
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::IncursionFilter;
use domain::{ExportId, ExportState, encode_hex};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use texts::console::explore as t;
use web::{
    Disposition, FactFilters, FromParams, ListParams, NoParams, Params, PathId, Query, RangeOutcome,
    Representation, Result, evaluate_range_request,
};

use super::export_words::{delete_action, details, path_of, row, state_text};
use super::page::{self, Refused};
use super::query::{ExploreQuery, with_query};
use super::{EXPORT_DELETED, EXPORT_ORDERED, export_form};
use crate::address::Address;
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::{Action, Column, Details, Empty, FormPart, Pager, Progress, Table};
use crate::pickers::{PickerRow, Pickers};
use crate::response;

/// After how many seconds a page that waits is opened again where no script renews it.
const REFRESH_S: HeaderValue = HeaderValue::from_static("5");

/// The parameters of the list: the pickers, and a page. The filters are those of a new export, which the form sends on.
pub struct ExportsParams {
    pickers: Pickers,
    list: ListParams,
}

impl FromParams for ExportsParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let pickers = Pickers::read(query)?;
        IncursionFilter::read(query)?;
        Ok(Self { pickers, list: ListParams::read(query)? })
    }
}

#[derive(Template)]
#[template(path = "explore/exports.html")]
struct ExportsPage<'a> {
    frame: &'a Frame,
    pickers: PickerRow,
    form: FormPart,
    /// The list whose filters a new export has.
    of_list: Option<String>,
    table: Table,
}

pub async fn list(
    State(app): State<Arc<App>>,
    web::Caller(caller): web::Caller<ReadInsights>,
    frame: Frame,
    Params(params): Params<ExportsParams>,
) -> Result {
    let view = FormView::new(export_form::usual(false));
    render_list(&app, &frame, &caller, params, &view).await
}

async fn render_list(
    app: &App,
    frame: &Frame,
    caller: &Caller<ReadInsights>,
    params: ExportsParams,
    view: &FormView,
) -> Result {
    let (found, total) = app.list_exports(caller, &params.list.page(), true).await?;
    let columns = vec![
        Column::text(frame.text(t::FILE)),
        Column::text(frame.text(t::CONTENT)),
        Column::text(frame.text(t::PERIOD)),
        Column::text(frame.text(t::STATE)),
        Column::number(frame.text(t::SIZE)),
        Column::text(frame.text(t::ORDERED)),
        Column::text(frame.text(t::ACTIONS)),
    ];
    let rows = found.rows.iter().map(|export| row(frame, export)).collect();
    let empty = Empty {
        title: frame.text(t::NO_EXPORTS).to_owned(),
        reason: frame.text(t::NO_EXPORTS_REASON).to_owned(),
        action: None,
    };
    let pager = Pager::of(frame, found.rows.len(), total, found.next.as_ref());
    let table = Table::new(frame.text(t::EXPORTS), columns, rows, empty).paged(pager);
    let form = export_form::form(frame, view, false);
    let pickers = params.pickers.load(app, frame).await?;
    let of_list = is_filtered(frame).then(|| with_query(frame, "/incursions"));
    response::page_with(view.status, frame, &ExportsPage { frame, pickers, form, of_list, table })
}

/// Whether the address has filters besides the pickers.
fn is_filtered(frame: &Frame) -> bool {
    let is_picker = |name: &str| frame.pickers.0.iter().any(|(picker, _)| picker == name);
    let mut names = frame.address.pairs().iter().map(|(name, _)| name.as_str());
    names.any(|name| FactFilters::NAMES.contains(&name) && !is_picker(name))
}

/// Orders an export of the table, or of the incursions behind it.
pub async fn order(
    State(app): State<Arc<App>>,
    web::Caller(caller): web::Caller<ReadInsights>,
    frame: Frame,
    Params(query): Params<ExploreQuery>,
    form: Form,
) -> Result {
    let resolved = query.clone().resolved(&frame);
    let ordered = match form.read(export_form::KINDS, |fields| export_form::read(fields, &resolved)) {
        Ok(request) => {
            let once = response::made(form.once(&frame), path_of);
            app.request_export(&caller, request, once).await
        }
        Err(error) => Err(error),
    };
    match ordered {
        Ok(stored) => {
            let to = frame.link(&response::stored_location(stored));
            Ok(response::redirect(&to, Some((&EXPORT_ORDERED, None))))
        }
        Err(error) => {
            let view = form.view(&frame, error)?;
            if query.is_given {
                return page::render(&app, &frame, &caller, query, Some(Refused::Export(view))).await;
            }
            let mut shown = frame.clone();
            shown.address = Address::new(&with_query(&frame, "/explore/exports"));
            let list = ListParams { limit: 50, cursor: None, include_total: true };
            render_list(&app, &shown, &caller, ExportsParams { pickers: query.pickers, list }, &view).await
        }
    }
}

#[derive(Template)]
#[template(path = "explore/export.html")]
struct ExportPage<'a> {
    frame: &'a Frame,
    file_name: &'a str,
    progress: Option<Progress>,
    download: Option<String>,
    details: Details,
    delete: Option<Action>,
}

/// One export. The page waits until it is finished.
pub async fn show(
    State(app): State<Arc<App>>,
    web::Caller(caller): web::Caller<ReadInsights>,
    frame: Frame,
    PathId(id): PathId,
) -> Result {
    let export = app.find_export(&caller, ExportId(id)).await?;
    let is_waiting = matches!(export.state, ExportState::Queued | ExportState::Running);
    let progress = is_waiting.then(|| Progress {
        percent: match export.state {
            ExportState::Running => u8::try_from(export.percent()).ok(),
            _ => None,
        },
        text: state_text(&frame, &export),
        cancel: None,
        live: String::new(),
    });
    let page = ExportPage {
        frame: &frame,
        file_name: &export.file_name,
        progress,
        download: (export.state == ExportState::Done).then(|| format!("{}/file", path_of(&export))),
        details: details(&frame, &export),
        delete: delete_action(&frame, &export),
    };
    let mut answer = response::page_with(StatusCode::OK, &frame, &page)?;
    if is_waiting {
        answer.headers_mut().insert(header::REFRESH, REFRESH_S);
    }
    Ok(answer)
}

pub async fn delete(
    State(app): State<Arc<App>>,
    web::Caller(caller): web::Caller<ReadInsights>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    form.read(&[], |_| Some(()))?;
    app.delete_export(&caller, ExportId(id)).await?;
    Ok(response::redirect(&frame.link("/explore/exports"), Some((&EXPORT_DELETED, None))))
}

/// The file of an export. Interrupted downloads go on by ranges.
pub async fn file(
    State(app): State<Arc<App>>,
    web::Caller(caller): web::Caller<ReadInsights>,
    PathId(id): PathId,
    _: NoParams,
    method: Method,
    headers: HeaderMap,
) -> Result {
    let export = app.open_export(&caller, ExportId(id)).await?;
    let stored = Representation {
        size_bytes: export.content.size_bytes.unsigned_abs(),
        media_type: export.format.content_type(),
        etag: encode_hex(&export.content.sha256),
        file_name: export.file_name.clone(),
        disposition: Disposition::Attachment,
    };
    match evaluate_range_request(&method, &headers, &stored)? {
        RangeOutcome::WithoutBody(answer) => Ok(answer),
        RangeOutcome::WithBody(range, answer) => {
            let bytes = app.read_export(&export, range).await?;
            Ok(answer.map(|_| Body::from_stream(bytes)))
        }
    }
}
