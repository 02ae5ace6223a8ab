//! The shades of rates: five classes, by the place of a value among all of the table.

use domain::insights::{Figure, Measure, Unit};

/// The classes of the stylesheet, from the lightest to the darkest.
const CLASSES: [&str; 5] = ["q0", "q1", "q2", "q3", "q4"];

/// The values of each rate, in ascending order; empty for measures that are not rates.
pub struct Shades(Vec<Vec<f64>>);

impl Shades {
    /// Each cell has one figure for each measure.
    pub fn of<'a>(measures: &[Measure], cells: impl Iterator<Item = &'a Vec<Figure>>) -> Self {
        let mut values = vec![Vec::new(); measures.len()];
        for figures in cells {
            for ((measure, figure), values) in measures.iter().zip(figures).zip(&mut values) {
                if let (true, Ok(value)) = (is_rate(*measure), figure.value(*measure)) {
                    values.push(value);
                }
            }
        }
        for values in &mut values {
            values.sort_by(f64::total_cmp);
        }
        Self(values)
    }

    /// Whether any value is shaded more strongly than another.
    pub fn is_used(&self) -> bool {
        self.0.iter().any(|values| values.first() < values.last())
    }

    /// Returns the class of a figure; empty if it is not shaded.
    pub fn class(&self, place: usize, measure: Measure, figure: Figure) -> &'static str {
        let values = self.0.get(place).map_or(&[][..], Vec::as_slice);
        let Ok(value) = figure.value(measure) else { return "" };
        if values.is_empty() {
            return "";
        }
        let below = values.partition_point(|other| *other < value);
        CLASSES.get(below * CLASSES.len() / values.len()).copied().unwrap_or("q4")
    }
}

const fn is_rate(measure: Measure) -> bool {
    matches!(measure.unit(), Unit::Ratio | Unit::PerHour)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rates_are_shaded_and_the_highest_is_the_darkest() {
        let measures = [Measure::Incursions, Measure::AcknowledgementRate];
        let cell = |part: i64| {
            let rate = Figure { numerator: Some(part), denominator: Some(10), incursions: 10 };
            vec![Figure { numerator: Some(10), denominator: None, incursions: 10 }, rate]
        };
        let cells: Vec<Vec<Figure>> = [0, 2, 4, 6, 8].map(cell).into();
        let shades = Shades::of(&measures, cells.iter());
        let classes = cells.iter().map(|cell| shades.class(1, measures[1], cell[1])).collect::<Vec<_>>();
        assert_eq!(classes, CLASSES);
        assert_eq!(shades.class(0, measures[0], cells[0][0]), "");
        assert_eq!(shades.class(1, measures[1], Figure::default()), "");
        assert!(shades.is_used());
        let same = [cell(5), cell(5)];
        let shades = Shades::of(&measures, same.iter());
        assert!(!shades.is_used());
        assert_eq!(shades.class(1, measures[1], same[0][1]), "q0");
    }
}
