//! The texts that the `charts` crate writes, in the language of the reader.

use ::charts::{Descriptions, NumberFormat, Translations};
use texts::{Counted, Language, Text, charts, values};

pub(super) fn translations(language: Language) -> Translations {
    let text = |text: Text| text.get(language).to_owned();
    Translations {
        no_data: text(charts::NOTHING_IN_PERIOD),
        no_value: text(charts::NO_VALUE),
        partial: text(charts::INCOMPLETE),
        range: text(charts::CONFIDENCE_INTERVAL),
        others: text(charts::OTHERS),
        more: text(charts::MORE),
        mean_of_hours: charts::MEAN_OF_HOURS.get(language),
        mean_of_days: charts::MEAN_OF_DAYS.get(language),
        mean_of_weeks: charts::MEAN_OF_WEEKS.get(language),
        mean_of_months: charts::MEAN_OF_MONTHS.get(language),
        unknown: text(charts::UNKNOWN),
        labels_left_out: text(charts::LABELS_LEFT_OUT),
        north: text(charts::NORTH),
        months: std::array::from_fn(|month| values::month_short(language, month).to_owned()),
        weekdays: std::array::from_fn(|day| values::weekday_short(language, day).to_owned()),
        numbers: {
            let (thousands, decimal) = language.separators();
            NumberFormat { thousands, decimal }
        },
        descriptions: descriptions(language),
    }
}

fn descriptions(language: Language) -> Descriptions {
    let text = |text: Text| text.get(language);
    let counted = |text: Counted| text.get(language);
    Descriptions {
        hour: text(charts::HOUR),
        day: text(charts::DAY),
        week: text(charts::WEEK),
        month: text(charts::MONTH),
        at: text(charts::SAY_AT),
        period: text(charts::SAY_PERIOD),
        from_on: text(charts::SAY_FROM_ON),
        no_value: text(charts::SAY_NO_VALUE),
        total: text(charts::SAY_TOTAL),
        mean: text(charts::SAY_MEAN),
        range: text(charts::SAY_RANGE),
        trend: text(charts::SAY_TREND),
        in_percent: text(charts::SAY_IN_PERCENT),
        more: text(charts::SAY_MORE),
        gaps: counted(charts::SAY_GAPS),
        bars: text(charts::SAY_BARS),
        lines: text(charts::SAY_LINES),
        busiest: text(charts::SAY_BUSIEST),
        matrix_of_amounts: text(charts::SAY_MATRIX_OF_AMOUNTS),
        matrix_of_levels: text(charts::SAY_MATRIX_OF_LEVELS),
        hours_without_value: counted(charts::SAY_HOURS_WITHOUT_VALUE),
        ranked_bars: counted(charts::SAY_RANKED_BARS),
        histogram: counted(charts::SAY_HISTOGRAM),
        operators_over_time: text(charts::SAY_OPERATORS),
        machines: counted(charts::MACHINES),
        operators: counted(charts::OPERATORS),
        hexagons: counted(charts::SAY_HEXAGONS),
        rates_by_hexagon: text(charts::SAY_RATES_BY_HEXAGON),
        site: text(charts::SAY_SITE),
        site_with_boundary: text(charts::SAY_SITE_WITH_BOUNDARY),
        positions: counted(charts::SAY_POSITIONS_ON_MAP),
        tracks: counted(charts::SAY_TRACKS_ON_MAP),
        named_positions: text(charts::SAY_POSITIONS),
        some_positions: text(charts::SAY_SOME_POSITIONS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_english_texts_are_those_of_the_crate() {
        let (ours, theirs) = (translations(Language::English), Translations::default());
        assert_eq!(ours.descriptions, theirs.descriptions);
        let means = |words: &Translations| {
            [words.mean_of_hours, words.mean_of_days, words.mean_of_weeks, words.mean_of_months]
        };
        assert_eq!(means(&ours), means(&theirs));
        assert_eq!((ours.months, ours.weekdays), (theirs.months, theirs.weekdays));
        assert_eq!(ours.numbers.decimal, theirs.numbers.decimal);
    }
}
