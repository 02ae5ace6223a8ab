//! The sentences of descriptions, for translation.

/// A template for one and a template for all other numbers, which are its `{n}`.
pub type Counted = (&'static str, &'static str);

/// The sentences that describe a chart to readers who cannot see it. `{name}` is a place for a value; a translation has the same
/// places in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptions {
    pub hour: &'static str,
    pub day: &'static str,
    pub week: &'static str,
    pub month: &'static str,
    /// With `{at}`.
    pub at: &'static str,
    /// With `{from}` and `{to}`.
    pub period: &'static str,
    /// With `{from}`.
    pub from_on: &'static str,
    /// With `{label}`.
    pub no_value: &'static str,
    /// With `{label}`, `{total}`, `{highest}` and `{at}`.
    pub total: &'static str,
    /// With `{label}`, `{mean}`, `{lowest}`, `{highest}` and `{at}`.
    pub mean: &'static str,
    /// With `{label}`, `{lowest}` and `{highest}`.
    pub range: &'static str,
    /// With `{label}`, `{from}` and `{to}`.
    pub trend: &'static str,
    /// With `{sentence}`.
    pub in_percent: &'static str,
    /// With `{n}`.
    pub more: &'static str,
    /// With `{why}`, which may be empty or begins with a blank.
    pub gaps: Counted,
    /// With `{unit}`, `{period}` and `{interval}`.
    pub bars: &'static str,
    /// With `{unit}`, `{period}` and `{interval}`.
    pub lines: &'static str,
    /// With `{day}`, `{from}`, `{to}` and `{value}`.
    pub busiest: &'static str,
    /// With `{unit}`, `{total}`, `{most}` and `{days}`.
    pub matrix_of_amounts: &'static str,
    /// With `{unit}`, `{most}` and `{least}`.
    pub matrix_of_levels: &'static str,
    /// With `{why}`, which may be empty or begins with a blank.
    pub hours_without_value: Counted,
    /// With `{unit}`.
    pub ranked_bars: Counted,
    /// With `{unit}`, `{by}`, `{total}` and `{values}`.
    pub histogram: Counted,
    /// With `{from}`, `{to}`, `{machines}` and `{operators}`.
    pub operators_over_time: &'static str,
    pub machines: Counted,
    pub operators: Counted,
    /// With `{total}`, `{unit}` and `{most}`.
    pub hexagons: Counted,
    /// With `{lowest}` and `{highest}`.
    pub rates_by_hexagon: &'static str,
    /// With `{positions}` and `{tracks}`.
    pub site: &'static str,
    /// With `{positions}` and `{tracks}`.
    pub site_with_boundary: &'static str,
    pub positions: Counted,
    pub tracks: Counted,
    /// With `{names}`.
    pub named_positions: &'static str,
    /// With `{names}` and `{n}`.
    pub some_positions: &'static str,
}

impl Default for Descriptions {
    fn default() -> Self {
        Self {
            hour: "hour",
            day: "day",
            week: "week",
            month: "month",
            at: "for {at}",
            period: "from {from} to {to}",
            from_on: "from {from} on",
            no_value: "{label}: no value.",
            total: "{label}: {total} in all, highest {highest} ({at}).",
            mean: "{label}: mean {mean}, lowest {lowest}, highest {highest} ({at}).",
            range: "{label}: lowest {lowest}, highest {highest}.",
            trend: "{label}: from {from} to {to}.",
            in_percent: "In percent, {sentence}",
            more: "{n} more.",
            gaps: ("{n} stretch without a value{why}.", "{n} stretches without a value{why}."),
            bars: "Bars of {unit} {period}, one per {interval}.",
            lines: "Lines of {unit} {period}, one value per {interval}.",
            busiest: "most on {day} from {from} to {to} ({value})",
            matrix_of_amounts: "Matrix of {unit} by weekday and hour, {total} in all; {most}. \
                                By weekday: {days}.",
            matrix_of_levels: "Matrix of {unit} by weekday and hour; {most}, least {least}.",
            hours_without_value: ("{n} hour without a value{why}.", "{n} hours without a value{why}."),
            ranked_bars: (
                "Horizontal bars of {unit} for {n} row.",
                "Horizontal bars of {unit} for {n} rows.",
            ),
            histogram: (
                "{n} bar of {unit} by {by}, {total} in all. {values}.",
                "{n} bars of {unit} by {by}, {total} in all. {values}.",
            ),
            operators_over_time: "Machines and their operators from {from} to {to}: {machines}, {operators}.",
            machines: ("{n} machine", "{n} machines"),
            operators: ("{n} operator", "{n} operators"),
            hexagons: (
                "Map of {n} cell with {total} {unit} in all, at most {most} in one.",
                "Map of {n} cells with {total} {unit} in all, at most {most} in one.",
            ),
            rates_by_hexagon: "By cell: lowest {lowest} %, highest {highest} %.",
            site: "Map of a site with {positions} and {tracks}.",
            site_with_boundary: "Map of a site and its boundary with {positions} and {tracks}.",
            positions: ("{n} position", "{n} positions"),
            tracks: ("{n} track", "{n} tracks"),
            named_positions: "Positions: {names}.",
            some_positions: "Positions: {names} and {n} more.",
        }
    }
}

/// Returns the description of a chart that this crate has drawn; empty for any other text.
#[must_use]
pub fn description_of(svg: &str) -> String {
    let element = svg.split_once("<desc ").and_then(|(_, rest)| rest.split_once('>'));
    let text = element.and_then(|(_, rest)| rest.split_once("</desc>")).map_or("", |(text, _)| text);
    // The ampersand is last, so that what it had escaped is not read as another character.
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        .into_iter()
        .fold(text.to_owned(), |text, (escaped, character)| text.replace(escaped, character))
}

/// Puts values in place of `{name}`. Values are not searched again.
pub(crate) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, place)) = rest.split_once('{') {
        let Some((name, after)) = place.split_once('}') else { break };
        filled.push_str(before);
        if let Some((_, value)) = values.iter().find(|(known, _)| *known == name) {
            filled.push_str(value);
        }
        rest = after;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChartOptions, SiteMap};

    #[test]
    fn values_are_put_in_once() {
        assert_eq!(fill("{a} and {b}.", &[("a", "{b}"), ("b", "two")]), "{b} and two.");
        assert_eq!(fill("{a} {", &[("a", "one")]), "one {");
        assert_eq!(fill("{missing}", &[]), "");
    }

    #[test]
    fn a_chart_gives_its_description_back() {
        let said = "Bars of <hours> & \"minutes\" &lt; Bo's";
        let options = ChartOptions { description: Some(said.to_owned()), ..ChartOptions::titled("<desc >") };
        let chart = SiteMap::default().svg(&options);
        assert_eq!(description_of(&chart), said);
        assert_eq!(description_of("<svg/>"), "");
    }
}
