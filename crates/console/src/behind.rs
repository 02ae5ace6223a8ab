//! Where numbers lead to: the incursions behind a figure, and the period of a bucket of a trend.

use app::insights::{Point, Trends};
use domain::insights::{Interval, Measure};

use crate::frame::Frame;

/// Returns the value of the filter `acknowledged` of what a figure counts; none if it counts both. A rate leads to its numerator.
pub const fn acknowledged_of(measure: Measure) -> Option<&'static str> {
    match measure {
        Measure::Acknowledged | Measure::AcknowledgementRate | Measure::AverageAckTime => Some("true"),
        Measure::Unacknowledged => Some("false"),
        _ => None,
    }
}

/// Whether a figure counts only the incursions that ended: those that took at least no time, as the filters say.
pub const fn is_of_ended(measure: Measure) -> bool {
    matches!(measure, Measure::AverageDuration | Measure::MedianDuration | Measure::P95Duration)
}

/// Returns the link to the incursions behind a figure; none for runtime, behind which there are none.
pub fn link_of(frame: &Frame, measure: Measure, pairs: &[(&str, &str)]) -> Option<String> {
    link_at(frame, "/incursions", measure, pairs)
}

/// The same for what only the explorer selects, such as the incursions of an hour.
pub fn link_of_hour(frame: &Frame, measure: Measure, pairs: &[(&str, &str)]) -> Option<String> {
    link_at(frame, "/explore/incursions", measure, pairs)
}

fn link_at(frame: &Frame, path: &str, measure: Measure, pairs: &[(&str, &str)]) -> Option<String> {
    if measure == Measure::RuntimeHours {
        return None;
    }
    let mut pairs = pairs.to_vec();
    pairs.extend(acknowledged_of(measure).map(|value| ("acknowledged", value)));
    pairs.extend(is_of_ended(measure).then_some(("min_duration_s", "0")));
    Some(frame.link_with(path, &pairs))
}

/// Returns the period of a bucket as the parameters `from` and `to`. The period of the trend may cut the first and the last one. An hour has
/// none, because it begins at another time in each zone.
pub fn bucket_bounds(trends: &Trends, buckets: &[Point], place: usize) -> Option<(String, String)> {
    if trends.interval == Interval::Hour {
        return None;
    }
    let from = match place {
        0 => trends.result.from.to_string(),
        _ => buckets.get(place)?.at.clone(),
    };
    let to = match buckets.get(place + 1) {
        Some(next) => next.at.clone(),
        None => trends.result.to.to_string(),
    };
    Some((from, to))
}

#[cfg(test)]
mod tests {
    use texts::Language;

    use super::*;

    #[test]
    fn a_figure_leads_to_what_it_counts() {
        let frame = crate::frame::sample(Language::English, "/machines/3?period=7d");
        let link = |measure| link_of(&frame, measure, &[("machine_id", "3")]);
        let all = "/incursions?period=7d&machine_id=3";
        assert_eq!(link(Measure::Incursions).as_deref(), Some(all));
        for measure in [Measure::Acknowledged, Measure::AcknowledgementRate, Measure::AverageAckTime] {
            assert_eq!(link(measure), Some(format!("{all}&acknowledged=true")));
        }
        assert_eq!(link(Measure::Unacknowledged), Some(format!("{all}&acknowledged=false")));
        assert_eq!(link(Measure::AverageDuration), Some(format!("{all}&min_duration_s=0")));
        assert_eq!(link(Measure::RuntimeHours), None);
        let hour = link_of_hour(&frame, Measure::Acknowledged, &[("hour_of_day", "8")]);
        let expected = "/explore/incursions?period=7d&hour_of_day=8&acknowledged=true";
        assert_eq!(hour.as_deref(), Some(expected));
    }
}
