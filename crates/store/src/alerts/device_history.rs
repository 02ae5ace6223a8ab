//! Tests, batteries, visits and contacts of a period, for replaying the past.
//!
//! What is known at the beginning of a period comes first, with its own, earlier time: the value at any time of the period is the last
//! one up to it.

use std::collections::{BTreeMap, BTreeSet};

use domain::{BaseStationId, Span, TagId, Timestamp};

use crate::Error;
use crate::alerts::device_values::{
    ARE_INSTALLED, ARE_WORN, DeviceValues, INSTALLED_STATIONS, VISIT_COLUMNS, VisitOverdue, WORN_TAGS,
};
use crate::engine::statement::{Statement, sql};
use crate::people::visitor_sessions::PROJECT_AT_CHECK_IN;

/// Facts are found by their own time, and most are received within this time of it.
const USUAL_DELAY: Span = Span::minutes(24 * 60);
/// Reports of runtime grow for at most that long.
const LONGEST_REPORT: Span = Span::minutes(7 * 24 * 60);
const MICROS_PER_MINUTE: i64 = 60_000_000;
/// Minutes between the contacts of a station whose report grew; less than the least silence that an alert can be about.
const GROWN_MINUTES: usize = 5;

#[derive(macros::FromRow)]
struct TagTime {
    tag_id: TagId,
    at: Timestamp,
}

#[derive(macros::FromRow)]
struct BatteryTime {
    tag_id: TagId,
    at: Timestamp,
    percent: i64,
}

#[derive(macros::FromRow)]
struct BatteryEvent {
    tag_id: TagId,
    at: Timestamp,
    details: serde_json::Value,
}

#[derive(macros::FromRow)]
struct VisitWithEnd {
    #[row(flatten)]
    visit: VisitOverdue,
    checked_out_at: Option<Timestamp>,
}

#[derive(macros::FromRow)]
struct ContactMinute {
    base_station_id: BaseStationId,
    minute: i64,
}

#[derive(macros::FromRow)]
struct ContactMinutes {
    base_station_id: BaseStationId,
    first_minute: i64,
    last_minute: i64,
}

#[derive(macros::FromRow)]
struct LastContacts {
    base_station_id: BaseStationId,
    from_at: Timestamp,
    incursion_at: Option<Timestamp>,
    runtime_at: Option<Timestamp>,
    event_at: Option<Timestamp>,
}

