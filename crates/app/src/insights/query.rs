//! Runs a query for a caller: from the columns or the warehouse, or else by SQL.

use domain::access::ReadInsights;
use domain::insights::{
    Answer, Dimension, Group, Grouping, Groups, IncursionFilter, Interval, Measure, PartialBuckets, Question,
};
use domain::{Invalid, MachineId, Period, PeriodBound, PreviousPeriod, TimeZone, Timestamp};
use store::{Counters, FactPlaces, MachineRuntimePiece, Projects, QueryLimits, Scope, Tx};

use crate::insights::answered::Answered;
use crate::insights::columns::{Asker, Engine, Fallback};
use crate::insights::warehouse::numbers_behind;
use crate::{App, Caller, Error, Names};

/// A query: the facts, the measures and the groupings.
#[derive(Clone, Debug)]
pub struct QuerySpec<'a> {
    pub filter: &'a IncursionFilter,
    pub measures: Vec<Measure>,
    pub groupings: Vec<Grouping>,
}

/// The groups of a query, and the data that they are based on.
#[derive(Clone, Debug)]
pub struct QueryResult {
    /// The groups of each grouping.
    pub groupings: Vec<Groups>,
    /// The start of the period.
    pub from: PeriodBound,
    /// The end of the period; now if the request had none.
    pub to: PeriodBound,
    /// The time of the query.
    pub now: Timestamp,
    /// The time zones of the worksites concerned, by which days and hours are counted.
    pub time_zones: Vec<TimeZone>,
    /// The brand's last change that the result includes.
    pub seq: i64,
    /// The last change that it may include: nodes of the warehouse can be further than they must be.
    pub latest_seq: i64,
}

/// The access of whoever runs a query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueryScope<'a> {
    pub scope: &'a Scope,
    pub names: Names,
}

impl Caller<ReadInsights> {
    pub(crate) fn query_scope(&self) -> QueryScope<'_> {
        QueryScope { scope: self.scope(), names: self.names() }
    }
}

impl QueryResult {
    /// Returns the buckets that the period cuts, or that had not ended at the time of the query.
    pub fn partial_buckets(&self, interval: Interval) -> PartialBuckets {
        interval.partial_buckets(self.from, self.to, self.now, &self.time_zones)
    }

    /// Takes the groups of the next grouping, in the order of the request.
    pub(crate) fn take_next_groups(&mut self) -> Groups {
        if self.groupings.is_empty() { Groups::default() } else { self.groupings.remove(0) }
    }
}

/// A question with one grouping more than its query: by worksite, because a result names the time zones of
/// all worksites with facts.
struct QuestionWithWorksites(Question);

impl QuestionWithWorksites {
    /// Adds the grouping by worksite after those of the query.
    fn new(mut question: Question) -> Self {
        question.groupings.push(Grouping::by([Dimension::Worksite]));
        Self(question)
    }

    /// Splits an answer to it into the groups of the query and the places of its facts.
    fn split_answer(mut answer: Answer) -> (Vec<Groups>, FactPlaces) {
        let by_worksite = answer.groupings.pop().unwrap_or_default().groups;
        let worksite = |group: &Group| group.keys.first().copied().flatten();
        let places = FactPlaces {
            worksites: by_worksite.iter().filter_map(worksite).collect(),
            outside: by_worksite.iter().any(|group| worksite(group).is_none()),
        };
        (answer.groupings, places)
    }
}

