//! The fields of the reader's own preferences. What is left blank follows the brand, or the default.

use app::{App, Error, PreferencesChange};
use domain::access::ReadInsights;
use domain::locale::{DateFormat, FirstDayOfWeek, Locale, Units};
use domain::{
    Change, SavedViewFilter, SavedViewId, Sorting, TimeZone, UserPreferences, Window, WindowPosition,
};
use texts::console::settings::preferences as t;
use web::{BodyField, Fields};

use crate::form::{FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Choice, Field, Input};
use crate::settings::languages;

pub const KINDS: &[(&str, Kind)] = &[
    ("language", Kind::Text),
    ("time_zone", Kind::Text),
    ("date_format", Kind::Text),
    ("units", Kind::Text),
    ("first_day_of_week", Kind::Text),
    ("default_view_id", Kind::Number),
];

/// The maximum number of saved views that can be chosen.
const MAX_VIEWS: u16 = 500;

pub fn read_change(fields: &mut Fields) -> Option<PreferencesChange> {
    let language = fields.change_optional("language", Locale::from_json);
    let time_zone = fields.change_optional("time_zone", TimeZone::from_json);
    let date_format = fields.change_optional("date_format", DateFormat::from_json);
    let units = fields.change_optional("units", Units::from_json);
    let first_day_of_week = fields.change_optional("first_day_of_week", FirstDayOfWeek::from_json);
    let default_view = fields.change_optional("default_view_id", SavedViewId::from_json);
    Some(PreferencesChange {
        language: language?,
        time_zone: time_zone?,
        date_format: date_format?,
        units: units?,
        first_day_of_week: first_day_of_week?,
        dimensions: Change::Keep,
        default_view: default_view?,
    })
}

/// The form as it is filled from the stored preferences.
pub fn view_of(stored: &UserPreferences) -> FormView {
    let own = &stored.own;
    let word = |word: Option<&'static str>| word.unwrap_or_default().to_owned();
    FormView::new(vec![
        ("language", own.language.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("time_zone", own.time_zone.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("date_format", word(own.date_format.map(DateFormat::as_str))),
        ("units", word(own.units.map(Units::as_str))),
        ("first_day_of_week", word(own.first_day_of_week.map(FirstDayOfWeek::as_str))),
        ("default_view_id", stored.default_view.map(|id| id.to_string()).unwrap_or_default()),
    ])
}

pub async fn fields_of(
    app: &App,
    frame: &Frame,
    view: &FormView,
    stored: &UserPreferences,
) -> Result<Vec<Field>, Error> {
    let brand = &stored.brand;
    let as_brand = |value: &str| Choice::blank(frame.fill(t::AS_BRAND, &[("value", value)]));
    let by_default = |value: &str| Choice::blank(frame.fill(t::BY_DEFAULT, &[("value", value)]));
    let after =
        |blank: Choice, choices: Vec<Choice>| Input::Select(std::iter::once(blank).chain(choices).collect());
    let languages =
        after(as_brand(languages::name(&brand.language)), languages::choices(stored.own.language.as_ref()));
    let dates = after(
        as_brand(&languages::date_example(frame, brand.date_format)),
        languages::date_formats(frame, &DateFormat::ALL),
    );
    let units = Units::ALL.map(|units| Choice::new(units.as_str(), units_word(frame, units)));
    let units = after(by_default(units_word(frame, Units::default())), units.into_iter().collect());
    let days = FirstDayOfWeek::ALL.map(|day| Choice::new(day.as_str(), day_word(frame, day)));
    let days = after(by_default(day_word(frame, FirstDayOfWeek::default())), days.into_iter().collect());
    let views = after(Choice::blank(frame.text(t::NO_VIEW)), saved_views(app, frame).await?);
    let zone_hint = frame.fill(t::TIME_ZONE_HINT, &[("value", brand.time_zone.as_str())]);
    Ok(vec![
        Field::new(frame, view, "language", t::LANGUAGE, languages),
        Field::new(frame, view, "time_zone", t::TIME_ZONE, Input::Text).hint(zone_hint),
        Field::new(frame, view, "date_format", t::DATE_FORMAT, dates),
        Field::new(frame, view, "units", t::UNITS, units),
        Field::new(frame, view, "first_day_of_week", t::FIRST_DAY, days).hint(frame.text(t::FIRST_DAY_HINT)),
        Field::new(frame, view, "default_view_id", t::DEFAULT_VIEW, views),
    ])
}

async fn saved_views(app: &App, frame: &Frame) -> Result<Vec<Choice>, Error> {
    let caller = frame.caller::<ReadInsights>()?;
    let window = Window { size: MAX_VIEWS, position: WindowPosition::Start };
    let filter = SavedViewFilter::default();
    let found = app.list_saved_views(&caller, &filter, Sorting::default(), &window, false).await?;
    Ok(found.rows.into_iter().map(|view| Choice::new(view.id.to_string(), view.name)).collect())
}

fn units_word(frame: &Frame, units: Units) -> &'static str {
    frame.text(match units {
        Units::Metric => t::METRIC,
        Units::Imperial => t::IMPERIAL,
    })
}

fn day_word(frame: &Frame, day: FirstDayOfWeek) -> &'static str {
    frame.text(match day {
        FirstDayOfWeek::Monday => t::MONDAY,
        FirstDayOfWeek::Sunday => t::SUNDAY,
        FirstDayOfWeek::Saturday => t::SATURDAY,
    })
}
