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
