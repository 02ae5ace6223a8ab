//! The parameters of each chart besides the common filters, for clients that offer a choice of charts.

use app::chart_images::ChartImageRequest;
use app::insights::{Compare, MachineRuntimeRequest, Shade, ZoneTimeRequest};
use domain::insights::{ChartKind, Dimension, Interval, Measure, Resolution};
use web::{ChartFormat, ChartTheme, ChartTitle};

use super::{heatmap, zone_time};

/// A query parameter of a chart.
#[web::answer]
pub struct ChartParameter {
    /// Name of the query parameter.
    #[schema(example = "interval")]
    pub name: &'static str,
    /// Description of the parameter.
    #[schema(example = "Length of one step")]
    description: &'static str,
    /// Allowed values; empty for a number.
    #[schema(example = json!(["hour", "day", "week", "month"]))]
    pub values: Vec<&'static str>,
    /// Minimum of a number.
    #[schema(example = json!(null))]
    minimum: Option<i64>,
    /// Maximum of a number.
    #[schema(example = json!(null))]
    maximum: Option<i64>,
    /// Default value; null if there is none.
    #[schema(example = "day")]
    default: Option<String>,
    /// Maximum number of values.
    #[schema(example = 1)]
    max_values: usize,
}

fn choice_parameter(
    name: &'static str,
    description: &'static str,
    values: impl IntoIterator<Item = &'static str>,
    default: Option<&str>,
) -> ChartParameter {
    ChartParameter {
        name,
        description,
        values: values.into_iter().collect(),
        minimum: None,
        maximum: None,
        default: default.map(str::to_owned),
        max_values: 1,
    }
}

fn number_parameter(
    name: &'static str,
    description: &'static str,
    (minimum, maximum): (i64, i64),
    default: Option<i64>,
) -> ChartParameter {
    ChartParameter {
        minimum: Some(minimum),
        maximum: Some(maximum),
        default: default.map(|number| number.to_string()),
        ..choice_parameter(name, description, [], None)
    }
}

/// Returns the parameters of a chart besides the filters.
pub fn of(kind: ChartKind) -> Vec<ChartParameter> {
    let interval = || {
        let day = Interval::Day.as_str();
        choice_parameter("interval", "Length of one step", Interval::ALL.map(Interval::as_str), Some(day))
    };
    let metric = |most| ChartParameter {
        max_values: most,
        ..choice_parameter(
            "metric",
            "Metric to chart; several must have the same unit",
            Measure::ALL.map(Measure::as_str),
            Some(Measure::Incursions.as_str()),
        )
    };
    let dimensions = |all: &'static [Dimension]| all.iter().map(|dimension| dimension.as_str());
    let mut parameters = match kind {
        ChartKind::MachineRuntime => vec![
            interval(),
            choice_parameter(
                "operators",
                "Whether to return the operators, for at most 31 days",
                ["true", "false"],
                Some("false"),
            ),
            number_parameter(
                "limit",
                "Maximum number of machines",
                (1, MachineRuntimeRequest::MAX_LIMIT as i64),
                Some(MachineRuntimeRequest::DEFAULT_LIMIT as i64),
            ),
        ],
        ChartKind::AcknowledgedIncursions | ChartKind::AcknowledgementScore => vec![interval()],
        ChartKind::ZoneTime => vec![
            choice_parameter(
                "by",
                "Dimension to group by",
                dimensions(&ZoneTimeRequest::BY),
                Some(Dimension::Zone.as_str()),
            ),
            number_parameter(
                "limit",
                "Maximum number of groups",
                (1, ZoneTimeRequest::MAX_LIMIT as i64),
                Some(zone_time::DEFAULT_LIMIT as i64),
            ),
        ],
        ChartKind::Trends => vec![
            interval(),
            metric(app::insights::TrendsChartRequest::MAX_MEASURES),
            choice_parameter("compare", "Period to compare with", Compare::NAMES, None),
        ],
        ChartKind::IncursionRate => vec![
            interval(),
            choice_parameter("split_by", "Dimension to split by", dimensions(&Dimension::RATE_SPLITS), None),
        ],
        ChartKind::Durations => Vec::new(),
        ChartKind::Heatmap => vec![
            number_parameter(
                "resolution",
                "H3 resolution; a smaller number gives larger hexagons",
                (Resolution::COARSEST.number().into(), Resolution::FINEST.number().into()),
                Some(heatmap::DEFAULT_RESOLUTION),
            ),
            choice_parameter(
                "shade",
                "Measure that the shades of an image show",
                Shade::ALL.map(Shade::as_str),
                Some(Shade::default().as_str()),
            ),
        ],
        ChartKind::HoursOfWeek => vec![metric(1)],
    };
    let sizes = (*ChartImageRequest::SIZES.start(), *ChartImageRequest::SIZES.end());
    parameters.extend([
        choice_parameter(
            "format",
            "Data or image; by default chosen from the Accept header",
            ChartFormat::ALL.map(ChartFormat::as_str),
            None,
        ),
        choice_parameter("theme", "Colour theme of an image", ChartTheme::ALL, Some("light")),
        number_parameter("width", "Width of an image in pixels", sizes, None),
        number_parameter("height", "Height of an image in pixels", sizes, None),
        choice_parameter(
            "title",
            "Whether an image has its title and subtitle",
            ChartTitle::ALL,
            Some("shown"),
        ),
    ]);
    parameters
}

#[cfg(feature = "openapi")]
#[cfg(test)]
mod tests {
    use web::FactFilters;

    use super::*;

    #[test]
    fn the_list_names_what_the_document_names() {
        let document = serde_json::to_value(crate::openapi()).unwrap();
        for kind in ChartKind::ALL {
            let path = format!("/api/v2/insights/charts/{}", kind.as_str());
            let documented = document["paths"][&path]["get"]["parameters"].as_array().unwrap();
            let documented: Vec<&str> = documented.iter().map(|of| of["name"].as_str().unwrap()).collect();
            let mut listed: Vec<&str> = of(kind).into_iter().map(|parameter| parameter.name).collect();
            listed.extend(FactFilters::NAMES);
            assert_eq!(documented, listed, "{path}");
        }
    }
}
