//! What every picture is given beside its data: title, size, theme, and the words in it.

use crate::calendar::{Date, DateOrder, LocalTime, WeekStart};

/// Whether a picture is drawn for a light or a dark ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Theme {
    /// For paper and light pages.
    #[default]
    Light,
    /// For dark pages.
    Dark,
    /// Light, and dark where the reader's system prefers it; the only theme with a style block in it.
    Auto,
}

/// What lengths on the ground are told in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LengthUnits {
    /// Metres and kilometres.
    #[default]
    Metric,
    /// Feet and miles.
    Imperial,
}

/// Says how a picture is titled, sized and worded.
#[derive(Clone, Debug)]
pub struct ChartOptions {
    /// What the picture shows.
    pub title: String,
    /// What it was made of: period, filter, time zone.
    pub subtitle: Option<String>,
    /// In pixels; kept between 200 and 4000.
    pub width: u32,
    /// In pixels; kept between 200 and 4000.
    pub height: u32,
    /// The ground it is drawn for.
    pub theme: Theme,
    /// The order in which dates are written.
    pub date_order: DateOrder,
    /// The day on which weeks begin.
    pub week_start: WeekStart,
    /// What lengths on the ground are told in.
    pub units: LengthUnits,
    /// The words that Keepclear adds by itself.
    pub translations: Translations,
    /// The language of the words, as a tag of BCP 47, for those who have the picture read out.
    pub language: Option<String>,
    /// Something to know about it, such as what was left out: written at its foot, and part of its description.
    pub note: Option<String>,
    /// A sentence for those who do not see the picture, instead of the English one that sums up the data.
    pub description: Option<String>,
    /// Makes the ids in the picture its own, where the very same picture stands on a page twice.
    pub id: Option<String>,
}

impl ChartOptions {
    /// Begins with a title and the defaults: 960 by 480, light, `DD/MM/YYYY`, English.
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

/// The words that stand in pictures and come from no data, so that they can be said in another language.
#[derive(Clone, Debug)]
pub struct Translations {
    /// Said in place of a picture that would be empty.
    pub no_data: String,
    /// Marks where there is no value.
    pub no_value: String,
    /// Stands for the series that have no colour of their own.
    pub others: String,
    /// Stands for rows that have no room: "12 more".
    pub more: String,
    /// Says that a bar is the mean of several: "mean of 7".
    pub mean_of: String,
    /// Stands where nobody is known to have driven.
    pub unknown: String,
    /// Follows a number of labels that had no room on a map.
    pub labels_left_out: String,
    /// The top of the arrow that points north.
    pub north: String,
    /// Short names of months, January first.
    pub months: [String; 12],
    /// Short names of weekdays, Monday first.
    pub weekdays: [String; 7],
}

impl Default for Translations {
    fn default() -> Self {
        Self {
            no_data: "No data".into(),
            no_value: "No value".into(),
            others: "others".into(),
            more: "more".into(),
            mean_of: "mean of".into(),
            unknown: "Unknown".into(),
            labels_left_out: "labels left out".into(),
            north: "N".into(),
            months: ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
                .map(Into::into),
            weekdays: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].map(Into::into),
        }
    }
}
