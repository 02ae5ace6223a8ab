//! Charts as SVG images: the only place that passes their numbers to the `charts` crate, for the API, reports and mails alike.

mod bars;
mod filter_names;
mod gantt;
mod labels;
mod lines;
mod map;
mod ranked;
mod site_map_images;
mod site_maps;
mod subtitle;
mod translations;
mod units;
mod week_matrix;

use charts::{ChartOptions, DateOrder, LengthUnits, LocalTime, Value, WeekStart};
use domain::access::ReadInsights;
use domain::insights::{ChartKind, Interval, Month, NoValueReason, Week};
use domain::locale::{DateFormat, FirstDayOfWeek, Units};
use domain::preferences::Preferences;
use texts::Language;

use crate::insights::{Chart, ChartDetails, ChartPoint, ChartPosition};
use crate::{App, Caller, Error};

use filter_names::FilterNames;
use site_maps::SiteMaps;

pub use charts::Theme;
pub use site_map_images::SiteMapRequest;

/// The requested form of an image.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChartImageRequest {
    pub theme: Theme,
    /// In pixels; absent for the default of the chart.
    pub width: Option<u32>,
    /// In pixels; absent for the default of the chart.
    pub height: Option<u32>,
    /// Whether title and subtitle are left out, for a page that has them beside the image.
    pub without_title: bool,
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
    let reader = Reader::new(preferences);
    let (width, height) = default_size(chart);
    let sites = sites.as_ref();
    let (title, subtitle) = match request.without_title {
        true => (String::new(), None),
        false => (labels::title(chart, reader), Some(subtitle::subtitle(chart, names, reader))),
    };
    let options = ChartOptions {
        title,
        subtitle,
        width: request.width.unwrap_or(width),
        height: request.height.unwrap_or(height),
        theme: request.theme,
        ..options(chart, sites, reader)
    };
    draw_with(chart, sites, reader, &options)
}

/// A chart for a document: without title and subtitle, which the document has.
pub(crate) struct DrawnChart {
    pub svg: String,
    /// The text of its `<desc>`.
    pub description: String,
}

/// Draws a chart for a document, in the language of its reader; the size is in pixels.
pub(crate) fn draw_for_document(
    chart: &Chart,
    (width, height): (u32, u32),
    preferences: &Preferences,
    language: Language,
) -> DrawnChart {
    let reader = Reader { preferences, language };
    let options = ChartOptions { width, height, ..options(chart, None, reader) };
    let svg = draw_with(chart, None, reader, &options);
    DrawnChart { description: charts::description_of(&svg), svg }
}

/// For whom a chart is drawn.
#[derive(Clone, Copy)]
struct Reader<'a> {
    preferences: &'a Preferences,
    language: Language,
}

impl<'a> Reader<'a> {
    fn new(preferences: &'a Preferences) -> Self {
        Self { preferences, language: Language::of_tag(preferences.language.as_str()) }
    }

    /// Returns the tag of the language of the texts: with the region that the reader prefers, if they prefer this language. For all
    /// others the document must not claim their language, or a screen reader would read it out wrongly.
    fn language_tag(&self) -> &str {
        let preferred = &self.preferences.language;
        let language = self.language.as_str();
        if preferred.language() == language { preferred.as_str() } else { language }
    }
}

/// Returns what does not depend on the requested form.
fn options(chart: &Chart, sites: Option<&SiteMaps>, reader: Reader<'_>) -> ChartOptions {
    let note = note(chart, sites, reader.language);
    ChartOptions { note, ..reader_options(reader.preferences, reader.language) }
}

/// Returns what follows from the reader alone, also for charts of other areas.
pub(crate) fn reader_options(preferences: &Preferences, language: Language) -> ChartOptions {
    let reader = Reader { preferences, language };
    ChartOptions {
        date_order: match reader.preferences.date_format {
            DateFormat::DayMonthYear => DateOrder::DayMonthYear,
            DateFormat::MonthDayYear => DateOrder::MonthDayYear,
            DateFormat::YearMonthDay => DateOrder::YearMonthDay,
        },
        week_start: match reader.preferences.first_day_of_week {
            FirstDayOfWeek::Monday => WeekStart::Monday,
            FirstDayOfWeek::Sunday => WeekStart::Sunday,
            FirstDayOfWeek::Saturday => WeekStart::Saturday,
        },
        units: match reader.preferences.units {
            Units::Metric => LengthUnits::Metric,
            Units::Imperial => LengthUnits::Imperial,
        },
        language: Some(reader.language_tag().to_owned()),
        ..language_options(language)
    }
}

