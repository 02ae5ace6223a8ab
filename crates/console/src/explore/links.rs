//! Where the names and numbers of a pivot lead to: deeper into a part, and to the incursions behind a number.

use app::insights::{Labelled, LabelledId, PivotRequest};
use domain::insights::{Dimension, IncursionFilter, Interval, Measure};
use domain::{Day, PeriodBound, TimeZone};
use web::FactFilters;

use super::query::table_pairs;
use crate::address::Address;
use crate::behind::{acknowledged_of, is_of_ended};
use crate::frame::Frame;

/// Parameters of an address.
type Pairs = Vec<(String, String)>;

/// The key of a row or a column with its dimension.
pub type DimensionKey<'a> = (Dimension, &'a Labelled);

/// What a key means for the incursions of its group.
enum Meaning {
    /// A filter that lists have.
    Filter(&'static str, String),
    /// From the start of a day to the start of another.
    Days(Day, Day),
    /// Something by which only [`super::records`] can select.
    Trait(&'static str, String),
}

/// Builds the links of a pivot.
pub struct PivotLinks<'a> {
    request: &'a PivotRequest,
    /// The filters of the page.
    kept: Vec<(String, String)>,
    from: PeriodBound,
    /// The end of the period, if it was picked.
    to: Option<PeriodBound>,
    zone: TimeZone,
}

impl<'a> PivotLinks<'a> {
    /// The zone is that in which days are compared with instants.
    pub fn new(
        frame: &Frame,
        request: &'a PivotRequest,
        filter: &IncursionFilter,
        (from, zone): (PeriodBound, TimeZone),
    ) -> Self {
        let is_filter =
            |name: &str| FactFilters::NAMES.contains(&name) || matches!(name, "period" | "compare");
        let kept = frame.address.pairs().iter().filter(|(name, _)| is_filter(name)).cloned().collect();
        Self { request, kept, from, to: filter.period.and_then(|period| period.to), zone }
    }

