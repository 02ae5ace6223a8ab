//! GET /sites/{id}: one worksite with its figures, maps, machines, people and history.

use std::sync::Arc;

use app::insights::TotalsRequest;
use app::{App, Error, MachineAtWorksite};
use askama::Template;
use axum::extract::State;
use domain::access::{ReadInsights, ReadRegistry, WriteRegistry};
use domain::insights::{IncursionFilter, Measure};
use domain::{
    AlertSeverity, OpenAlert, PageRequest, Project, ProjectId, Timestamp, Worksite, WorksiteId, WorksiteTerm,
};
use geography::Boundary;
use texts::console::sites as t;
use web::{Caller, FromParams, Params, PathId, Query, Result, default_filters};

use super::machines_panel::MachinesPanel;
use super::map_image::{self, MapImage};
use super::roll_call::{self, OnSite};
use super::{area_of, kind_of, numbers, zone_of};
use crate::address::Address;
use crate::form::FormView;
use crate::frame::Frame;
use crate::parts::{
    Attention, AttentionItem, Cell, ChartImage, Column, Details, Empty, Row, Slot, Table, Tile, Tone,
};
use crate::pickers::{PickerRow, Pickers};
use crate::response;

/// The figures at the top of the page, with the filter of the incursions behind each.
const TILES: [(Measure, &[(&str, &str)]); 4] = [
    (Measure::IncursionsPerRuntimeHour, &[]),
    (Measure::AcknowledgementRate, &[("acknowledged", "true")]),
    (Measure::Incursions, &[]),
    (Measure::Exposure, &[]),
];
/// The maximum number of terms that are listed.
const MAX_TERMS: u16 = 50;

pub struct SiteParams(Pickers);

impl FromParams for SiteParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self(Pickers::read(query)?))
    }
}

/// A worksite with its boundary and the machines that are there now.
pub type SiteWithMachines = (Worksite, Option<Boundary>, Vec<MachineAtWorksite>);

#[derive(Template)]
#[template(path = "sites/show.html")]
struct SitePage<'a> {
    frame: &'a Frame,
    site: &'a Worksite,
    /// The row that chooses the period; absent after a refused form.
    pickers: Option<PickerRow>,
    period: String,
    archived: Option<String>,
    can_edit: bool,
    tiles: Vec<Tile>,
    map: MapImage,
    /// Whether there is something to show on a map with script.
    has_maps: bool,
    heat_map: ChartImage,
    /// The numbers beneath the heat map.
    numbers: Table,
    /// The address of the hexagons of the heat map, for the map with script.
    hexagons: String,
    incursions: String,
    details: Details,
    alerts: Option<Attention>,
    machines: MachinesPanel,
    on_site: OnSite,
    history: Table,
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    frame: Frame,
    PathId(id): PathId,
    Params(SiteParams(pickers)): Params<SiteParams>,
) -> Result {
    let found = app.find_worksite_geo(&caller, WorksiteId(id), None).await?;
    render(&app, &frame, found, Some(pickers), &FormView::new(Vec::new())).await
}

/// Shows the page; `view` is the form that assigns a machine.
pub async fn render(
    app: &App,
    frame: &Frame,
    (site, _, present): SiteWithMachines,
    pickers: Option<Pickers>,
    view: &FormView,
) -> Result {
    let registry = frame.caller::<ReadRegistry>()?;
    let insights = frame.caller::<ReadInsights>()?;
    let pickers = pickers.map(|pickers| pickers.resolved(frame));
    let picked = pickers.as_ref().map_or_else(default_filters, |pickers| pickers.filter.clone());
    // A site can have been in several projects. The picked ones count here as they do in the lists and charts that the page leads to.
    let filter = IncursionFilter { worksites: vec![site.id], ..picked };
    let compare = pickers.as_ref().map(|pickers| pickers.compare).unwrap_or_default();
    let measures = TILES.map(|(measure, _)| measure);
    let totals = TotalsRequest { measures: &measures, compare, compared: &measures };
    let totals = app.insight_totals(&insights, &filter, totals).await?;
    let id = site.id.to_string();
    let own = [("worksite_id", id.as_str())];
    let tile = |(measure, more): (Measure, &'static [(&'static str, &'static str)])| {
        let figure = totals.figures.of(measure);
        let pairs: Vec<(&str, &str)> = own.iter().chain(more).copied().collect();
        Tile {
            label: texts::values::measure(frame.language, measure.as_str()).to_owned(),
            value: frame.formats().figure(measure, figure),
            change: frame.formats().change_since(&totals, measure),
            spark: None,
            href: frame.incursions(&pairs),
            live: "",
        }
    };
    let page = PageRequest { limit: MAX_TERMS, after: None };
    let (terms, _) = app.list_worksite_terms(&registry, site.id, &page, false).await?;
    let alerts = app.list_open_alerts_of_worksite(&registry, site.id).await?;
    let mut ids: Vec<ProjectId> = terms.rows.iter().filter_map(|term| term.project).collect();
    ids.extend(site.project);
    ids.sort_unstable();
    ids.dedup();
    let projects = app.find_projects_by_id(&registry, &ids).await?;
    let zone = zone_of(&site);
    let named = [("name", site.name.as_str())];
    let page = SitePage {
        period: frame.formats().period(&totals.result),
        archived: site
            .archived_at
            .map(|at| frame.fill(t::ARCHIVED_SINCE, &[("at", &frame.formats().instant(at, &zone))])),
        can_edit: frame.may::<WriteRegistry>(),
        tiles: TILES.into_iter().map(tile).collect(),
        map: MapImage::of_site(site.id.0, frame.fill(t::MAP_ALT, &named)),
        has_maps: crate::map_libraries::EMBEDDED && (site.boundary.is_some() || !present.is_empty()),
        heat_map: ChartImage::new(
            frame,
            "heatmap",
            &own,
            Slot::Half,
            map_image::HEIGHT,
            frame.fill(t::HEAT_MAP_ALT, &named),
        ),
        numbers: numbers::load(app, frame, site.id, &filter).await?,
        hexagons: filter
            .projects
            .iter()
            .fold(Address::new("/api/v1/insights/heatmap"), |address, project| {
                address.and("project_id", &project.to_string())
            })
            .and("worksite_id", &id)
            .and("from", &totals.result.from.to_string())
            .and("to", &totals.result.to.to_string())
            .to_string(),
        incursions: frame.incursions(&own),
        details: details(frame, &site, &projects),
        alerts: attention(frame, alerts),
        machines: MachinesPanel::load(app, frame, &site, &present, view).await?,
        on_site: roll_call::load(app, frame, &site).await?,
        history: history(frame, &site, &terms.rows, &projects),
        pickers: match pickers {
            Some(pickers) => Some(pickers.load(app, frame).await?.with_comparison()),
            None => None,
        },
        site: &site,
        frame,
    };
    response::page_with(view.status, frame, &page)
}

