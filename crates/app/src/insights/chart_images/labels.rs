//! Titles and labels in the language of the reader. The API returns them in English, as data.

use domain::insights::{ChartKind, Dimension, Measure};
use domain::preferences::Preferences;
use texts::{Language, charts, values};

use super::Reader;
use crate::insights::charts::{series_key, title_by_part};
use crate::insights::{Chart, ChartDetails, ChartPoint, ChartPosition, ChartSeries, SeriesKind, Shade};

/// Returns the title of a chart.
pub(super) fn title(chart: &Chart, Reader { preferences, language }: Reader<'_>) -> String {
    if language == Language::English {
        return chart.title.clone();
    }
    let title = match chart.kind {
        ChartKind::MachineRuntime => match chart.details {
            ChartDetails::Runtime { operators: Some(_), .. } => charts::TITLE_OPERATORS,
            _ => charts::TITLE_MACHINE_RUNTIME,
        },
        ChartKind::AcknowledgedIncursions => charts::TITLE_ACKNOWLEDGED_INCURSIONS,
        ChartKind::ZoneTime => charts::TITLE_ZONE_TIME,
        ChartKind::Trends => charts::TITLE_TRENDS,
        ChartKind::IncursionRate => charts::TITLE_INCURSION_RATE,
        ChartKind::Durations => charts::TITLE_DURATIONS,
        ChartKind::Heatmap => match chart.details {
            ChartDetails::Map { shade: Shade::AcknowledgementRate, .. } => charts::TITLE_RATE_HEATMAP,
            _ => charts::TITLE_HEATMAP,
        },
        ChartKind::HoursOfWeek => charts::TITLE_HOURS_OF_WEEK,
        ChartKind::AcknowledgementScore => charts::TITLE_ACKNOWLEDGEMENT_SCORE,
    };
    let title = title.get(language);
    let measures = chart.series.iter().filter(|series| series.kind == SeriesKind::Measured);
    let mut measures = measures.map(|series| measure_in_title(series.measure, language));
    match (chart.kind, &chart.details) {
        (ChartKind::ZoneTime, ChartDetails::By(part)) => title_by(title, *part, preferences, language),
        (ChartKind::IncursionRate, _) => match rate_split(chart, preferences) {
            Some(part) => title_by(title, part, preferences, language),
            None => title.to_owned(),
        },
        (ChartKind::HoursOfWeek, _) => match measures.next() {
            Some(measure) => {
                charts::TITLE_OF_MEASURE.fill(language, &[("title", title), ("measure", &measure)])
            }
            None => title.to_owned(),
        },
        (ChartKind::Trends, _) => {
            let measures: Vec<String> = measures.collect();
            charts::TREND_OF.fill(language, &[("measures", &measures.join(", "))])
        }
        _ => title.to_owned(),
    }
}

fn measure_in_title(measure: Measure, language: Language) -> String {
    language.inside_sentence(values::measure(language, measure.as_str()))
}

fn title_by(title: &str, part: Dimension, preferences: &Preferences, language: Language) -> String {
    let part = match preferences.dimensions.label(part) {
        Some(own) => own.as_str().to_owned(),
        None => language.inside_sentence(values::dimension(language, part.as_str())),
    };
    charts::TITLE_BY.fill(language, &[("title", title), ("part", &part)])
}

/// Returns the dimension by which a chart of incursions per runtime hour is split, which only its title names.
fn rate_split(chart: &Chart, preferences: &Preferences) -> Option<Dimension> {
    let title = chart.kind.title();
    Dimension::RATE_SPLITS.into_iter().find(|part| title_by_part(title, *part, preferences) == chart.title)
}

/// Returns the label of a series.
pub(super) fn series_label(
    chart: &Chart,
    series: &ChartSeries,
    Reader { preferences, language }: Reader<'_>,
) -> String {
    let measure = values::measure(language, series.measure.as_str());
    let dimension = match (series.kind, chart.kind) {
        (SeriesKind::Previous, _) => return charts::PREVIOUS_SERIES.fill(language, &[("label", measure)]),
        (SeriesKind::Trend, _) => return charts::TREND_SERIES.fill(language, &[("label", measure)]),
        (SeriesKind::Measured, _) if series.key == series.measure.as_str() => return measure.to_owned(),
        (SeriesKind::Measured, ChartKind::MachineRuntime) => Some(Dimension::Machine),
        (SeriesKind::Measured, ChartKind::ZoneTime) => Some(Dimension::Zone),
        (SeriesKind::Measured, _) => rate_split(chart, preferences),
    };
    match dimension {
        Some(dimension) => group_label(dimension, &series.key, &series.label, language),
        None => series.label.clone(),
    }
}

