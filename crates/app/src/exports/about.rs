//! What a file says about itself, on a second sheet or in its metadata: which facts, of which time, by whose clocks, as of when.

use ::exports::{DateOrder, Table};
use domain::brand::DateFormat;
use domain::insights::IncursionFilter;
use domain::{Cut, PersonId, TimeZone};
use store::{BrandSettings, Projects, Tx};

use super::request::{ExportOf, ExportRequest};
use crate::insights::{Asker, readable};
use crate::{App, Error};

/// What a file is true of.
pub(super) struct TrueOf<'a> {
    pub time_zones: &'a [TimeZone],
    pub seq: i64,
    /// How many outermost rows of a pivot were left off.
    pub more: u64,
}

impl App {
    /// The table with what it says about itself, in the brand's way to write dates.
    pub(super) async fn tell_about(
        &self,
        asker: Asker<'_>,
        request: &ExportRequest,
        mut table: Table,
        of: TrueOf<'_>,
    ) -> Result<Table, Error> {
        let mut tx = self.store.read().await?;
        let BrandSettings { values, .. } = tx.brand_settings(asker.scope).await?;
        let order = match values.date_format {
            DateFormat::DayFirst => DateOrder::DayFirst,
            DateFormat::MonthFirst => DateOrder::MonthFirst,
        };
        let (from, to) = request.period();
        let zones: Vec<&str> = of.time_zones.iter().map(TimeZone::as_str).collect();
        table = table
            .dates(order)
            .about("Title", readable(request.of.kind().as_str()))
            .about("Brand", values.name.as_str())
            .about("From", cut(from))
            .about("To", cut(to))
            .about("Time zones", zones.join(", "))
            .about("Made at", self.clock.now().to_string())
            .about("As of change", of.seq.to_string());
        if let ExportOf::Pivot(_, pivot) = &request.of {
            let list = |words: Vec<&str>| words.into_iter().map(readable).collect::<Vec<_>>().join(", ");
            table = table
                .about("Rows", list(pivot.rows.iter().map(|one| one.as_str()).collect()))
                .about("Columns", list(pivot.columns.iter().map(|one| one.as_str()).collect()))
                .about("Measures", list(pivot.measures.iter().map(|one| one.as_str()).collect()))
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

fn cut(cut: Cut) -> String {
    match cut {
        Cut::At(_) => cut.to_string(),
        Cut::Day(_) => format!("{cut}, by each site's own clock"),
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
