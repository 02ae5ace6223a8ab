//! Display preferences of a user, with the brand's defaults behind them.

use serde::{Deserialize, Serialize};

use crate::insights::Dimension;
use crate::values::locale::{DateFormat, FirstDayOfWeek, Locale, Units};
use crate::{Name, SavedViewId, TimeZone, Timestamp};

/// The preferences a user has chosen. `None` falls back to the brand's default, or to the built-in one where brands have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreferenceOverrides {
    pub language: Option<Locale>,
    /// Used where data of several worksites is shown together.
    pub time_zone: Option<TimeZone>,
    pub date_format: Option<DateFormat>,
    pub units: Option<Units>,
    pub first_day_of_week: Option<FirstDayOfWeek>,
    /// The dimensions of pivots and their order.
    pub dimensions: Option<DimensionList>,
}

/// Preferences that apply to users of a brand who chose nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrandDefaults {
    pub language: Locale,
    /// Also the time zone of data without a worksite.
    pub time_zone: TimeZone,
    pub date_format: DateFormat,
}

/// The preferences in effect for a user: own choices, completed with the brand's defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preferences {
    pub language: Locale,
    /// Used where data of several worksites is shown together.
    pub time_zone: TimeZone,
    pub date_format: DateFormat,
    /// The date format for files that programs may read as well. Set only if the user chose one; the brand's default does not
    /// apply.
    pub chosen_date_format: Option<DateFormat>,
    pub units: Units,
    pub first_day_of_week: FirstDayOfWeek,
    /// The dimensions of pivots and their order.
    pub dimensions: DimensionList,
}

impl PreferenceOverrides {
    /// Returns the names of the fields the user has set.
    pub fn overridden_fields(&self) -> Vec<&'static str> {
        let chosen = [
            ("language", self.language.is_some()),
            ("time_zone", self.time_zone.is_some()),
            ("date_format", self.date_format.is_some()),
            ("units", self.units.is_some()),
            ("first_day_of_week", self.first_day_of_week.is_some()),
            ("dimensions", self.dimensions.is_some()),
        ];
        chosen.into_iter().filter(|(_, is_own)| *is_own).map(|(name, _)| name).collect()
    }
}

impl Preferences {
    /// Completes a user's choices with the brand's defaults, and with built-in defaults for fields that brands cannot set.
    pub fn resolve(own: PreferenceOverrides, brand: BrandDefaults) -> Self {
        Self {
            language: own.language.unwrap_or(brand.language),
            time_zone: own.time_zone.unwrap_or(brand.time_zone),
            date_format: own.date_format.unwrap_or(brand.date_format),
            chosen_date_format: own.date_format,
            units: own.units.unwrap_or_default(),
            first_day_of_week: own.first_day_of_week.unwrap_or_default(),
            dimensions: own.dimensions.unwrap_or_default(),
        }
    }

    /// Returns the user's label for a dimension, or its usual one.
    pub fn label(&self, dimension: Dimension) -> String {
        match self.dimensions.label(dimension) {
            Some(label) => label.as_str().to_owned(),
            None => dimension.label(),
        }
    }
}

/// A dimension in a user's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedDimension {
    pub dimension: Dimension,
    /// The user's own label; `None` for the usual one.
    pub label: Option<Name>,
    /// Whether it is offered in menus. A hidden dimension can still be used in a query.
    pub shown: bool,
}

impl ListedDimension {
    fn with_defaults(dimension: Dimension) -> Self {
        Self { dimension, label: None, shown: true }
    }
}

/// All dimensions of pivots, each once, in the user's order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<StoredDimension>", into = "Vec<StoredDimension>")]
pub struct DimensionList(Vec<ListedDimension>);

impl Default for DimensionList {
    fn default() -> Self {
        Self(Dimension::PIVOTABLE.into_iter().map(ListedDimension::with_defaults).collect())
    }
}

impl DimensionList {
    /// Completes a user's list: missing dimensions are appended with their defaults, so that newly added ones are offered. If a
    /// dimension is listed twice, the first entry counts.
    pub fn new(listed: Vec<ListedDimension>) -> Self {
        let usual = Dimension::PIVOTABLE.into_iter().map(ListedDimension::with_defaults);
        let mut all: Vec<ListedDimension> = Vec::with_capacity(Dimension::PIVOTABLE.len());
        for one in listed.into_iter().chain(usual) {
            if all.iter().all(|earlier| earlier.dimension != one.dimension) {
                all.push(one);
            }
        }
        Self(all)
    }

