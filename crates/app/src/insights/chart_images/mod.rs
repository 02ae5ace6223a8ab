//! Charts as SVG images: the only place that passes their numbers to the `charts` crate, for the API, reports and mails alike.

mod bars;
mod filter_names;
mod gantt;
mod lines;
mod map;
mod ranked;
mod site_maps;
mod subtitle;
mod units;
mod week_matrix;

use charts::{ChartOptions, DateOrder, LengthUnits, LocalTime, Translations, Value, WeekStart};
use domain::access::ReadInsights;
use domain::insights::{ChartKind, Interval, Month, NoValueReason, Week};
use domain::locale::{DateFormat, FirstDayOfWeek, Locale, Units};
use domain::preferences::Preferences;

use crate::insights::{Chart, ChartDetails, ChartPoint, ChartPosition};
use crate::{App, Caller, Error};

use filter_names::FilterNames;
use site_maps::SiteMaps;

pub use charts::Theme;

/// The requested form of an image.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChartImageRequest {
    pub theme: Theme,
    /// In pixels; absent for the default of the chart.
    pub width: Option<u32>,
    /// In pixels; absent for the default of the chart.
    pub height: Option<u32>,
}

impl ChartImageRequest {
    /// The allowed widths and heights, in pixels.
    pub const SIZES: std::ops::RangeInclusive<i64> = 200..=4_000;
}

#[macros::boxed]
impl App {
    /// Draws a chart as an SVG document, according to the caller's preferences.
    pub async fn render_chart_image(
        &self,
        caller: &Caller<ReadInsights>,
        chart: Chart,
        request: ChartImageRequest,
    ) -> Result<String, Error> {
        let preferences = self.preferences_of(caller).await?;
        let surroundings = Surroundings {
            names: self.load_filter_names(caller, &chart.filter).await?,
            sites: self.load_site_maps(caller, &chart).await?,
        };
        self.compute(move || draw(&chart, &surroundings, request, &preferences)).await
    }
}

/// What an image shows besides the data of its chart.
struct Surroundings {
    names: FilterNames,
    /// The maps of a heat map that covers several worksites.
    sites: Option<SiteMaps>,
}

/// Draws a chart as an SVG document.
fn draw(
    chart: &Chart,
    Surroundings { names, sites }: &Surroundings,
    request: ChartImageRequest,
    preferences: &Preferences,
) -> String {
    let sites = sites.as_ref();
    let (width, height) = default_size(chart);
    let options = ChartOptions {
        subtitle: Some(subtitle::subtitle(chart, names, preferences)),
        note: note(chart, sites),
        width: request.width.unwrap_or(width),
        height: request.height.unwrap_or(height),
        theme: request.theme,
        date_order: match preferences.date_format {
            DateFormat::DayMonthYear => DateOrder::DayMonthYear,
            DateFormat::MonthDayYear => DateOrder::MonthDayYear,
            DateFormat::YearMonthDay => DateOrder::YearMonthDay,
        },
        week_start: match preferences.first_day_of_week {
            FirstDayOfWeek::Monday => WeekStart::Monday,
            FirstDayOfWeek::Sunday => WeekStart::Sunday,
            FirstDayOfWeek::Saturday => WeekStart::Saturday,
        },
        units: match preferences.units {
            Units::Metric => LengthUnits::Metric,
            Units::Imperial => LengthUnits::Imperial,
        },
        language: Some(text_language(&preferences.language).to_owned()),
        translations: Translations {
            no_data: "Nothing in this period".into(),
            range: "95 % confidence interval".into(),
            ..Translations::default()
        },
        ..ChartOptions::titled(&chart.title)
    };
    match (&chart.details, chart.kind) {
        (ChartDetails::Runtime { operators: Some(machines), .. }, _) => {
            gantt::draw(chart, machines, &options)
        }
        (ChartDetails::Map { heatmap, shade, outline }, _) => {
            map::draw(heatmap, *shade, outline.as_ref(), sites, &options)
        }
        (_, ChartKind::MachineRuntime | ChartKind::AcknowledgedIncursions) => bars::draw(chart, &options),
        (_, ChartKind::ZoneTime) => ranked::draw(chart, &options),
        (_, ChartKind::Durations) => ranked::draw_durations(chart, &options),
        (_, ChartKind::HoursOfWeek) => week_matrix::draw(chart, &options),
        (
            _,
            ChartKind::Trends
            | ChartKind::IncursionRate
            | ChartKind::AcknowledgementScore
            | ChartKind::Heatmap,
        ) => lines::draw(chart, &options),
    }
}

/// The texts of images are always English. Readers who prefer English get the language tag of their region; for all others the
/// document must not claim their language, or a screen reader would read it out wrongly.
fn text_language(preferred: &Locale) -> &str {
    if preferred.language() == "en" { preferred.as_str() } else { "en" }
}

