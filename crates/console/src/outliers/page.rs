//! GET /outliers: who has more or fewer incursions than their peers.

use std::sync::Arc;

use app::insights::{
    ExposureUnit, LabelledId, MIN_PEERS, Outlier, OutlierBy, OutlierSelection, Outliers, OutliersRequest,
};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use domain::access::ReadInsights;
use texts::console::outliers as t;
use texts::values;
use web::{Caller, FromParams, Params, Query, Result};

use super::sentence;
use crate::form::FormView;
use crate::frame::Frame;
use crate::parts::{
    self, Badge, Cell, Choice, Column, Empty, Field, Input, Plain, Row, Table, Tone, read_csv_format,
};
use crate::pickers::{PickerRow, Pickers};
use crate::response;

/// The maximum number of members that are listed.
const MAX_LISTED: i64 = 1_000;
const USUAL_LIMIT: usize = 100;

pub struct OutliersQuery {
    pickers: Pickers,
    request: OutliersRequest,
    csv: bool,
}

impl FromParams for OutliersQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let pickers = Pickers::read(query)?;
        let mut by = query.many("by", OutlierBy::ALL.len(), OutlierBy::parse)?;
        if by.is_empty() {
            by = OutlierBy::ALL.to_vec();
        }
        let selection = match query.flag("all")? {
            true => OutlierSelection::Everyone,
            false => OutlierSelection::Outliers,
        };
        let limit = query.integer("limit", 1..=MAX_LISTED)?.and_then(|limit| usize::try_from(limit).ok());
        let csv = read_csv_format(query)?;
        // A file has as many of them as possible.
        let usual = if csv { usize::try_from(MAX_LISTED).unwrap_or(USUAL_LIMIT) } else { USUAL_LIMIT };
        let request = OutliersRequest { by, selection, limit: limit.unwrap_or(usual) };
        Ok(Self { pickers, request, csv })
    }
}

#[derive(Template)]
#[template(path = "outliers/page.html")]
struct OutliersPage<'a> {
    frame: &'a Frame,
    pickers: PickerRow,
    period: String,
    fields: Vec<Field>,
    /// What the form keeps of this address.
    kept: Vec<(String, String)>,
    counts: String,
    table: Table,
    method: String,
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    frame: Frame,
    Params(query): Params<OutliersQuery>,
) -> Result {
    let pickers = query.pickers.resolved(&frame);
    let outliers = app.insight_outliers(&caller, &pickers.filter, &query.request).await?;
    let table = table(&frame, &outliers).incomplete(query.csv && outliers.more > 0);
    if query.csv {
        return Ok(parts::csv_response("outliers.csv", &table));
    }
    let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let mut counts = vec![frame.count(t::JUDGED, count(outliers.judged))];
    if outliers.not_judged > 0 && !outliers.awaits_history {
        counts.push(frame.count(t::LEFT_OUT, count(outliers.not_judged)));
    }
    if outliers.more > 0 {
        counts.push(frame.count(t::NOT_LISTED, count(outliers.more)));
    }
    let is_ours = |name: &str| matches!(name, "by" | "all" | "format" | "cursor");
    let page = OutliersPage {
        period: frame.formats().period(&outliers.result),
        fields: fields(&frame, &query.request),
        kept: frame.address.pairs().iter().filter(|(name, _)| !is_ours(name)).cloned().collect(),
        counts: counts.join(" · "),
        table: table.with_csv(&frame),
        method: method(&frame),
        pickers: pickers.load(&app, &frame).await?,
        frame: &frame,
    };
    response::page(&frame, &page)
}