/// Returns the name of a project, or nothing for none.
fn project_name(projects: &[Project], id: Option<ProjectId>) -> Option<String> {
    projects.iter().find(|project| Some(project.id) == id).map(|project| project.name.clone())
}

fn details(frame: &Frame, site: &Worksite, projects: &[Project]) -> Details {
    let zone = zone_of(site);
    let line = |label: texts::Text, text: String| (frame.text(label).to_owned(), Cell::text(text));
    let project = project_name(projects, site.project);
    let project = project.unwrap_or_else(|| frame.text(t::NO_PROJECT).to_owned());
    Details {
        rows: vec![
            line(t::KIND, kind_of(frame, site).to_owned()),
            line(t::PROJECT, project),
            line(t::AREA, area_of(frame, site.area_m2)),
            line(t::TIME_ZONE, site.time_zone.clone()),
            line(t::CONTACT, site.technical_contact.clone().unwrap_or_else(|| "–".to_owned())),
            line(t::ADDED_AT, frame.formats().instant(site.created_at, &zone)),
        ],
    }
}

fn attention(frame: &Frame, alerts: Vec<OpenAlert>) -> Option<Attention> {
    let item = |alert: OpenAlert| {
        let (tone, word) = match alert.severity {
            AlertSeverity::Info => (Tone::Neutral, t::SEVERITY_INFO),
            AlertSeverity::Warning => (Tone::Warning, t::SEVERITY_WARNING),
            AlertSeverity::Critical => (Tone::Bad, t::SEVERITY_CRITICAL),
        };
        AttentionItem {
            tone,
            title: alert.rule_name,
            text: frame.formats().ago(alert.fired_at),
            kind: frame.text(word).to_owned(),
            href: frame.link(&format!("/alerts/{}/firings/{}", alert.rule, alert.id)),
        }
    };
    let items: Vec<AttentionItem> = alerts.into_iter().map(item).collect();
    (!items.is_empty()).then_some(Attention { items })
}

fn history(frame: &Frame, site: &Worksite, terms: &[WorksiteTerm], projects: &[Project]) -> Table {
    let zone = zone_of(site);
    let at = |at: Timestamp| Cell::text(frame.formats().minute(at, &zone));
    let row = |term: &WorksiteTerm| {
        Row::new(vec![
            at(term.from),
            term.to.map_or_else(|| Cell::text(frame.text(t::STILL)), at),
            Cell::text(area_of(frame, term.area_m2)),
            Cell::text(term.time_zone.clone()),
            Cell::text(project_name(projects, term.project).unwrap_or_default()),
        ])
    };
    let columns = vec![
        Column::text(frame.text(t::FROM)),
        Column::text(frame.text(t::TO)),
        Column::number(frame.text(t::AREA)),
        Column::text(frame.text(t::TIME_ZONE)),
        Column::text(frame.text(t::PROJECT)),
    ];
    let title = frame.text(t::NO_HISTORY).to_owned();
    let empty = Empty { reason: String::new(), title, action: None };
    Table::new(frame.text(t::HISTORY), columns, terms.iter().map(row).collect(), empty)
}
