//! The time zones of figures about people and tags, which are assigned to no worksite.

use domain::insights::IncursionFilter;
use domain::{SortedSet, WorksiteId};
use store::FactPlaces;

use super::{Draft, ReportFigures};
use crate::accounts::authors::Author;
use crate::{App, Error};

/// The names of answers that are grouped by worksite. All of a list are about the same period.
#[derive(Clone, Copy)]
pub(super) struct AnswersByWorksite {
    /// The answers about the period.
    pub now: &'static [&'static str],
    /// The answers about the period before.
    pub before: &'static [&'static str],
}

/// The answers of reports that ask about each period once.
const MAIN: AnswersByWorksite = AnswersByWorksite { now: &["main"], before: &["previous"] };

/// Returns whether the days of a filter are those of the worksites with facts: it names people or tags, and nothing that tells their
/// worksites.
pub(super) fn has_days_of_facts(filter: &IncursionFilter) -> bool {
    let people = [&filter.people, &filter.pedestrians, &filter.operators];
    let is_of_anyone = !filter.tags.is_empty() || people.into_iter().any(|people| !people.is_empty());
    is_of_anyone && filter.worksites.is_empty() && filter.projects.is_empty()
}

impl App {
    /// Returns the filter of the period before that of the answer `main`: for people and tags, by the time zones of their facts.
    pub(super) async fn filter_before_main(
        &self,
        author: &Author,
        filter: &IncursionFilter,
        draft: &mut Draft,
    ) -> Result<IncursionFilter, Error> {
        self.keep_time_zones_of_main(author, filter, draft).await?;
        match draft.figures.answer("main").filter(|_| has_days_of_facts(filter)) {
            Some(answer) => self.filter_before_result(author, filter, answer.result()).await,
            None => self.filter_before(author, filter).await,
        }
    }

    /// Leaves only the time zones of facts if the filter names people or tags. The answers `main` and `previous` must then be grouped by
    /// worksite.
    pub(super) async fn keep_time_zones_of_main(
        &self,
        author: &Author,
        filter: &IncursionFilter,
        draft: &mut Draft,
    ) -> Result<(), Error> {
        match has_days_of_facts(filter) {
            true => self.keep_time_zones_of_facts(author, MAIN, draft).await,
            false => Ok(()),
        }
    }

    /// Leaves only the time zones of the worksites with facts. Answers about people and tags have those of all worksites, because they
    /// are assigned to none. Where someone was in one of the two periods only, both have its time zones; someone without facts at any
    /// worksite keeps those of all.
    pub(super) async fn keep_time_zones_of_facts(
        &self,
        author: &Author,
        by_worksite: AnswersByWorksite,
        draft: &mut Draft,
    ) -> Result<(), Error> {
        let now = self.time_zones_of_facts(author, &draft.figures, by_worksite.now).await?;
        let before = self.time_zones_of_facts(author, &draft.figures, by_worksite.before).await?;
        draft.of_worksites_before = by_worksite.before;
        for answer in &mut draft.figures.answers {
            let is_before = by_worksite.before.contains(&answer.name.as_str());
            let (own, other) = if is_before { (&before, &now) } else { (&now, &before) };
            if let Some(zones) = own.as_ref().or(other.as_ref()) {
                answer.time_zones.clone_from(zones);
            }
        }
        Ok(())
    }

    /// Returns the time zones of the worksites with facts in these answers about one period; none without facts at any worksite. With more
    /// worksites than the answers name, they are those that the answers have.
    async fn time_zones_of_facts(
        &self,
        author: &Author,
        figures: &ReportFigures,
        names: &[&str],
    ) -> Result<Option<Vec<String>>, Error> {
        let Some(first) = names.first().and_then(|name| figures.answer(name)) else { return Ok(None) };
        if names.iter().any(|name| figures.more(name, "by_worksite") > 0) {
            return Ok(Some(first.time_zones.clone()));
        }
        let facts = fact_places(figures, names);
        if facts.worksites.is_empty() {
            return Ok(None);
        }
        let worksites = facts.worksites.iter().copied().map(WorksiteId).collect();
        let filter = IncursionFilter { worksites, ..IncursionFilter::default() };
        let result = first.result();
        let zones = self.time_zones_of(&author.scope, &filter, &facts, (result.from, result.to)).await?;
        Ok(Some(zones.iter().map(ToString::to_string).collect()))
    }
}

/// Returns where the facts of these answers happened.
fn fact_places(figures: &ReportFigures, names: &[&str]) -> FactPlaces {
    let groups = names.iter().flat_map(|name| figures.groups(name, "by_worksite"));
    let sites: SortedSet<Option<i64>> = groups.map(|group| group.key(0)).collect();
    FactPlaces { worksites: sites.iter().copied().flatten().collect(), outside: sites.contains(&None) }
}

#[cfg(test)]
mod tests {
    use domain::{MachineId, PersonId, ProjectId, TagId};

    use super::*;

    #[test]
    fn people_and_tags_have_the_days_of_their_facts_if_nothing_tells_their_worksites() {
        let everything = IncursionFilter::default();
        let person = IncursionFilter { people: vec![PersonId(1)], ..everything.clone() };
        let tag = IncursionFilter { tags: vec![TagId(1)], ..everything.clone() };
        for filter in [
            &person,
            &tag,
            &IncursionFilter { pedestrians: vec![PersonId(1)], ..everything.clone() },
            &IncursionFilter { operators: vec![PersonId(1)], ..everything.clone() },
            &IncursionFilter { machines: vec![MachineId(1)], ..person.clone() },
        ] {
            assert!(has_days_of_facts(filter), "{filter:?}");
        }
        for filter in [
            &everything,
            &IncursionFilter { machines: vec![MachineId(1)], ..everything.clone() },
            &IncursionFilter { worksites: vec![WorksiteId(1)], ..person.clone() },
            &IncursionFilter { projects: vec![ProjectId(1)], ..tag.clone() },
        ] {
            assert!(!has_days_of_facts(filter), "{filter:?}");
        }
    }
}