/// Returns the notes of a chart in one line.
fn note(chart: &Chart, sites: Option<&SiteMaps>) -> Option<String> {
    let mut notes = subtitle::notes(chart);
    match &chart.details {
        ChartDetails::Runtime { operators: Some(_), .. } => notes.extend(gantt::note(chart)),
        ChartDetails::Map { heatmap, .. } => notes.extend(map::notes(heatmap, sites)),
        _ => {}
    }
    (!notes.is_empty()).then(|| notes.join(". "))
}

/// Returns the default width and height of a chart in pixels: more rows need more height, more days more width.
fn default_size(chart: &Chart) -> (u32, u32) {
    let mut width = 960;
    let rows = match &chart.details {
        ChartDetails::Runtime { operators: Some(machines), .. } => {
            width = gantt::width(chart);
            machines.len()
        }
        ChartDetails::By(_) => chart.series.first().map_or(0, |series| series.points.len()),
        ChartDetails::Map { .. } => return (960, 640),
        _ => return (960, 480),
    };
    let rows = u32::try_from(rows.min(100)).unwrap_or(100);
    (width, (190 + rows * 26).clamp(320, 2_000))
}

/// Returns the local time at which a bucket starts.
fn local_time(interval: Interval, step: i64) -> LocalTime {
    const DAY: i64 = 86_400;
    LocalTime::from_seconds(match interval {
        Interval::Hour => step.saturating_mul(3_600),
        Interval::Day => step.saturating_mul(DAY),
        Interval::Week => Week::from_number(step).first_day().number().saturating_mul(DAY),
        Interval::Month => Month::from_number(step).first_day().number().saturating_mul(DAY),
    })
}

fn interval_of(chart: &Chart) -> (Interval, charts::Interval) {
    let interval = chart.interval.unwrap_or(Interval::Day);
    let drawn = match interval {
        Interval::Hour => charts::Interval::Hour,
        Interval::Day => charts::Interval::Day,
        Interval::Week => charts::Interval::Week,
        Interval::Month => charts::Interval::Month,
    };
    (interval, drawn)
}

fn bucket_of(point: &ChartPoint) -> Option<i64> {
    match &point.position {
        ChartPosition::Bucket(step, _) => Some(*step),
        ChartPosition::Part(_) => None,
    }
}

/// Returns the label of a point of a chart that is not over time.
fn label_of(point: &ChartPoint) -> &str {
    match &point.position {
        ChartPosition::Bucket(_, at) => at,
        ChartPosition::Part(part) => &part.label,
    }
}

/// Returns a value in the unit of an axis, or the reason why there is none.
fn value_of(point: &ChartPoint, factor: f64) -> Value {
    match point.value {
        Ok(value) => Value::Number(value * factor),
        Err(reason) => Value::Gap(reason_text(reason).to_owned()),
    }
}

const fn reason_text(reason: NoValueReason) -> &'static str {
    match reason {
        NoValueReason::NoIncursions => "no incursions",
        NoValueReason::NoRuntime => "no runtime",
        NoValueReason::NoData => "no data",
        NoValueReason::NotYet => "not yet",
        NoValueReason::NotInPeriod => "not in period",
    }
}

/// Whether a point is drawn as incomplete. One that has not begun is only a gap.
fn is_drawn_partial(point: &ChartPoint) -> bool {
    point.partial && point.value != Err(NoValueReason::NotYet)
}

fn values(chart: &Chart) -> impl Iterator<Item = f64> {
    chart.series.iter().flat_map(|series| &series.points).filter_map(|point| point.value.ok())
}

/// Returns why a chart is empty, if all of its values are zero or missing.
fn empty_reason(chart: &Chart) -> Option<String> {
    if values(chart).any(|value| value != 0.0) {
        return None;
    }
    let filter = &chart.filter;
    let filters_pedestrians =
        !(filter.people.is_empty() && filter.pedestrians.is_empty() && filter.tags.is_empty());
    let of_runtime = chart.kind == ChartKind::MachineRuntime
        || chart.series.iter().any(|series| series.measure.needs_runtime());
    let text = match (of_runtime, values(chart).next()) {
        (true, _) if filters_pedestrians => "Runtime cannot be filtered by person, pedestrian or tag.",
        (true, None) => "No machine ran.",
        // Zero incursions while machines ran is a value.
        (true, Some(_)) if chart.kind != ChartKind::MachineRuntime => return None,
        (true, Some(_)) => "No machine ran.",
        (false, _) => "No incursions.",
    };
    Some(text.to_owned())
}

/// Returns the label of groups that have no series of their own.
fn others_label(number: u64) -> String {
    let noun = if number == 1 { "other" } else { "others" };
    format!("{} {noun}", format_count(number))
}

/// Formats a whole number with thin spaces between thousands.
fn format_count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    text
}
