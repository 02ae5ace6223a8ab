//! The times at which base stations were in the projects of a scope. A station's reports, and the messages sent to it, belong to
//! the project that the station was in at the time: a restricted caller sees nothing from before it came or after it left.

use std::collections::HashMap;

use domain::row::FromRow;
use domain::{BaseStationId, Timestamp, sorted};

use crate::engine::row::Row;
use crate::engine::statement::{Statement, sql};
use crate::facts::out_of_scope::Interval;
use crate::{Error, Projects, Scope, Tx};

/// A base station that is visible in a scope, with the times for which it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleStation {
    pub id: BaseStationId,
    visible_times: VisibleTimes,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum VisibleTimes {
    All,
    /// In order; none touches the next.
    Only(Vec<Interval>),
}

impl VisibleStation {
    /// Returns whether the station's reports of that time are visible.
    pub fn is_visible_at(&self, at: Timestamp) -> bool {
        match &self.visible_times {
            VisibleTimes::All => true,
            VisibleTimes::Only(times) => {
                times.iter().any(|(from, until)| at >= *from && until.is_none_or(|until| at < until))
            }
        }
    }

    /// Returns the visible parts of a period in order, with exclusive ends.
    pub fn visible_parts(&self, from: Timestamp, to: Timestamp) -> Vec<(Timestamp, Timestamp)> {
        let times = match &self.visible_times {
            VisibleTimes::All => return vec![(from, to)],
            VisibleTimes::Only(times) => times.iter(),
        };
        let cut = times.map(|(begin, end)| (from.max(*begin), end.map_or(to, |end| to.min(end))));
        cut.filter(|(begin, end)| begin < end).collect()
    }
}

impl Statement {
    /// Appends a condition that holds for rows of the station whose time, in `column`, is visible.
    pub(crate) fn and_visible_at(self, station: &VisibleStation, column: &'static str) -> Self {
        let VisibleTimes::Only(times) = &station.visible_times else { return self };
        self.and_in_one_of(times, &[column, " >= times.column1 and ", column, " < times.column2"])
    }

    /// Appends a condition that holds for rows for which there is such a time. The parts of the condition call its bounds
    /// `times.column1` and `times.column2`, the latter of which is exclusive.
    pub(crate) fn and_in_one_of(self, times: &[Interval], condition: &[&'static str]) -> Self {
        if times.is_empty() {
            return self.push(" and 1 = 0");
        }
        let mut statement = self.push(" and exists (select 1 from (values ");
        for (index, (from, until)) in times.iter().enumerate() {
            let text = if index == 0 { "($?, $?)" } else { ", ($?, $?)" };
            let until = until.unwrap_or(Timestamp::from_micros(i64::MAX));
            statement = statement.push_with(text, [(*from).into(), until.into()]);
        }
        let statement = condition.iter().copied().fold(statement.push(") times where "), Statement::push);
        // The text depends on how often the station moved, so caching it would evict statements that are used again.
        statement.push(")").uncached()
    }
}

/// One way in which a station was in a project: installed on a machine that was assigned to a worksite of the project.
struct StationPlacement {
    station: BaseStationId,
    links: [Interval; 3],
}

impl FromRow<Row> for StationPlacement {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let begin: Timestamp = row.get("term_from")?;
        // Before its first term, a worksite has the properties of that term.
        let begin = if row.get::<i64>("earlier")? == 0 { Timestamp::from_micros(i64::MIN) } else { begin };
        Ok(Self {
            station: row.get("base_station_id")?,
            links: [
                (row.get("installed_from")?, row.get("installed_until")?),
                (row.get("assigned_from")?, row.get("assigned_until")?),
                (begin, row.get("term_until")?),
            ],
        })
    }
}

impl StationPlacement {
    /// Returns the time in which all links held together, if there is one.
    fn interval(&self) -> Option<Interval> {
        let from = self.links.iter().map(|(from, _)| *from).max()?;
        let until = self.links.iter().filter_map(|(_, until)| *until).min();
        until.is_none_or(|until| from < until).then_some((from, until))
    }
}

