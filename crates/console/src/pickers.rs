//! The pickers that stay across pages: period, project, site, and what to compare with.

use app::insights::Compare;
use app::{App, Error};
use askama::Template;
use askama::filters::HtmlSafe;
use domain::access::ReadRegistry;
use domain::insights::{IncursionFilter, Month};
use domain::locale::FirstDayOfWeek;
use domain::{
    Day, Invalid, ListOrder, ListRequest, PageRequest, Period, PeriodBound, ProjectFilter, ProjectId, Review,
    Sorting, WorksiteFilter, WorksiteId,
};
use texts::Text;
use texts::console::parts as t;
use web::{FromParams, Query};

use crate::frame::Frame;
use crate::parts::Choice;

/// The maximum number of projects and of sites that can be chosen.
const MAX_CHOICES: u16 = 500;

/// The presets: the value of `period` and its text.
const PRESETS: [(&str, Text); 8] = [
    ("today", t::TODAY),
    ("week", t::THIS_WEEK),
    ("month", t::THIS_MONTH),
    ("quarter", t::THIS_QUARTER),
    ("7d", t::SEVEN_DAYS),
    ("28d", t::FOUR_WEEKS),
    ("90d", t::NINETY_DAYS),
    ("365d", t::A_YEAR),
];
const DEFAULT_PRESET: &str = "28d";

/// What the pickers of a page say.
#[derive(Clone)]
pub struct Pickers {
    pub filter: IncursionFilter,
    pub compare: Compare,
    /// The preset; none for other days.
    preset: Option<&'static str>,
}

impl FromParams for Pickers {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let period = query.one("period", |text| match text {
            "custom" => Ok(None),
            _ => match PRESETS.iter().find(|(preset, _)| *preset == text) {
                Some((preset, _)) => Ok(Some(*preset)),
                None => Err(Invalid::new("invalid_period", "must be a preset or custom")),
            },
        })?;
        let given =
            Period { from: query.one("from", PeriodBound::parse)?, to: query.one("to", PeriodBound::parse)? };
        let is_open = given.from.is_none() && given.to.is_none();
        let preset = period.unwrap_or_else(|| is_open.then_some(DEFAULT_PRESET));
        let filter = IncursionFilter {
            period: Some(given),
            projects: query.ids("project_id", ProjectId)?,
            worksites: query.ids("worksite_id", WorksiteId)?,
            reviews: Review::COUNTED.to_vec(),
            ..IncursionFilter::default()
        };
        // Pages show how numbers have changed unless the address says not to.
        let compare = query.one("compare", |text| match text {
            "none" => Ok(Compare::None),
            _ => Compare::parse(text),
        })?;
        let compare = compare.unwrap_or(Compare::Previous);
        Ok(Self { filter, compare, preset })
    }
}

/// Returns the first day of a preset; none for what is no preset. Today is the same on every page, whatever the page is about: so a
/// site has the same days on its own page as in a list.
fn first_day(preset: &str, today: Day, week_start: FirstDayOfWeek) -> Option<Day> {
    let back = |days: i64| Some(Day::from_number(today.number() - days));
    match preset {
        "today" => back(0),
        // Day 0 was a Thursday, and weekdays count from Monday.
        "week" => back(week_start.index_of((today.number() + 3).rem_euclid(7))),
        "month" => Some(Month::of(today).first_day()),
        "quarter" => {
            let month = Month::of(today);
            Some(Month::from_number(month.number() - (month.month_of_year() - 1) % 3).first_day())
        }
        "7d" => back(6),
        DEFAULT_PRESET => back(Period::DEFAULT_DAYS - 1),
        "90d" => back(89),
        "365d" => back(364),
        _ => None,
    }
}

/// Returns whether it depends on today what a query means: it has a preset, or no days either, if a page then has the usual preset.
pub fn needs_today(query: &str, is_usual: bool) -> bool {
    let pairs = || form_urlencoded::parse(query.as_bytes());
    match pairs().find(|(name, _)| name == "period") {
        Some((_, preset)) => preset != "custom",
        None => is_usual && !pairs().any(|(name, _)| name == "from" || name == "to"),
    }
}

