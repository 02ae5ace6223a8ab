//! The figures of a report about a machine.

use domain::insights::{Dimension, IncursionFilter, Measure};
use domain::{MachineId, WorksiteId};

use super::Draft;
use super::asking::{NamedQuestion, all, keep_groups_of, most, pattern_question, stored_period};
use crate::accounts::authors::Author;
use crate::insights::OutlierBy;
use crate::reports::request::ReportRequest;
use crate::{App, Error};

impl App {
    pub(super) async fn collect_machine(
        &self,
        author: &Author,
        request: &ReportRequest,
        progress: &(dyn Fn(i64) + Send + Sync),
    ) -> Result<Draft, Error> {
        let filter = &request.filter;
        let before = self.filter_before(author, filter).await?;
        let asked = [
            NamedQuestion {
                name: "main",
                filter,
                measures: Measure::ALL.to_vec(),
                groupings: vec![
                    ("total", all([])),
                    ("by_day", all([Dimension::Day])),
                    ("by_operator", most([Dimension::Operator], 26)),
                    ("by_pedestrian", most([Dimension::Pedestrian], 26)),
                    ("by_worksite", most([Dimension::Worksite], 26)),
                    ("by_zone", all([Dimension::Zone])),
                    ("by_project", all([Dimension::Project])),
                ],
            },
            pattern_question("pattern", filter),
            NamedQuestion {
                name: "runtime",
                filter,
                measures: vec![Measure::RuntimeHours, Measure::Incursions],
                groupings: vec![("by_day", all([Dimension::Day]))],
            },
            NamedQuestion {
                name: "previous",
                filter: &before,
                measures: Measure::ALL.to_vec(),
                groupings: vec![
                    ("total", all([])),
                    ("by_operator", all([Dimension::Operator])),
                    ("by_project", all([Dimension::Project])),
                ],
            },
        ];
        // Others of its kind went into the comparison.
        let mut draft = Draft { uses_whole_scope: true, ..Draft::default() };
        draft.figures.answers = self.ask_questions(author.query_scope(), &asked).await?;
        keep_groups_of(&mut draft.figures.answers, ("main", "previous"), "by_operator");
        draft.figures.previous = stored_period(&before);
        progress(50);
        if let Some(machine) = request.subject.machine {
            self.add_machine_details(author, filter, machine, &mut draft).await?;
        }
        Ok(draft)
    }

    async fn add_machine_details(
        &self,
        author: &Author,
        filter: &IncursionFilter,
        machine: MachineId,
        draft: &mut Draft,
    ) -> Result<(), Error> {
        let found = self.store.read().await?.machines(&author.scope).find(machine).await?;
        if let Some(found) = found {
            let of_kind = IncursionFilter {
                machines: Vec::new(),
                machine_kinds: vec![found.kind],
                base_stations: Vec::new(),
                ..filter.clone()
            };
            self.add_comparison(author, &of_kind, (OutlierBy::Machine, machine.0), draft).await?;
        }
        let main_site = draft.figures.groups("main", "by_worksite").iter().find_map(|group| group.key(0));
        if let Some(site) = main_site {
            draft.figures.outline = self.outline_of(author, WorksiteId(site)).await?;
        }
        let period = filter.period.unwrap_or_default();
        if let Some((from, to)) = period.from.zip(period.to) {
            let period = (from.earliest(), to.latest());
            draft.figures.zones = self.zones_of_machine(author, machine, period).await?;
        }
        draft.figures.silent = self.silent_stations_on(author, &[machine]).await?;
        Ok(())
    }
}
