//! The request of an export, and its stored form until the job runs: names and ids.

use ::exports::Format;
use domain::insights::{Dimension, GroupOrder, IncursionFilter, Measure};
use domain::locale::{DateFormat, FirstDayOfWeek, Locale, Units};
use domain::preferences::{DimensionList, Preferences};
use domain::{
    BaseStationId, ExportId, ExportKind, Invalid, MachineId, MachineKind, Period, PeriodBound, PersonId,
    ProjectId, Review, Span, TagId, TimeZone, Timestamp, WorksiteId, WorksiteKind, Zone,
};
use serde::{Deserialize, Serialize};

use crate::insights::{PivotRequest, Subtotals};
use crate::{Error, Names};

#[derive(Clone, Debug)]
pub struct ExportRequest {
    pub format: Format,
    pub source: ExportSource,
}

/// The content of a table.
#[derive(Clone, Debug)]
pub enum ExportSource {
    /// Measures by rows and columns.
    Pivot(Box<IncursionFilter>, PivotRequest),
    /// Incursions, one per row.
    Incursions(Box<IncursionFilter>),
}

impl ExportSource {
    pub(super) fn kind(&self) -> ExportKind {
        match self {
            Self::Pivot(..) => ExportKind::Pivot,
            Self::Incursions(_) => ExportKind::Incursions,
        }
    }

    pub(super) fn filter(&self) -> &IncursionFilter {
        match self {
            Self::Pivot(filter, _) | Self::Incursions(filter) => filter,
        }
    }

    /// Returns whether the file names people, if the requester may see names: in its rows, or in the filters that it describes.
    pub(super) fn names_people(&self, names: Names) -> bool {
        let is_person =
            |dimension: &Dimension| matches!(dimension, Dimension::Pedestrian | Dimension::Operator);
        let filter = self.filter();
        let is_filtered =
            !(filter.people.is_empty() && filter.pedestrians.is_empty() && filter.operators.is_empty());
        let has_people = match self {
            Self::Incursions(_) => true,
            Self::Pivot(_, pivot) => pivot.rows.iter().chain(&pivot.columns).any(is_person),
        };
        names == Names::Shown && (has_people || is_filtered)
    }
}

impl ExportRequest {
    /// Fixes the period, so that it does not depend on when the file is generated.
    pub(super) fn with_period(mut self, from: PeriodBound, to: PeriodBound) -> Self {
        let (ExportSource::Pivot(filter, _) | ExportSource::Incursions(filter)) = &mut self.source;
        filter.period = Some(Period { from: Some(from), to: Some(to) });
        self
    }

    /// Returns the path of the filters in the request, for errors.
    pub(super) fn filter_path(&self) -> &'static str {
        match self.source {
            ExportSource::Pivot(..) => "pivot.filters",
            ExportSource::Incursions(_) => "filters",
        }
    }

    /// Returns the start and the end of the period, after it has been fixed.
    pub(super) fn period(&self) -> (PeriodBound, PeriodBound) {
        let period = self.source.filter().period.unwrap_or_default();
        let never = PeriodBound::Instant(Timestamp::from_micros(0));
        (period.from.unwrap_or(never), period.to.unwrap_or(never))
    }

    /// Returns the period as text.
    pub(super) fn period_text(&self) -> (String, String) {
        let (from, to) = self.period();
        (from.to_string(), to.to_string())
    }

    /// Returns the name of the file, which consists of letters, digits, dots and hyphens.
    pub(super) fn file_name(&self, id: ExportId) -> String {
        let day = |cut: PeriodBound| {
            cut.to_string().chars().take(10).filter(|c| c.is_ascii_digit() || *c == '-').collect::<String>()
        };
        let (from, to) = self.period();
        let kind = self.source.kind().as_str();
        format!("{kind}-{}-to-{}-{id}.{}", day(from), day(to), self.format.extension())
    }

    /// Returns the stored form, including the requester's current preferences: when generated again, the file is the same.
    pub(super) fn to_json(&self, preferences: &Preferences) -> Result<String, Error> {
        let written = StoredRequest {
            filter: StoredFilter::of(self.source.filter()),
            pivot: match &self.source {
                ExportSource::Pivot(_, pivot) => Some(StoredPivot::of(pivot)),
                ExportSource::Incursions(_) => None,
            },
            preferences: Some(StoredPreferences::of(preferences)),
        };
        serde_json::to_string(&written).map_err(Error::internal)
    }

    /// Reads the stored form; rows of earlier versions have no preferences.
    pub(super) fn from_row(export: &domain::Export) -> Result<(Self, Option<Preferences>), Error> {
        let format = Format::parse(&export.format)
            .ok_or_else(|| Error::internal(format!("unknown export format {:?}", export.format)))?;
        let written: StoredRequest = serde_json::from_str(&export.request).map_err(Error::internal)?;
        let unreadable = |invalid: Invalid| Error::internal(invalid);
        let filter = Box::new(written.filter.read().map_err(unreadable)?);
        let of = match (export.kind, written.pivot) {
            (ExportKind::Incursions, _) => ExportSource::Incursions(filter),
            (ExportKind::Pivot, Some(pivot)) => {
                ExportSource::Pivot(filter, pivot.read().map_err(unreadable)?)
            }
            (ExportKind::Pivot, None) => return Err(Error::internal("a pivot export has no pivot")),
        };
        let preferences = written.preferences.map(StoredPreferences::read).transpose().map_err(unreadable)?;
        Ok((Self { format, source: of }, preferences))
    }
}

