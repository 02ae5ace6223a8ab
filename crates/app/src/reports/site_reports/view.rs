//! Site reports as a reader sees them: names are put in for each reader, so that what is stored never has any.

use domain::SiteReport;
use domain::access::ReadInsights;
use domain::insights::{Dimension, Group, Groups};
use narrative::{FactSheet, Sentence, Subject, SubjectKind, describe_fact, with_names};
use texts::{Language, values};

use super::{FactView, SentenceView, SiteReportView, StoredFacts};
use crate::insights::QueryScope;
use crate::insights::labels::Labels;
use crate::reports::report_view::shown_reason;
use crate::{App, Caller, Error};

/// The names of subjects, as far as a reader may see them.
pub(super) struct SubjectNames(Labels);

impl SubjectNames {
    pub fn name_of(&self, subject: Subject) -> Option<&str> {
        self.0.name(dimension_of(subject.kind), subject.id)
    }

    /// Returns the name; one that is gone, or that the reader may not see, is called by its id.
    fn label(&self, subject: Subject, language: Language) -> String {
        match self.name_of(subject) {
            Some(name) => name.to_owned(),
            None => format!("{} {}", values::dimension(language, word_of(subject.kind)), subject.id),
        }
    }
}

pub(super) trait StoredTexts {
    /// Parses the stored facts; none if there are none.
    fn stored_facts(&self) -> Result<Option<StoredFacts>, Error>;
    fn stored_sentences(&self) -> Result<Vec<Sentence>, Error>;
}

impl StoredTexts for SiteReport {
    fn stored_facts(&self) -> Result<Option<StoredFacts>, Error> {
        self.facts.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)
    }

    fn stored_sentences(&self) -> Result<Vec<Sentence>, Error> {
        serde_json::from_str(self.sentences.as_deref().unwrap_or("[]")).map_err(Error::internal)
    }
}

impl App {
    /// Puts the names into site reports, as far as the caller may see them.
    pub(super) async fn view_site_reports(
        &self,
        caller: &Caller<ReadInsights>,
        reports: Vec<SiteReport>,
    ) -> Result<Vec<SiteReportView>, Error> {
        let has_reason = |report: &SiteReport| shown_reason(report.state, report.reason.as_deref()).is_some();
        // Sentences have the language of the report, reasons that of the reader.
        let language = match reports.iter().any(has_reason) {
            true => self.language_of(caller).await?,
            false => Language::English,
        };
        let mut read = Vec::with_capacity(reports.len());
        let mut subjects = Vec::new();
        for report in reports {
            let sheet = report.stored_facts()?.map(|stored| stored.sheet);
            let sentences = report.stored_sentences()?;
            subjects.extend(sheet.iter().flat_map(FactSheet::subjects));
            read.push((caller.names().redact_record(report), sheet, sentences));
        }
        let names = self.names_of_subjects(caller.query_scope(), &subjects).await?;
        let with_reason = |view: SiteReportView| {
            let reason = shown_reason(view.report.state, view.report.reason.as_deref());
            SiteReportView { reason_text: reason.map(|reason| values::reason(language, reason)), ..view }
        };
        Ok(read
            .into_iter()
            .map(|(report, sheet, sentences)| with_reason(view(report, sheet, sentences, &names)))
            .collect())
    }

    /// Loads the names of subjects.
    pub(super) async fn names_of_subjects(
        &self,
        scope: QueryScope<'_>,
        subjects: &[Subject],
    ) -> Result<SubjectNames, Error> {
        let groups = SubjectKind::ALL.map(|kind| {
            let ids = subjects.iter().filter(|subject| subject.kind == kind).map(|subject| subject.id);
            let groups = ids.map(|id| Group { keys: vec![Some(id)], figures: Vec::new() }).collect();
            ([dimension_of(kind)], Groups { groups, more: 0 })
        });
        let wanted = groups.iter().map(|(dimensions, groups)| (&dimensions[..], groups));
        Ok(SubjectNames(self.load_labels_in(scope, wanted).await?))
    }
}

fn view(
    report: SiteReport,
    sheet: Option<FactSheet>,
    sentences: Vec<Sentence>,
    names: &SubjectNames,
) -> SiteReportView {
    let language = Language::parse(&report.language).unwrap_or(Language::English);
    let name = |subject: Subject| names.label(subject, language);
    let facts = sheet.map(|sheet| {
        let texts: Vec<String> =
            sheet.facts.iter().map(|fact| with_names(&describe_fact(&sheet, fact, language), name)).collect();
        let facts = sheet.facts.into_iter().zip(texts);
        facts
            .map(|(fact, text)| {
                let subjects = fact.subjects.iter().map(|subject| (*subject, name(*subject))).collect();
                FactView { fact, text, subjects }
            })
            .collect()
    });
    let sentence = |sentence: Sentence| SentenceView {
        role: sentence.role,
        text: with_names(&sentence.text, name),
        facts: sentence.facts,
    };
    let sentences = sentences.into_iter().map(sentence).collect();
    SiteReportView { report, facts: facts.unwrap_or_default(), sentences, reason_text: None }
}

/// Returns the dimension that names subjects of a kind.
const fn dimension_of(kind: SubjectKind) -> Dimension {
    match kind {
        SubjectKind::Worksite => Dimension::Worksite,
        SubjectKind::Machine => Dimension::Machine,
        SubjectKind::Pedestrian => Dimension::Pedestrian,
        SubjectKind::Operator => Dimension::Operator,
        SubjectKind::BaseStation => Dimension::BaseStation,
        SubjectKind::Tag => Dimension::Tag,
    }
}

/// Returns the word for a subject without a name.
const fn word_of(kind: SubjectKind) -> &'static str {
    match kind {
        SubjectKind::Pedestrian | SubjectKind::Operator => "person",
        SubjectKind::Worksite | SubjectKind::Machine | SubjectKind::BaseStation | SubjectKind::Tag => {
            kind.as_str()
        }
    }
}