#[macros::boxed]
impl DeviceValues<'_> {
    /// Returns the times from which tags that are worn now have waited for a test: of passed tests in the period, and before them of the
    /// last passed test, else of the first assignment. By time and tag.
    pub async fn test_history(
        &mut self,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<(TagId, Timestamp)>, Error> {
        let brand = self.1.brand();
        let tests = sql!("select t.id as tag_id, x.tested_at as at", brand, from, to)
            .push(WORN_TAGS)
            .push(" join tag_tests x on x.brand_id = t.brand_id and x.tag_id = t.id")
            .push(ARE_WORN)
            .push(" and x.passed and x.tested_at >= $2 and x.tested_at < $3 order by x.tested_at");
        let tests: Vec<TagTime> = self.0.all(tests).await?;
        let before = sql!(
            "select t.id as tag_id, coalesce(
                 (select x.tested_at from tag_tests x where x.brand_id = t.brand_id and x.tag_id = t.id and x.passed
                     and x.tested_at < $2 order by x.tested_at desc limit 1),
                 (select min(y.assigned_at) from tag_assignments y where y.brand_id = t.brand_id and y.tag_id = t.id)) as at",
            brand,
            from
        );
        let before: Vec<TagTime> = self.0.all(before.push(WORN_TAGS).push(ARE_WORN)).await?;
        let mut first_tests: BTreeMap<TagId, Timestamp> = BTreeMap::new();
        for test in &tests {
            first_tests.entry(test.tag_id).or_insert(test.at);
        }
        // A tag that was tested before it was worn has never waited since it was first worn.
        let is_first = |one: &TagTime| first_tests.get(&one.tag_id).is_none_or(|test| one.at < *test);
        let before = before.into_iter().filter(is_first);
        let mut all: Vec<(TagId, Timestamp)> = before.chain(tests).map(|one| (one.tag_id, one.at)).collect();
        all.sort_unstable_by_key(|(tag, at)| (*at, *tag));
        Ok(all)
    }

    /// Returns the batteries of tags that are worn now, from tests and from what stations reported, by time and tag. The charge before
    /// the period is known from tests, or if nothing was reported since.
    pub async fn battery_history(
        &mut self,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<(TagId, Timestamp, i64)>, Error> {
        let brand = self.1.brand();
        let mut all: Vec<BatteryTime> = Vec::new();
        let tests = "select t.id as tag_id, x.tested_at as at, x.battery_percent as percent";
        let tests = sql!(tests, brand, from, to)
            .push(WORN_TAGS)
            .push(" join tag_tests x on x.brand_id = t.brand_id and x.tag_id = t.id")
            .push(ARE_WORN)
            .push(" and x.battery_percent is not null and x.tested_at < $3 and (x.tested_at >= $2 or x.id = (")
            .push("select y.id from tag_tests y where y.brand_id = t.brand_id and y.tag_id = t.id and y.tested_at < $2")
            .push(" and y.battery_percent is not null order by y.tested_at desc, y.id desc limit 1))");
        all.extend(self.0.all::<BatteryTime>(tests).await?);
        let current =
            "select t.id as tag_id, coalesce(t.battery_at, t.updated_at) as at, t.battery_percent as percent";
        let current = sql!(current, brand, from)
            .push(WORN_TAGS)
            .push(ARE_WORN)
            .push(" and t.battery_percent is not null and coalesce(t.battery_at, t.updated_at) < $2");
        all.extend(self.0.all::<BatteryTime>(current).await?);
        let reported = sql!("select t.id as tag_id, e.at, e.details", brand, from, to)
            .push(WORN_TAGS)
            .push(" join device_events e on e.tag_id = t.id")
            .push(ARE_WORN)
            .push(" and e.brand_id = $1 and e.kind = 'tag_battery' and e.at >= $2 and e.at < $3");
        let reported: Vec<BatteryEvent> = self.0.all(reported).await?;
        for BatteryEvent { tag_id, at, details } in reported {
            if let Some(percent) = details["percent"].as_i64() {
                all.push(BatteryTime { tag_id, at, percent });
            }
        }
        let mut all: Vec<_> = all.into_iter().map(|one| (one.tag_id, one.at, one.percent)).collect();
        all.sort_unstable_by_key(|(tag, at, percent)| (*at, *tag, *percent));
        all.dedup();
        Ok(all)
    }

    /// Returns the visits that were longer than expected at some time of the period, each with its end, by visit.
    pub async fn visit_history(
        &mut self,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<(VisitOverdue, Option<Timestamp>)>, Error> {
        let statement = sql!(VISIT_COLUMNS, self.1.brand(), from, to)
            .push(PROJECT_AT_CHECK_IN)
            .push(" as project_id from visitor_sessions v where v.brand_id = $1 and v.expected_until < $3")
            .push(" and (v.checked_out_at is null or (v.checked_out_at > $2 and v.checked_out_at > v.expected_until))")
            .and_in_projects(self.1.projects(), PROJECT_AT_CHECK_IN)
            .push(" order by v.id");
        let found: Vec<VisitWithEnd> = self.0.all(statement).await?;
        Ok(found.into_iter().map(|one| (one.visit, one.checked_out_at)).collect())
    }

    /// Returns the minutes in which facts of stations that are installed now were received, and before them of the last facts, else of the
    /// installation. By time and station. While a runtime report grew, its station was in contact. Facts that came more than a day late are
    /// not found.
    pub async fn contact_history(
        &mut self,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<(BaseStationId, Timestamp)>, Error> {
        let mut all: BTreeSet<(i64, BaseStationId)> = BTreeSet::new();
        for (facts, time) in [
            (" join incursions x on", " and x.started_at >= $4 and x.started_at < $5"),
            (" join device_events x on", " and x.at >= $4 and x.at < $5"),
        ] {
            let statement = sql!(
                "select distinct i.base_station_id, x.received_at / 60000000 as minute",
                self.1.brand(),
                from,
                to,
                from - USUAL_DELAY,
                to + USUAL_DELAY
            );
            let statement = statement
                .push(INSTALLED_STATIONS)
                .push(facts)
                .push(" x.brand_id = i.brand_id and x.base_station_id = i.base_station_id")
                .push(time)
                .push(ARE_INSTALLED)
                .push(" and x.received_at >= $2 and x.received_at < $3")
                .and_in_projects(self.1.projects(), "w.project_id");
            let found: Vec<ContactMinute> = self.0.all(statement).await?;
            all.extend(found.into_iter().map(|one| (one.minute, one.base_station_id)));
        }
        let minutes = |at: Timestamp| at.micros().div_euclid(MICROS_PER_MINUTE);
        for one in self.0.all::<ContactMinutes>(self.runtime_contacts(from, to)).await? {
            let first = one.first_minute.max(minutes(from));
            let last = one.last_minute.min(minutes(to - Span::from_micros(1)));
            let grown = (first..last).step_by(GROWN_MINUTES).chain([last]);
            all.extend(grown.map(|minute| (minute, one.base_station_id)));
        }
        let before: Vec<LastContacts> = self.0.all(self.last_contacts(from)).await?;
        for one in before {
            let last = [one.incursion_at, one.runtime_at, one.event_at].into_iter().flatten().max();
            all.insert((minutes(last.unwrap_or(one.from_at)), one.base_station_id));
        }
        let at = |minute: i64| Timestamp::from_micros(minute * MICROS_PER_MINUTE);
        Ok(all.into_iter().map(|(minute, station)| (station, at(minute))).collect())
    }

    /// Selects from when to when runtime reports were received, as far as that was in a period.
    fn runtime_contacts(&self, from: Timestamp, to: Timestamp) -> Statement {
        sql!(
            "select i.base_station_id, x.received_at / 60000000 as first_minute,
                 coalesce(x.last_received_at, x.received_at) / 60000000 as last_minute",
            self.1.brand(),
            from,
            to,
            from - LONGEST_REPORT - USUAL_DELAY,
            to + USUAL_DELAY
        )
        .push(INSTALLED_STATIONS)
        .push(" join runtime_reports x on x.brand_id = i.brand_id and x.base_station_id = i.base_station_id")
        .push(" and x.started_at >= $4 and x.started_at < $5")
        .push(ARE_INSTALLED)
        .push(" and coalesce(x.last_received_at, x.received_at) >= $2 and x.received_at < $3")
        .and_in_projects(self.1.projects(), "w.project_id")
    }

    /// Selects when the last facts of each station from before a time were received.
    fn last_contacts(&self, before: Timestamp) -> Statement {
        sql!(
            "select i.base_station_id, i.from_at,
                 (select x.received_at from incursions x where x.brand_id = i.brand_id
                     and x.base_station_id = i.base_station_id and x.started_at < $2
                     order by x.started_at desc limit 1) as incursion_at,
                 (select coalesce(x.last_received_at, x.received_at) from runtime_reports x where x.brand_id = i.brand_id
                     and x.base_station_id = i.base_station_id and x.started_at < $2
                     order by x.started_at desc limit 1) as runtime_at,
                 (select x.received_at from device_events x where x.brand_id = i.brand_id
                     and x.base_station_id = i.base_station_id and x.at < $2 order by x.at desc limit 1) as event_at",
            self.1.brand(),
            before
        )
        .push(INSTALLED_STATIONS)
        .push(ARE_INSTALLED)
        .and_in_projects(self.1.projects(), "w.project_id")
    }
}