/// Returns a query in which a preset has become the days that it means today, for the layer that reads requests. Days that were given
/// beside a preset are those of an earlier choice.
pub fn resolve_query(query: &str, today: Day, week_start: FirstDayOfWeek) -> Option<String> {
    let pairs = || form_urlencoded::parse(query.as_bytes());
    let (_, preset) = pairs().find(|(name, _)| name == "period")?;
    if preset == "custom" {
        return None;
    }
    let mut resolved = form_urlencoded::Serializer::new(String::new());
    resolved.extend_pairs(pairs().filter(|(name, _)| name != "from" && name != "to"));
    if let Some(first) = first_day(&preset, today, week_start) {
        resolved.append_pair("from", &first.to_string());
    }
    Some(resolved.finish())
}

fn join(own: &IncursionFilter, more: IncursionFilter) -> IncursionFilter {
    IncursionFilter {
        period: own.period,
        projects: own.projects.clone(),
        worksites: own.worksites.clone(),
        ..more
    }
}

impl Pickers {
    /// Joins the pickers with the other filters of a page.
    pub fn with(&self, more: IncursionFilter) -> IncursionFilter {
        join(&self.filter, more)
    }

    /// Returns the same with a preset as the days that it means now. Every page that counts something must ask for these days: without
    /// them, the insights would count 28 days by the latest date of the worksites that the page happens to be about.
    pub fn resolved(mut self, frame: &Frame) -> Self {
        if let Some(preset) = self.preset {
            let first = first_day(preset, frame.today, frame.preferences.first_day_of_week);
            self.filter.period = Some(Period { from: first.map(PeriodBound::Day), to: None });
        }
        self
    }

    /// Adds the projects and sites that can be chosen.
    pub async fn load(self, app: &App, frame: &Frame) -> Result<PickerRow, Error> {
        let Self { filter, compare, preset } = self.resolved(frame);
        let caller = frame.caller::<ReadRegistry>()?;
        let page = PageRequest { limit: MAX_CHOICES, after: None };
        let request = ListRequest::of_page(ListOrder::Sorted(Sorting::default()), &page, false);
        let projects = app.list_projects(&caller, &ProjectFilter::default(), &request).await?.rows;
        let of_projects = WorksiteFilter { projects: filter.projects.clone(), ..WorksiteFilter::default() };
        let sites = app.list_worksites(&caller, of_projects, None, &request).await?.rows;
        let mut projects: Vec<_> = projects.into_iter().map(|one| (one.id.0, one.name)).collect();
        let mut sites: Vec<_> = sites.into_iter().map(|one| (one.id.0, one.name)).collect();
        let missing = not_among(&filter.projects, &projects, |id| id.0);
        if !missing.is_empty() {
            let found = app.find_projects_by_id(&caller, &missing).await?;
            projects.extend(found.into_iter().map(|one| (one.id.0, one.name)));
        }
        let missing = not_among(&filter.worksites, &sites, |id| id.0);
        if !missing.is_empty() {
            let found = app.find_worksites_by_id(&caller, &missing).await?;
            sites.extend(found.into_iter().map(|one| (one.id.0, one.name)));
        }
        let projects = choices(projects, filter.projects.iter().map(|id| id.0));
        let sites = choices(sites, filter.worksites.iter().map(|id| id.0));
        Ok(PickerRow::new(frame, (filter, compare, preset), projects, sites))
    }
}

/// Returns the picked ids that are not offered, such as those of an archived site or of one in another project.
fn not_among<T: Copy>(picked: &[T], offered: &[(i64, String)], number: impl Fn(T) -> i64) -> Vec<T> {
    picked.iter().copied().filter(|id| offered.iter().all(|(known, _)| *known != number(*id))).collect()
}

/// Returns what can be chosen. What was picked and the reader does not see is offered by its number, so that the row always says by what
/// the numbers of the page are filtered.
fn choices(mut known: Vec<(i64, String)>, picked: impl Iterator<Item = i64>) -> Vec<Choice> {
    let picked: Vec<i64> = picked.collect();
    for id in &picked {
        if known.iter().all(|(one, _)| one != id) {
            known.push((*id, id.to_string()));
        }
    }
    let choice = |(id, name): (i64, String)| Choice::new(id.to_string(), name).chosen(picked.contains(&id));
    known.into_iter().map(choice).collect()
}

