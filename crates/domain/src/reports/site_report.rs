//! Written site reports: facts about a worksite, and the sentences that rest on them.

use crate::{Actor, Invalid, ReportState, SiteReportId, Timestamp, WorksiteId};

/// What wrote the sentences of a site report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteReportGenerator {
    Rules,
    /// A language model, whose sentences were checked against the facts.
    Model,
}

impl SiteReportGenerator {
    pub const ALL: [Self; 2] = [Self::Rules, Self::Model];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Model => "model",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|generator| generator.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_generator", "must be one of rules, model"))
    }
}

#[derive(Clone, Debug, macros::FromRow)]
pub struct SiteReport {
    pub id: SiteReportId,
    #[row(columns("author_kind", "author_id", "author_name"))]
    pub author: Actor,
    #[row(column = "worksite_id")]
    pub worksite: WorksiteId,
    /// `en` or `de`.
    pub language: String,
    /// Beginning of the period, in the form in which it is shown.
    #[row(column = "from_cut")]
    pub from: String,
    /// End of the period, in the form in which it is shown.
    #[row(column = "to_cut")]
    pub to: String,
    pub state: ReportState,
    /// The reason why there is no text, or no longer one.
    pub reason: Option<String>,
    pub percent: i64,
    /// Changes each time it is begun.
    pub generation: i64,
    /// Sequence number of the brand's last change that the facts include.
    pub seq: Option<i64>,
    /// The time zones of the days in it, as a JSON list.
    pub time_zones: Option<String>,
    /// The fact sheet as JSON, with ids instead of names.
    pub facts: Option<String>,
    /// The sentences as JSON, with tokens such as `{machine:7}` instead of names.
    pub sentences: Option<String>,
    pub generator: Option<SiteReportGenerator>,
    /// What was done with the answers of the model, as JSON.
    pub checks: Option<String>,
    /// Why the rules wrote it although a model is configured.
    pub fallback_reason: Option<String>,
    pub model: Option<String>,
    pub prompt_sha256: Option<Vec<u8>>,
    /// Version of the program that computed the facts.
    pub program: Option<String>,
    /// Rises with every change; the `ETag`.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    pub expires_at: Option<Timestamp>,
}

/// Filters of a list of site reports. Empty lists and `None` do not restrict.
#[derive(Clone, Debug, Default)]
pub struct SiteReportFilter {
    pub ids: Option<Vec<i64>>,
    pub worksite: Option<WorksiteId>,
    pub states: Vec<ReportState>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_both_ways() {
        for generator in SiteReportGenerator::ALL {
            assert_eq!(SiteReportGenerator::parse(generator.as_str()), Ok(generator));
        }
        assert!(SiteReportGenerator::parse("people").is_err());
    }
}
