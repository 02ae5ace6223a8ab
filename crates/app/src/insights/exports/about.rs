//! What a file says about itself, on a second sheet or in its metadata: which facts, of which time, by whose clocks, as of when.

use ::exports::Table;
use domain::insights::{Dimension, IncursionFilter};
use domain::text::readable;
use domain::{Cut, PersonId, TimeZone};
use store::{BrandSettings, Projects, Tx};

use super::look::Look;
use super::request::{ExportOf, ExportRequest};
use crate::insights::Asker;
use crate::{App, Error};

/// What a file is true of.
pub(super) struct TrueOf<'a> {
    pub time_zones: &'a [TimeZone],
    pub seq: i64,
    /// How many outermost rows of a pivot were left off.
    pub more: u64,
    /// How it is shown.
    pub look: &'a Look,
}

impl App {
    /// The table with what it says about itself.
    pub(super) async fn tell_about(
        &self,
        asker: Asker<'_>,
        request: &ExportRequest,
        mut table: Table,
        of: TrueOf<'_>,
    ) -> Result<Table, Error> {
        let mut tx = self.store.read().await?;
        let BrandSettings { values, .. } = tx.brand_settings(asker.scope).await?;
        let (look, order) = (of.look, of.look.date_order());
        let (from, to) = request.period();
        let zones: Vec<&str> = of.time_zones.iter().map(TimeZone::as_str).collect();
        table = table
            .dates(order)
            .csv_dates(order)
            .about("Title", readable(request.of.kind().as_str()))
            .about("Brand", values.name.as_str())
            .about("From", cut(from, look))
            .about("To", cut(to, look))
            .about("Time zones", zones.join(", "))
            .about("Made at", look.moment(self.clock.now()))
            .about("As of change", of.seq.to_string());
        if let Some(clock) = look.common_clock() {
            table = table.about("Times by the clock of", clock.as_str());
        }
        if let ExportOf::Pivot(_, pivot) = &request.of {
            let dimensions = |all: &[Dimension]| {
                all.iter().map(|one| look.preferences().label(*one)).collect::<Vec<_>>().join(", ")
            };
            let measures: Vec<_> = pivot.measures.iter().map(|one| readable(one.as_str())).collect();
            table = table
                .about("Rows", dimensions(&pivot.rows))
                .about("Columns", dimensions(&pivot.columns))
                .about("Measures", measures.join(", "))
                .about("Rows left off", of.more.to_string());
        }
        if let Projects::Only(projects) = asker.scope.projects() {
            let mut names = Vec::new();
            for project in projects {
                let found = tx.projects(asker.scope).find(*project).await?;
                names.push(found.map_or_else(|| project.to_string(), |project| project.name));
            }
            table = table.about("Restricted to projects", names.join(", "));
        }
        for (name, value) in filters(&mut tx, asker, request.of.filter()).await? {
            table = table.about(format!("Filter: {name}"), value);
        }
        Ok(table)
    }
}

fn cut(cut: Cut, look: &Look) -> String {
    match cut {
        Cut::At(at) => look.moment(at),
        Cut::Day(day) => format!("{}, by each site's own clock", look.preferences().date_format.day(day)),
    }
}

/// The filters by their names, with what they name as whoever asks may see it. What they do not see stays a number.
async fn filters(
    tx: &mut Tx,
    asker: Asker<'_>,
    filter: &IncursionFilter,
) -> Result<Vec<(&'static str, String)>, Error> {
    let scope = asker.scope;
    let mut told = Vec::new();
    let mut tell = |name, values: Vec<String>| {
        if !values.is_empty() {
            told.push((name, values.join(", ")));
        }
    };
    let mut names = Vec::new();
    for id in &filter.projects {
        let found = tx.projects(scope).find(*id).await?;
        names.push(found.map_or_else(|| id.to_string(), |project| project.name));
    }
    tell("projects", std::mem::take(&mut names));
    for id in &filter.worksites {
        let found = tx.worksites(scope).find(*id).await?;
        names.push(found.map_or_else(|| id.to_string(), |site| site.name));
    }
    tell("worksites", std::mem::take(&mut names));
    for id in &filter.machines {
        let found = tx.machines(scope).find(*id).await?;
        names.push(found.map_or_else(|| id.to_string(), |machine| machine.name));
    }
    tell("machines", std::mem::take(&mut names));
    for id in &filter.base_stations {
        let found = tx.base_stations(scope).find(*id).await?;
        names.push(found.map_or_else(|| id.to_string(), |station| station.serial));
    }
    tell("base stations", std::mem::take(&mut names));
    let tags: Vec<i64> = filter.tags.iter().map(|id| id.0).collect();
    let serials = match tags.is_empty() {
        true => std::collections::HashMap::new(),
        false => tx.labels(scope).tags(&tags).await?,
    };
    tell("tags", tags.iter().map(|id| serials.get(id).cloned().unwrap_or_else(|| id.to_string())).collect());
    for (name, ids) in
        [("people", &filter.people), ("pedestrians", &filter.pedestrians), ("operators", &filter.operators)]
    {
        tell(name, people(tx, asker, ids).await?);
    }
    tell("zones", filter.zones.iter().map(|zone| readable(zone.as_str())).collect());
    tell("reviews", filter.reviews.iter().map(|review| readable(review.as_str())).collect());
    let flag = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    tell("acknowledged", filter.acknowledged.map(flag).into_iter().collect());
    let seconds = |span: domain::Span| format!("{} s", span.whole_seconds());
    tell("shortest duration", filter.min_duration.map(seconds).into_iter().collect());
    tell("longest duration", filter.max_duration.map(seconds).into_iter().collect());
    Ok(told)
}

/// What people are called.
async fn people(tx: &mut Tx, asker: Asker<'_>, ids: &[PersonId]) -> Result<Vec<String>, Error> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let numbers: Vec<i64> = ids.iter().map(|id| id.0).collect();
    let found = tx.labels(asker.scope).people(&numbers).await?;
    let found: Vec<_> = found.into_iter().map(|person| asker.names.in_record(person)).collect();
    let name = |id: &PersonId| {
        let person = found.iter().find(|person| person.id == *id);
        person.map_or_else(|| id.to_string(), |person| person.name.clone())
    };
    Ok(ids.iter().map(name).collect())
}
