//! Replays of rules about tests and batteries of tags, silent stations and visits.

use std::collections::HashMap;

use domain::{AlertMetric, BaseStationId, FiringSubject, SortedMap, SplitKey, TagId, Timestamp};
use store::{StationContact, VisitOverdue};

use super::device_course::{Course, DAY, DeviceTimeline, MINUTE};
use super::replay::{Referee, WorstValues};
use super::{Replayed, ReplayedSplit};
use crate::accounts::authors::Author;
use crate::accounts::out_of_scope_people::OutOfScopePeople;
use crate::alerts::evaluation::LoadedRule;
use crate::alerts::evaluation::device_metrics::{is_in_scope, of_station, of_tag, of_visit, split_of};
use crate::{App, Error, ErrorKind};

/// What is replayed: what each is about, and how its values went.
type Courses = Vec<(FiringSubject, Course)>;

impl App {
    /// Replays a rule that is measured from rows, within the projects of its owner.
    pub(super) async fn replay_devices(
        &self,
        owner: &Author,
        rule: &LoadedRule,
        referee: Referee,
    ) -> Result<Replayed, Error> {
        let mut courses = self.load_courses(owner, &referee).await?;
        courses.retain(|(subject, _)| is_in_scope(rule, subject));
        let seq = self.store.read().await?.counters(&owner.scope).await?.last_seq;
        self.compute(move || replay_courses(courses, &referee, seq)).await
    }

    async fn load_courses(&self, owner: &Author, referee: &Referee) -> Result<Courses, Error> {
        let (scope, (from, to)) = (&owner.scope, referee.period);
        match referee.terms.metric {
            AlertMetric::TagTestOverdue => {
                let wearers = self.load_wearers(owner).await?;
                let mut tx = self.store.read().await?;
                let tests = tx.device_values(scope).test_history(from, to).await?;
                drop(tx);
                let tests = SortedMap::grouped(tests).into_iter();
                let course = |(tag, times): (TagId, Vec<Timestamp>)| {
                    Some((*wearers.get(&tag)?, Course::since(times, DAY)))
                };
                Ok(tests.filter_map(course).collect())
            }
            AlertMetric::TagBatteryLow => {
                let wearers = self.load_wearers(owner).await?;
                let mut tx = self.store.read().await?;
                let levels = tx.device_values(scope).battery_history(from, to).await?;
                drop(tx);
                let levels = levels.into_iter().map(|(tag, at, percent)| (tag, (at, percent)));
                let levels = SortedMap::grouped(levels);
                let course = |(tag, levels): (TagId, Vec<(Timestamp, i64)>)| {
                    Some((*wearers.get(&tag)?, Course::Levels(levels)))
                };
                Ok(levels.into_iter().filter_map(course).collect())
            }
            AlertMetric::BaseStationSilent => {
                let mut tx = self.store.read().await?;
                let stations = tx.device_values(scope).stations().await?;
                let contacts = tx.device_values(scope).contact_history(from, to).await?;
                drop(tx);
                // Millions in the order of time, which are only looked up by station.
                let mut times_by_station: HashMap<BaseStationId, Vec<Timestamp>> = HashMap::new();
                for (station, at) in contacts {
                    times_by_station.entry(station).or_default().push(at);
                }
                let course = |station: StationContact| {
                    let mut times = times_by_station.remove(&station.station).unwrap_or_default();
                    // The last contact is known. What was received after it was imported, or reported an earlier time.
                    times.retain(|at| *at < station.since);
                    times.push(station.since);
                    (of_station(&station), Course::since(times, MINUTE))
                };
                Ok(stations.into_iter().map(course).collect())
            }
            _ => {
                let mut tx = self.store.read().await?;
                let visits = tx.device_values(scope).visit_history(from, to).await?;
                drop(tx);
                let course = |(visit, ends_at): (VisitOverdue, Option<Timestamp>)| {
                    let times = vec![visit.expected_until];
                    (of_visit(&visit), Course::Since { times, unit: MINUTE, ends_at })
                };
                Ok(visits.into_iter().map(course).collect())
            }
        }
    }

    /// Returns the tags that are worn now by people whom the owner sees, each with its wearer.
    async fn load_wearers(&self, owner: &Author) -> Result<HashMap<TagId, FiringSubject>, Error> {
        let hidden = self.find_out_of_scope_people(&owner.scope).await?;
        if matches!(hidden, OutOfScopePeople::Unknown) {
            let detail = "It is not known at the moment whose tags you see; try again.";
            return Err(Error::new(ErrorKind::Unavailable, "numbers_behind", detail).retry_after(1));
        }
        let mut tx = self.store.read().await?;
        let worn = tx.device_values(&owner.scope).tag_tests().await?;
        let seen = worn.into_iter().filter(|worn| !hidden.contains(worn.person));
        Ok(seen.map(|worn| (worn.tag, of_tag(worn.tag, worn.person))).collect())
    }
}

fn replay_courses(courses: Courses, referee: &Referee, seq: i64) -> Replayed {
    let split = |(subject, course)| Some((split_of(referee.terms.split_by, &subject)?, course));
    let splits = SortedMap::grouped(courses.into_iter().filter_map(split));
    let mut worst = WorstValues::new(referee.parts.len());
    let replay = |(key, courses): (SplitKey, Vec<Course>)| {
        let outcome = referee.replay(&mut DeviceTimeline::new(courses, referee), &mut worst);
        ReplayedSplit { key, outcome }
    };
    let splits = splits.into_iter().map(replay).collect();
    Replayed { splits, worst: worst.into_values(), seq }
}
