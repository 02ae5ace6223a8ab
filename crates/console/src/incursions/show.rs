//! One incursion: what happened, where, its video, and what the office says about it.

use std::sync::Arc;

use app::{App, IncursionRecord};
use askama::Template;
use axum::extract::State;
use domain::access::{ReadInsights, ReadRegistry, ReviewIncursions, WriteRegistry};
use domain::{ClipFilter, IncursionId, PageRequest, PersonName, Review, Span, TimeZone};
use futures_util::future;
use texts::console::incursions as t;
use texts::values;
use web::{Caller, Params, PathId, Result};

use super::cells::zone_badge;
use super::list::review_badge;
use super::neighbours;
use super::query::{IncursionQuery, with_query};
use crate::address::Address;
use crate::entities::parts::actor_name;
use crate::form::FormView;
use crate::formats::seconds_between;
use crate::frame::Frame;
use crate::machines::clips::{ClipPanel, clip_panel};
use crate::machines::zone_of_site;
use crate::parts::{Action, Cell, Column, Details, Empty, Field, Input, Row, Table};
use crate::response;

/// The height of the map in pixels.
const MAP_HEIGHT: u32 = 360;
/// Minimum widths of the window, and the width of half a panel there, in pixels.
const MAP_WIDTHS: [(u32, u32); 6] =
    [(1_900, 795), (1_440, 575), (1_280, 495), (1_101, 405), (900, 650), (721, 470)];
const SMALLEST_MAP: u32 = 310;
/// The part of the machine's track that is drawn, before the start and after the end.
const TRACK_MARGIN: Span = Span::minutes(5);
/// Clips of one incursion: one of each camera, and some that failed.
const MAX_CLIPS: u16 = 20;

#[derive(Template)]
#[template(path = "incursions/show.html")]
struct ShowPage<'a> {
    frame: &'a Frame,
    id: IncursionId,
    started: String,
    details: Details,
    map: Option<Map>,
    clips: ClipPanel,
    reviews: Table,
    changes: Table,
    review: Option<ReviewForm>,
    notice: Option<String>,
    list: String,
    previous: Option<String>,
    next: Option<String>,
}

struct Map {
    sources: Vec<(String, String, u32)>,
    smallest: String,
    width: u32,
    height: u32,
}

struct ReviewForm {
    to: String,
    version: i64,
    once: String,
    comment: Field,
    buttons: Vec<ReviewButton>,
}

struct ReviewButton {
    state: &'static str,
    text: &'static str,
    /// The key that presses it.
    key: &'static str,
    is_current: bool,
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    frame: Frame,
    PathId(id): PathId,
    Params(query): Params<IncursionQuery>,
) -> Result {
    let record = app.find_incursion(&caller, IncursionId(id)).await?;
    render(&app, &frame, &query.resolved(&frame), &record, &FormView::new(Vec::new())).await
}

/// Shows the page, with the review form as it was sent if it was refused.
pub async fn render(
    app: &App,
    frame: &Frame,
    query: &IncursionQuery,
    record: &IncursionRecord,
    view: &FormView,
) -> Result {
    let stored = &record.view.details.stored;
    let (insights, registry) = (frame.caller::<ReadInsights>()?, frame.caller::<ReadRegistry>()?);
    let of_incursion = ClipFilter { base_station: None, incursion: Some(stored.id), state: None };
    let newest = PageRequest { limit: MAX_CLIPS, after: None };
    let (around, clips, zone) = future::join3(
        neighbours::find(app, frame, &insights, query, (stored.id, stored.row.started_at)),
        app.list_video_clips(&registry, &of_incursion, &newest, false),
        zone_of_site(app, frame, stored.row.attribution.worksite),
    )
    .await;
    // The page is that of one incursion; it does not need its list, which may be too long to sort.
    let (around, (clips, _), zone) = (around.unwrap_or_default(), clips?, zone?);
    let ask = frame.may::<WriteRegistry>().then(|| Action {
        to: with_query(frame, &format!("/incursions/{}/clip", stored.id)),
        text: frame.text(t::ASK_FOR_CLIP).to_owned(),
        is_danger: false,
        hidden: vec![("_once".to_owned(), frame.once())],
    });
    let page_of = |id: IncursionId| with_query(frame, &format!("/incursions/{id}"));
    let page = ShowPage {
        frame,
        id: stored.id,
        started: frame.formats().instant(stored.row.started_at, &zone),
        details: details(frame, record, &zone),
        map: map(record),
        clips: clip_panel(app, frame, &clips.rows, ask).await,
        reviews: reviews(frame, record, &zone),
        changes: changes(frame, record, &zone),
        review: frame.may::<ReviewIncursions>().then(|| review_form(frame, record, view)),
        notice: notice(frame, view),
        list: with_query(frame, "/incursions"),
        previous: around.previous.map(page_of),
        next: around.next.map(page_of),
    };
    response::page_with(view.status, frame, &page)
}

