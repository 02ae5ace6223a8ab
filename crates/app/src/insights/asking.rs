//! Asking a question, on behalf of someone, of whoever can answer it.

use domain::access::ReadInsights;
use domain::insights::{Answer, Dimension, Grouping, Groups, IncursionFilter, Measure, Question};
use domain::{Cut, Invalid, MachineId, Period, TimeZone, Timestamp};
use store::{Limits, Projects, RuntimeStretch, Scope};

use crate::insights::columns::Unanswered;
use crate::{App, Caller, Error, Names};

/// What is asked: of which facts, measured by what, grouped how.
#[derive(Clone, Debug)]
pub struct AskedOf<'a> {
    /// Which facts, of which time.
    pub filter: &'a IncursionFilter,
    /// What is measured.
    pub measures: Vec<Measure>,
    /// How it is grouped.
    pub groupings: Vec<Grouping>,
}

/// What was heard, and of what it is true.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The groups of each grouping.
    pub groupings: Vec<Groups>,
    /// Where the time begins that was asked for.
    pub from: Cut,
    /// Where it ends; if that was not said, now.
    pub to: Cut,
    /// By which clocks its days and hours are told: those of the sites it is about.
    pub time_zones: Vec<TimeZone>,
    /// The brand's last change that it knows of.
    pub seq: i64,
}

/// Whoever asks: what they see, and whether with names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asker<'a> {
    pub scope: &'a Scope,
    pub names: Names,
}

impl Caller<ReadInsights> {
    /// The user as one who asks.
    pub(crate) fn asker(&self) -> Asker<'_> {
        Asker { scope: self.scope(), names: self.names() }
    }
}

impl Asked {
    /// Takes the groups of the next grouping, in the order they were asked for.
    pub(crate) fn next(&mut self) -> Groups {
        if self.groupings.is_empty() { Groups::default() } else { self.groupings.remove(0) }
    }
}

/// How many groups an answer may have.
const MOST_GROUPS: usize = 250_000;

impl App {
    /// Asks for what the caller may see. Refuses a period that is turned around or too long.
    pub(crate) async fn ask(&self, caller: &Caller<ReadInsights>, of: AskedOf<'_>) -> Result<Asked, Error> {
        self.ask_for(caller.asker(), of).await
    }

    /// The same, for one who asked earlier and has been found to be allowed to.
    pub(crate) async fn ask_for(&self, asker: Asker<'_>, mut of: AskedOf<'_>) -> Result<Asked, Error> {
        let (scope, now) = (asker.scope, self.clock.now());
        let period = of.filter.period.unwrap_or_default();
        let (from, to) = period.bounds(now).map_err(|(name, invalid)| Error::bad_parameter(name, invalid))?;
        // At which sites there is anything, for the clocks it is told by.
        of.groupings.push(Grouping::by([Dimension::Worksite]));
        let question = question(scope, (from, to), of);
        let (mut answer, seq) = self.answer(scope, &question).await?;
        let sites = answer.groupings.pop().unwrap_or_default();
        let sites: Vec<i64> = sites.groups.iter().filter_map(|group| group.keys.first().copied()?).collect();
        let to = to.unwrap_or(Cut::At(now));
        let time_zones = self.time_zones_of(scope, &sites, (from, to)).await?;
        Ok(Asked { groupings: answer.groupings, from, to, time_zones, seq })
    }

    /// The pieces of runtime of these machines, of which a question was asked before; refuses more than so many.
    pub(crate) async fn stretches(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        asked: &Asked,
        machines: &[MachineId],
        most: usize,
    ) -> Result<Vec<RuntimeStretch>, Error> {
        let of = AskedOf { filter, measures: Vec::new(), groupings: Vec::new() };
        let question = question(caller.scope(), (asked.from, Some(asked.to)), of);
        let limits = Limits { groups: most, deadline: self.columns.rows_deadline() };
        let place = self.columns.wait_to_ask_rows(caller.scope().brand()).await?;
        let mut snapshot = self.store.snapshot().await?;
        snapshot.keep(place);
        let found = snapshot.insights(caller.scope()).stretches(&question, machines, limits).await;
        let found = found.map_err(|error| match error {
            store::Error::TooManyGroups(most) => {
                let text = format!(
                    "asks for more than {most} pieces of runtime; take a shorter period or fewer machines"
                );
                Error::too_wide("operators", Invalid::new("too_many_points", text))
            }
            other => other.into(),
        })?;
        snapshot.end().await?;
        Ok(found)
    }

    /// The answer to a question, from the columns or else from the rows, and the last change that it knows of.
    pub(crate) async fn answer(&self, scope: &Scope, question: &Question) -> Result<(Answer, i64), Error> {
        match self.columns.answer(scope, question).await {
            Ok(answered) => return Ok(answered),
            Err(Unanswered::Failed(error)) => return Err(error),
            Err(Unanswered::AskRows) => {}
        }
        let place = self.columns.place_to_ask_rows(scope.brand())?;
        let mut snapshot = self.store.snapshot().await?;
        // With the connection: it is in use until the engine lets go of it, also when whoever asked has gone.
        snapshot.keep(place);
        let limits = Limits { groups: MOST_GROUPS, deadline: self.columns.rows_deadline() };
        let answered = snapshot.insights(scope).answer(question, limits).await?;
        snapshot.end().await?;
        Ok((answered.answer, answered.seq))
    }

    /// The clocks of these sites in that time; without any, the brand's.
    async fn time_zones_of(
        &self,
        scope: &Scope,
        sites: &[i64],
        (from, to): (Cut, Cut),
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
fn question(scope: &Scope, (from, to): (Cut, Option<Cut>), of: AskedOf<'_>) -> Question {
    Question {
        from: Some(from),
        to,
        filter: of.filter.clone(),
        within: match scope.projects() {
            Projects::All => None,
            Projects::Only(projects) => Some(projects.clone()),
        },
        measures: of.measures,
        groupings: of.groupings,
    }
}

/// The same filter for the time of equal length right before.
pub(crate) fn previous_of(filter: &IncursionFilter, asked: &Asked, now: Timestamp) -> IncursionFilter {
    let period = Period::previous(asked.from, Some(asked.to), now);
    IncursionFilter { period: Some(period), ..filter.clone() }
}
