//! Whether there was nothing yet to record in the period before, so that no zero of it is known to be one.
//!
//! Nobody knows the runtime of someone on foot or of a tag. Their zero stands if anything of anyone was recorded beside it.

use domain::Period;
use domain::insights::{IncursionFilter, Measure};

use super::asking::{NamedQuestion, all};
use super::person::anyone;
use super::{Draft, ReportFigures, StoredAnswer};
use crate::accounts::authors::Author;
use crate::{App, Error};

/// The answers about the period before that may be about people on foot or tags.
const BEFORE: [&str; 2] = ["foot_previous", "previous"];
const ANYONE: &str = "anyone";

impl ReportFigures {
    /// Returns whether an answer has no incursions and does not know the runtime.
    fn is_zero_without_runtime(&self, answer: &str) -> bool {
        let groups = self.groups(answer, "total");
        groups.first().is_some_and(|total| {
            total.incursions() == 0 && total.figure(Measure::RuntimeHours).numerator.is_none()
        })
    }
}

impl App {
    /// Asks about everyone in the period before, if the figures have a zero that nothing else explains.
    pub(super) async fn note_silence_before(
        &self,
        author: &Author,
        filter: &IncursionFilter,
        draft: &mut Draft,
    ) -> Result<(), Error> {
        let figures = &draft.figures;
        let unexplained = BEFORE.into_iter().find(|name| figures.is_zero_without_runtime(name));
        let answer = unexplained.and_then(|name| figures.answer(name));
        let Some(before) = answer.map(StoredAnswer::result) else { return Ok(()) };
        let period = Some(Period { from: Some(before.from), to: Some(before.to) });
        let everything = IncursionFilter { period, ..anyone(filter) };
        let asked = NamedQuestion {
            name: ANYONE,
            filter: &everything,
            measures: vec![Measure::Incursions, Measure::RuntimeHours],
            groupings: vec![("total", all([]))],
        };
        let answers = self.ask_questions(author.query_scope(), &[asked]).await?;
        draft.seqs.extend(answers.iter().flat_map(StoredAnswer::seqs));
        let found = ReportFigures { answers, ..ReportFigures::default() };
        draft.figures.is_silent_before = !found.has_data(ANYONE);
        Ok(())
    }
}
