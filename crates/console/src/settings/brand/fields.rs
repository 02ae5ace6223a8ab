//! The settings of a brand as fields of a form.

use app::BrandChange;
use domain::locale::{DateFormat, Locale};
use domain::{Invalid, Name, Role, SettingValues, TimeZone};
use serde_json::Value;
use texts::Text;
use texts::console::settings::brand as t;
use web::{BodyField, Fields};

use crate::form::{FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Field, Input};
use crate::settings::{account_access, languages};

pub const KINDS: &[(&str, Kind)] = &[
    ("name", Kind::Text),
    ("locale", Kind::Text),
    ("time_zone", Kind::Text),
    ("date_format", Kind::Text),
    ("test_interval_days", Kind::Number),
    ("low_battery_percent", Kind::Number),
    ("critical_battery_percent", Kind::Number),
    ("silence_limit_hours", Kind::Number),
    ("closes_visits", Kind::Flag),
    ("visit_limit_minutes", Kind::Number),
    ("viewers_see_names", Kind::Flag),
    ("unique_employee_ids", Kind::Flag),
    ("ai_sees_names", Kind::Flag),
    ("alerts_show_names", Kind::Flag),
    ("second_factor_required", Kind::List),
    ("keep_incursions_days", Kind::Number),
    ("keep_runtime_days", Kind::Number),
    ("keep_tracks_days", Kind::Number),
    ("keep_events_days", Kind::Number),
    ("keep_tests_days", Kind::Number),
    ("keep_video_days", Kind::Number),
];

/// The maximum number of days for which data is stored, unless it is stored forever.
const MAX_DAYS: i64 = 36_500;

pub fn read_change(fields: &mut Fields) -> Option<BrandChange> {
    let name = fields.change("name", Name::from_json);
    let locale = fields.change("locale", Locale::from_json);
    let time_zone = fields.change("time_zone", TimeZone::from_json);
    let date_format = fields.change("date_format", web::text(DateFormat::parse_for_brand));
    let test_interval_days = fields.change("test_interval_days", web::integer_within(1..=365));
    let low_battery_percent = fields.change("low_battery_percent", web::integer_within(0..=100));
    let critical_battery_percent = fields.change("critical_battery_percent", web::integer_within(0..=100));
    let silence_limit_hours = fields.change("silence_limit_hours", web::integer_within(1..=8_760));
    let closes_visits = fields.change("closes_visits", bool::from_json);
    let visit_limit_minutes = fields.change("visit_limit_minutes", web::integer_within(0..=43_200));
    let viewers_see_names = fields.change("viewers_see_names", bool::from_json);
    let unique_employee_ids = fields.change("unique_employee_ids", bool::from_json);
    let ai_sees_names = fields.change("ai_sees_names", bool::from_json);
    let alerts_show_names = fields.change("alerts_show_names", bool::from_json);
    let second_factor_required = fields.change("second_factor_required", parse_roles);
    let mut days = |name: &str| fields.change_optional(name, web::integer_within(1..=MAX_DAYS));
    let (incursions, runtime) = (days("keep_incursions_days"), days("keep_runtime_days"));
    let (tracks, events) = (days("keep_tracks_days"), days("keep_events_days"));
    let (tests, video) = (days("keep_tests_days"), days("keep_video_days"));
    Some(BrandChange {
        name: name?,
        date_format: date_format?,
        time_zone: time_zone?,
        locale: locale?,
        test_interval_days: test_interval_days?,
        low_battery_percent: low_battery_percent?,
        critical_battery_percent: critical_battery_percent?,
        silence_limit_hours: silence_limit_hours?,
        closes_visits: closes_visits?,
        visit_limit_minutes: visit_limit_minutes?,
        viewers_see_names: viewers_see_names?,
        unique_employee_ids: unique_employee_ids?,
        ai_sees_names: ai_sees_names?,
        alerts_show_names: alerts_show_names?,
        second_factor_required: second_factor_required?,
        keep_incursions_days: incursions?,
        keep_runtime_days: runtime?,
        keep_tracks_days: tracks?,
        keep_events_days: events?,
        keep_tests_days: tests?,
        keep_video_days: video?,
    })
}

fn parse_roles(value: &Value) -> Result<Vec<Role>, Invalid> {
    let words = value.as_array().ok_or_else(|| Invalid::new("wrong_type", "must be a list of roles"))?;
    let mut roles = words.iter().map(Role::from_json).collect::<Result<Vec<_>, _>>()?;
    roles.sort_unstable();
    roles.dedup();
    Ok(roles)
}

