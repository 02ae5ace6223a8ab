//! GET /explore: the pivot with its form, its saved views and its export.

use std::sync::Arc;

use app::insights::{Pivot, PivotRequest};
use app::{App, Caller, Error, ErrorKind, ViewQuery};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::ReadInsights;
use domain::{SavedView, SavedViewFilter, SavedViewKind, Sorting, Window, WindowPosition};
use futures_util::future;
use http::StatusCode;
use texts::console::explore as t;
use texts::values;
use web::{Params, Result};

use super::editor::Editor;
use super::links::PivotLinks;
use super::query::{ExploreQuery, table_pairs, with_query};
use super::table::{PivotTable, TableBuilder};
use super::view_forms::{self, ViewPanel};
use super::{export_form, view_address};
use crate::address::Address;
use crate::form::FormView;
use crate::frame::Frame;
use crate::incursions::{self, Chip};
use crate::parts::{self, Empty, FormPart};
use crate::pickers::PickerRow;
use crate::response;

/// The number of saved views that are listed beside the table.
const MAX_VIEWS: u16 = 12;

#[derive(Template)]
#[template(path = "explore/page.html")]
struct ExplorePage<'a> {
    frame: &'a Frame,
    pickers: PickerRow,
    period: Option<String>,
    editor: Editor,
    chips: Vec<Chip>,
    notices: Vec<String>,
    table: Option<PivotTable>,
    empty: Option<Empty>,
    csv: String,
    new_table: String,
    view: Option<ViewPanel>,
    /// The names and addresses of saved views.
    views: Vec<(String, String)>,
    save: FormPart,
    export: FormPart,
}

/// A form of the page that was refused.
pub enum Refused {
    Save(FormView),
    Change(FormView),
    Export(FormView),
}

