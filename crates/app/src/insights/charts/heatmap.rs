//! Positions of incursions as a chart: the hexagons of the heat map, and the boundary of the worksite if it shows only one.

use charts::{Outline, Position};
use domain::access::ReadInsights;
use domain::insights::{ChartKind, IncursionFilter, Measure, Resolution, Unit};
use domain::{Invalid, WorksiteId};
use geography::Boundary;
use serde_json::Value;

use super::{Chart, ChartDetails, ChartPoint, ChartPosition, ChartSeries, SeriesKind};
use crate::insights::{Labelled, LabelledId};
use crate::{App, Caller, Error};

/// The measure by which a map is shaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Shade {
    #[default]
    Incursions,
    AcknowledgementRate,
}

impl Shade {
    pub const ALL: [Self; 2] = [Self::Incursions, Self::AcknowledgementRate];

    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Incursions => "incursions",
            Self::AcknowledgementRate => "acknowledgement_rate",
        }
    }

    /// Parses the name in the API.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|shade| shade.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_measure", "must be incursions or acknowledgement_rate"))
    }
}

#[macros::boxed]
impl App {
    /// Returns incursions by position.
    pub async fn heatmap_chart(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        resolution: Resolution,
        shade: Shade,
    ) -> Result<Chart, Error> {
        let heatmap = self.insight_heatmap(caller, filter, resolution).await?;
        let outline = match filter.worksites[..] {
            [site] => self.site_outline(caller, site).await?,
            _ => None,
        };
        let measure = Measure::Incursions;
        let points = heatmap.hexagons.iter().filter_map(|hexagon| {
            let place = Labelled { id: LabelledId::Word(hexagon.cell.clone()), label: hexagon.cell.clone() };
            Some(ChartPoint::new(ChartPosition::Part(place), measure, hexagon.figures.first().copied()?))
        });
        let series = ChartSeries {
            key: measure.as_str().to_owned(),
            label: measure.label().to_owned(),
            measure,
            kind: SeriesKind::Measured,
            points: points.collect(),
        };
        let (more, asked) = (heatmap.more, heatmap.result.clone());
        let details = ChartDetails::Map { heatmap, shade, outline };
        let mut chart = Chart::without_details(ChartKind::Heatmap, Unit::Count, vec![series], filter, asked);
        if shade == Shade::AcknowledgementRate {
            chart.title = format!("{} by location", Measure::AcknowledgementRate.label());
        }
        Ok(Chart { more, details, ..chart })
    }

    /// Returns the boundary of a worksite, if it has one and the caller may see it.
    pub(crate) async fn site_outline(
        &self,
        caller: &Caller<ReadInsights>,
        site: WorksiteId,
    ) -> Result<Option<Outline>, Error> {
        let mut tx = self.store.read().await?;
        let found = tx.worksites(caller.scope()).find(site).await?;
        let kept = found.and_then(|site| site.boundary);
        let boundary = kept.and_then(|kept| Boundary::from_stored(&kept.text, kept.area_m2));
        Ok(boundary.map(|boundary| polygon_outline(&boundary.outline())))
    }
}

/// Returns the rings of a GeoJSON polygon.
fn polygon_outline(polygon: &Value) -> Outline {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let position = |value: &Value| Some(Position::new(value.get(0)?.as_f64()?, value.get(1)?.as_f64()?));
    let rings = list(&polygon["coordinates"]);
    Outline { rings: rings.iter().map(|ring| list(ring).iter().filter_map(position).collect()).collect() }
}
