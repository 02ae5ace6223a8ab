//! What the rules write always passes the check, whatever the facts are; no answer makes the check panic.

use proptest::prelude::*;
use texts::Language;

use super::forms::shown;
use super::sheets::{answer, fact, sheet};
use crate::*;

fn arbitrary_fact() -> impl Strategy<Value = Fact> {
    let numbers = (0_u32..100_000, 1_u32..100_000, 0.0..5_000.0_f64, 0_u8..=21);
    let places = (0_usize..21, 0_usize..3, 1_i64..5, any::<bool>());
    (numbers, places).prop_map(|((count, all, other, hour), (kind, certainty, id, flag))| {
        let kind = FactKind::ALL[kind];
        let (count, all) = (f64::from(count.min(all)), f64::from(all));
        let certainty = Certainty::ALL[certainty];
        let of = |unit, value, digits| Fact { digits, certainty, ..fact(kind, unit, value) };
        let previous =
            |fact: Fact| if flag { fact } else { fact.against(ComparedWith::PreviousPeriod, other) };
        let share = || of(FactUnit::Percent, count / all * 100.0, 0).over(count, all);
        let machine = (SubjectKind::Machine, id);
        let outlier = |subject| {
            let expected = other / 10.0;
            let fact = of(FactUnit::Count, count, 0).about(&[subject]).against(ComparedWith::Peers, expected);
            Fact {
                denominator: Some(all),
                interval: Some(((expected / 2.0).floor(), (expected * 2.0).ceil())),
                ..fact
            }
        };
        match kind {
            FactKind::Incursions => previous(of(FactUnit::Count, count, 0)),
            FactKind::IncursionRate => previous(of(FactUnit::PerHour, count / all, 2).over(count, all)),
            FactKind::Drift => of(FactUnit::PerHour, count / all, 2)
                .over(count, all)
                .against(ComparedWith::AfterInstallation, other / 1e4),
            FactKind::AverageDuration | FactKind::ZoneTime => previous(of(FactUnit::Seconds, other * 3.7, 1)),
            FactKind::RuntimeHours => previous(of(FactUnit::Hours, other * 1.3, 0)),
            FactKind::OutlierMachine => outlier(machine),
            FactKind::OutlierPedestrian => outlier((SubjectKind::Pedestrian, id)),
            FactKind::OutlierOperator => outlier((SubjectKind::Operator, id)),
            FactKind::BusiestHours => {
                Fact { hours: Some((hour, hour + 3)), ..share().against(ComparedWith::Runtime, other / 50.0) }
            }
            FactKind::TopMachine => share().about(&[machine]).against(ComparedWith::Runtime, other / 50.0),
            FactKind::RepeatedPair => {
                let pair = of(FactUnit::Count, count, 0).about(&[machine, (SubjectKind::Pedestrian, id)]);
                Fact { denominator: Some(f64::from(hour) + 1.0), ..pair }
            }
            FactKind::SilentStations => Fact { denominator: Some(all), ..of(FactUnit::Count, count, 0) },
            FactKind::DaysWithoutData => Fact { denominator: Some(all), ..of(FactUnit::Days, count, 0) },
            FactKind::ZoneSizeChanged => {
                let zone = if flag { FactZone::Danger } else { FactZone::Warning };
                let size = of(FactUnit::Metres, other / 100.0, 1).about(&[machine]);
                Fact { zone: Some(zone), ..size.against(ComparedWith::BeforeChange, f64::from(hour)) }
            }
            FactKind::AcknowledgementRate | FactKind::DangerShare => previous(share()),
            FactKind::BusiestPlace
            | FactKind::TestCompliance
            | FactKind::IncursionsWithoutTest
            | FactKind::UnknownPedestrians => share(),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_rules_write_passes_the_check(facts in prop::collection::vec(arbitrary_fact(), 1..12)) {
        let sheet = sheet(facts);
        for language in Language::ALL {
            let roles = Roles::anonymous(&sheet, language);
            let name = |subject: Subject| roles.name(subject).to_owned();
            let written = write_by_rules(&sheet, language);
            if written.is_empty() {
                continue;
            }
            let said: Vec<Sentence> = written
                .iter()
                .map(|sentence| Sentence { text: with_names(&sentence.text, name), ..sentence.clone() })
                .collect();
            let answer = serde_json::json!({ "sentences": said }).to_string();
            let checked = check_answer(&sheet, language, &roles, &answer).unwrap();
            for dropped in &checked.dropped {
                prop_assert!(false, "{dropped:?}: {:?}", said[dropped.sentence]);
            }
            prop_assert_eq!(checked.sentences, written);
        }
    }

    #[test]
    fn what_a_fact_says_passes_the_check(facts in prop::collection::vec(arbitrary_fact(), 1..4)) {
        let sheet = sheet(facts);
        for language in Language::ALL {
            let roles = Roles::anonymous(&sheet, language);
            let say = |fact: &Fact| {
                let text = with_names(&describe_fact(&sheet, fact, language), |subject| roles.name(subject).to_owned());
                Sentence { role: SentenceRole::Finding, text, facts: vec![fact.id.clone()] }
            };
            let said: Vec<Sentence> = sheet.facts.iter().map(say).collect();
            let answer = serde_json::json!({ "sentences": said }).to_string();
            let checked = check_answer(&sheet, language, &roles, &answer).unwrap();
            for dropped in &checked.dropped {
                prop_assert!(false, "{dropped:?}: {:?}", said[dropped.sentence]);
            }
            prop_assert!(checked.is_enough() || sheet.facts.len() < 3);
        }
    }

    #[test]
    fn what_a_prompt_shows_passes_the_check(facts in prop::collection::vec(arbitrary_fact(), 1..4)) {
        let sheet = sheet(facts);
        for language in Language::ALL {
            let roles = Roles::anonymous(&sheet, language);
            for (role, text, fact) in shown(&Prompt::new(&sheet, language, &roles)) {
                let checked = check_answer(&sheet, language, &roles, &answer(&[(role, &text, &[&fact])])).unwrap();
                prop_assert!(checked.dropped.is_empty(), "{role}: {text}: {:?}", checked.dropped);
            }
        }
    }

    #[test]
    fn no_answer_makes_the_check_panic(text in "\\PC{0,200}", fact in arbitrary_fact()) {
        let sheet = sheet(vec![fact]);
        for language in Language::ALL {
            let roles = Roles::anonymous(&sheet, language);
            let _ = check_answer(&sheet, language, &roles, &text);
            let answer = serde_json::json!({ "sentences": [{ "role": "finding", "text": text, "facts": ["f1"] }] });
            let _ = check_answer(&sheet, language, &roles, &answer.to_string());
        }
    }
}
