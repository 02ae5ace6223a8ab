//! What a user wants things shown like.

use serde::{Deserialize, Serialize};

use crate::insights::Dimension;
use crate::values::locale::{DateFormat, FirstDayOfWeek, Locale, Units};
use crate::{Name, TimeZone};

/// What a user chose; what is none is as the brand has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreferenceOverrides {
    /// The language they read.
    pub language: Option<Locale>,
    /// The clock of what is of several sites.
    pub time_zone: Option<TimeZone>,
    /// How dates are written.
    pub date_format: Option<DateFormat>,
    /// What lengths are told in.
    pub units: Option<Units>,
    /// With which day a week begins.
    pub first_day_of_week: Option<FirstDayOfWeek>,
    /// The dimensions of pivots, in their order.
    pub dimensions: Option<DimensionList>,
}

/// What holds for the users of a brand who chose nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrandDefaults {
    /// The brand's language.
    pub language: Locale,
    /// The zone of what has no worksite.
    pub time_zone: TimeZone,
    /// How the brand writes dates.
    pub date_format: DateFormat,
}

/// What holds for a user: what they chose, and where they chose nothing, what the brand has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preferences {
    /// The language they read.
    pub language: Locale,
    /// The clock of what is of several sites.
    pub time_zone: TimeZone,
    /// How dates are written.
    pub date_format: DateFormat,
    /// How dates are written in files that programs may read, too: only as the user chose themself.
    pub chosen_date_format: Option<DateFormat>,
    /// What lengths are told in.
    pub units: Units,
    /// With which day a week begins.
    pub first_day_of_week: FirstDayOfWeek,
    /// The dimensions of pivots, in their order.
    pub dimensions: DimensionList,
}

impl PreferenceOverrides {
    /// The names of what they chose.
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
    /// What holds for someone who chose this; of what brands have no say in, the usual.
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

    /// What a dimension is called.
    pub fn label(&self, dimension: Dimension) -> String {
        match self.dimensions.label(dimension) {
            Some(label) => label.as_str().to_owned(),
            None => dimension.label(),
        }
    }
}

/// A dimension among those that a user wants to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedDimension {
    /// Which.
    pub dimension: Dimension,
    /// What the user calls it; none for its usual name.
    pub label: Option<Name>,
    /// Whether it is offered. One that is not can be asked for all the same.
    pub shown: bool,
}

impl ListedDimension {
    /// As it is for those who said nothing about it.
    fn with_defaults(dimension: Dimension) -> Self {
        Self { dimension, label: None, shown: true }
    }
}

/// All dimensions of pivots, each once, in the order that a user wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<StoredDimension>", into = "Vec<StoredDimension>")]
pub struct DimensionList(Vec<ListedDimension>);

impl Default for DimensionList {
    fn default() -> Self {
        Self(Dimension::PIVOTABLE.into_iter().map(ListedDimension::with_defaults).collect())
    }
}

impl DimensionList {
    /// Completes what someone said: dimensions they left out come behind, as usual, so that one that is new to them is seen. Of one
    /// that is named twice the first counts.
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

    /// All of them, in order.
    pub fn all(&self) -> &[ListedDimension] {
        &self.0
    }

    /// What the user calls one, if they call it anything.
    pub fn label(&self, dimension: Dimension) -> Option<&Name> {
        self.0.iter().find(|one| one.dimension == dimension)?.label.as_ref()
    }
}

/// As it is kept. A dimension that this version does not know is passed over.
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
