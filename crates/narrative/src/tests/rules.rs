use super::sheets;
use crate::*;
use texts::Language;

fn written(sheet: &FactSheet, language: Language) -> String {
    let roles = Roles::anonymous(sheet, language);
    let name = |subject: Subject| roles.name(subject).to_owned();
    let line = |sentence: &Sentence| {
        let text = with_names(&sentence.text, name).replace('\u{a0}', " ");
        format!("{}: {text} [{}]", sentence.role.as_str(), sentence.facts.join(", "))
    };
    write_by_rules(sheet, language).iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn each_sheet_is_written_in_both_languages() {
    let sheets = [
        ("quiet", sheets::quiet()),
        ("drifting", sheets::drifting()),
        ("standing_out", sheets::standing_out()),
        ("without_runtime", sheets::without_runtime()),
        ("with_gaps", sheets::with_gaps()),
        ("everything", sheets::everything()),
    ];
    for (name, sheet) in sheets {
        for language in Language::ALL {
            insta::assert_snapshot!(format!("{name}_{}", language.as_str()), written(&sheet, language));
        }
    }
}

#[test]
fn every_fact_can_be_described() {
    let sheet = sheets::everything();
    for language in Language::ALL {
        let roles = Roles::anonymous(&sheet, language);
        let described = sheet.facts.iter().map(|fact| {
            let text =
                with_names(&describe_fact(&sheet, fact, language), |subject| roles.name(subject).to_owned());
            format!("{} {}", fact.id, text.replace('\u{a0}', " "))
        });
        insta::assert_snapshot!(
            format!("described_{}", language.as_str()),
            described.collect::<Vec<_>>().join("\n")
        );
    }
    let kinds: Vec<FactKind> = sheet.facts.iter().map(|fact| fact.kind).collect();
    assert!(FactKind::ALL.iter().all(|kind| kinds.contains(kind)));
}

#[test]
fn there_are_at_most_five_findings_the_most_serious_first() {
    let sentences = write_by_rules(&sheets::everything(), Language::English);
    let findings = sentences.iter().filter(|sentence| sentence.role == SentenceRole::Finding).count();
    assert_eq!(findings, 5);
    let roles: Vec<SentenceRole> = sentences.iter().map(|sentence| sentence.role).collect();
    assert!(roles.is_sorted(), "{roles:?}");
}

#[test]
fn a_difference_that_may_be_chance_recommends_nothing() {
    let sheet = sheets::sheet(vec![sheets::incursions(9.0, 4.0).sure(Certainty::Low)]);
    let sentences = write_by_rules(&sheet, Language::English);
    let advice: Vec<&str> = sentences
        .iter()
        .filter(|sentence| sentence.role == SentenceRole::Recommendation)
        .map(|sentence| sentence.text.as_str())
        .collect();
    assert_eq!(advice, ["Look at the incursions again when the next period is over."]);
}

/// Returns the facts of the findings, in their order.
fn findings(sheet: &FactSheet) -> Vec<FactKind> {
    let sentences = write_by_rules(sheet, Language::English);
    let findings = sentences.iter().filter(|sentence| sentence.role == SentenceRole::Finding);
    findings.map(|sentence| sheet.fact(&sentence.facts[0]).unwrap().kind).collect()
}

fn pair(meetings: f64, person: i64) -> Fact {
    let pair = sheets::fact(FactKind::RepeatedPair, FactUnit::Count, meetings).over(meetings, 9.0);
    pair.about(&[(SubjectKind::Machine, 1), (SubjectKind::Pedestrian, person)])
}

fn drift() -> Fact {
    let drift = sheets::fact(FactKind::Drift, FactUnit::PerHour, 0.42);
    drift.against(ComparedWith::AfterInstallation, 0.21)
}

#[test]
fn a_pair_with_few_of_the_incursions_does_not_come_before_a_rise() {
    let sheet = sheets::sheet(vec![
        sheets::incursions(13_227.0, 10_382.0),
        sheets::rate(13_227.0, 1_384.0, 8.16),
        pair(132.0, 1),
        pair(131.0, 2),
        sheets::share(FactKind::DangerShare, 3_310.0, 13_227.0),
    ]);
    assert_eq!(findings(&sheet), [FactKind::Incursions, FactKind::IncursionRate, FactKind::DangerShare]);
    // With a third of them it does.
    let sheet = sheets::sheet(vec![sheets::incursions(380.0, 300.0), pair(130.0, 1)]);
    assert_eq!(findings(&sheet), [FactKind::RepeatedPair, FactKind::Incursions]);
}

#[test]
fn a_clear_change_of_the_rate_is_always_told() {
    let outlier = |kind, subject| sheets::outlier(kind, (subject, 1), (40.0, 120.0), 12.4);
    let others = || {
        vec![
            sheets::incursions(310.0, 292.0),
            outlier(FactKind::OutlierMachine, SubjectKind::Machine),
            outlier(FactKind::OutlierPedestrian, SubjectKind::Pedestrian),
            outlier(FactKind::OutlierOperator, SubjectKind::Operator),
            sheets::share(FactKind::IncursionsWithoutTest, 280.0, 310.0),
            sheets::share(FactKind::AcknowledgementRate, 20.0, 310.0),
        ]
    };
    let rate = sheets::rate(310.0, 738.0, 0.38);
    let found = findings(&sheets::sheet([others(), vec![rate.clone()]].concat()));
    assert_eq!((found.len(), found.last()), (5, Some(&FactKind::IncursionRate)));
    // One that may be chance adds nothing to the drift.
    let found = findings(&sheets::sheet([others(), vec![drift(), rate.sure(Certainty::Low)]].concat()));
    assert!(found.contains(&FactKind::Drift) && !found.contains(&FactKind::IncursionRate), "{found:?}");
}

#[test]
fn number_rate_and_drift_take_at_most_two_places() {
    // More incursions in many more hours: the number rose, and the rate fell.
    let totals = vec![sheets::incursions(310.0, 200.0), sheets::rate(310.0, 738.0, 0.84)];
    let sheet = sheets::sheet([totals.clone(), vec![drift()]].concat());
    assert_eq!(findings(&sheet), [FactKind::Drift, FactKind::IncursionRate]);
    assert_eq!(findings(&sheets::sheet(totals)), [FactKind::IncursionRate, FactKind::Incursions]);
}