/// What a refused form says above the page, with the faults of fields that are not shown.
fn notice(frame: &Frame, view: &FormView) -> Option<String> {
    let texts: Vec<String> =
        view.notice.iter().cloned().chain(view.other_faults(frame, &["comment"])).collect();
    (!texts.is_empty()).then(|| texts.join(" "))
}

fn details(frame: &Frame, record: &IncursionRecord, zone: &TimeZone) -> Details {
    let (details, formats) = (&record.view.details, frame.formats());
    let row = &details.stored.row;
    let none = || Cell::text(frame.text(t::NONE));
    let person = |person: &Option<PersonName>| match person {
        Some(person) => Cell::link(person.name.as_str(), frame.link(&format!("/people/{}", person.id))),
        None => none(),
    };
    let label = |text: texts::Text| frame.text(text).to_owned();
    let ended = match (row.ended_at, row.closed_at) {
        (Some(at), _) => Cell::text(formats.instant(at, zone)),
        (None, Some(_)) => Cell::text(frame.text(t::END_NEVER_REPORTED)),
        (None, None) => Cell::text(frame.text(t::STILL_OPEN)),
    };
    let acknowledged = match row.acknowledged_at {
        Some(at) => {
            let after = formats.seconds(seconds_between(row.started_at, at));
            let text = frame.fill(t::ACKNOWLEDGED_AFTER, &[("after", &after)]);
            Cell::text(text).note(formats.instant(at, zone))
        }
        None => Cell::text(frame.text(t::NOT_ACKNOWLEDGED)),
    };
    let length = row.ended_at.map(|at| formats.seconds(seconds_between(row.started_at, at)));
    let closest = row.closest_cm.map(|cm| {
        let metres = i32::try_from(cm).map_or(0.0, |cm| f64::from(cm) / 100.0);
        format!("{}\u{a0}m", formats.decimal(metres, 2))
    });
    let site = details.worksite.as_ref();
    let machine = details.machine.as_ref();
    Details {
        rows: vec![
            (label(t::STARTED), Cell::text(formats.instant(row.started_at, zone))),
            (label(t::ENDED), ended),
            (label(t::LENGTH), length.map_or_else(none, Cell::text)),
            (label(t::ZONE), Cell::badge(zone_badge(frame, row.zone))),
            (label(t::CLOSEST), closest.map_or_else(none, Cell::text)),
            (label(t::ACKNOWLEDGED), acknowledged),
            (
                label(t::MACHINE),
                machine.map_or_else(none, |(id, name)| {
                    Cell::link(name.as_str(), frame.link(&format!("/machines/{id}")))
                }),
            ),
            (label(t::PEDESTRIAN), person(&details.pedestrian)),
            (label(t::OPERATOR), person(&details.operator)),
            (
                label(t::SITE),
                site.map_or_else(none, |(id, name)| {
                    Cell::link(name.as_str(), frame.link(&format!("/sites/{id}")))
                }),
            ),
            (
                label(t::PROJECT),
                details.project.as_ref().map_or_else(none, |(_, name)| Cell::text(name.as_str())),
            ),
            (label(t::BASE_STATION), Cell::text(details.base_station.1.as_str())),
            (label(t::TAG), Cell::text(details.tag.1.as_str())),
            (label(t::REVIEW), Cell::badge(review_badge(frame, row.review))),
        ],
    }
}

