//! Formatting of a file: formats for people follow the user's preferences, formats for programs are the same for everyone.

use ::exports::{DateOrder, Format};
use domain::locale::{DateFormat, FirstDayOfWeek, Units};
use domain::preferences::{DimensionList, Preferences};
use domain::{TimeZone, Timestamp};

#[derive(Clone, Debug)]
pub(super) struct FileFormatting {
    format: Format,
    preferences: Preferences,
    /// The time zones of the worksites concerned.
    time_zones: Vec<TimeZone>,
}

impl FileFormatting {
    /// Returns the formatting of a file for a user. A CSV uses ISO 8601 dates unless the user has chosen a format themself: programs
    /// read CSV too, so that the brand's default does not apply to it.
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

    pub fn with_time_zones(mut self, time_zones: &[TimeZone]) -> Self {
        self.time_zones = time_zones.to_vec();
        self
    }

    /// Returns the preferences that apply to the file.
    pub fn preferences(&self) -> &Preferences {
        &self.preferences
    }

    pub fn date_order(&self) -> DateOrder {
        match self.preferences.date_format {
            DateFormat::DayMonthYear => DateOrder::DayMonthYear,
            DateFormat::MonthDayYear => DateOrder::MonthDayYear,
            DateFormat::YearMonthDay => DateOrder::YearMonthDay,
        }
    }

    /// Returns the time zone for all timestamps if worksites have several; none if each timestamp uses the worksite's own.
    pub fn common_time_zone(&self) -> Option<&TimeZone> {
        let is_for_people = matches!(self.format, Format::Xlsx | Format::Csv);
        (is_for_people && self.time_zones.len() > 1).then_some(&self.preferences.time_zone)
    }

    /// Formats a timestamp for the provenance of the file.
    pub fn format_timestamp(&self, at: Timestamp) -> String {
        match (self.format, self.common_time_zone().or(self.time_zones.first())) {
            (Format::Xlsx, Some(clock)) => {
                format!("{} {clock}", self.preferences.date_format.format_second(clock.local(at)))
            }
            _ => at.to_string(),
        }
    }
}
