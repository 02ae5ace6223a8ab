//! Written site reports: facts about a worksite, and sentences that rest on them.
//!
//! `facts` and its companions compute the fact sheet, `build` is the job's part, `writing` decides what is asked of a language model and
//! what becomes of its answers, and `view` puts in names for each reader. Sentences are written by rules, or by the model, which the job
//! asks (crates `narrative` and `ai`). Stored facts and sentences have ids, so that erasing someone leaves nothing behind.

mod build;
mod comparisons;
mod concentration;
mod counts;
mod days;
mod devices;
mod drift;
mod facts;
mod lifecycle;
mod tag_tests;
mod view;
mod writing;

use domain::{Period, SiteReport, SiteReportGenerator, WorksiteId};
use narrative::{Fact, FactSheet, Prompt, Roles, Sentence, SentenceRole, Subject};
use serde::{Deserialize, Serialize};
use store::ReportCoverage;
use texts::Language;

use crate::accounts::authors::Author;
use crate::platform::jobs::{AttemptEnd, LeaseStatus};

pub use writing::{NoAnswer, SiteReportWriting};

/// A request for a written site report.
#[derive(Clone, Debug)]
pub struct NewSiteReport {
    pub worksite: WorksiteId,
    pub period: Period,
    /// The author's, if it is left out.
    pub language: Option<Language>,
}

/// A site report as one reader sees it: names are put in as far as they may see them.
#[derive(Clone, Debug)]
pub struct SiteReportView {
    pub report: SiteReport,
    /// Empty until the report is ready, and after it has expired.
    pub facts: Vec<FactView>,
    pub sentences: Vec<SentenceView>,
    /// The reason why there is no text, in the reader's language.
    pub reason_text: Option<&'static str>,
}

#[derive(Clone, Debug)]
pub struct FactView {
    pub fact: Fact,
    /// What it says, in the language of the report.
    pub text: String,
    /// Whom and what it is about, with their names.
    pub subjects: Vec<(Subject, String)>,
}

#[derive(Clone, Debug)]
pub struct SentenceView {
    pub role: SentenceRole,
    pub text: String,
    /// Ids of the facts that it rests on.
    pub facts: Vec<String>,
}

/// The facts of a site report that is to be written.
pub struct SiteReportDraft {
    sheet: FactSheet,
    language: Language,
    /// What subjects are called towards a language model.
    roles: Roles,
    prompt: Prompt,
    author: Author,
    generation: i64,
    seq: i64,
    time_zones: Vec<String>,
    coverage: ReportCoverage,
}

/// The next step of the job.
pub enum SiteReportStep {
    /// There is nothing to write: the report has ended or failed, or must be started again.
    Done(AttemptEnd),
    Write(Box<SiteReportDraft>),
}

impl SiteReportStep {
    fn finished(lease_status: LeaseStatus) -> Self {
        Self::Done(AttemptEnd::Finished(lease_status))
    }
}

/// The sentences of a site report, and how they came about.
#[derive(Clone, Debug)]
pub struct WrittenSiteReport {
    pub sentences: Vec<Sentence>,
    pub generator: SiteReportGenerator,
    /// The model that was asked, even if the rules wrote the report in the end.
    pub model: Option<String>,
    /// Of the last prompt.
    pub prompt_sha256: Option<Vec<u8>>,
    /// What was done with the answers of the model.
    pub checks: serde_json::Value,
    /// Why the rules wrote it although a model is configured.
    pub fallback_reason: Option<String>,
}

/// The facts as they are stored. Fields may only be added, with a default.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct StoredFacts {
    #[serde(flatten)]
    sheet: FactSheet,
    /// The projects whose facts went into it; none for all of them.
    #[serde(default)]
    projects: Option<Vec<i64>>,
}
