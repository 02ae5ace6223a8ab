//! How a file shows things: as its user prefers, in formats that people read. What programs read is the same for everyone.

use ::exports::{DateOrder, Format};
use domain::insights::Dimension;
use domain::locale::{DateFormat, Units};
use domain::preferences::Preferences;
use domain::{Day, TimeZone, Timestamp};

/// How a file of some format shows things.
#[derive(Clone, Debug)]
pub(super) struct Look {
    format: Format,
    preferences: Preferences,
    /// By which clocks the days of its facts are told.
    time_zones: Vec<TimeZone>,
}

impl Look {
    pub fn new(format: Format, preferences: &Preferences, time_zones: &[TimeZone]) -> Self {
        Self { format, preferences: preferences.clone(), time_zones: time_zones.to_vec() }
    }

    /// How dates are written. A CSV has those of RFC 3339 unless its user chose a format themself: programs read it too, and a
    /// default of the brand is not meant for them.
    pub fn dates(&self) -> DateFormat {
        match self.format {
            Format::Xlsx => self.preferences.date_format,
            Format::Csv => self.preferences.chosen_date_format.unwrap_or(DateFormat::YearFirst),
            Format::Ndjson | Format::Parquet => DateFormat::YearFirst,
        }
    }

    /// The same for whoever writes the file.
    pub fn date_order(&self) -> DateOrder {
        match self.dates() {
            DateFormat::DayFirst => DateOrder::DayFirst,
            DateFormat::MonthFirst => DateOrder::MonthFirst,
            DateFormat::YearFirst => DateOrder::YearFirst,
        }
    }

    /// What lengths are told in.
    pub fn units(&self) -> Units {
        if self.is_for_people() { self.preferences.units } else { Units::Metric }
    }

    /// The one clock that moments are told by, if they are of sites with several; none for each site's own.
    pub fn common_clock(&self) -> Option<&TimeZone> {
        (self.is_for_people() && self.time_zones.len() > 1).then_some(&self.preferences.time_zone)
    }

    /// What a dimension is called.
    pub fn label(&self, dimension: Dimension) -> String {
        if self.is_for_people() { self.preferences.label(dimension) } else { dimension.label() }
    }

    /// A moment, in what the file says about itself.
    pub fn moment(&self, at: Timestamp) -> String {
        let clock = self.common_clock().or(self.time_zones.first());
        match (self.format, clock) {
            (Format::Xlsx, Some(clock)) => format!("{} {clock}", self.dates().second(clock.local(at))),
            _ => at.to_string(),
        }
    }

    /// A day, in what the file says about itself.
    pub fn day(&self, day: Day) -> String {
        self.dates().day(day)
    }

    fn is_for_people(&self) -> bool {
        matches!(self.format, Format::Xlsx | Format::Csv)
    }
}