    /// Returns the address of the incursions behind a number; none for runtime, and if a filter excludes them.
    pub fn incursions(&self, keys: &[DimensionKey<'_>], measure: Measure) -> Option<String> {
        if measure == Measure::RuntimeHours {
            return None;
        }
        let (mut pairs, traits) = self.narrowed(keys);
        if let Some(acknowledged) = acknowledged_of(measure) {
            if pairs.iter().any(|(name, value)| name == "acknowledged" && value != acknowledged) {
                return None;
            }
            set(&mut pairs, "acknowledged", acknowledged);
        }
        if is_of_ended(measure) && pairs.iter().all(|(name, _)| name != "min_duration_s") {
            set(&mut pairs, "min_duration_s", "0");
        }
        let path = if traits.is_empty() { "/incursions" } else { "/explore/incursions" };
        let pairs = pairs.iter().chain(&traits);
        Some(pairs.fold(Address::new(path), |address, (name, value)| address.and(name, value)).to_string())
    }

    /// Returns the address of the part that the keys of a row name, one dimension deeper; none if no filter selects it.
    pub fn drill(&self, keys: &[DimensionKey<'_>]) -> Option<String> {
        let (innermost, _) = keys.last()?;
        let (pairs, traits) = self.narrowed(keys);
        if !traits.is_empty() {
            return None;
        }
        let rows = match self.request.rows.get(keys.len()..).unwrap_or_default() {
            [] => vec![self.next_dimension(*innermost)?],
            deeper => deeper.to_vec(),
        };
        let request = PivotRequest { rows, ..self.request.clone() };
        let address =
            pairs.iter().fold(Address::new("/explore"), |address, (name, value)| address.and(name, value));
        let table = table_pairs(&request);
        Some(table.iter().fold(address, |address, (name, value)| address.and(name, value)).to_string())
    }

    /// Returns the dimension that says most about a part of another and is not in the table yet.
    fn next_dimension(&self, of: Dimension) -> Option<Dimension> {
        let candidates: &[Dimension] = match of {
            Dimension::Project | Dimension::WorksiteKind => {
                &[Dimension::Worksite, Dimension::Machine, Dimension::Day]
            }
            Dimension::Machine => &[Dimension::Operator, Dimension::Pedestrian, Dimension::Day],
            Dimension::Month | Dimension::Week => &[Dimension::Day, Dimension::Machine],
            Dimension::Day => &[Dimension::Hour, Dimension::Machine],
            Dimension::PersonKind => &[Dimension::Pedestrian, Dimension::Machine, Dimension::Day],
            _ => &[Dimension::Machine, Dimension::Operator, Dimension::Day, Dimension::Worksite],
        };
        let is_free =
            |next: &Dimension| !self.request.rows.contains(next) && !self.request.columns.contains(next);
        candidates.iter().copied().find(is_free)
    }

    /// Returns the filters of the page, narrowed by keys, and what no filter can say.
    fn narrowed(&self, keys: &[DimensionKey<'_>]) -> (Pairs, Pairs) {
        let (mut pairs, mut traits) = (self.kept.clone(), Vec::new());
        let (mut from, mut to) = (self.from, self.to);
        let mut has_days = false;
        for (dimension, key) in keys {
            match meaning(*dimension, &key.id) {
                Meaning::Filter(name, value) => set(&mut pairs, name, &value),
                Meaning::Trait(name, value) => traits.push((name.to_owned(), value)),
                Meaning::Days(first, end) => {
                    has_days = true;
                    from = self.later(from, PeriodBound::Day(first));
                    to = Some(match to {
                        Some(to) => self.earlier(to, PeriodBound::Day(end)),
                        None => PeriodBound::Day(end),
                    });
                }
            }
        }
        if has_days {
            set(&mut pairs, "period", "custom");
            set(&mut pairs, "from", &from.to_string());
            if let Some(to) = to {
                set(&mut pairs, "to", &to.to_string());
            }
        }
        (pairs, traits)
    }

    fn later(&self, one: PeriodBound, other: PeriodBound) -> PeriodBound {
        if one.instant_in(&self.zone) > other.instant_in(&self.zone) { one } else { other }
    }

    fn earlier(&self, one: PeriodBound, other: PeriodBound) -> PeriodBound {
        if one.instant_in(&self.zone) < other.instant_in(&self.zone) { one } else { other }
    }
}

/// Sets a parameter to one value.
fn set(pairs: &mut Vec<(String, String)>, name: &str, value: &str) {
    pairs.retain(|(known, _)| known != name);
    pairs.push((name.to_owned(), value.to_owned()));
}

fn meaning(dimension: Dimension, id: &LabelledId) -> Meaning {
    let value = match id {
        LabelledId::None => return Meaning::Trait("without", dimension.as_str().to_owned()),
        LabelledId::Number(number) => number.to_string(),
        LabelledId::Word(word) => word.clone(),
    };
    match dimension {
        Dimension::Project => Meaning::Filter("project_id", value),
        Dimension::Worksite => Meaning::Filter("worksite_id", value),
        Dimension::WorksiteKind => Meaning::Filter("worksite_kind", value),
        Dimension::Machine => Meaning::Filter("machine_id", value),
        Dimension::MachineKind => Meaning::Filter("machine_kind", value),
        Dimension::BaseStation => Meaning::Filter("base_station_id", value),
        Dimension::Pedestrian => Meaning::Filter("pedestrian_id", value),
        Dimension::Operator => Meaning::Filter("operator_id", value),
        Dimension::Tag => Meaning::Filter("tag_id", value),
        Dimension::Zone => Meaning::Filter("zone", value),
        Dimension::Review => Meaning::Filter("review", value),
        Dimension::Acknowledged => Meaning::Filter("acknowledged", (value == "acknowledged").to_string()),
        Dimension::Day | Dimension::Week | Dimension::Month => match days(dimension, &value) {
            Some((first, end)) => Meaning::Days(first, end),
            None => Meaning::Trait(dimension.as_str(), value),
        },
        Dimension::PersonKind
        | Dimension::Hour
        | Dimension::HourOfDay
        | Dimension::DayOfWeek
        | Dimension::Duration
        | Dimension::Cell(_) => Meaning::Trait(dimension.as_str(), value),
    }
}

/// Returns the first day of a bucket, and the first one after it.
fn days(dimension: Dimension, label: &str) -> Option<(Day, Day)> {
    let interval = Interval::of_dimension(dimension)?;
    let key = interval.parse_label(label)?;
    Some((Day::parse(label).ok()?, Day::parse(&interval.label(key + 1)).ok()?))
}

#[cfg(test)]
mod tests {
    use app::insights::Subtotals;
    use domain::Period;
    use domain::insights::GroupOrder;
    use texts::Language;

    use super::*;

    fn word(text: &str) -> Labelled {
        Labelled { id: LabelledId::Word(text.to_owned()), label: text.to_owned() }
    }

    fn number(id: i64) -> Labelled {
        Labelled { id: LabelledId::Number(id), label: id.to_string() }
    }

    fn request() -> PivotRequest {
        PivotRequest {
            rows: vec![Dimension::Machine],
            columns: vec![Dimension::Month],
            measures: vec![Measure::Incursions],
            order: GroupOrder::ByKeys,
            limit: 100,
            subtotals: Subtotals::Shown,
        }
    }

    fn links<'a>(address: &str, request: &'a PivotRequest) -> PivotLinks<'a> {
        let frame = crate::frame::sample(Language::English, address);
        let (from, to) =
            (PeriodBound::parse("2026-02-10").unwrap(), PeriodBound::parse("2026-03-10").unwrap());
        let filter = IncursionFilter {
            period: Some(Period { from: Some(from), to: Some(to) }),
            ..IncursionFilter::default()
        };
        PivotLinks::new(&frame, request, &filter, (from, TimeZone::utc()))
    }

    #[test]
    fn a_number_leads_to_its_incursions() {
        let request = request();
        let links = links("/explore?period=90d&zone=danger&machine_id=3&machine_id=4&row1=machine", &request);
        let (machine, month) = (number(4), word("2026-03-01"));
        let keys = [(Dimension::Machine, &machine), (Dimension::Month, &month)];
        assert_eq!(
            links.incursions(&keys, Measure::Unacknowledged).as_deref(),
            Some(
                "/incursions?zone=danger&machine_id=4&period=custom&from=2026-03-01&to=2026-03-10&acknowledged=false"
            )
        );
        let february = word("2026-02-01");
        assert_eq!(
            links.incursions(&[(Dimension::Month, &february)], Measure::Incursions).as_deref(),
            Some(
                "/incursions?zone=danger&machine_id=3&machine_id=4&period=custom&from=2026-02-10&to=2026-03-01"
            )
        );
        // What the rows exclude has no incursions.
        let not = word("unacknowledged");
        assert_eq!(links.incursions(&[(Dimension::Acknowledged, &not)], Measure::Acknowledged), None);
        assert_eq!(links.incursions(&[], Measure::RuntimeHours), None);
    }

    #[test]
    fn what_no_filter_says_is_told_by_its_traits() {
        let request = request();
        let links = links("/explore?period=90d", &request);
        let (hour, none) = (number(13), Labelled { id: LabelledId::None, label: "Unknown".to_owned() });
        let keys = [(Dimension::HourOfDay, &hour), (Dimension::Operator, &none)];
        assert_eq!(
            links.incursions(&keys, Measure::Incursions).as_deref(),
            Some("/explore/incursions?period=90d&hour_of_day=13&without=operator")
        );
        assert_eq!(links.drill(&keys), None);
    }

    #[test]
    fn a_name_leads_one_dimension_deeper() {
        let request = request();
        let links = links("/explore?period=90d&sort=-incursions&view=7", &request);
        let machine = number(4);
        assert_eq!(
            links.drill(&[(Dimension::Machine, &machine)]).as_deref(),
            Some("/explore?period=90d&machine_id=4&row1=operator&column1=month&measure=incursions")
        );
    }
}
