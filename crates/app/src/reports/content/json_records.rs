//! Single records of a JSON file: ids, times and numbers, whose names say what they are and their unit.

use domain::insights::{Dimension, Interval};
use domain::{Day, Timestamp};
use narrative::{FactSheet, SentenceRole, Subject, with_names};
use serde::Serialize;

use super::json_answers::JsonKey;
use crate::reports::figures::{
    IncursionFigure, OutlierFigure, SilentFigure, TagFigure, TestWeekFigure, VisitFigure, WrittenFigure,
    ZoneFigure, subject_dimension,
};
use crate::reports::names::{ReportNames, VisitText};

/// A machine, person or worksite that was compared with its peers.
#[derive(Serialize)]
pub(super) struct JsonOutlier<'a> {
    /// `machine`, `pedestrian`, `operator` or `worksite`.
    by: &'a str,
    id: i64,
    /// The kind that the peers share, and their worksite, if it is one.
    peer_kind: JsonKey,
    peer_worksite_id: Option<i64>,
    peers: u64,
    incursions: u64,
    expected_incursions: f64,
    usual_incursions: JsonRange,
    exposure: f64,
    /// `runtime_hours` or `days`.
    exposure_unit: &'a str,
    adjusted_p: f64,
}

/// The range of 95 % of the cases among peers.
#[derive(Serialize)]
struct JsonRange {
    from: u64,
    to: u64,
}

impl<'a> JsonOutlier<'a> {
    pub(super) fn new(outlier: &'a OutlierFigure) -> Self {
        let peer_dimension = match outlier.by.as_str() {
            "worksite" => Dimension::WorksiteKind,
            "pedestrian" => Dimension::PersonKind,
            _ => Dimension::MachineKind,
        };
        Self {
            by: &outlier.by,
            id: outlier.id,
            peer_kind: JsonKey::new(peer_dimension, outlier.peer_kind),
            peer_worksite_id: outlier.peer_site,
            peers: outlier.peers,
            incursions: outlier.observed,
            expected_incursions: outlier.expected,
            usual_incursions: JsonRange { from: outlier.interval.0, to: outlier.interval.1 },
            exposure: outlier.exposure,
            exposure_unit: &outlier.unit,
            adjusted_p: outlier.adjusted_p,
        }
    }
}

/// A tag with its tests in the period.
#[derive(Serialize)]
pub(super) struct JsonTag {
    tag_id: i64,
    /// The last wearer in the period.
    person_id: Option<i64>,
    tests: i64,
    passed_tests: i64,
    last_test_at: Option<Timestamp>,
    last_test_passed: Option<bool>,
    worn_days: i64,
    covered_days: i64,
    worn_at_end: bool,
    incursions: i64,
    incursions_in_test: i64,
}

impl JsonTag {
    pub(super) fn new(tag: &TagFigure) -> Self {
        Self {
            tag_id: tag.tag,
            person_id: tag.person,
            tests: tag.tests,
            passed_tests: tag.passed,
            last_test_at: tag.last_test,
            last_test_passed: tag.last_passed,
            worn_days: tag.worn_days,
            covered_days: tag.covered_days,
            worn_at_end: tag.worn_at_end,
            incursions: tag.incursions,
            incursions_in_test: tag.incursions_in_test,
        }
    }
}

/// The days on which tags were worn in a week.
#[derive(Serialize)]
pub(super) struct JsonTestWeek {
    /// Its Monday.
    week: String,
    worn_days: i64,
    covered_days: i64,
}

impl JsonTestWeek {
    pub(super) fn new(week: &TestWeekFigure) -> Self {
        Self {
            week: Interval::Week.label(week.week),
            worn_days: week.worn_days,
            covered_days: week.covered_days,
        }
    }
}

#[derive(Serialize)]
pub(super) struct JsonVisit {
    visit_id: i64,
    person_id: i64,
    worksite_id: Option<i64>,
    tag_id: i64,
    company: Option<String>,
    notes: Option<String>,
    checked_in_at: Timestamp,
    checked_out_at: Option<Timestamp>,
    expected_until: Option<Timestamp>,
    closed_automatically: bool,
    incursions: i64,
    /// The worksite's offset from UTC at the check-in.
    utc_offset_s: i32,
}

