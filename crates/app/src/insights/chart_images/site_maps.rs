//! One map for each worksite, if a heat map covers several: on a common map they would be dots.

use charts::Outline;
use domain::access::ReadInsights;
use domain::insights::{Dimension, GroupOrder, Grouping, IncursionFilter, Measure};
use domain::{Period, WorksiteId};

use crate::insights::query::{QuerySpec, filter_for_period};
use crate::insights::{Chart, ChartDetails, Heatmap};
use crate::{App, Caller, Error};

/// The map of one worksite.
#[derive(Clone, Debug)]
pub(super) struct SiteMap {
    pub label: String,
    pub heatmap: Heatmap,
    pub outline: Option<Outline>,
}

/// The maps of the worksites with the most incursions.
#[derive(Clone, Debug)]
pub(super) struct SiteMaps {
    /// At least one, the worksite with the most incursions first.
    pub maps: Vec<SiteMap>,
    /// Number of other worksites with incursions.
    pub more: u64,
    /// Number of incursions outside all worksites.
    pub outside: i64,
}

/// Maximum number of maps.
const MAX_MAPS: usize = 6;

impl App {
    /// Loads the maps of the worksites that a heat map covers; none if its filter names one worksite, or no worksite has positions.
    pub(super) async fn load_site_maps(
        &self,
        caller: &Caller<ReadInsights>,
        chart: &Chart,
    ) -> Result<Option<SiteMaps>, Error> {
        let ChartDetails::Map { heatmap, .. } = &chart.details else { return Ok(None) };
        if chart.filter.worksites.len() == 1 || heatmap.hexagons.is_empty() {
            return Ok(None);
        }
        let period = Period { from: Some(chart.result.from), to: Some(chart.result.to) };
        let filter = filter_for_period(&chart.filter, period);
        let by_site = Grouping {
            dimensions: vec![Dimension::Worksite],
            order: GroupOrder::Descending(0),
            // One more for incursions outside all worksites.
            limit: Some(MAX_MAPS + 1),
        };
        let of = QuerySpec { filter: &filter, measures: vec![Measure::Incursions], groupings: vec![by_site] };
        let sites = self.run_query(caller, of).await?.take_next_groups();
        let labels = self.load_labels(caller, [(&[Dimension::Worksite][..], &sites)]).await?;
        let mut found = SiteMaps { maps: Vec::new(), more: sites.more, outside: 0 };
        for group in &sites.groups {
            let key = group.keys.first().copied().flatten();
            let incursions = group.figures.first().map_or(0, |figure| figure.incursions);
            match key {
                _ if incursions == 0 => {}
                None => found.outside = incursions,
                Some(_) if found.maps.len() == MAX_MAPS => found.more += 1,
                Some(id) => {
                    let site = WorksiteId(id);
                    let only = IncursionFilter { worksites: vec![site], ..filter.clone() };
                    let heatmap = self.insight_heatmap(caller, &only, heatmap.resolution).await?;
                    if !heatmap.hexagons.is_empty() {
                        let label = labels.label(Dimension::Worksite, key).label;
                        let outline = self.site_outline(caller, site).await?;
                        found.maps.push(SiteMap { label, heatmap, outline });
                    }
                }
            }
        }
        Ok(Some(found).filter(|found| !found.maps.is_empty()))
    }
}