/// The place of the incursion on the map of its site, with the track of the machine around that time.
fn map(record: &IncursionRecord) -> Option<Map> {
    let row = &record.view.details.stored.row;
    let place = row.position?;
    let (site, machine) = (row.attribution.worksite, row.attribution.machine);
    let path = match (site, machine) {
        (Some(site), _) => format!("/charts/site-map/{site}"),
        (None, Some(machine)) => format!("/charts/track/{machine}"),
        (None, None) => return None,
    };
    let to = row.ended_at.unwrap_or(row.started_at) + TRACK_MARGIN;
    let mut address = Address::new(&path)
        .and("mark", &format!("{},{}", place.lon(), place.lat()))
        .and("from", &(row.started_at - TRACK_MARGIN).to_string())
        .and("to", &to.to_string())
        .and("height", &MAP_HEIGHT.to_string());
    if let (Some(_), Some(machine)) = (site, machine) {
        address = address.and("machine_id", &machine.to_string());
    }
    let at_width = |width: u32| address.clone().and("width", &width.to_string()).to_string();
    Some(Map {
        sources: MAP_WIDTHS
            .map(|(window, width)| (format!("(min-width: {window}px)"), at_width(width), width))
            .to_vec(),
        smallest: at_width(SMALLEST_MAP),
        width: SMALLEST_MAP,
        height: MAP_HEIGHT,
    })
}

fn reviews(frame: &Frame, record: &IncursionRecord, zone: &TimeZone) -> Table {
    let columns = [t::AT, t::REVIEW, t::BY, t::COMMENT].map(|head| Column::text(frame.text(head)));
    let rows = record.reviews.iter().rev().map(|review| {
        let comment = match &review.comment {
            Some(comment) => Cell::text(comment.as_str()),
            None => Cell::text(""),
        };
        Row::new(vec![
            Cell::text(frame.formats().instant(review.at, zone)),
            Cell::badge(review_badge(frame, review.review)),
            Cell::text(actor_name(frame, &review.by)),
            comment,
        ])
    });
    let empty = Empty {
        title: frame.text(t::NO_REVIEWS).to_owned(),
        reason: frame.text(t::NO_REVIEWS_REASON).to_owned(),
        action: None,
    };
    Table::new(frame.text(t::REVIEWS), columns.into(), rows.collect(), empty)
}

fn changes(frame: &Frame, record: &IncursionRecord, zone: &TimeZone) -> Table {
    let columns = [t::AT, t::CAUSE, t::BEFORE].map(|head| Column::text(frame.text(head)));
    let rows = record.changes.iter().rev().map(|change| {
        let before = change.replaced.as_ref().map(|was| {
            let zone = values::zone(frame.language, was.zone.as_str());
            let review = values::review(frame.language, was.review.as_str());
            frame.fill(t::WAS, &[("zone", zone), ("review", review)])
        });
        Row::new(vec![
            Cell::text(frame.formats().instant(change.at, zone)),
            Cell::text(t::cause(frame.language, change.cause.as_str())),
            Cell::text(before.unwrap_or_else(|| frame.text(t::NOT_VISIBLE).to_owned())),
        ])
    });
    let empty = Empty {
        title: frame.text(t::NO_CHANGES).to_owned(),
        reason: frame.text(t::NO_CHANGES_REASON).to_owned(),
        action: None,
    };
    Table::new(frame.text(t::CHANGES), columns.into(), rows.collect(), empty)
}

fn review_form(frame: &Frame, record: &IncursionRecord, view: &FormView) -> ReviewForm {
    let stored = &record.view.details.stored;
    let button = |(review, text, key): (Review, texts::Text, &'static str)| ReviewButton {
        state: review.as_str(),
        text: frame.text(text),
        key,
        is_current: review == stored.row.review,
    };
    let buttons = [
        (Review::Confirmed, t::CONFIRM, "c"),
        (Review::Dismissed, t::DISMISS, "d"),
        (Review::FalseDetection, t::FALSE_DETECTION, "f"),
        (Review::Unreviewed, t::WITHDRAW, "u"),
    ];
    let comment = Field::new(frame, view, "comment", t::COMMENT, Input::Area { rows: 3 });
    ReviewForm {
        to: with_query(frame, &format!("/incursions/{}/review", stored.id)),
        version: view.version(stored.row.seq),
        once: frame.once(),
        comment: comment.hint(frame.text(t::COMMENT_HINT)),
        buttons: buttons.into_iter().map(button).collect(),
    }
}