    pub fn all(&self) -> &[ListedDimension] {
        &self.0
    }

    /// Returns the user's own label for a dimension, if there is one.
    pub fn label(&self, dimension: Dimension) -> Option<&Name> {
        self.0.iter().find(|one| one.dimension == dimension)?.label.as_ref()
    }
}

/// The stored form. Dimensions unknown to this version are skipped when it is read.
#[derive(Serialize, Deserialize)]
struct StoredDimension {
    dimension: String,
    label: Option<String>,
    shown: bool,
}

impl From<DimensionList> for Vec<StoredDimension> {
    fn from(DimensionList(listed): DimensionList) -> Self {
        let written = |one: ListedDimension| StoredDimension {
            dimension: one.dimension.as_str().to_owned(),
            label: one.label.map(|label| label.as_str().to_owned()),
            shown: one.shown,
        };
        listed.into_iter().map(written).collect()
    }
}

impl From<Vec<StoredDimension>> for DimensionList {
    fn from(written: Vec<StoredDimension>) -> Self {
        let read = |one: StoredDimension| {
            let dimension = Dimension::parse(&one.dimension).ok()?;
            let label = one.label.and_then(|label| Name::parse(&label).ok());
            Some(ListedDimension { dimension, label, shown: one.shown })
        };
        Self::new(written.into_iter().filter_map(read).collect())
    }
}

/// The preferences of a user and the defaults of their brand.
#[derive(Clone, Debug)]
pub struct UserPreferences {
    /// The user's own choices.
    pub own: PreferenceOverrides,
    /// Defaults where the user has chosen nothing.
    pub brand: BrandDefaults,
    /// The view that opens first, if the user can see it.
    pub default_view: Option<SavedViewId>,
    /// The same, even if the user cannot see it now: a view may be unshared and shared again later.
    pub stored_default_view: Option<SavedViewId>,
    /// Changes with every change of the user's own choices; used as `ETag`. 0 for users who have never chosen anything.
    pub version: i64,
    /// Time at which the user was added, who has had preferences since then.
    pub created_at: Timestamp,
    /// Time at which the user last chose something; that of the creation for users who never have.
    pub updated_at: Timestamp,
}

impl UserPreferences {
    /// Returns the user's own choices completed by the defaults of the brand.
    pub fn effective(&self) -> Preferences {
        Preferences::resolve(self.own.clone(), self.brand.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(dimension: Dimension, label: &str) -> ListedDimension {
        ListedDimension { dimension, label: Name::parse(label).ok(), shown: false }
    }

    #[test]
    fn what_was_left_out_comes_behind() {
        let list = DimensionList::new(vec![listed(Dimension::Zone, "Ring"), listed(Dimension::Day, "")]);
        let words: Vec<_> = list.all().iter().map(|one| one.dimension).collect();
        assert_eq!(words[..3], [Dimension::Zone, Dimension::Day, Dimension::Project]);
        assert_eq!(words.len(), Dimension::PIVOTABLE.len());
        assert_eq!(list.label(Dimension::Zone).map(Name::as_str), Some("Ring"));
        assert_eq!(list.label(Dimension::Day), None);
        assert_eq!(DimensionList::from(Vec::from(list.clone())), list);
    }

    #[test]
    fn of_one_that_is_named_twice_the_first_counts() {
        let list = DimensionList::new(vec![listed(Dimension::Zone, "a"), listed(Dimension::Zone, "b")]);
        assert_eq!(list.label(Dimension::Zone).map(Name::as_str), Some("a"));
        assert_eq!(list.all().len(), Dimension::PIVOTABLE.len());
    }

    #[test]
    fn what_another_version_wrote_is_read_as_far_as_it_is_known() {
        let written =
            |dimension: &str, shown| StoredDimension { dimension: dimension.to_owned(), label: None, shown };
        let list = DimensionList::from(vec![written("weather", true), written("zone", false)]);
        assert_eq!((list.all()[0].dimension, list.all()[0].shown), (Dimension::Zone, false));
    }
}
