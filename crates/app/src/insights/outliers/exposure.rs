//! Exposure: the runtime hours or the days against which incursions are compared.

use std::collections::{BTreeMap, HashMap, HashSet};

use domain::insights::{Dimension, Group, Grouping, Groups, IncursionFilter, Measure};
use domain::{PeriodBound, Review, TimeZone, Timestamp};

use super::{OutlierBy, too_many};
use crate::insights::query::{QueryResult, QueryScope, QuerySpec};
use crate::{App, Error};

/// The unit of exposure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExposureUnit {
    /// Hours with the ignition on.
    RuntimeHours,
    /// Local days on which someone was seen: with an incursion or, for people on foot, at a test of their tag on a day on which they
    /// did not drive.
    Days,
}

impl ExposureUnit {
    pub const ALL: [Self; 2] = [Self::RuntimeHours, Self::Days];

    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RuntimeHours => "runtime_hours",
            Self::Days => "days",
        }
    }

    /// Returns the exposure needed for a comparison: a shift, or a few days.
    pub const fn minimum(self) -> f64 {
        match self {
            Self::RuntimeHours => 8.0,
            Self::Days => 3.0,
        }
    }
}

/// The days on which someone was seen, and at which worksites.
#[derive(Debug, Default)]
pub(super) struct DaysSeen {
    days: HashSet<i64>,
    /// Number of days by worksite.
    sites: BTreeMap<i64, usize>,
}

impl DaysSeen {
    fn add(&mut self, day: i64, site: Option<i64>) {
        self.days.insert(day);
        if let Some(site) = site {
            *self.sites.entry(site).or_default() += 1;
        }
    }

    pub fn days(&self) -> f64 {
        self.days.len() as f64
    }

    /// Returns the worksite with the most days.
    pub fn main_site(&self) -> Option<i64> {
        self.sites.iter().max_by_key(|(site, days)| (**days, -**site)).map(|(site, _)| *site)
    }
}

/// The days of those for whom runtime is not available.
#[derive(Debug, Default)]
pub(super) struct ExposureDays(HashMap<OutlierBy, HashMap<i64, DaysSeen>>);

impl ExposureDays {
    /// Returns the days by id; none if runtime hours are used instead.
    pub fn days_seen(&self, by: OutlierBy) -> Option<&HashMap<i64, DaysSeen>> {
        self.0.get(&by)
    }
}

/// Maximum number of days of all people together.
const MAX_DAYS: usize = 250_000;

/// Loads the days of those without runtime: always people on foot, and everyone if the filter selects people on foot.
pub(super) async fn load_exposure_days(
    app: &App,
    query_scope: QueryScope<'_>,
    filter: &IncursionFilter,
    result: &QueryResult,
    by: &[OutlierBy],
) -> Result<ExposureDays, Error> {
    let has_runtime = filter.applies_to_runtime();
    let by: Vec<OutlierBy> =
        by.iter().copied().filter(|by| !(has_runtime && by.dimension().applies_to_runtime())).collect();
    if by.is_empty() {
        return Ok(ExposureDays::default());
    }
    // The kind of incursion does not matter to whether someone was present.
    let seen = IncursionFilter {
        zones: Vec::new(),
        acknowledged: None,
        min_duration: None,
        max_duration: None,
        reviews: Review::COUNTED.to_vec(),
        ..filter.clone()
    };
    let grouping = |by: &[Dimension]| Grouping { limit: Some(MAX_DAYS), ..Grouping::by(by) };
    let mut groupings: Vec<Grouping> =
        by.iter().map(|by| grouping(&[by.dimension(), Dimension::Worksite, Dimension::Day])).collect();
    groupings.push(grouping(&[Dimension::Operator, Dimension::Day]));
    let of =
        QuerySpec { filter: &seen, measures: vec![Measure::Incursions, Measure::RuntimeHours], groupings };
    let mut days_result = app.run_query_in(query_scope, of).await?;
    let mut exposed = ExposureDays::default();
    for by in &by {
        let seen = exposed.0.entry(*by).or_default();
        for group in require_complete(days_result.take_next_groups())? {
            if let [Some(id), site, Some(day)] = group.keys[..] {
                seen.entry(id).or_default().add(day, site);
            }
        }
    }
    let driven: HashSet<(i64, i64)> = require_complete(days_result.take_next_groups())?
        .iter()
        .filter_map(|group| match group.keys[..] {
            [Some(id), Some(day)] => Some((id, day)),
            _ => None,
        })
        .collect();
    if let Some(seen) = exposed.0.get_mut(&OutlierBy::Pedestrian) {
        for (person, site, day) in tested_days(app, query_scope, filter, result).await? {
            // Someone who tested their tag and drove on that day was not on foot.
            if !driven.contains(&(person, day)) {
                seen.entry(person).or_default().add(day, site);
            }
        }
    }
    Ok(exposed)
}

fn require_complete(groups: Groups) -> Result<Vec<Group>, Error> {
    if groups.more > 0 { Err(too_many_days()) } else { Ok(groups.groups) }
}

fn too_many_days() -> Error {
    let text = format!(
        "covers more than {MAX_DAYS} days of all people together; choose a shorter period or narrow the filters"
    );
    too_many("from", text)
}

/// Returns who tested their tag, at which worksite and on which local day.
async fn tested_days(
    app: &App,
    query_scope: QueryScope<'_>,
    filter: &IncursionFilter,
    result: &QueryResult,
) -> Result<Vec<(i64, Option<i64>, i64)>, Error> {
    let scope = query_scope.scope;
    let (from, to) = (result.from.earliest(), result.to.latest());
    let mut tx = app.store.read().await?;
    let brand_time_zone = tx.brand_settings(scope).await?.values.time_zone;
    let sightings = tx.tag_tests(scope).sightings(filter, (from, to), MAX_DAYS + 1).await?;
    if sightings.len() > MAX_DAYS {
        return Err(too_many_days());
    }
    let mut zones: HashMap<String, TimeZone> = HashMap::new();
    let mut days = Vec::with_capacity(sightings.len());
    for sighting in sightings {
        let (site, zone) = match sighting.site {
            None => (None, &brand_time_zone),
            Some((site, name)) => {
                let zone = zones.entry(name);
                let zone = zone.or_insert_with_key(|name| {
                    TimeZone::parse(name).unwrap_or_else(|_| brand_time_zone.clone())
                });
                (Some(site.0), &*zone)
            }
        };
        let day = zone.local(sighting.at).day;
        if is_within(result, sighting.at, day) {
            days.push((sighting.person.0, site, day));
        }
    }
    Ok(days)
}

fn is_within(result: &QueryResult, at: Timestamp, day: i64) -> bool {
    let since = match result.from {
        PeriodBound::Instant(from) => at >= from,
        PeriodBound::Day(from) => day >= from.number(),
    };
    let until = match result.to {
        PeriodBound::Instant(to) => at < to,
        PeriodBound::Day(to) => day < to.number(),
    };
    since && until
}