impl Refused {
    fn status(&self) -> StatusCode {
        match self {
            Self::Save(view) | Self::Change(view) | Self::Export(view) => view.status,
        }
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    web::Caller(caller): web::Caller<ReadInsights>,
    frame: Frame,
    Params(query): Params<ExploreQuery>,
) -> Result {
    if !query.is_given && query.view.is_none() && !query.csv {
        // The reader's own start, if they have chosen one.
        if let Some(view) = app.find_default_view(&caller).await?
            && view.kind == SavedViewKind::Pivot
        {
            return Ok(response::redirect(&view_address::address(&frame, &view)?, None));
        }
    }
    render(&app, &frame, &caller, query, None).await
}

/// Shows the page; after a form was refused, with its faults.
pub async fn render(
    app: &App,
    frame: &Frame,
    caller: &Caller<ReadInsights>,
    query: ExploreQuery,
    refused: Option<Refused>,
) -> Result {
    // Links lead back to the table, also from the address of a form, and describe it, also if it is the usual one.
    let mut frame = frame.clone();
    frame.address = Address::new(&with_query(&frame, "/explore"));
    if !query.is_given {
        let address = frame.address.without("sort").without("limit").without("totals");
        let table = table_pairs(&query.request);
        frame.address = table.iter().fold(address, |address, (name, value)| address.and(name, value));
    }
    let frame = &frame;
    let query = query.resolved(frame);
    if query.csv
        && let Some(response) = whole_as_csv(app, frame, caller, &query).await?
    {
        return Ok(response);
    }
    let pivot = find_pivot(app, caller, &query).await?;
    let (missing, chips, views, view) = future::try_join4(
        app.find_missing_references(caller, &query.filter),
        incursions::chips(app, frame, &query.filter),
        list_views(app, caller),
        find_view(app, caller, &query),
    )
    .await?;
    let mut notices = Vec::new();
    if query.csv && pivot.is_some() {
        notices.push(frame.text(t::CSV_TOO_LARGE).to_owned());
    }
    if !missing.is_empty() {
        let record = |field: &str| values::dimension(frame.language, field.trim_end_matches("_id"));
        let records = missing.iter().map(|one| format!("{} {}", record(one.field), one.id));
        let records = records.collect::<Vec<_>>().join(", ");
        notices.push(frame.fill(t::MISSING, &[("records", &records)]));
    }
    let (table, empty) = match &pivot {
        None => {
            notices.push(frame.text(t::TOO_WIDE).to_owned());
            (None, None)
        }
        Some(pivot) => {
            let builder = builder(frame, &query, pivot);
            if builder.is_empty() { (None, Some(nothing(frame))) } else { (Some(builder.build()), None) }
        }
    };
    let status = match (&refused, &pivot) {
        (Some(refused), _) => refused.status(),
        (None, Some(_)) if !query.csv => StatusCode::OK,
        (None, _) => StatusCode::UNPROCESSABLE_ENTITY,
    };
    let fresh = || FormView::new(Vec::new());
    let (mut save, mut change, mut export) = (fresh(), None, FormView::new(export_form::usual(true)));
    match refused {
        Some(Refused::Save(view)) => save = view,
        Some(Refused::Change(view)) => change = Some(view),
        Some(Refused::Export(view)) => export = view,
        None => {}
    }
    let view = view.map(|view| view_forms::panel(frame, &query, &view, change)).transpose()?;
    let page = ExplorePage {
        period: pivot.as_ref().map(|pivot| frame.formats().period(&pivot.result)),
        editor: Editor::new(frame, &query.request, &query.filter),
        chips,
        notices,
        table,
        empty,
        csv: frame.here("format", Some("csv")),
        new_table: frame.link_with("/explore", &[("row1", "worksite"), ("measure", "incursions")]),
        view,
        views: views.iter().map(|view| (view.name.clone(), frame.link(&view_address::path(view)))).collect(),
        save: view_forms::save_form(frame, &save),
        export: export_form::form(frame, &export, true),
        pickers: query.pickers.clone().load(app, frame).await?,
        frame,
    };
    response::page_with(status, frame, &page)
}

/// Returns the table; none if it would be too large.
async fn find_pivot(
    app: &App,
    caller: &Caller<ReadInsights>,
    query: &ExploreQuery,
) -> Result<Option<Pivot>, Error> {
    match app.insight_pivot(caller, &query.filter, &query.request).await {
        Ok(pivot) => Ok(Some(pivot)),
        Err(error) if is_too_large(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether a table was refused for its size. Anything else that is wrong with it is said by the page of the error.
fn is_too_large(error: &Error) -> bool {
    error.kind == ErrorKind::Invalid && matches!(error.code, "too_many_cells" | "too_many_groups")
}

/// Returns all rows as CSV, however many the table shows under each heading; none if they are too many.
async fn whole_as_csv(
    app: &App,
    frame: &Frame,
    caller: &Caller<ReadInsights>,
    query: &ExploreQuery,
) -> Result<Option<Response>, Error> {
    let mut whole = query.clone();
    whole.request.limit = PivotRequest::MAX_LIMIT;
    let pivot = find_pivot(app, caller, &whole).await?;
    let has_all = |pivot: &Pivot| pivot.totals.more == 0 && pivot.rows.iter().all(|row| row.more == 0);
    let pivot = pivot.filter(has_all);
    Ok(pivot.map(|pivot| parts::csv_response("pivot.csv", &builder(frame, &whole, &pivot).plain())))
}

fn builder<'a>(frame: &'a Frame, query: &'a ExploreQuery, pivot: &'a Pivot) -> TableBuilder<'a> {
    let zone = pivot.result.time_zones.first().unwrap_or(&frame.preferences.time_zone).clone();
    let links = PivotLinks::new(frame, &query.request, &query.filter, (pivot.result.from, zone));
    TableBuilder { frame, request: &query.request, pivot, links }
}

fn nothing(frame: &Frame) -> Empty {
    Empty {
        title: frame.text(t::NOTHING).to_owned(),
        reason: frame.text(t::NOTHING_REASON).to_owned(),
        action: Some((frame.text(t::LONGER_PERIOD).to_owned(), longer_period(frame))),
    }
}

fn longer_period(frame: &Frame) -> String {
    frame.address.clone().without("from").without("to").with("period", "365d").to_string()
}

async fn list_views(app: &App, caller: &Caller<ReadInsights>) -> Result<Vec<SavedView>, Error> {
    let filter = SavedViewFilter { kinds: vec![SavedViewKind::Pivot], ..SavedViewFilter::default() };
    let window = Window { size: MAX_VIEWS, position: WindowPosition::Start };
    Ok(app.list_saved_views(caller, &filter, Sorting::default(), &window, false).await?.rows)
}

/// Returns the view that the table began with; none if it is gone, because the address still describes the table.
async fn find_view(
    app: &App,
    caller: &Caller<ReadInsights>,
    query: &ExploreQuery,
) -> Result<Option<(SavedView, ViewQuery)>, Error> {
    let Some(id) = query.view else { return Ok(None) };
    match app.find_saved_view(caller, id).await {
        Ok(view) => {
            let saved = web::parse_stored_view(&view)?;
            Ok(Some((view, saved)))
        }
        Err(error) if error.kind == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use domain::Invalid;

    use super::*;

    #[test]
    fn only_what_is_too_large_is_said_to_be() {
        let refused = |code| Error::for_field(ErrorKind::Invalid, "rows", Invalid::new(code, "is wrong"));
        assert!(is_too_large(&refused("too_many_cells")) && is_too_large(&refused("too_many_groups")));
        assert!(!is_too_large(&refused("repeated_dimension")) && !is_too_large(&refused("too_many_points")));
    }
}