/// The pickers as a row of links and a form.
#[derive(Template)]
#[template(path = "pickers.html")]
pub struct PickerRow {
    pub filter: IncursionFilter,
    pub compare: Compare,
    path: String,
    /// The text, the address, and whether it is chosen.
    presets: Vec<(&'static str, String, bool)>,
    /// The other parameters of the page.
    kept: Vec<(String, String)>,
    is_custom: bool,
    /// The value of `period`; empty for other days.
    preset: &'static str,
    period_label: &'static str,
    from: String,
    to: String,
    projects: Vec<Choice>,
    sites: Vec<Choice>,
    is_compared: bool,
    /// Whether the page has something to compare.
    can_compare: bool,
    language: texts::Language,
}

impl HtmlSafe for PickerRow {}

impl PickerRow {
    fn new(
        frame: &Frame,
        (filter, compare, preset): (IncursionFilter, Compare, Option<&'static str>),
        projects: Vec<Choice>,
        sites: Vec<Choice>,
    ) -> Self {
        let base = frame.address.clone().without("cursor").without("from").without("to");
        let presets = PRESETS.iter().map(|(value, text)| {
            (frame.text(*text), base.clone().with("period", value).to_string(), preset == Some(*value))
        });
        let ours = ["period", "from", "to", "project_id", "worksite_id", "compare", "cursor"];
        let kept = frame.address.pairs().iter().filter(|(name, _)| !ours.contains(&name.as_str()));
        let chosen = PRESETS.iter().find(|(value, _)| preset == Some(*value));
        let period = filter.period;
        let day = |bound: Option<PeriodBound>| match bound {
            Some(PeriodBound::Day(day)) => day.to_string(),
            Some(PeriodBound::Instant(at)) => {
                Day::from_number(frame.preferences.time_zone.local(at).day).to_string()
            }
            None => String::new(),
        };
        Self {
            path: frame.address.path().to_owned(),
            presets: presets.collect(),
            kept: kept.cloned().collect(),
            is_custom: preset.is_none(),
            preset: preset.unwrap_or_default(),
            period_label: frame.text(chosen.map_or(t::OTHER_DAYS, |(_, text)| *text)),
            from: day(period.and_then(|period| period.from)),
            to: day(period.and_then(|period| period.to)),
            projects,
            sites,
            is_compared: compare == Compare::Previous,
            can_compare: false,
            language: frame.language,
            filter,
            compare,
        }
    }

    /// The same for a page that compares its period with the one before.
    pub const fn with_comparison(mut self) -> Self {
        self.can_compare = true;
        self
    }

    fn text(&self, text: Text) -> &'static str {
        text.get(self.language)
    }

    /// Whether the address picks several, which a list of one choice would not show.
    fn has_many_projects(&self) -> bool {
        self.projects.iter().filter(|choice| choice.is_chosen()).count() > 1
    }

    fn has_many_sites(&self) -> bool {
        self.sites.iter().filter(|choice| choice.is_chosen()).count() > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_ends_with_the_same_day() {
        // A Tuesday.
        let today = Day::parse("2026-11-17").unwrap();
        let first =
            |preset: &str| first_day(preset, today, FirstDayOfWeek::Monday).map(|day| day.to_string());
        for (preset, from) in [
            ("today", "2026-11-17"),
            ("week", "2026-11-16"),
            ("month", "2026-11-01"),
            ("quarter", "2026-10-01"),
            ("7d", "2026-11-11"),
            ("28d", "2026-10-21"),
            ("90d", "2026-08-20"),
            ("365d", "2025-11-18"),
        ] {
            assert_eq!(first(preset).as_deref(), Some(from), "{preset}");
        }
        assert_eq!(PRESETS.iter().filter(|(preset, _)| first(preset).is_none()).count(), 0);
        assert_eq!(first("400d"), None);
    }

    #[test]
    fn a_preset_becomes_its_days() {
        let today = Day::parse("2026-11-17").unwrap();
        let resolve = |query| resolve_query(query, today, FirstDayOfWeek::Monday);
        assert_eq!(
            resolve("period=28d&from=2026-01-01&sort=name").as_deref(),
            Some("period=28d&sort=name&from=2026-10-21")
        );
        assert_eq!(resolve("period=custom&from=2026-01-01"), None);
        assert_eq!(resolve("sort=name"), None);
    }
}