/// Fields may only be added, with a default, because rows of the previous version may still be queued.
#[derive(Debug, Serialize, Deserialize)]
struct StoredRequest {
    filter: StoredFilter,
    pivot: Option<StoredPivot>,
    #[serde(default)]
    preferences: Option<StoredPreferences>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredPreferences {
    language: String,
    time_zone: String,
    date_format: String,
    chosen_date_format: Option<String>,
    units: String,
    first_day_of_week: String,
    dimensions: DimensionList,
}

impl StoredPreferences {
    pub(crate) fn of(preferences: &Preferences) -> Self {
        Self {
            language: preferences.language.to_string(),
            time_zone: preferences.time_zone.to_string(),
            date_format: preferences.date_format.as_str().to_owned(),
            chosen_date_format: preferences.chosen_date_format.map(|format| format.as_str().to_owned()),
            units: preferences.units.as_str().to_owned(),
            first_day_of_week: preferences.first_day_of_week.as_str().to_owned(),
            dimensions: preferences.dimensions.clone(),
        }
    }

    pub(crate) fn read(self) -> Result<Preferences, Invalid> {
        let chosen = self.chosen_date_format.as_deref().map(DateFormat::parse);
        Ok(Preferences {
            language: Locale::parse(&self.language)?,
            time_zone: TimeZone::parse(&self.time_zone)?,
            date_format: DateFormat::parse(&self.date_format)?,
            chosen_date_format: chosen.transpose()?,
            units: Units::parse(&self.units)?,
            first_day_of_week: FirstDayOfWeek::parse(&self.first_day_of_week)?,
            dimensions: self.dimensions,
        })
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StoredFilter {
    from: Option<String>,
    to: Option<String>,
    project_id: Vec<ProjectId>,
    worksite_id: Vec<WorksiteId>,
    worksite_kind: Vec<String>,
    machine_id: Vec<MachineId>,
    machine_kind: Vec<String>,
    base_station_id: Vec<BaseStationId>,
    person_id: Vec<PersonId>,
    pedestrian_id: Vec<PersonId>,
    operator_id: Vec<PersonId>,
    tag_id: Vec<TagId>,
    zone: Vec<String>,
    acknowledged: Option<bool>,
    min_duration_us: Option<i64>,
    max_duration_us: Option<i64>,
    review: Vec<String>,
}

impl StoredFilter {
    pub(crate) fn of(filter: &IncursionFilter) -> Self {
        let period = filter.period.unwrap_or_default();
        Self {
            from: period.from.map(|cut| cut.to_string()),
            to: period.to.map(|cut| cut.to_string()),
            project_id: filter.projects.clone(),
            worksite_id: filter.worksites.clone(),
            worksite_kind: filter.worksite_kinds.iter().map(|kind| kind.as_str().to_owned()).collect(),
            machine_id: filter.machines.clone(),
            machine_kind: filter.machine_kinds.iter().map(|kind| kind.as_str().to_owned()).collect(),
            base_station_id: filter.base_stations.clone(),
            person_id: filter.people.clone(),
            pedestrian_id: filter.pedestrians.clone(),
            operator_id: filter.operators.clone(),
            tag_id: filter.tags.clone(),
            zone: filter.zones.iter().map(|zone| zone.as_str().to_owned()).collect(),
            acknowledged: filter.acknowledged,
            min_duration_us: filter.min_duration.map(Span::micros),
            max_duration_us: filter.max_duration.map(Span::micros),
            review: filter.reviews.iter().map(|review| review.as_str().to_owned()).collect(),
        }
    }

    pub(crate) fn read(self) -> Result<IncursionFilter, Invalid> {
        let cut = |text: Option<String>| text.map(|text| PeriodBound::parse(&text)).transpose();
        Ok(IncursionFilter {
            period: Some(Period { from: cut(self.from)?, to: cut(self.to)? }),
            projects: self.project_id,
            worksites: self.worksite_id,
            worksite_kinds: parse_all(&self.worksite_kind, WorksiteKind::parse)?,
            machines: self.machine_id,
            machine_kinds: parse_all(&self.machine_kind, MachineKind::parse)?,
            base_stations: self.base_station_id,
            people: self.person_id,
            pedestrians: self.pedestrian_id,
            operators: self.operator_id,
            tags: self.tag_id,
            zones: parse_all(&self.zone, Zone::parse)?,
            acknowledged: self.acknowledged,
            min_duration: self.min_duration_us.map(Span::from_micros),
            max_duration: self.max_duration_us.map(Span::from_micros),
            reviews: parse_all(&self.review, Review::parse)?,
        })
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredPivot {
    rows: Vec<String>,
    columns: Vec<String>,
    measures: Vec<String>,
    order: StoredOrder,
    limit: usize,
    #[serde(default)]
    without_totals: bool,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredOrder {
    Keys,
    Rising(usize),
    Falling(usize),
}

impl StoredPivot {
    pub(crate) fn of(pivot: &PivotRequest) -> Self {
        let words = |dimensions: &[Dimension]| dimensions.iter().map(|one| one.as_str().to_owned()).collect();
        Self {
            rows: words(&pivot.rows),
            columns: words(&pivot.columns),
            measures: pivot.measures.iter().map(|measure| measure.as_str().to_owned()).collect(),
            order: match pivot.order {
                GroupOrder::ByKeys => StoredOrder::Keys,
                GroupOrder::Ascending(place) => StoredOrder::Rising(place),
                GroupOrder::Descending(place) => StoredOrder::Falling(place),
            },
            limit: pivot.limit,
            without_totals: pivot.subtotals == Subtotals::Hidden,
        }
    }

    pub(crate) fn read(self) -> Result<PivotRequest, Invalid> {
        Ok(PivotRequest {
            rows: parse_all(&self.rows, Dimension::parse)?,
            columns: parse_all(&self.columns, Dimension::parse)?,
            measures: parse_all(&self.measures, Measure::parse)?,
            order: match self.order {
                StoredOrder::Keys => GroupOrder::ByKeys,
                StoredOrder::Rising(place) => GroupOrder::Ascending(place),
                StoredOrder::Falling(place) => GroupOrder::Descending(place),
            },
            limit: self.limit,
            subtotals: if self.without_totals { Subtotals::Hidden } else { Subtotals::Shown },
        })
    }
}

fn parse_all<T>(words: &[String], parse: impl Fn(&str) -> Result<T, Invalid>) -> Result<Vec<T>, Invalid> {
    words.iter().map(|word| parse(word)).collect()
}

#[cfg(test)]
mod tests {
    use domain::preferences::{BrandDefaults, PreferenceOverrides};

    use super::*;

    #[test]
    fn preferences_are_read_as_they_were_written_and_may_be_missing() {
        let brand = BrandDefaults {
            language: Locale::parse("de-AT").unwrap(),
            time_zone: TimeZone::parse("Europe/Vienna").unwrap(),
            date_format: DateFormat::DayMonthYear,
        };
        let own = PreferenceOverrides { units: Some(Units::Imperial), ..PreferenceOverrides::default() };
        let preferences = Preferences::resolve(own, brand);
        let of = ExportSource::Incursions(Box::default());
        let text = ExportRequest { format: Format::Csv, source: of }.to_json(&preferences).unwrap();
        let written: StoredRequest = serde_json::from_str(&text).unwrap();
        assert_eq!(written.preferences.unwrap().read(), Ok(preferences));
        let earlier: StoredRequest = serde_json::from_str(r#"{"filter": {}, "pivot": null}"#).unwrap();
        assert!(earlier.preferences.is_none());
    }
}