/// The start of a period and its end, if it has one; or what is wrong with the bound of this name.
pub(crate) type ResolvedPeriod = Result<(PeriodBound, Option<PeriodBound>), (&'static str, Invalid)>;

/// Maximum number of groups of a result.
const MAX_GROUPS: usize = 250_000;

impl App {
    /// Runs a query on the facts that the caller may see. Rejects a period that is too long, ends before it starts, or has no end and
    /// starts in the future.
    pub(crate) async fn run_query(
        &self,
        caller: &Caller<ReadInsights>,
        spec: QuerySpec<'_>,
    ) -> Result<QueryResult, Error> {
        self.run_query_in(caller.query_scope(), spec).await
    }

    /// The same for the scope of a stored request, whose access has been checked.
    pub(crate) async fn run_query_in(
        &self,
        query_scope: QueryScope<'_>,
        spec: QuerySpec<'_>,
    ) -> Result<QueryResult, Error> {
        let (scope, filter, now) = (query_scope.scope, spec.filter, self.clock.now());
        let bounds = self.resolve_period(scope, filter, now).await?;
        let (from, to) = bounds.map_err(|(name, invalid)| Error::bad_parameter(name, invalid))?;
        let question = QuestionWithWorksites::new(build_question(scope, (from, to), spec));
        let Answered { answer, seq, latest_seq } =
            self.answer_question(scope, &question.0, Asker::Reader).await?;
        let (groupings, places) = QuestionWithWorksites::split_answer(answer);
        let to = to.unwrap_or(PeriodBound::Instant(now));
        let time_zones = self.time_zones_of(scope, filter, &places, (from, to)).await?;
        Ok(QueryResult { groupings, from, to, now, time_zones, seq, latest_seq })
    }

    /// Returns the time zones of the worksites that the caller sees.
    pub async fn visible_time_zones(&self, caller: &Caller<ReadInsights>) -> Result<Vec<TimeZone>, Error> {
        let mut tx = self.store.read().await?;
        worksite_time_zones(&mut tx, caller.scope(), &IncursionFilter::default()).await
    }

    /// Resolves the bounds of a filter's period. Without a start they depend on which day is today at the worksites of the filter. In
    /// several time zones it is the latest of their days, so that no worksite has more than [`Period::DEFAULT_DAYS`] of its local days
    /// in the period, and none of them is also in the previous one. Without worksites, it is the brand's day.
    pub(crate) async fn resolve_period(
        &self,
        scope: &Scope,
        filter: &IncursionFilter,
        now: Timestamp,
    ) -> Result<ResolvedPeriod, Error> {
        let period = filter.period.unwrap_or_default();
        match deciding_end(period, now) {
            None => Ok(period.bounds(now, &TimeZone::utc())),
            Some(_) => {
                let mut tx = self.store.read().await?;
                Ok(self.resolve_period_in(&mut tx, scope, filter, now).await?.0)
            }
        }
    }

    /// The same in a transaction, and the brand's counters, with one statement.
    pub(crate) async fn resolve_period_in(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        filter: &IncursionFilter,
        now: Timestamp,
    ) -> Result<(ResolvedPeriod, Counters), Error> {
        let period = filter.period.unwrap_or_default();
        let Some(end) = deciding_end(period, now) else {
            return Ok((period.bounds(now, &TimeZone::utc()), tx.counters(scope).await?));
        };
        let (names, counters) = tx.worksites(scope).time_zones_and_counters(filter).await?;
        let furthest_ahead = parse_time_zones(&names).into_iter().max_by_key(|zone| zone.offset_s(end));
        let zone = furthest_ahead.unwrap_or_else(TimeZone::utc);
        Ok((period.bounds(now, &zone), counters))
    }

    /// Returns the period to compare a result with. Local times are those of the worksites of the filter, or else of the result, if they
    /// share a time zone, otherwise the brand's.
    pub(crate) async fn previous_period(
        &self,
        scope: &Scope,
        filter: &IncursionFilter,
        result: &QueryResult,
    ) -> Result<PreviousPeriod, Error> {
        let mut tx = self.store.read().await?;
        let of_worksites = worksite_time_zones(&mut tx, scope, filter).await?;
        let zone = match (&of_worksites[..], &result.time_zones[..]) {
            ([zone], _) | (_, [zone]) => zone.clone(),
            _ => tx.brand_settings(scope).await?.values.time_zone,
        };
        let (from, to, now) = (result.from, result.to, result.now);
        let previous = match filter.period.unwrap_or_default().from {
            None => Period::previous_of_default(from, to, now, &zone),
            Some(_) => Period::previous(from, to, now, &zone),
        };
        if previous.period.from.is_some_and(PeriodBound::is_before_common_era) {
            let invalid = Invalid::new("out_of_range", "is so early that there is no period before it");
            return Err(Error::bad_parameter("from", invalid));
        }
        Ok(previous)
    }

    /// Returns the runtime pieces of these machines for the period of a result; fails if there are more than `max_pieces`.
    pub(crate) async fn runtime_pieces(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        result: &QueryResult,
        machines: &[MachineId],
        max_pieces: usize,
    ) -> Result<Vec<MachineRuntimePiece>, Error> {
        let of = QuerySpec { filter, measures: Vec::new(), groupings: Vec::new() };
        let question = build_question(caller.scope(), (result.from, Some(result.to)), of);
        let limits = QueryLimits { max_groups: max_pieces, timeout: self.columns.sql_timeout() };
        let place = self.columns.sql_permit(caller.scope().brand()).await?;
        let mut snapshot = self.store.snapshot().await?;
        snapshot.attach_guard(place);
        let found = snapshot.insights(caller.scope()).runtime_pieces(&question, machines, limits).await;
        let found = found.map_err(|error| match error {
            store::Error::TooManyGroups(max) => {
                let text = format!(
                    "needs more than {max} runtime pieces; choose a shorter period or fewer machines"
                );
                Error::range_too_wide("operators", Invalid::new("too_many_points", text))
            }
            other => other.into(),
        })?;
        snapshot.end().await?;
        Ok(found)
    }

    /// Answers a question from the columns, from the warehouse or else by SQL.
    pub(crate) async fn answer_question(
        &self,
        scope: &Scope,
        question: &Question,
        asker: Asker,
    ) -> Result<Answered, Error> {
        let is_for_all = self.columns.engine() == Engine::Warehouse;
        if let Some(warehouse) = self.warehouse.as_deref().filter(|_| is_for_all) {
            let answered = self.answer_from_warehouse(warehouse, scope, question, MAX_GROUPS).await?;
            return answered.ok_or_else(numbers_behind);
        }
        self.learn_of_copy(scope).await?;
        match self.columns.answer_from_columns(scope, question, asker).await {
            Ok(answered) => return Ok(Answered::as_of(answered)),
            Err(Fallback::Failed(error)) => return Err(error),
            Err(Fallback::Sql) => {}
        }
        // This process does not load the columns of such a brand again, so that its copy is worth while.
        let is_too_large = self.columns.is_too_large(scope.brand());
        if let Some(warehouse) = self.warehouse.as_deref().filter(|_| is_too_large)
            && let Some(answered) = self.answer_from_warehouse(warehouse, scope, question, MAX_GROUPS).await?
        {
            return Ok(answered);
        }
        self.answer_by_sql(scope, question).await.map(Answered::as_of)
    }

    /// Answers a question by SQL, if a permit is free.
    async fn answer_by_sql(&self, scope: &Scope, question: &Question) -> Result<(Answer, i64), Error> {
        let place = self.columns.try_sql_permit(scope.brand())?;
        let mut snapshot = self.store.snapshot().await?;
        // Tied to the connection, which is in use until the database releases it, even if the caller goes away.
        snapshot.attach_guard(place);
        let limits = QueryLimits { max_groups: MAX_GROUPS, timeout: self.columns.sql_timeout() };
        let answered = snapshot.insights(scope).answer(question, limits).await?;
        snapshot.end().await?;
        Ok((answered.answer, answered.seq))
    }

    /// Returns the time zones by which an answer counts days and hours during the period: those of the worksites of the filter and of
    /// those with facts, so that a quiet worksite has days of its own. Facts without a worksite have the brand's, and so has an answer
    /// that no worksite is concerned with.
    pub(crate) async fn time_zones_of(
        &self,
        scope: &Scope,
        filter: &IncursionFilter,
        facts: &FactPlaces,
        (from, to): (PeriodBound, PeriodBound),
    ) -> Result<Vec<TimeZone>, Error> {
        let mut tx = self.store.read().await?;
        let period = (from.earliest(), to.latest());
        let mut zones = parse_time_zones(&tx.answer_time_zones(scope).find(filter, facts, period).await?);
        if facts.outside || zones.is_empty() {
            let brand = tx.brand_settings(scope).await?.values.time_zone;
            if let Err(place) = zones.binary_search_by(|zone| zone.as_str().cmp(brand.as_str())) {
                zones.insert(place, brand);
            }
        }
        Ok(zones)
    }
}

/// Returns the instant that decides on which day a period ends; none if the period begins or ends with a given day or instant, so that its
/// bounds do not depend on a time zone.
fn deciding_end(period: Period, now: Timestamp) -> Option<Timestamp> {
    match (period.from, period.to) {
        (Some(_), _) | (None, Some(PeriodBound::Day(_))) => None,
        (None, Some(PeriodBound::Instant(to))) => Some(to),
        (None, None) => Some(now),
    }
}

/// Returns the time zones that the worksites of a filter have now, as far as they are visible in the scope.
async fn worksite_time_zones(
    tx: &mut Tx,
    scope: &Scope,
    filter: &IncursionFilter,
) -> Result<Vec<TimeZone>, Error> {
    Ok(parse_time_zones(&tx.worksites(scope).time_zones_of(filter).await?))
}

fn parse_time_zones(names: &[String]) -> Vec<TimeZone> {
    names.iter().filter_map(|name| TimeZone::parse(name).ok()).collect()
}

/// Builds a question within the visible projects of a scope.
fn build_question(
    scope: &Scope,
    (from, to): (PeriodBound, Option<PeriodBound>),
    of: QuerySpec<'_>,
) -> Question {
    Question {
        from: Some(from),
        to,
        filter: of.filter.clone(),
        visible_projects: match scope.projects() {
            Projects::All => None,
            Projects::Only(projects) => Some(projects.clone()),
        },
        measures: of.measures,
        groupings: of.groupings,
    }
}

/// Returns the same filter for another period.
pub(crate) fn filter_for_period(filter: &IncursionFilter, period: Period) -> IncursionFilter {
    IncursionFilter { period: Some(period), ..filter.clone() }
}
