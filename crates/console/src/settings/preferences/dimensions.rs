//! The reader's own list of dimensions: in which order, under which names, and which of them are offered.

use app::Error;
use domain::Name;
use domain::insights::Dimension;
use domain::preferences::{DimensionList, ListedDimension};
use texts::console::settings::preferences as t;
use texts::values;
use web::{BodyField, Fields};

use crate::form::{Form, FormView, Kind};
use crate::frame::Frame;

/// The form of the dimensions.
pub struct DimensionForm {
    pub rows: Vec<DimensionRow>,
    /// Above the rows.
    pub notice: Option<String>,
}

/// A dimension as a row of the form.
pub struct DimensionRow {
    /// The dimension as the names of the fields have it.
    pub word: &'static str,
    pub name: &'static str,
    pub place: String,
    pub place_label: String,
    pub label: String,
    pub label_label: String,
    pub is_shown: bool,
    pub shown_label: String,
    pub fault: Option<String>,
}

/// The names of the three fields of a dimension.
fn field_names(dimension: Dimension) -> [String; 3] {
    let word = dimension.as_str();
    [format!("place_{word}"), format!("label_{word}"), format!("shown_{word}")]
}

/// Reads the list. `current` is the list from which the form was filled.
pub fn read(form: &Form, current: &DimensionList) -> Result<DimensionList, Error> {
    let names: Vec<[String; 3]> = current.all().iter().map(|one| field_names(one.dimension)).collect();
    let kinds: Vec<(&str, Kind)> = names
        .iter()
        .flat_map(|[place, label, shown]| {
            [(place.as_str(), Kind::Number), (label.as_str(), Kind::Text), (shown.as_str(), Kind::Flag)]
        })
        .collect();
    form.read(&kinds, |fields| {
        let read = |(one, names): (&ListedDimension, &[String; 3])| read_one(fields, one.dimension, names);
        // All rows are read before the first fault ends the reading, so that all faults are shown.
        let rows: Vec<Option<(i64, ListedDimension)>> = current.all().iter().zip(&names).map(read).collect();
        Some(sort(rows.into_iter().collect::<Option<Vec<_>>>()?))
    })
}

fn read_one(
    fields: &mut Fields,
    dimension: Dimension,
    names: &[String; 3],
) -> Option<(i64, ListedDimension)> {
    let [place, label, shown] = names;
    let place = fields.required(place, web::integer_within(1..=99));
    let label = fields.optional(label, Name::from_json);
    let shown = fields.required(shown, bool::from_json);
    Some((place?, ListedDimension { dimension, label: label?, shown: shown? }))
}

/// Sorts by the places that were entered. Who gives one dimension the place of another moves it there: upwards before the other,
/// downwards behind it.
fn sort(rows: Vec<(i64, ListedDimension)>) -> DimensionList {
    let mut placed: Vec<_> = rows
        .into_iter()
        .zip(1_i64..)
        .map(|((place, listed), before)| ((place, place.cmp(&before)), listed))
        .collect();
    placed.sort_by_key(|(key, _)| *key);
    DimensionList::new(placed.into_iter().map(|(_, listed)| listed).collect())
}

impl DimensionForm {
    /// The form as it is filled from the stored list.
    pub fn of(frame: &Frame, list: &DimensionList) -> Self {
        let row = |(one, place): (&ListedDimension, usize)| {
            let label = one.label.as_ref().map(|label| label.as_str().to_owned()).unwrap_or_default();
            DimensionRow::new(frame, one.dimension, (place.to_string(), label, one.shown), None)
        };
        Self { rows: list.all().iter().zip(1_usize..).map(row).collect(), notice: None }
    }

    /// The form as it was sent, with its faults.
    pub fn of_refused(frame: &Frame, current: &DimensionList, view: &FormView) -> Self {
        let row = |one: &ListedDimension| {
            let [place, label, shown] = field_names(one.dimension);
            let fault = view.fault(frame, &place).or_else(|| view.fault(frame, &label));
            let values = (view.value(&place), view.value(&label), view.is_ticked(&shown));
            DimensionRow::new(frame, one.dimension, values, fault)
        };
        Self { rows: current.all().iter().map(row).collect(), notice: view.notice.clone() }
    }
}

impl DimensionRow {
    fn new(
        frame: &Frame,
        dimension: Dimension,
        (place, label, is_shown): (String, String, bool),
        fault: Option<String>,
    ) -> Self {
        let name = values::dimension(frame.language, dimension.as_str());
        let about = |text| frame.fill(text, &[("dimension", name)]);
        Self {
            word: dimension.as_str(),
            name,
            place,
            place_label: about(t::POSITION_OF),
            label,
            label_label: about(t::LABEL_OF),
            is_shown,
            shown_label: about(t::OFFERED_OF),
            fault,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(places: &[(usize, i64)]) -> Vec<Dimension> {
        let listed = DimensionList::default();
        let rows = listed.all().iter().cloned().zip(1_i64..).map(|(one, place)| (place, one));
        let mut rows: Vec<_> = rows.collect();
        for (index, place) in places {
            rows[*index].0 = *place;
        }
        sort(rows).all().iter().map(|one| one.dimension).collect()
    }

    #[test]
    fn a_dimension_moves_to_the_place_of_another() {
        let usual = Dimension::PIVOTABLE.to_vec();
        assert_eq!(order(&[]), usual);
        let mut up = usual.clone();
        let moved = up.remove(4);
        up.insert(0, moved);
        assert_eq!(order(&[(4, 1)]), up);
        let mut down = usual.clone();
        let moved = down.remove(0);
        down.insert(4, moved);
        assert_eq!(order(&[(0, 5)]), down);
        let mut last = usual.clone();
        let moved = last.remove(2);
        last.push(moved);
        assert_eq!(order(&[(2, 99)]), last);
    }
}
