//! /: the leading indicators, what stands out, and what needs attention today.

mod attention;
mod data;
mod devices;
mod index;
mod order;
mod tables;
mod tiles;

use std::sync::Arc;

use app::insights::QueryResult;
use app::{App, Error};
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::routing::get;
use domain::access::ReadInsights;
use domain::insights::{Interval, Measure};
use domain::{Day, PeriodBound};
use futures_util::future;
use http::HeaderMap;
use texts::Text;
use texts::console::overview as t;
use web::{Caller, EdgeState, Failure, FromParams, Params, Query, Result};

use crate::done::Done;
use crate::frame::Frame;
use crate::parts::{Attention, ChartImage, Details, Empty, Slot, Table, Tile};
use crate::pickers::{PickerRow, Pickers};
use crate::response;
use data::Overview;
use order::TableOrder;

pub const DONE: &[Done] = &[];

/// The height of the hours of the week, in pixels.
const WEEK_HEIGHT: u32 = 300;

pub fn routes() -> Router<EdgeState> {
    Router::new().route("/", get(show))
}

pub struct OverviewParams {
    pickers: Pickers,
    order: TableOrder,
}

impl FromParams for OverviewParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let pickers = Pickers::read(query)?;
        Ok(Self { pickers, order: query.one("sort", TableOrder::parse)?.unwrap_or_default() })
    }
}

#[derive(Template)]
#[template(path = "overview/page.html")]
struct OverviewPage<'a> {
    frame: &'a Frame,
    pickers: PickerRow,
    /// The period, what it is compared with, and the zones of its days.
    period: String,
    fresh: String,
    here: String,
    tiles: Vec<Tile>,
    trend_heading: &'static str,
    /// None if nothing was recorded.
    trend: Option<ChartPanel>,
    /// None if nothing was recorded.
    week: Option<ChartPanel>,
    nothing: Empty,
    attention: Attention,
    sites: Table,
    more_sites: Option<String>,
    machines: Table,
    more_machines: Option<String>,
    reports: Attention,
    devices: Details,
    /// Whether a project or a site is picked, by which devices are not counted.
    is_narrowed: bool,
}

/// A chart with its numbers.
struct ChartPanel {
    image: ChartImage,
    numbers: Table,
}

/// Programs, which do not ask for pages, get the index, whoever they are and whatever the query says.
async fn show(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    caller: Result<Caller<ReadInsights>, Failure>,
    frame: Result<Frame, Failure>,
    params: Result<Params<OverviewParams>, Failure>,
) -> Result {
    if !web::prefers_page(&headers) {
        return Ok(web::json_response(&index::index()));
    }
    let (Caller(caller), frame) = (caller?, frame?);
    let Params(OverviewParams { pickers, order }) = params?;
    let pickers = pickers.resolved(&frame);
    let (filter, compare) = (pickers.filter.clone(), pickers.compare);
    let found = data::load(&app, &frame, &caller, (&filter, compare), order);
    let (pickers, found) = future::try_join(pickers.load(&app, &frame), found).await?;
    response::page(&frame, &page_of(&frame, pickers.with_comparison(), &found, order))
}

fn page_of<'a>(
    frame: &'a Frame,
    pickers: PickerRow,
    found: &Overview,
    order: TableOrder,
) -> OverviewPage<'a> {
    let attention = attention::attention(frame, found);
    let has_facts = !is_empty(found);
    OverviewPage {
        frame,
        is_narrowed: !pickers.filter.projects.is_empty() || !pickers.filter.worksites.is_empty(),
        pickers,
        period: period_line(frame, found),
        fresh: frame.fill(t::FRESH, &[("at", &frame.formats().own(found.totals.result.now))]),
        here: frame.here("cursor", None),
        tiles: tiles::tiles(frame, &found.totals, &found.trends),
        trend_heading: frame.text(trend_heading(found.trends.interval)),
        trend: has_facts.then(|| trend_panel(frame, found, &attention)),
        week: has_facts.then(|| week_panel(frame, found)),
        nothing: nothing(frame),
        attention,
        sites: tables::ranking(frame, &found.sites, tables::Ranked::Sites, order),
        more_sites: more(frame, t::MORE_SITES, found.sites.more),
        machines: tables::ranking(frame, &found.machines, tables::Ranked::Machines, order),
        more_machines: more(frame, t::MORE_MACHINES, found.machines.more),
        reports: attention::reports(frame, &found.reports),
        devices: devices::details(frame, found),
    }
}

