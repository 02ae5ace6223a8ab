//! The machines with their activity and their figures.

use std::sync::Arc;

use app::App;
use askama::Template;
use axum::extract::State;
use domain::EntityType;
use domain::access::ReadInsights;
use texts::console::machines as t;
use web::{Caller, Params, Result};

use crate::entities::list::{EntityListParams, FilterOption, add_link};
use crate::frame::Frame;
use crate::parts::{self, Empty, Table};
use crate::pickers::PickerRow;
use crate::response;

#[derive(Template)]
#[template(path = "machines/list.html")]
struct ListPage<'a> {
    frame: &'a Frame,
    pickers: PickerRow,
    /// The parameters of the pickers, which the form keeps.
    kept: Vec<(String, String)>,
    q: String,
    activities: Vec<FilterOption>,
    table: Table,
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(_): Caller<ReadInsights>,
    frame: Frame,
    Params(params): Params<EntityListParams>,
) -> Result {
    let csv = params.csv;
    let (pickers, query) = params.split(EntityType::Machine);
    let pickers = pickers.load(&app, &frame).await?;
    let none = Empty {
        title: frame.text(t::NO_MACHINES).to_owned(),
        reason: frame.text(t::NO_MACHINES_REASON).to_owned(),
        action: add_link(&frame, t::ADD_MACHINES, "/settings/machines"),
    };
    let table = query.table(&app, &frame, &pickers.filter, (frame.text(t::TITLE), none)).await?;
    if csv {
        return Ok(parts::csv_response("machines.csv", &table));
    }
    let page = ListPage {
        frame: &frame,
        pickers,
        kept: frame.pickers.0.clone(),
        q: query.q.clone().unwrap_or_default(),
        activities: query.activities(&frame),
        table,
    };
    response::page(&frame, &page)
}
