//! Questions of a report, and their answers as they are stored.

use domain::Period;
use domain::insights::{Dimension, GroupOrder, Grouping, IncursionFilter, Measure, Resolution};

use super::answers::store_group;
use super::{StoredAnswer, StoredGrouping};
use crate::accounts::authors::Author;
use crate::insights::query::filter_for_period;
use crate::insights::{QueryResult, QueryScope, QuerySpec};
use crate::{App, Error};

/// A question with several groupings, which have names.
pub(super) struct Asked<'a> {
    pub name: &'static str,
    pub filter: &'a IncursionFilter,
    pub measures: Vec<Measure>,
    pub groupings: Vec<(&'static str, Grouping)>,
}

/// The measures of patterns: how many, and how many of them were acknowledged.
pub(super) const COUNTS: [Measure; 2] = [Measure::Incursions, Measure::AcknowledgementRate];

/// The size of the hexagons of a map: about 20 m across.
const MAP_RESOLUTION: i64 = 12;
/// Maximum number of hexagons of a map.
const MAX_HEXAGONS: usize = 2_000;

/// Returns the groups with most incursions, which must be the first measure.
pub(super) fn most(by: impl Into<Vec<Dimension>>, limit: usize) -> Grouping {
    Grouping { dimensions: by.into(), order: GroupOrder::Descending(0), limit: Some(limit) }
}

pub(super) fn all(by: impl Into<Vec<Dimension>>) -> Grouping {
    Grouping::by(by)
}

fn map_resolution() -> Resolution {
    Resolution::new(MAP_RESOLUTION).unwrap_or(Resolution::FINEST)
}

/// Returns the question about hours, places and durations.
pub(super) fn pattern_question<'a>(name: &'static str, filter: &'a IncursionFilter) -> Asked<'a> {
    let cell = Dimension::Cell(map_resolution());
    Asked {
        name,
        filter,
        measures: COUNTS.to_vec(),
        groupings: vec![
            ("by_hour", all([Dimension::DayOfWeek, Dimension::HourOfDay])),
            ("by_cell", most([cell], MAX_HEXAGONS)),
            ("by_duration", all([Dimension::Duration])),
        ],
    }
}

impl App {
    /// Asks questions one after the other. They may know of different changes, see [`super::Draft`].
    pub(super) async fn ask_questions(
        &self,
        scope: QueryScope<'_>,
        asked: &[Asked<'_>],
    ) -> Result<Vec<StoredAnswer>, Error> {
        let mut answers = Vec::with_capacity(asked.len());
        for one in asked {
            let spec = QuerySpec {
                filter: one.filter,
                measures: one.measures.clone(),
                groupings: one.groupings.iter().map(|(_, grouping)| grouping.clone()).collect(),
            };
            let result = self.run_query_in(scope, spec).await?;
            answers.push(store_answer(one, result));
        }
        Ok(answers)
    }

    /// Returns the filter of the period before.
    pub(super) async fn filter_before(
        &self,
        author: &Author,
        filter: &IncursionFilter,
    ) -> Result<IncursionFilter, Error> {
        let spec =
            QuerySpec { filter, measures: vec![Measure::Incursions], groupings: vec![Grouping::by([])] };
        let result = self.run_query_in(author.query_scope(), spec).await?;
        let previous = self.previous_period(&author.scope, filter, &result).await?;
        Ok(filter_for_period(filter, previous.period))
    }
}

/// Returns the bounds of the period of a filter, as they are stored.
pub(super) fn stored_period(filter: &IncursionFilter) -> Option<(String, String)> {
    let Period { from, to } = filter.period?;
    Some((from?.to_string(), to?.to_string()))
}

fn store_answer(asked: &Asked<'_>, result: QueryResult) -> StoredAnswer {
    let groupings = asked.groupings.iter().zip(result.groupings).map(|((name, grouping), found)| {
        let by = grouping.dimensions.iter().map(|dimension| dimension.as_str().to_owned());
        StoredGrouping {
            name: (*name).to_owned(),
            by: by.collect(),
            groups: found.groups.into_iter().map(store_group).collect(),
            more: found.more,
        }
    });
    StoredAnswer {
        name: asked.name.to_owned(),
        from: result.from.to_string(),
        to: result.to.to_string(),
        now: result.now,
        time_zones: result.time_zones.iter().map(ToString::to_string).collect(),
        seq: result.seq,
        measures: asked.measures.iter().map(|measure| measure.as_str().to_owned()).collect(),
        groupings: groupings.collect(),
    }
}