const PLACEMENTS: &str = "select i.base_station_id, i.from_at as installed_from, i.to_at as installed_until,
    a.from_at as assigned_from, a.to_at as assigned_until, m.from_at as term_from,
    (select min(n.from_at) from worksite_terms n where n.worksite_id = m.worksite_id and n.from_at > m.from_at) as term_until,
    (select count(*) from worksite_terms n where n.worksite_id = m.worksite_id and n.from_at < m.from_at) as earlier
    from installations i
    join machine_assignments a on a.machine_id = i.machine_id
    join worksite_terms m on m.worksite_id = a.worksite_id
    where i.brand_id = $1";

#[macros::boxed]
impl Tx {
    /// Finds a station if it is visible in the scope.
    pub async fn visible_station(
        &mut self,
        scope: &Scope,
        id: BaseStationId,
    ) -> Result<Option<VisibleStation>, Error> {
        if self.base_stations(scope).find(id).await?.is_none() {
            return Ok(None);
        }
        Ok(self.visible_stations(scope, &[id]).await?.pop())
    }

    /// Adds the visible times to stations of the brand, in the given order. One that was never visible in the scope has none.
    pub async fn visible_stations(
        &mut self,
        scope: &Scope,
        found: &[BaseStationId],
    ) -> Result<Vec<VisibleStation>, Error> {
        if *scope.projects() == Projects::All {
            return Ok(found
                .iter()
                .map(|id| VisibleStation { id: *id, visible_times: VisibleTimes::All })
                .collect());
        }
        let statement = sql!(PLACEMENTS, scope.brand())
            .and_in_projects(scope.projects(), "m.project_id")
            .and_in("i.base_station_id", found.iter().copied());
        let placements: Vec<StationPlacement> = self.all(statement.uncached()).await?;
        let mut times: HashMap<BaseStationId, Vec<Interval>> = HashMap::new();
        for placement in placements {
            times.entry(placement.station).or_default().extend(placement.interval());
        }
        let seen = |id: &BaseStationId| {
            let times = merge_intervals(times.remove(id).unwrap_or_default());
            VisibleStation { id: *id, visible_times: VisibleTimes::Only(times) }
        };
        Ok(found.iter().map(seen).collect())
    }
}

/// Sorts intervals and merges those that touch or overlap.
fn merge_intervals(mut times: Vec<Interval>) -> Vec<Interval> {
    sorted::sort(&mut times);
    let mut merged: Vec<Interval> = Vec::with_capacity(times.len());
    for (from, until) in times {
        match merged.last_mut() {
            Some((_, None)) => break,
            Some((_, end)) if end.is_some_and(|end| from <= end) => {
                if until.is_none_or(|until| end.is_some_and(|end| until > end)) {
                    *end = until;
                }
            }
            _ => merged.push((from, until)),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(seconds)
    }

    fn only(times: Vec<Interval>) -> VisibleStation {
        VisibleStation { id: BaseStationId(1), visible_times: VisibleTimes::Only(merge_intervals(times)) }
    }

    #[test]
    fn times_that_touch_or_overlap_become_one() {
        let seen = only(vec![
            (at(50), Some(at(60))),
            (at(0), Some(at(10))),
            (at(10), Some(at(20))),
            (at(12), Some(at(15))),
            (at(30), Some(at(40))),
        ]);
        assert_eq!(seen.visible_parts(at(5), at(55)), [(at(5), at(20)), (at(30), at(40)), (at(50), at(55))]);
        for (second, is_shown) in [(0, true), (19, true), (20, false), (30, true), (40, false), (60, false)] {
            assert_eq!(seen.is_visible_at(at(second)), is_shown, "{second}");
        }
    }

    #[test]
    fn what_goes_on_has_no_end() {
        let seen = only(vec![(at(10), None), (at(5), Some(at(12))), (at(20), Some(at(30)))]);
        assert_eq!(seen.visible_parts(at(0), at(100)), [(at(5), at(100))]);
        assert!(only(Vec::new()).visible_parts(at(0), at(100)).is_empty());
    }

    #[test]
    fn a_stay_lasts_while_all_its_links_hold() {
        let stay = |links| StationPlacement { station: BaseStationId(1), links }.interval();
        let open = (at(0), None);
        assert_eq!(stay([open, (at(5), Some(at(9))), (at(3), None)]), Some((at(5), Some(at(9)))));
        assert_eq!(stay([open, (at(5), Some(at(9))), (at(9), None)]), None);
        assert_eq!(stay([open, open, open]), Some((at(0), None)));
    }
}
