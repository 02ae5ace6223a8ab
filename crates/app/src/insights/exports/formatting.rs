//! How a file shows things: as its user prefers, in formats that people read. What programs read is the same for everyone.

use ::exports::{DateOrder, Format};
use domain::locale::{DateFormat, FirstDayOfWeek, Units};
use domain::preferences::{DimensionList, Preferences};
use domain::{TimeZone, Timestamp};

/// How a file of some format shows things.
#[derive(Clone, Debug)]
pub(super) struct FileFormatting {
    format: Format,
    preferences: Preferences,
    /// By which clocks the days of its facts are told.
    time_zones: Vec<TimeZone>,
}

impl FileFormatting {
    /// How a file of that format looks to someone with these preferences. A CSV has dates of ISO 8601 unless its user chose a format
    /// themself: programs read it too, and what the brand has for everyone is not meant for them.
    pub fn new(format: Format, preferences: &Preferences) -> Self {
        let mut preferences = preferences.clone();
        match format {
            Format::Xlsx => {}
            Format::Csv => {
                preferences.date_format = preferences.chosen_date_format.unwrap_or(DateFormat::YearMonthDay);
            }
            Format::Ndjson | Format::Parquet => {
                preferences.date_format = DateFormat::YearMonthDay;
                preferences.units = Units::Metric;
                preferences.first_day_of_week = FirstDayOfWeek::Monday;
                preferences.dimensions = DimensionList::default();
            }
        }
        Self { format, preferences, time_zones: Vec::new() }
    }

    /// Says by which clocks the days of its facts are told.
    pub fn with_time_zones(mut self, time_zones: &[TimeZone]) -> Self {
        self.time_zones = time_zones.to_vec();
        self
    }

    /// What holds in the file.
    pub fn preferences(&self) -> &Preferences {
        &self.preferences
    }

    /// How dates are written, for whoever writes the file.
    pub fn date_order(&self) -> DateOrder {
        match self.preferences.date_format {
            DateFormat::DayMonthYear => DateOrder::DayMonthYear,
            DateFormat::MonthDayYear => DateOrder::MonthDayYear,
            DateFormat::YearMonthDay => DateOrder::YearMonthDay,
        }
    }

    /// The one clock that moments are told by, if they are of sites with several; none for each site's own.
    pub fn common_time_zone(&self) -> Option<&TimeZone> {
        let is_for_people = matches!(self.format, Format::Xlsx | Format::Csv);
        (is_for_people && self.time_zones.len() > 1).then_some(&self.preferences.time_zone)
    }

    /// A moment, in what the file says about itself.
    pub fn format_timestamp(&self, at: Timestamp) -> String {
        match (self.format, self.common_time_zone().or(self.time_zones.first())) {
            (Format::Xlsx, Some(clock)) => {
                format!("{} {clock}", self.preferences.date_format.format_second(clock.local(at)))
            }
            _ => at.to_string(),
        }
    }
}
