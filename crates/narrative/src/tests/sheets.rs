//! Fact sheets that the tests share.

use crate::*;

/// A fact about the whole site without a comparison.
pub(super) fn fact(kind: FactKind, unit: FactUnit, value: f64) -> Fact {
    Fact {
        id: String::new(),
        kind,
        subjects: Vec::new(),
        value,
        digits: 0,
        unit,
        numerator: None,
        denominator: None,
        comparison: None,
        interval: None,
        certainty: Certainty::High,
        hours: None,
        weekdays: Vec::new(),
        place: None,
        zone: None,
    }
}

impl Fact {
    pub(super) fn over(self, numerator: f64, denominator: f64) -> Self {
        Self { numerator: Some(numerator), denominator: Some(denominator), ..self }
    }

    pub(super) fn against(self, with: ComparedWith, value: f64) -> Self {
        let change = (value > 0.0).then(|| (self.value - value) / value * 100.0);
        let direction = match change {
            Some(change) if change.abs() < 5.0 => Direction::Level,
            _ if self.value == value => Direction::Level,
            _ if self.value > value => Direction::Up,
            _ => Direction::Down,
        };
        let change_percent =
            change.filter(|_| self.unit != FactUnit::Percent && direction != Direction::Level);
        let comparison = FactComparison { with, value, direction, change_percent };
        Self { comparison: Some(comparison), ..self }
    }

    pub(super) fn about(self, subjects: &[(SubjectKind, i64)]) -> Self {
        Self {
            subjects: subjects.iter().map(|(kind, id)| Subject { kind: *kind, id: *id }).collect(),
            ..self
        }
    }

    pub(super) fn sure(self, certainty: Certainty) -> Self {
        Self { certainty, ..self }
    }
}

/// Numbers the facts of a sheet of four weeks.
pub(super) fn sheet(facts: Vec<Fact>) -> FactSheet {
    let number = |(place, fact): (usize, Fact)| Fact { id: format!("f{}", place + 1), ..fact };
    FactSheet {
        worksite: 1,
        from: "2026-02-02".to_owned(),
        to: "2026-03-02".to_owned(),
        days: 28,
        facts: facts.into_iter().enumerate().map(number).collect(),
    }
}

pub(super) fn incursions(count: f64, before: f64) -> Fact {
    fact(FactKind::Incursions, FactUnit::Count, count).against(ComparedWith::PreviousPeriod, before)
}

pub(super) fn rate(count: f64, hours: f64, before: f64) -> Fact {
    let rate = Fact { digits: 2, ..fact(FactKind::IncursionRate, FactUnit::PerHour, count / hours) };
    rate.over(count, hours).against(ComparedWith::PreviousPeriod, before)
}

pub(super) fn share(kind: FactKind, count: f64, all: f64) -> Fact {
    fact(kind, FactUnit::Percent, count / all * 100.0).over(count, all)
}

pub(super) fn outlier(
    kind: FactKind,
    subject: (SubjectKind, i64),
    (count, exposure): (f64, f64),
    expected: f64,
) -> Fact {
    let found = fact(kind, FactUnit::Count, count).about(&[subject]).against(ComparedWith::Peers, expected);
    Fact {
        denominator: Some(exposure),
        interval: Some((expected.floor() - 3.0, expected.ceil() + 9.0)),
        ..found
    }
}

pub(super) fn quiet() -> FactSheet {
    sheet(vec![
        incursions(0.0, 2.0).sure(Certainty::Low),
        rate(0.0, 412.5, 0.005).sure(Certainty::Low),
        fact(FactKind::RuntimeHours, FactUnit::Hours, 412.5).against(ComparedWith::PreviousPeriod, 400.0),
    ])
}

pub(super) fn drifting() -> FactSheet {
    let drift = Fact { digits: 2, ..fact(FactKind::Drift, FactUnit::PerHour, 0.42) };
    sheet(vec![
        incursions(310.0, 277.0).sure(Certainty::Moderate),
        rate(310.0, 738.0, 0.36).sure(Certainty::Moderate),
        share(FactKind::AcknowledgementRate, 192.0, 310.0).against(ComparedWith::PreviousPeriod, 71.0),
        drift.over(310.0, 738.0).against(ComparedWith::AfterInstallation, 0.21),
    ])
}

