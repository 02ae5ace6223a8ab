//! The provenance of a file, on a second sheet or in its metadata: filters, period, time zones and the change it was generated at.

use ::exports::Table;
use domain::insights::{Dimension, IncursionFilter};
use domain::text::humanize;
use domain::{BrandSettings, PeriodBound, PersonId, TimeZone};
use store::{Projects, Tx};

use super::formatting::FileFormatting;
use super::request::{ExportRequest, ExportSource};
use crate::insights::QueryScope;
use crate::{App, Error};

/// The provenance that depends on the content of a file.
pub(super) struct Provenance<'a> {
    pub time_zones: &'a [TimeZone],
    pub seq: i64,
    /// Number of outermost rows of a pivot beyond the limit.
    pub more: u64,
    pub formatting: &'a FileFormatting,
}

impl App {
    /// Adds the provenance to a table.
    pub(super) async fn add_provenance(
        &self,
        query_scope: QueryScope<'_>,
        request: &ExportRequest,
        mut table: Table,
        provenance: Provenance<'_>,
    ) -> Result<Table, Error> {
        let mut tx = self.store.read().await?;
        let BrandSettings { values, .. } = tx.brand_settings(query_scope.scope).await?;
        let (look, order) = (provenance.formatting, provenance.formatting.date_order());
        let (from, to) = request.period();
        let zones: Vec<&str> = provenance.time_zones.iter().map(TimeZone::as_str).collect();
        table = table
            .with_date_order(order)
            .with_csv_date_order(order)
            .with_metadata("Title", humanize(request.source.kind().as_str()))
            .with_metadata("Brand", values.name.as_str())
            .with_metadata("From", format_bound(from, look))
            .with_metadata("To", format_bound(to, look))
            .with_metadata("Time zones", zones.join(", "))
            .with_metadata("Generated at", look.format_timestamp(self.clock.now()))
            .with_metadata("As of change", provenance.seq.to_string());
        if let Some(clock) = look.common_time_zone() {
            table = table.with_metadata("Time zone of timestamps", clock.as_str());
        }
        if let ExportSource::Pivot(_, pivot) = &request.source {
            let dimensions = |all: &[Dimension]| {
                all.iter().map(|one| look.preferences().label(*one)).collect::<Vec<_>>().join(", ")
            };
            let measures: Vec<_> = pivot.measures.iter().map(|one| humanize(one.as_str())).collect();
            table = table
                .with_metadata("Rows", dimensions(&pivot.rows))
                .with_metadata("Columns", dimensions(&pivot.columns))
                .with_metadata("Measures", measures.join(", "))
                .with_metadata("Rows beyond the limit", provenance.more.to_string());
        }
        if let Projects::Only(projects) = query_scope.scope.projects() {
            let mut names = Vec::new();
            for project in projects {
                let found = tx.projects(query_scope.scope).find(*project).await?;
                names.push(found.map_or_else(|| project.to_string(), |project| project.name));
            }
            table = table.with_metadata("Restricted to projects", names.join(", "));
        }
        for (name, value) in describe_filters(&mut tx, query_scope, request.source.filter()).await? {
            table = table.with_metadata(format!("Filter: {name}"), value);
        }
        Ok(table)
    }
}

fn format_bound(cut: PeriodBound, look: &FileFormatting) -> String {
    match cut {
        PeriodBound::Instant(at) => look.format_timestamp(at),
        PeriodBound::Day(day) => {
            format!("{}, in the local time of each worksite", look.preferences().date_format.format_day(day))
        }
    }
}

/// Describes the filters with the names that the requester may see; everything else stays an id.
async fn describe_filters(
    tx: &mut Tx,
    query_scope: QueryScope<'_>,
    filter: &IncursionFilter,
) -> Result<Vec<(&'static str, String)>, Error> {
    let scope = query_scope.scope;
    let mut described = Vec::new();
    let mut describe = |name, values: Vec<String>| {
        if !values.is_empty() {
            described.push((name, values.join(", ")));
        }
    };
    let mut names = Vec::new();
    for id in &filter.projects {
        let found = tx.projects(scope).find(*id).await?;
        names.push(found.map_or_else(|| id.to_string(), |project| project.name));
    }
    describe("projects", std::mem::take(&mut names));
    for id in &filter.worksites {
        let found = tx.worksites(scope).find(*id).await?;
        names.push(found.map_or_else(|| id.to_string(), |site| site.name));
    }
    describe("worksites", std::mem::take(&mut names));
    describe(
        "kinds of worksites",
        filter.worksite_kinds.iter().map(|kind| kind.as_str().to_owned()).collect(),
    );
    for id in &filter.machines {
        let found = tx.machines(scope).find(*id).await?;
        names.push(found.map_or_else(|| id.to_string(), |machine| machine.name));
    }
    describe("machines", std::mem::take(&mut names));
    describe("kinds of machines", filter.machine_kinds.iter().map(|kind| kind.as_str().to_owned()).collect());
    for id in &filter.base_stations {
        let found = tx.base_stations(scope).find(*id).await?;
        names.push(found.map_or_else(|| id.to_string(), |station| station.serial));
    }
    describe("base stations", std::mem::take(&mut names));
    let tags: Vec<i64> = filter.tags.iter().map(|id| id.0).collect();
    let serials = match tags.is_empty() {
        true => std::collections::HashMap::new(),
        false => tx.labels(scope).tags(&tags).await?,
    };
    describe(
        "tags",
        tags.iter().map(|id| serials.get(id).cloned().unwrap_or_else(|| id.to_string())).collect(),
    );
    for (name, ids) in
        [("people", &filter.people), ("pedestrians", &filter.pedestrians), ("operators", &filter.operators)]
    {
        describe(name, person_names(tx, query_scope, ids).await?);
    }
    describe("zones", filter.zones.iter().map(|zone| humanize(zone.as_str())).collect());
    describe("reviews", filter.reviews.iter().map(|review| humanize(review.as_str())).collect());
    let flag = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    describe("acknowledged", filter.acknowledged.map(flag).into_iter().collect());
    let seconds = |span: domain::Span| format!("{} s", span.whole_seconds());
    describe("shortest duration", filter.min_duration.map(seconds).into_iter().collect());
    describe("longest duration", filter.max_duration.map(seconds).into_iter().collect());
    Ok(described)
}

async fn person_names(
    tx: &mut Tx,
    query_scope: QueryScope<'_>,
    ids: &[PersonId],
) -> Result<Vec<String>, Error> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let numbers: Vec<i64> = ids.iter().map(|id| id.0).collect();
    let found = tx.labels(query_scope.scope).people(&numbers).await?;
    let found: Vec<_> = found.into_iter().map(|person| query_scope.names.redact_record(person)).collect();
    let name = |id: &PersonId| {
        let person = found.iter().find(|person| person.id == *id);
        person.map_or_else(|| id.to_string(), |person| person.name.clone())
    };
    Ok(ids.iter().map(name).collect())
}
