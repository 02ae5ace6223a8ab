//! The JSON file of a report: its figures in words and units, and the names of what they refer to.
//!
//! Others read it, so that it has a form of its own, which docs/reports.md describes. The form in which figures are stored can change
//! without it.

use std::io::{self, BufWriter, Write as _};

use domain::{ReportKind, SortedMap, Timestamp};
use serde::Serialize;

use super::OwnedContent;
use super::composer::Composer;
use super::json_answers::{JsonAnswer, JsonPivot};
use super::json_records::{
    JsonIncursion, JsonOutlier, JsonSilentStation, JsonTag, JsonTestWeek, JsonVisit, JsonWritten, JsonZones,
};
use crate::Error;
use crate::insights::exports::StoredFilter;
use crate::reports::deadline::TimedBytes;
use crate::reports::figures::ReportFigures;

#[derive(Serialize)]
struct JsonReport<'a> {
    report: Head<'a>,
    /// Names by the word of a dimension and by id.
    names: SortedMap<&'static str, SortedMap<i64, &'a str>>,
    figures: JsonFigures<'a>,
}

/// What the report is about, and how its figures were computed.
#[derive(Serialize)]
struct Head<'a> {
    id: i64,
    kind: &'static str,
    title: String,
    from: &'a str,
    to: &'a str,
    /// The period before, with which the figures are compared.
    previous: Option<JsonPeriod<'a>>,
    time_zones: &'a [String],
    seq: i64,
    includes_later_changes: bool,
    program: &'a str,
    computed_at: Option<Timestamp>,
    filter: StoredFilter,
    /// None without a restriction.
    restricted_to_project_ids: Option<&'a [i64]>,
    test_interval_days: i64,
    silence_limit_hours: i64,
}

#[derive(Serialize)]
struct JsonPeriod<'a> {
    from: &'a str,
    to: &'a str,
}

/// The figures. Members that reports of the kind do not have are left out.
#[derive(Serialize)]
struct JsonFigures<'a> {
    answers: Vec<JsonAnswer<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outliers: Option<Vec<JsonOutlier<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<JsonCompared>,
    #[serde(skip_serializing_if = "Option::is_none")]
    boundary: Option<JsonPolygon<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tag_time_zone: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<Vec<JsonTag>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test_weeks: Option<Vec<JsonTestWeek>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    visits: Option<Vec<JsonVisit>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_visits: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    incursions: Option<Vec<JsonIncursion<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pivot: Option<JsonPivot>,
    #[serde(skip_serializing_if = "Option::is_none")]
    silent_base_stations: Option<Vec<JsonSilentStation>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    zones: Option<Vec<JsonZones<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<JsonWritten<'a>>,
}

/// How many members were compared with their peers, and how many could not be.
#[derive(Serialize)]
struct JsonCompared {
    compared: u64,
    not_compared: u64,
}

/// A polygon of GeoJSON.
#[derive(Serialize)]
struct JsonPolygon<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    coordinates: &'a [Vec<[f64; 2]>],
}

/// Writes the figures and names of a report as JSON.
pub(crate) fn write_json(content: &OwnedContent) -> Result<Vec<u8>, Error> {
    let (report, figures) = (&content.report, &content.figures);
    let written = JsonReport {
        report: Head {
            id: report.id.0,
            kind: report.kind.as_str(),
            title: Composer::new(content).title(),
            from: &report.from,
            to: &report.to,
            previous: figures.previous.as_ref().map(|(from, to)| JsonPeriod { from, to }),
            time_zones: &figures.time_zones,
            seq: figures.seq,
            includes_later_changes: figures.includes_later_changes,
            program: &figures.program,
            computed_at: figures.computed_at,
            filter: StoredFilter::of(&content.request.filter),
            restricted_to_project_ids: figures.restricted_to.as_deref(),
            test_interval_days: figures.test_interval_days,
            silence_limit_hours: figures.silence_limit_hours,
        },
        names: content.names.all(),
        figures: json_figures(content, figures),
    };
    let mut file = BufWriter::new(TimedBytes::new(&content.deadline));
    let outcome = serde_json::to_writer(&mut file, &written).map_err(io::Error::from);
    let outcome = outcome.and_then(|()| file.write_all(b"\n")).and_then(|()| file.flush());
    outcome.map_err(|error| content.deadline.or_late(Error::internal(error)))?;
    let file = file.into_inner().map_err(|error| Error::internal(error.into_error()))?;
    Ok(file.into_bytes())
}

fn json_figures<'a>(content: &'a OwnedContent, figures: &'a ReportFigures) -> JsonFigures<'a> {
    use ReportKind::{Incursions, Machine, Person, SiteSafety, TagTestCompliance, VisitorLog};
    let is = |kinds: &[ReportKind]| kinds.contains(&content.request.kind);
    let (has_outliers, has_tags) = (is(&[SiteSafety, Machine, Person]), is(&[TagTestCompliance, Person]));
    JsonFigures {
        answers: figures.answers.iter().map(JsonAnswer::new).collect(),
        outliers: listed(has_outliers, &figures.outliers, JsonOutlier::new),
        compared: figures.compared.map(|(compared, not_compared)| JsonCompared { compared, not_compared }),
        boundary: figures.outline.as_ref().map(|rings| JsonPolygon { kind: "Polygon", coordinates: rings }),
        tag_time_zone: figures.tag_time_zone.as_deref(),
        tags: listed(has_tags, &figures.tags, JsonTag::new),
        test_weeks: listed(has_tags, &figures.test_weeks, JsonTestWeek::new),
        visits: listed(is(&[VisitorLog]), &figures.visits, |visit| {
            JsonVisit::new(visit, content.names.visit(visit.visit))
        }),
        previous_visits: figures.previous_visits,
        incursions: listed(is(&[Incursions]), &figures.incursions, JsonIncursion::new),
        pivot: figures
            .pivot
            .as_ref()
            .zip(content.request.pivot.as_ref())
            .map(|(pivot, asked)| JsonPivot::new(pivot, asked)),
        silent_base_stations: listed(is(&[SiteSafety, Machine]), &figures.silent, JsonSilentStation::new),
        zones: listed(is(&[Machine]), &figures.zones, JsonZones::new),
        written: figures.written.as_ref().map(|written| JsonWritten::new(written, &content.names)),
    }
}

/// Returns the rows of a list, if reports of the kind have it.
fn listed<'a, T, U>(is_part: bool, rows: &'a [T], row: impl Fn(&'a T) -> U) -> Option<Vec<U>> {
    is_part.then(|| rows.iter().map(row).collect())
}