/// Returns the label of a point of a chart that is not over time.
pub(super) fn point_label(chart: &Chart, point: &ChartPoint, language: Language) -> String {
    match (&point.position, &chart.details) {
        (ChartPosition::Bucket(_, at), _) => at.clone(),
        (ChartPosition::Part(part), ChartDetails::By(dimension)) => {
            group_label(*dimension, &series_key(&part.id), &part.label, language)
        }
        (ChartPosition::Part(part), _) => part.label.clone(),
    }
}

/// Translates the label of a group, unless it is a name.
fn group_label(dimension: Dimension, key: &str, label: &str, language: Language) -> String {
    if language == Language::English {
        return label.to_owned();
    }
    let word = dimension.as_str();
    match dimension {
        _ if key == "none" => values::no_value(language, word).to_owned(),
        Dimension::WorksiteKind => values::worksite_kind(language, key).to_owned(),
        Dimension::MachineKind => values::machine_kind(language, key).to_owned(),
        Dimension::PersonKind => values::person_kind(language, key).to_owned(),
        Dimension::Zone => values::zone(language, key).to_owned(),
        Dimension::Review => values::review(language, key).to_owned(),
        // A record whose name is not known.
        _ if label == format!("{} {key}", dimension.label()) => {
            format!("{} {key}", values::dimension(language, word))
        }
        _ => label.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use domain::insights::{NoValueReason, Resolution};
    use domain::{MachineKind, PersonKind, Review, WorksiteKind, Zone};

    use super::*;
    use crate::insights::labels::Labels;

    /// Every word of the API has a text in every language, and the English one is that of the API.
    #[test]
    fn every_word_of_the_api_is_translated() {
        let (english, german) = (Language::English, Language::German);
        for measure in Measure::ALL {
            assert_eq!(values::measure(english, measure.as_str()), measure.label());
            assert_ne!(values::measure(german, measure.as_str()), values::UNKNOWN.german, "{measure:?}");
        }
        let others = [Dimension::BaseStation, Dimension::Tag, Dimension::Duration];
        let dimensions = Dimension::PIVOTABLE.into_iter().chain(others);
        for dimension in dimensions.chain([Dimension::Cell(Resolution::FINEST)]) {
            let word = dimension.as_str();
            assert_eq!(values::dimension(english, word), dimension.label());
            assert_ne!(values::dimension(german, word), values::UNKNOWN.german, "{word}");
            assert_eq!(values::no_value(english, word), Labels::default().label(dimension, None).label);
        }
        type Name = fn(Language, &str) -> &'static str;
        let words: [(Dimension, Name, Vec<&str>); 5] = [
            (Dimension::Zone, values::zone, Zone::ALL.iter().map(|word| word.as_str()).collect()),
            (Dimension::Review, values::review, Review::ALL.iter().map(|word| word.as_str()).collect()),
            (
                Dimension::MachineKind,
                values::machine_kind,
                MachineKind::ALL.iter().map(|word| word.as_str()).collect(),
            ),
            (
                Dimension::WorksiteKind,
                values::worksite_kind,
                WorksiteKind::ALL.iter().map(|word| word.as_str()).collect(),
            ),
            (
                Dimension::PersonKind,
                values::person_kind,
                PersonKind::ALL.iter().map(|word| word.as_str()).collect(),
            ),
        ];
        for (dimension, name, words) in words {
            for word in words {
                assert_eq!(name(english, word), domain::text::humanize(word));
                let translated = group_label(dimension, word, "", german);
                assert_eq!(translated, name(german, word));
                assert_ne!(translated, values::UNKNOWN.german, "{word}");
            }
        }
        for reason in NoValueReason::ALL {
            assert_eq!(values::reason(english, reason.as_str()), reason.as_str().replace('_', " "));
        }
        for (place, day) in (0..7).map(|day| (day, Labels::default().label(Dimension::DayOfWeek, Some(day))))
        {
            assert_eq!(values::weekday(english, place), day.label);
        }
    }

    #[test]
    fn names_are_not_translated() {
        let label = |key: &str, label: &str| group_label(Dimension::Machine, key, label, Language::German);
        assert_eq!(label("7", "Machine 8"), "Machine 8");
        assert_eq!(label("7", "Machine 7"), "Maschine 7");
        assert_eq!(label("none", "No machine"), "Keine Maschine");
    }
}