/// Builds the trend, which is as high as the list beside it.
fn trend_panel(frame: &Frame, found: &Overview, beside: &Attention) -> ChartPanel {
    let pairs = [("interval", found.trends.interval.as_str())];
    let (height, alt) = (trend_height(beside), frame.text(t::TREND_ALT));
    ChartPanel {
        image: ChartImage::new(frame, "acknowledged-incursions", &pairs, Slot::Wide, height, alt)
            .seen_first(),
        numbers: tables::trend_numbers(frame, &found.trends),
    }
}

fn week_panel(frame: &Frame, found: &Overview) -> ChartPanel {
    let pairs = [("measure", Measure::Incursions.as_str())];
    let alt = frame.text(t::WEEK_ALT);
    ChartPanel {
        image: ChartImage::new(frame, "hours-of-week", &pairs, Slot::Full, WEEK_HEIGHT, alt),
        numbers: tables::week_numbers(frame, &found.week),
    }
}

/// Whether the period has neither incursions nor runtime, so that charts would be blank.
fn is_empty(found: &Overview) -> bool {
    let figures = &found.totals.figures;
    let is_zero = |measure| figures.of(measure).numerator.unwrap_or(0) == 0;
    is_zero(Measure::Incursions) && is_zero(Measure::RuntimeHours)
}

fn nothing(frame: &Frame) -> Empty {
    let action = match frame.may::<domain::access::ManageDevices>() {
        true => (frame.text(t::ADD_DEVICES).to_owned(), "/settings/base-stations".to_owned()),
        false => (frame.text(t::LONGER_PERIOD).to_owned(), frame.here("period", Some("365d"))),
    };
    Empty {
        title: frame.text(t::NOTHING).to_owned(),
        reason: frame.text(t::NOTHING_REASON).to_owned(),
        action: Some(action),
    }
}

fn more(frame: &Frame, text: texts::Counted, more: u64) -> Option<String> {
    let more = i64::try_from(more).unwrap_or(i64::MAX);
    (more > 0).then(|| frame.count(text, more))
}

/// Returns the height of the trend in pixels, so that it and the line beneath it fill their panel beside this list.
fn trend_height(beside: &Attention) -> u32 {
    const ENTRY: usize = 40;
    const LINE: usize = 19;
    const CHARACTERS_OF_LINE: usize = 40;
    const BENEATH: usize = 40;
    let lines = |text: &str| 1 + text.chars().count() / CHARACTERS_OF_LINE;
    let list: usize = beside.items.iter().map(|item| ENTRY + LINE * lines(&item.text)).sum();
    u32::try_from(list.saturating_sub(BENEATH).clamp(300, 640)).unwrap_or(300)
}

const fn trend_heading(interval: Interval) -> Text {
    match interval {
        Interval::Hour => t::BY_HOUR,
        Interval::Day => t::BY_DAY,
        Interval::Week => t::BY_WEEK,
        Interval::Month => t::BY_MONTH,
    }
}

/// Writes the period with its zones, and the one it is compared with.
fn period_line(frame: &Frame, found: &Overview) -> String {
    let period = frame.formats().period(&found.totals.result);
    let Some((earlier, _)) = &found.totals.previous else { return period };
    let (from, to) = bounds(frame, earlier);
    let days = [("period", period.as_str()), ("from", from.as_str()), ("to", to.as_str())];
    frame.fill(t::COMPARED, &days)
}

/// Writes the first and the last day of a period.
fn bounds(frame: &Frame, result: &QueryResult) -> (String, String) {
    let zone = &frame.preferences.time_zone;
    let day = |bound: PeriodBound, back: i64| match bound {
        PeriodBound::Day(day) => Day::from_number(day.number() - back),
        PeriodBound::Instant(at) => Day::from_number(zone.local(at).day),
    };
    let formats = frame.formats();
    (formats.day(day(result.from, 0)), formats.day(day(result.to, 1)))
}