pub(super) fn standing_out() -> FactSheet {
    sheet(vec![
        incursions(310.0, 305.0),
        outlier(FactKind::OutlierMachine, (SubjectKind::Machine, 7), (40.0, 120.0), 12.4),
        outlier(FactKind::OutlierPedestrian, (SubjectKind::Pedestrian, 12), (21.0, 9.0), 6.2)
            .sure(Certainty::Moderate),
        outlier(FactKind::OutlierOperator, (SubjectKind::Operator, 3), (4.0, 161.0), 18.6),
        fact(FactKind::RepeatedPair, FactUnit::Count, 12.0)
            .over(12.0, 6.0)
            .about(&[(SubjectKind::Machine, 7), (SubjectKind::Pedestrian, 12)]),
    ])
}

pub(super) fn without_runtime() -> FactSheet {
    sheet(vec![
        incursions(18.0, 11.0).sure(Certainty::Low),
        fact(FactKind::RuntimeHours, FactUnit::Hours, 0.0),
        share(FactKind::AcknowledgementRate, 5.0, 18.0).sure(Certainty::Low),
        Fact { digits: 1, ..fact(FactKind::AverageDuration, FactUnit::Seconds, 14.36) }
            .over(258.5, 18.0)
            .against(ComparedWith::PreviousPeriod, 20.5)
            .sure(Certainty::Low),
    ])
}

pub(super) fn with_gaps() -> FactSheet {
    let zone = Fact {
        digits: 1,
        zone: Some(FactZone::Danger),
        ..fact(FactKind::ZoneSizeChanged, FactUnit::Metres, 6.0)
    };
    sheet(vec![
        incursions(96.0, 210.0),
        fact(FactKind::SilentStations, FactUnit::Count, 2.0)
            .about(&[(SubjectKind::BaseStation, 4), (SubjectKind::BaseStation, 5)])
            .over(2.0, 6.0),
        fact(FactKind::DaysWithoutData, FactUnit::Days, 3.0).over(3.0, 20.0),
        share(FactKind::UnknownPedestrians, 21.0, 96.0),
        zone.about(&[(SubjectKind::Machine, 9)]).against(ComparedWith::BeforeChange, 4.0),
    ])
}

pub(super) fn everything() -> FactSheet {
    let hours = Fact { hours: Some((7, 10)), ..share(FactKind::BusiestHours, 118.0, 310.0) };
    let place = Place { cell: "8c1fa0d5".to_owned(), lat: 53.55, lon: 9.99 };
    let place = Fact { place: Some(place), ..share(FactKind::BusiestPlace, 66.0, 240.0) };
    let mut facts = drifting().facts;
    facts.extend(standing_out().facts.into_iter().skip(1));
    facts.extend(with_gaps().facts.into_iter().skip(1));
    facts.extend([
        Fact { digits: 1, ..fact(FactKind::AverageDuration, FactUnit::Seconds, 14.36) }
            .over(4_451.6, 310.0)
            .against(ComparedWith::PreviousPeriod, 12.0),
        Fact { digits: 1, ..fact(FactKind::ZoneTime, FactUnit::Seconds, 4_451.6) }
            .against(ComparedWith::PreviousPeriod, 3_324.0),
        share(FactKind::DangerShare, 41.0, 310.0),
        fact(FactKind::RuntimeHours, FactUnit::Hours, 1_738.2).against(ComparedWith::PreviousPeriod, 769.4),
        hours.against(ComparedWith::Runtime, 25.3),
        place,
        share(FactKind::TopMachine, 40.0, 310.0)
            .about(&[(SubjectKind::Machine, 8)])
            .against(ComparedWith::Runtime, 6.9),
        share(FactKind::TestCompliance, 9.0, 12.0),
        share(FactKind::IncursionsWithoutTest, 31.0, 310.0),
    ]);
    sheet(facts)
}

/// An answer as the model server sends it.
pub(super) fn answer(sentences: &[(&str, &str, &[&str])]) -> String {
    let sentence = |(role, text, facts): &(&str, &str, &[&str])| serde_json::json!({ "role": role, "text": text, "facts": facts });
    serde_json::json!({ "sentences": sentences.iter().map(sentence).collect::<Vec<_>>() }).to_string()
}

/// Checks one finding and returns why it was dropped.
pub(super) fn drop_reason(language: texts::Language, text: &str, facts: &[&str]) -> Option<DropReason> {
    drop_reason_of(language, "finding", text, facts).map(|dropped| dropped.0)
}

/// Checks one sentence and returns why it was dropped, and where.
pub(super) fn drop_reason_of(
    language: texts::Language,
    role: &str,
    text: &str,
    facts: &[&str],
) -> Option<(DropReason, String)> {
    let sheet = everything();
    let roles = Roles::anonymous(&sheet, language);
    let checked = check_answer(&sheet, language, &roles, &answer(&[(role, text, facts)])).unwrap();
    checked.dropped.into_iter().next().map(|dropped| (dropped.reason, dropped.detail))
}