/// Returns what follows from a language, for readers of whom nothing else is known.
pub(crate) fn language_options(language: Language) -> ChartOptions {
    ChartOptions {
        language: Some(language.as_str().to_owned()),
        translations: translations::translations(language),
        ..ChartOptions::titled("")
    }
}

fn draw_with(chart: &Chart, sites: Option<&SiteMaps>, reader: Reader<'_>, options: &ChartOptions) -> String {
    match (&chart.details, chart.kind) {
        (ChartDetails::Runtime { operators: Some(machines), .. }, _) => {
            gantt::draw(chart, machines, reader.language, options)
        }
        (ChartDetails::Map { heatmap, shade, outline }, _) => {
            map::draw((heatmap, *shade), outline.as_ref(), sites, reader.language, options)
        }
        (_, ChartKind::MachineRuntime | ChartKind::AcknowledgedIncursions) => {
            bars::draw(chart, reader, options)
        }
        (_, ChartKind::ZoneTime) => ranked::draw(chart, reader, options),
        (_, ChartKind::Durations) => ranked::draw_durations(chart, reader.language, options),
        (_, ChartKind::HoursOfWeek) => week_matrix::draw(chart, reader.language, options),
        (
            _,
            ChartKind::Trends
            | ChartKind::IncursionRate
            | ChartKind::AcknowledgementScore
            | ChartKind::Heatmap,
        ) => lines::draw(chart, reader, options),
    }
}

/// Returns the notes of a chart in one line.
fn note(chart: &Chart, sites: Option<&SiteMaps>, language: Language) -> Option<String> {
    let mut notes = subtitle::notes(chart, language);
    match &chart.details {
        ChartDetails::Runtime { operators: Some(_), .. } => notes.extend(gantt::note(chart, language)),
        ChartDetails::Map { heatmap, .. } => notes.extend(map::notes(heatmap, sites, language)),
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

/// Returns a value in the unit of an axis, or the reason why there is none.
fn value_of(point: &ChartPoint, factor: f64, language: Language) -> Value {
    match point.value {
        Ok(value) => Value::Number(value * factor),
        Err(reason) => Value::Gap(reason_text(reason, language).to_owned()),
    }
}

fn reason_text(reason: NoValueReason, language: Language) -> &'static str {
    texts::values::reason(language, reason.as_str())
}

/// Whether a point is drawn as incomplete. One that has not begun is only a gap.
fn is_drawn_partial(point: &ChartPoint) -> bool {
    point.partial && point.value != Err(NoValueReason::NotYet)
}

fn values(chart: &Chart) -> impl Iterator<Item = f64> {
    chart.series.iter().flat_map(|series| &series.points).filter_map(|point| point.value.ok())
}

/// Returns why a chart is empty, if all of its values are zero or missing.
fn empty_reason(chart: &Chart, language: Language) -> Option<String> {
    if values(chart).any(|value| value != 0.0) {
        return None;
    }
    let filter = &chart.filter;
    let filters_pedestrians =
        !(filter.people.is_empty() && filter.pedestrians.is_empty() && filter.tags.is_empty());
    let of_runtime = chart.kind == ChartKind::MachineRuntime
        || chart.series.iter().any(|series| series.measure.needs_runtime());
    let text = match (of_runtime, values(chart).next()) {
        (true, _) if filters_pedestrians => texts::charts::NO_RUNTIME_BY_PERSON,
        (true, None) => texts::charts::NO_MACHINE_RAN,
        // Zero incursions while machines ran is a value.
        (true, Some(_)) if chart.kind != ChartKind::MachineRuntime => return None,
        (true, Some(_)) => texts::charts::NO_MACHINE_RAN,
        (false, _) => texts::charts::NO_INCURSIONS,
    };
    Some(text.get(language).to_owned())
}

/// Returns the label of groups that have no series of their own.
fn others_label(number: u64, language: Language) -> String {
    let counted = i64::try_from(number).unwrap_or(i64::MAX);
    texts::charts::OTHER_GROUPS.of(language, counted, &[("n", &format_count(number))])
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
