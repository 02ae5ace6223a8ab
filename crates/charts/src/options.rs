//! The options common to all charts: title, size, theme and translations.

use crate::calendar::{Date, DateOrder, Interval, LocalTime, WeekStart};
use crate::descriptions::{Counted, Descriptions};
use crate::svg::number::NumberFormat;

/// The background that a chart is drawn for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Theme {
    /// For paper and light pages.
    #[default]
    Light,
    /// For dark pages.
    Dark,
    /// Light, or dark if the reader's system prefers it; the only theme with a style block.
    Auto,
}

/// The unit system of lengths on maps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LengthUnits {
    /// Metres and kilometres.
    #[default]
    Metric,
    /// Feet and miles.
    Imperial,
}

/// The shorter side in pixels from which on all text of a chart has at least 12 px, the smallest text of pages. Below, it would leave no
/// room for the data.
pub const MIN_READABLE_SIDE: u32 = 250;

#[derive(Clone, Debug)]
pub struct ChartOptions {
    /// If it is empty, no line is left for it.
    pub title: String,
    /// Period, filter and time zone of the data.
    pub subtitle: Option<String>,
    /// In pixels; clamped to 200 to 4000.
    pub width: u32,
    /// In pixels; clamped to 200 to 4000.
    pub height: u32,
    pub theme: Theme,
    pub date_order: DateOrder,
    pub week_start: WeekStart,
    pub units: LengthUnits,
    /// The texts that do not come from the data.
    pub translations: Translations,
    /// The language of the texts as a BCP 47 tag, for screen readers.
    pub language: Option<String>,
    /// A remark, such as what was left out; shown at the bottom and part of the description.
    pub note: Option<String>,
    /// The description for readers who cannot see the chart, instead of the generated one.
    pub description: Option<String>,
    /// Makes the ids in the document unique if the same chart appears on a page twice.
    pub id: Option<String>,
}

impl ChartOptions {
    /// Returns the defaults with a title: 960 by 480, light, `DD/MM/YYYY`, English.
    #[must_use]
    pub fn titled(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            subtitle: None,
            width: 960,
            height: 480,
            theme: Theme::Light,
            date_order: DateOrder::DayMonthYear,
            week_start: WeekStart::Monday,
            units: LengthUnits::Metric,
            translations: Translations::default(),
            language: None,
            note: None,
            description: None,
            id: None,
        }
    }

    pub(crate) fn size(&self) -> (f64, f64) {
        (f64::from(self.width.clamp(200, 4000)), f64::from(self.height.clamp(200, 4000)))
    }

    pub(crate) fn format_date(&self, date: Date) -> String {
        date.format(self.date_order)
    }

    pub(crate) fn format_time(&self, time: LocalTime) -> String {
        format!("{} {}", self.format_date(time.date()), time.format_clock())
    }
}

/// The texts in charts that do not come from the data, for translation.
#[derive(Clone, Debug)]
pub struct Translations {
    /// Shown instead of an empty chart.
    pub no_data: String,
    /// Marks a missing value.
    pub no_value: String,
    /// Marks intervals that are not complete, such as a day that has not ended.
    pub partial: String,
    /// Label of the ranges in which values lie.
    pub range: String,
    /// Label of the series that have no colour of their own.
    pub others: String,
    /// Follows the number of rows that do not fit: "12 more".
    pub more: String,
    /// Say of how many intervals each bar is the mean.
    pub mean_of_hours: Counted,
    pub mean_of_days: Counted,
    pub mean_of_weeks: Counted,
    pub mean_of_months: Counted,
    /// Label of an unknown operator.
    pub unknown: String,
    /// Stands before the number of labels that do not fit on a map: "Labels left out: 1".
    pub labels_left_out: String,
    /// Label of the north arrow.
    pub north: String,
    /// Short names of months, January first.
    pub months: [String; 12],
    /// Short names of weekdays, Monday first.
    pub weekdays: [String; 7],
    pub numbers: NumberFormat,
    pub descriptions: Descriptions,
}

impl Translations {
    pub(crate) fn interval(&self, interval: Interval) -> &'static str {
        match interval {
            Interval::Hour => self.descriptions.hour,
            Interval::Day => self.descriptions.day,
            Interval::Week => self.descriptions.week,
            Interval::Month => self.descriptions.month,
        }
    }

    /// Returns the template that says of how many intervals each bar is the mean.
    pub(crate) fn mean_of(&self, interval: Interval) -> Counted {
        match interval {
            Interval::Hour => self.mean_of_hours,
            Interval::Day => self.mean_of_days,
            Interval::Week => self.mean_of_weeks,
            Interval::Month => self.mean_of_months,
        }
    }
}

impl Default for Translations {
    fn default() -> Self {
        Self {
            no_data: "No data".into(),
            no_value: "No value".into(),
            partial: "Incomplete".into(),
            range: "Confidence interval".into(),
            others: "others".into(),
            more: "more".into(),
            mean_of_hours: ("Each bar is the mean of {n} hour", "Each bar is the mean of {n} hours"),
            mean_of_days: ("Each bar is the mean of {n} day", "Each bar is the mean of {n} days"),
            mean_of_weeks: ("Each bar is the mean of {n} week", "Each bar is the mean of {n} weeks"),
            mean_of_months: ("Each bar is the mean of {n} month", "Each bar is the mean of {n} months"),
            unknown: "Unknown".into(),
            labels_left_out: "Labels left out".into(),
            north: "N".into(),
            months: ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
                .map(Into::into),
            weekdays: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].map(Into::into),
            numbers: NumberFormat::default(),
            descriptions: Descriptions::default(),
        }
    }
}
