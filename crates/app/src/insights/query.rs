//! Asking a question, on behalf of someone, of whoever can answer it.

use domain::access::ReadInsights;
use domain::insights::{Answer, Dimension, Grouping, Groups, IncursionFilter, Measure, Question};
use domain::{Invalid, MachineId, Period, PeriodBound, TimeZone, Timestamp};
use store::{MachineRuntimePiece, Projects, QueryLimits, Scope};

use crate::insights::columns::Fallback;
use crate::{App, Caller, Error, Names};

/// What is asked: of which facts, measured by what, grouped how.
#[derive(Clone, Debug)]
pub struct QuerySpec<'a> {
    /// Which facts, of which time.
    pub filter: &'a IncursionFilter,
    /// What is measured.
    pub measures: Vec<Measure>,
    /// How it is grouped.
    pub groupings: Vec<Grouping>,
}

/// What was heard, and of what it is true.
#[derive(Clone, Debug)]
pub struct QueryResult {
    /// The groups of each grouping.
    pub groupings: Vec<Groups>,
    /// Where the time begins that was asked for.
    pub from: PeriodBound,
    /// Where it ends; if that was not said, now.
    pub to: PeriodBound,
    /// By which clocks its days and hours are told: those of the sites it is about.
    pub time_zones: Vec<TimeZone>,
    /// The brand's last change that it knows of.
    pub seq: i64,
}

/// Whoever asks: what they see, and whether with names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueryScope<'a> {
    pub scope: &'a Scope,
    pub names: Names,
}

impl Caller<ReadInsights> {
    /// The user as one who asks.
    pub(crate) fn query_scope(&self) -> QueryScope<'_> {
        QueryScope { scope: self.scope(), names: self.names() }
    }
}

impl QueryResult {
    /// Takes the groups of the next grouping, in the order they were asked for.
    pub(crate) fn take_next_groups(&mut self) -> Groups {
        if self.groupings.is_empty() { Groups::default() } else { self.groupings.remove(0) }
    }
}

/// How many groups an answer may have.
const MAX_GROUPS: usize = 250_000;

impl App {
    /// Asks for what the caller may see. Refuses a period that is turned around or too long.
    pub(crate) async fn run_query(
        &self,
        caller: &Caller<ReadInsights>,
        spec: QuerySpec<'_>,
    ) -> Result<QueryResult, Error> {
        self.run_query_in(caller.query_scope(), spec).await
    }

    /// The same, for one who asked earlier and has been found to be allowed to.
    pub(crate) async fn run_query_in(
        &self,
        query_scope: QueryScope<'_>,
        mut spec: QuerySpec<'_>,
    ) -> Result<QueryResult, Error> {
        let (scope, now) = (query_scope.scope, self.clock.now());
        let period = spec.filter.period.unwrap_or_default();
        let (from, to) = period.bounds(now).map_err(|(name, invalid)| Error::bad_parameter(name, invalid))?;
        // At which sites there is anything, for the clocks it is told by.
        spec.groupings.push(Grouping::by([Dimension::Worksite]));
        let question = build_question(scope, (from, to), spec);
        let (mut answer, seq) = self.answer_question(scope, &question).await?;
        let sites = answer.groupings.pop().unwrap_or_default();
        let sites: Vec<i64> = sites.groups.iter().filter_map(|group| group.keys.first().copied()?).collect();
        let to = to.unwrap_or(PeriodBound::Instant(now));
        let time_zones = self.time_zones_of(scope, &sites, (from, to)).await?;
        Ok(QueryResult { groupings: answer.groupings, from, to, time_zones, seq })
    }

    /// The pieces of runtime of these machines, of which a question was asked before; refuses more than so many.
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
            store::Error::TooManyGroups(most) => {
                let text = format!(
                    "asks for more than {most} pieces of runtime; take a shorter period or fewer machines"
                );
                Error::range_too_wide("operators", Invalid::new("too_many_points", text))
            }
            other => other.into(),
        })?;
        snapshot.end().await?;
        Ok(found)
    }

    /// The answer to a question, from the columns or else from the rows, and the last change that it knows of.
    pub(crate) async fn answer_question(
        &self,
        scope: &Scope,
        question: &Question,
    ) -> Result<(Answer, i64), Error> {
        match self.columns.try_answer(scope, question).await {
            Ok(answered) => return Ok(answered),
            Err(Fallback::Failed(error)) => return Err(error),
            Err(Fallback::Sql) => {}
        }
        let place = self.columns.try_sql_permit(scope.brand())?;
        let mut snapshot = self.store.snapshot().await?;
        // With the connection: it is in use until the engine lets go of it, also when whoever asked has gone.
        snapshot.attach_guard(place);
        let limits = QueryLimits { max_groups: MAX_GROUPS, timeout: self.columns.sql_timeout() };
        let answered = snapshot.insights(scope).answer(question, limits).await?;
        snapshot.end().await?;
        Ok((answered.answer, answered.seq))
    }

    /// The clocks of these sites in that time; without any, the brand's.
    async fn time_zones_of(
        &self,
        scope: &Scope,
        sites: &[i64],
        (from, to): (PeriodBound, PeriodBound),
    ) -> Result<Vec<TimeZone>, Error> {
        let mut tx = self.store.read().await?;
        let (since, until) = (from.earliest(), to.latest());
        let names = match sites {
            [] => Vec::new(),
            sites => tx.labels(scope).time_zones(sites, (since, until)).await?,
        };
        let zones: Vec<TimeZone> = names.iter().filter_map(|name| TimeZone::parse(name).ok()).collect();
        if zones.is_empty() {
            return Ok(vec![tx.brand_settings(scope).await?.values.time_zone]);
        }
        Ok(zones)
    }
}

/// A question within what the scope shows.
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

/// The same filter for the time of equal length right before.
pub(crate) fn previous_period_filter(
    filter: &IncursionFilter,
    result: &QueryResult,
    now: Timestamp,
) -> IncursionFilter {
    let period = Period::previous(result.from, Some(result.to), now);
    IncursionFilter { period: Some(period), ..filter.clone() }
}
