//! What requests become.

use domain::insights::{GroupOrder, Measure};
use domain::locale::{DateFormat, Locale};
use domain::preferences::{BrandDefaults, PreferenceOverrides};
use domain::{MachineId, ProjectId, TimeZone, WorksiteId};

use super::*;
use crate::insights::Subtotals;

fn preferences(language: &str) -> Preferences {
    let brand = BrandDefaults {
        language: Locale::parse(language).unwrap(),
        time_zone: TimeZone::parse("Europe/Vienna").unwrap(),
        date_format: DateFormat::DayMonthYear,
    };
    Preferences::resolve(PreferenceOverrides::default(), brand)
}

fn of_kind(kind: ReportKind) -> NewReport {
    NewReport {
        kind,
        format: ReportFormat::Pdf,
        subject: ReportSubject::default(),
        filter: None,
        pivot: None,
        saved_view: None,
        site_report: None,
        paper: None,
    }
}

#[test]
fn paper_is_that_of_the_region() {
    for (language, expected) in
        [("en", Paper::A4), ("en-US", Paper::Letter), ("fr-CA", Paper::Letter), ("de-Latn-AT", Paper::A4)]
    {
        assert_eq!(usual_paper(&preferences(language)), expected, "{language}");
    }
}

#[test]
fn subjects_narrow_filters_and_contradict_none() {
    let filter = IncursionFilter { machines: vec![MachineId(1), MachineId(2)], ..usual_filter() };
    let subject = ReportSubject {
        project: Some(ProjectId(7)),
        machine: Some(MachineId(2)),
        person: Some(PersonId(4)),
        ..ReportSubject::default()
    };
    let new = NewReport { subject, filter: Some(Box::new(filter)), ..of_kind(ReportKind::Machine) };
    let merged = new.merged_filter().unwrap();
    assert_eq!((merged.projects, merged.machines), (vec![ProjectId(7)], vec![MachineId(2)]));
    assert_eq!((merged.people, merged.worksites), (vec![PersonId(4)], Vec::<WorksiteId>::new()));
    assert_eq!(merged.reviews, Review::COUNTED);
    let elsewhere = ReportSubject { machine: Some(MachineId(3)), ..subject };
    let refused = NewReport { subject: elsewhere, ..new }.merged_filter().unwrap_err();
    let fault = &refused.fields[0];
    assert_eq!((fault.field.as_str(), fault.invalid.code), ("filters.machine_id", "not_allowed"));
}

#[test]
fn only_what_shows_people_names_them() {
    let request = |new: &NewReport| {
        let filter = new.merged_filter().unwrap();
        ReportRequest::new(new, filter, preferences("en"))
    };
    let summary = of_kind(ReportKind::ProjectSummary);
    assert!(!request(&summary).names_people(Names::Shown));
    let subject = ReportSubject { person: Some(PersonId(1)), ..ReportSubject::default() };
    assert!(request(&NewReport { subject, ..summary }).names_people(Names::Shown));
    assert!(request(&of_kind(ReportKind::Incursions)).names_people(Names::Shown));
    assert!(!request(&of_kind(ReportKind::Incursions)).names_people(Names::Hidden));
    let by = |rows: Vec<Dimension>| PivotRequest {
        rows,
        columns: Vec::new(),
        measures: vec![Measure::Incursions],
        order: GroupOrder::ByKeys,
        limit: 100,
        subtotals: Subtotals::Shown,
    };
    for (dimension, expected) in [(Dimension::Zone, false), (Dimension::Operator, true)] {
        let pivot = Some((Box::new(usual_filter()), by(vec![dimension])));
        let asked = request(&NewReport { pivot, ..of_kind(ReportKind::Pivot) });
        assert_eq!(asked.names_people(Names::Shown), expected);
    }
}