/// The form as it is filled from the stored settings.
pub fn view_of(values: &SettingValues) -> FormView {
    let flag = |is_set: bool| if is_set { "true".to_owned() } else { String::new() };
    let days = |days: Option<i64>| days.map(|days| days.to_string()).unwrap_or_default();
    let mut pairs = vec![
        ("name", values.name.as_str().to_owned()),
        ("locale", values.locale.to_string()),
        ("time_zone", values.time_zone.to_string()),
        ("date_format", values.date_format.as_str().to_owned()),
        ("test_interval_days", values.test_interval_days.to_string()),
        ("low_battery_percent", values.low_battery_percent.to_string()),
        ("critical_battery_percent", values.critical_battery_percent.to_string()),
        ("silence_limit_hours", values.silence_limit_hours.to_string()),
        ("closes_visits", flag(values.closes_visits)),
        ("visit_limit_minutes", values.visit_limit_minutes.to_string()),
        ("viewers_see_names", flag(values.viewers_see_names)),
        ("unique_employee_ids", flag(values.unique_employee_ids)),
        ("ai_sees_names", flag(values.ai_sees_names)),
        ("alerts_show_names", flag(values.alerts_show_names)),
        ("keep_incursions_days", days(values.retention.incursions_days)),
        ("keep_runtime_days", days(values.retention.runtime_days)),
        ("keep_tracks_days", days(values.retention.tracks_days)),
        ("keep_events_days", days(values.retention.events_days)),
        ("keep_tests_days", days(values.retention.tests_days)),
        ("keep_video_days", days(values.retention.video_days)),
    ];
    let roles = values.second_factor_required.iter();
    pairs.extend(roles.map(|role| ("second_factor_required", role.as_str().to_owned())));
    FormView::new(pairs)
}

/// The fields in groups, each of which begins with a heading.
pub fn fields_of(frame: &Frame, view: &FormView, stored: &SettingValues) -> Vec<Field> {
    let field = |name, label: Text, input| Field::new(frame, view, name, label, input);
    let number = |name, label, min, max| field(name, label, Input::Number { min, max }).required();
    let days = |name, label| field(name, label, Input::Number { min: 1, max: MAX_DAYS });
    let languages = Input::Select(languages::choices(Some(&stored.locale)));
    let dates = Input::Select(languages::date_formats(frame, &DateFormat::BRAND_CHOICES));
    let roles = Input::Checks(account_access::role_choices(frame));
    let forever = || frame.text(t::FOREVER);
    vec![
        field("name", t::NAME, Input::Text).required().headed(frame.text(t::GENERAL)),
        field("locale", t::LANGUAGE, languages).required().hint(frame.text(t::LANGUAGE_HINT)),
        field("time_zone", t::TIME_ZONE, Input::Text).required().hint(frame.text(t::TIME_ZONE_HINT)),
        field("date_format", t::DATE_FORMAT, dates).required(),
        number("test_interval_days", t::TEST_INTERVAL, 1, 365).headed(frame.text(t::LIMITS)),
        number("low_battery_percent", t::LOW_BATTERY, 0, 100),
        number("critical_battery_percent", t::CRITICAL_BATTERY, 0, 100),
        number("silence_limit_hours", t::SILENCE, 1, 8_760),
        field("closes_visits", t::CLOSES_VISITS, Input::Flag)
            .hint(frame.text(t::CLOSES_VISITS_HINT))
            .headed(frame.text(t::VISITS)),
        number("visit_limit_minutes", t::VISIT_LIMIT, 0, 43_200),
        field("viewers_see_names", t::VIEWERS_SEE_NAMES, Input::Flag).headed(frame.text(t::PRIVACY)),
        field("unique_employee_ids", t::UNIQUE_EMPLOYEE_IDS, Input::Flag),
        field("ai_sees_names", t::AI_SEES_NAMES, Input::Flag).hint(frame.text(t::AI_SEES_NAMES_HINT)),
        field("alerts_show_names", t::ALERTS_SHOW_NAMES, Input::Flag)
            .hint(frame.text(t::ALERTS_SHOW_NAMES_HINT)),
        field("second_factor_required", t::SECOND_FACTOR, roles)
            .hint(frame.text(t::SECOND_FACTOR_HINT))
            .headed(frame.text(t::SECURITY)),
        days("keep_incursions_days", t::KEEP_INCURSIONS).hint(forever()).headed(frame.text(t::RETENTION)),
        days("keep_runtime_days", t::KEEP_RUNTIME).hint(forever()),
        days("keep_tracks_days", t::KEEP_TRACKS).hint(forever()),
        days("keep_events_days", t::KEEP_EVENTS).hint(forever()),
        days("keep_tests_days", t::KEEP_TESTS).hint(frame.text(t::KEEP_TESTS_HINT)),
        days("keep_video_days", t::KEEP_VIDEO).hint(forever()),
    ]
}