impl JsonVisit {
    pub(super) fn new(visit: &VisitFigure, text: VisitText) -> Self {
        Self {
            visit_id: visit.visit,
            person_id: visit.person,
            worksite_id: visit.worksite,
            tag_id: visit.tag,
            company: text.company,
            notes: text.notes,
            checked_in_at: visit.checked_in_at,
            checked_out_at: visit.checked_out_at,
            expected_until: visit.expected_until,
            closed_automatically: visit.closed_automatically,
            incursions: visit.incursions,
            utc_offset_s: visit.offset_s,
        }
    }
}

#[derive(Serialize)]
pub(super) struct JsonIncursion<'a> {
    id: i64,
    seq: i64,
    started_at: Timestamp,
    ended_at: Option<Timestamp>,
    closed_without_end: bool,
    local_date: String,
    acknowledged_at: Option<Timestamp>,
    zone: &'a str,
    closest_cm: Option<i64>,
    position: Option<JsonPosition>,
    machine_id: Option<i64>,
    base_station_id: i64,
    tag_id: i64,
    pedestrian_id: Option<i64>,
    operator_id: Option<i64>,
    worksite_id: Option<i64>,
    project_id: Option<i64>,
    review: &'a str,
    /// The worksite's offset from UTC at the start.
    utc_offset_s: i32,
}

/// In degrees.
#[derive(Serialize)]
struct JsonPosition {
    lat: f64,
    lon: f64,
}

impl<'a> JsonIncursion<'a> {
    pub(super) fn new(row: &'a IncursionFigure) -> Self {
        let degrees = |e7: i32| f64::from(e7) / 1e7;
        let position = row.lat_e7.zip(row.lon_e7);
        Self {
            id: row.id,
            seq: row.seq,
            started_at: row.started_at,
            ended_at: row.ended_at,
            closed_without_end: row.closed,
            local_date: Day::from_number(row.local_day).to_string(),
            acknowledged_at: row.acknowledged_at,
            zone: &row.zone,
            closest_cm: row.closest_cm,
            position: position.map(|(lat, lon)| JsonPosition { lat: degrees(lat), lon: degrees(lon) }),
            machine_id: row.machine,
            base_station_id: row.base_station,
            tag_id: row.tag,
            pedestrian_id: row.pedestrian,
            operator_id: row.operator,
            worksite_id: row.worksite,
            project_id: row.project,
            review: &row.review,
            utc_offset_s: row.offset_s,
        }
    }
}

/// A base station without contact for longer than the silence limit.
#[derive(Serialize)]
pub(super) struct JsonSilentStation {
    base_station_id: i64,
    machine_id: Option<i64>,
    last_seen_at: Option<Timestamp>,
}

impl JsonSilentStation {
    pub(super) fn new(silent: &SilentFigure) -> Self {
        Self {
            base_station_id: silent.base_station,
            machine_id: silent.machine,
            last_seen_at: silent.last_seen_at,
        }
    }
}

/// The zones around an antenna during a part of the period.
#[derive(Serialize)]
pub(super) struct JsonZones<'a> {
    base_station_id: i64,
    antenna: &'a str,
    warning_cm: i64,
    danger_cm: i64,
    from: Timestamp,
    to: Option<Timestamp>,
}

impl<'a> JsonZones<'a> {
    pub(super) fn new(zones: &'a ZoneFigure) -> Self {
        Self {
            base_station_id: zones.base_station,
            antenna: &zones.antenna,
            warning_cm: zones.warning_cm,
            danger_cm: zones.danger_cm,
            from: zones.from,
            to: zones.to,
        }
    }
}

/// A written site report. Its facts have the members that the API gives them.
#[derive(Serialize)]
pub(super) struct JsonWritten<'a> {
    facts: &'a FactSheet,
    sentences: Vec<JsonSentence<'a>>,
    generator: &'a str,
    model: Option<&'a str>,
    fallback_reason: Option<&'a str>,
    written_at: Option<Timestamp>,
}

#[derive(Serialize)]
struct JsonSentence<'a> {
    role: SentenceRole,
    /// With the names put in.
    text: String,
    facts: &'a [String],
}

impl<'a> JsonWritten<'a> {
    pub(super) fn new(written: &'a WrittenFigure, names: &ReportNames) -> Self {
        let name = |subject: Subject| names.label(subject_dimension(subject.kind), Some(subject.id));
        let sentences = written.sentences.iter().map(|sentence| JsonSentence {
            role: sentence.role,
            text: with_names(&sentence.text, name),
            facts: &sentence.facts,
        });
        Self {
            facts: &written.facts,
            sentences: sentences.collect(),
            generator: &written.generator,
            model: written.model.as_deref(),
            fallback_reason: written.fallback_reason.as_deref(),
            written_at: written.written_at,
        }
    }
}
