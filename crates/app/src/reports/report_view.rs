//! A report as one reader sees it: with the reason why it has no file as a sentence in their language.

use domain::access::ReadInsights;
use domain::{Report, ReportState};
use texts::{Language, values};

use crate::{App, Caller, Error};

/// A report as one reader sees it.
#[derive(Clone, Debug)]
pub struct ReportView {
    pub report: Report,
    /// The reason why there is no file, in the reader's language.
    pub reason_text: Option<&'static str>,
}

/// For a report without a reason, such as one that was just requested.
impl From<Report> for ReportView {
    fn from(report: Report) -> Self {
        Self { report, reason_text: None }
    }
}

/// Returns the reason in words of the program. What expired because its retention ended has no other reason.
pub(super) fn shown_reason(state: ReportState, reason: Option<&str>) -> Option<&str> {
    match (reason, state) {
        (Some(reason), _) => Some(reason),
        (None, ReportState::Expired) => Some("expired"),
        (None, _) => None,
    }
}

impl App {
    /// Adds the sentences of reasons. The caller's language is looked up only if there is a reason.
    pub(super) async fn view_reports(
        &self,
        caller: &Caller<ReadInsights>,
        reports: Vec<Report>,
    ) -> Result<Vec<ReportView>, Error> {
        let has_reason = |report: &Report| shown_reason(report.state, report.reason.as_deref()).is_some();
        if !reports.iter().any(has_reason) {
            return Ok(reports.into_iter().map(ReportView::from).collect());
        }
        let language = self.language_of(caller).await?;
        let view = |report: Report| {
            let reason = shown_reason(report.state, report.reason.as_deref());
            ReportView { reason_text: reason.map(|reason| values::reason(language, reason)), report }
        };
        Ok(reports.into_iter().map(view).collect())
    }

    pub(super) async fn view_report(
        &self,
        caller: &Caller<ReadInsights>,
        report: Report,
    ) -> Result<ReportView, Error> {
        let view = self.view_reports(caller, vec![report]).await?.pop();
        view.ok_or_else(|| Error::internal("a report has no view"))
    }

    /// Returns the language in which the caller reads texts.
    pub(super) async fn language_of(&self, caller: &Caller<ReadInsights>) -> Result<Language, Error> {
        Ok(Language::of_tag(self.preferences_of(caller).await?.language.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_has_ended_has_a_reason() {
        assert_eq!(shown_reason(ReportState::Failed, Some("given_up")), Some("given_up"));
        assert_eq!(shown_reason(ReportState::Expired, Some("deleted")), Some("deleted"));
        assert_eq!(shown_reason(ReportState::Expired, None), Some("expired"));
        assert_eq!(shown_reason(ReportState::Ready, None), None);
        assert_eq!(shown_reason(ReportState::Queued, None), None);
    }
}