fn fields(frame: &Frame, request: &OutliersRequest) -> Vec<Field> {
    let mut given: Vec<(&'static str, String)> =
        request.by.iter().map(|by| ("by", by.as_str().to_owned())).collect();
    if request.selection == OutlierSelection::Everyone {
        given.push(("all", "true".to_owned()));
    }
    let view = FormView::new(given);
    let kinds =
        OutlierBy::ALL.map(|by| Choice::new(by.as_str(), values::dimension(frame.language, by.as_str())));
    let who = vec![Choice::blank(frame.text(t::ONLY_OUTLIERS)), Choice::new("true", frame.text(t::EVERYONE))];
    vec![
        Field::new(frame, &view, "by", t::COMPARE_WHAT, Input::Checks(kinds.into())),
        Field::new(frame, &view, "all", t::SHOW_WHAT, Input::Select(who)),
    ]
}

fn method(frame: &Frame) -> String {
    let minimum = |unit: ExposureUnit| sentence::number(frame, unit.minimum());
    frame.fill(
        t::METHOD_TEXT,
        &[
            ("threshold", &frame.formats().decimal(Outliers::THRESHOLD, 2)),
            ("hours", &minimum(ExposureUnit::RuntimeHours)),
            ("days", &minimum(ExposureUnit::Days)),
            ("peers", &sentence::whole(frame, MIN_PEERS)),
        ],
    )
}

fn table(frame: &Frame, outliers: &Outliers) -> Table {
    let columns = vec![
        Column::text(frame.text(t::WHO)),
        Column::text(frame.text(t::WHAT)),
        Column::text(frame.text(t::RESULT)),
        Column::number(frame.text(t::OBSERVED)),
        Column::number(frame.text(t::EXPECTED)),
        Column::number(frame.text(t::USUAL)),
        Column::number(frame.text(t::EXPOSURE)),
        Column::number(frame.text(t::PROBABILITY)),
    ];
    let longer = frame.address.clone().without("from").without("to").with("period", "365d").to_string();
    let (title, reason, action) = match outliers.awaits_history {
        false => (t::NONE, t::NONE_REASON, (t::LONGER_PERIOD, longer)),
        true => (t::HISTORY_LOADING, t::HISTORY_LOADING_REASON, (t::RELOAD, frame.here("cursor", None))),
    };
    let empty = Empty {
        title: frame.text(title).to_owned(),
        reason: frame.text(reason).to_owned(),
        action: Some((frame.text(action.0).to_owned(), action.1)),
    };
    let rows = outliers.members.iter().map(|outlier| row(frame, outlier)).collect();
    Table::new(frame.text(t::TITLE), columns, rows, empty)
}

fn row(frame: &Frame, outlier: &Outlier) -> Row {
    let outcome = &outlier.outcome;
    let name = sentence::name(frame, outlier);
    let mut named = Cell::text(name);
    (named.is_head, named.href) = (true, page_of(frame, outlier));
    let tested = outcome.outlier_test();
    let or_nothing = |text: Option<String>, plain: Option<Plain>| {
        let cell = Cell::text(text.unwrap_or_else(|| "–".to_owned()));
        cell.plain(plain.unwrap_or_else(Plain::nothing))
    };
    let observed = sentence::whole(frame, outcome.observed);
    let cells = vec![
        named.note(sentence::explain(frame, outlier)),
        Cell::text(values::dimension(frame.language, outlier.by.as_str())),
        Cell::badge(result(frame, outlier)),
        match incursions_of(frame, outlier) {
            Some(href) if outcome.observed > 0 => Cell::link(observed, href),
            _ => Cell::text(observed),
        }
        .plain(Plain { text: outcome.observed.to_string(), unit: None }),
        or_nothing(
            tested.map(|tested| sentence::number(frame, tested.expected)),
            tested.map(|tested| Plain::number(tested.expected, None)),
        ),
        or_nothing(
            tested.map(|tested| {
                let (low, high) = (
                    sentence::whole(frame, tested.interval_low),
                    sentence::whole(frame, tested.interval_high),
                );
                frame.fill(t::RANGE, &[("low", &low), ("high", &high)])
            }),
            tested.map(|tested| Plain {
                text: format!("{}–{}", tested.interval_low, tested.interval_high),
                unit: None,
            }),
        ),
        Cell::text(sentence::exposure(frame, outlier, outcome.exposure)).plain(exposure(outlier)),
        or_nothing(
            tested.map(|tested| sentence::probability(frame, tested.adjusted_p)),
            tested.map(|tested| Plain { text: tested.adjusted_p.to_string(), unit: None }),
        ),
    ];
    Row::new(cells).muted(tested.is_none())
}

/// Writes the exposure for programs, with its unit: machines and people have different ones in the same column.
fn exposure(outlier: &Outlier) -> Plain {
    let unit = match outlier.unit {
        ExposureUnit::RuntimeHours => "h",
        ExposureUnit::Days => "d",
    };
    let number = Plain::number(outlier.outcome.exposure, None).text;
    Plain { text: format!("{number} {unit}"), unit: None }
}

fn result(frame: &Frame, outlier: &Outlier) -> Badge {
    let (word, sign, tone) = match outlier.outcome.outlier_test() {
        None => (t::NOT_JUDGED, "–", Tone::Neutral),
        Some(_) if !outlier.stands_out() => (t::INSIDE, "=", Tone::Neutral),
        Some(tested) if tested.score > 0.0 => (t::MORE, "▲", Tone::Bad),
        Some(_) => (t::FEWER, "▼", Tone::Good),
    };
    Badge { word: frame.text(word).to_owned(), sign, tone }
}

/// Returns the page of a member.
fn page_of(frame: &Frame, outlier: &Outlier) -> Option<String> {
    let LabelledId::Number(id) = outlier.part.id else { return None };
    let section = match outlier.by {
        OutlierBy::Machine => "machines",
        OutlierBy::Worksite => "sites",
        OutlierBy::Pedestrian | OutlierBy::Operator => "people",
    };
    Some(frame.link(&format!("/{section}/{id}")))
}

/// Returns the address of the incursions that were counted: of operators, those with the kind of machine that they drove longest.
fn incursions_of(frame: &Frame, outlier: &Outlier) -> Option<String> {
    let LabelledId::Number(id) = outlier.part.id else { return None };
    let id = id.to_string();
    Some(match (outlier.by, &outlier.peer_group.id) {
        (OutlierBy::Machine, _) => frame.incursions(&[("machine_id", &id)]),
        (OutlierBy::Worksite, _) => frame.incursions(&[("worksite_id", &id)]),
        (OutlierBy::Pedestrian, _) => frame.incursions(&[("pedestrian_id", &id)]),
        (OutlierBy::Operator, LabelledId::Word(kind)) => {
            frame.incursions(&[("operator_id", &id), ("machine_kind", kind)])
        }
        (OutlierBy::Operator, _) => frame.incursions(&[("operator_id", &id)]),
    })
}
