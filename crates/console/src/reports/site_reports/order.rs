//! The form that has a site report written.

use app::{App, Error, NewSiteReport};
use domain::{Day, Invalid, Period, PeriodBound, WorksiteId};
use serde_json::Value;
use texts::Language;
use texts::console::reports as of_reports;
use texts::console::site_reports as t;
use web::{BodyField, Fields};

use crate::form::{FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Choice, Field, FormPart, Input};
use crate::settings;

pub const KINDS: &[(&str, Kind)] =
    &[("worksite_id", Kind::Number), ("from", Kind::Text), ("to", Kind::Text), ("language", Kind::Text)];

pub async fn form(app: &App, frame: &Frame, view: &FormView) -> Result<FormPart, Error> {
    let mut sites = settings::worksite_choices(app, frame).await?;
    if let Some(blank) = sites.first_mut() {
        *blank = Choice::blank(frame.text(of_reports::CHOOSE));
    }
    let languages = vec![
        Choice::blank(frame.text(t::LANGUAGE_OWN)),
        Choice::new(Language::English.as_str(), frame.text(t::ENGLISH)),
        Choice::new(Language::German.as_str(), frame.text(t::GERMAN)),
    ];
    let fields = vec![
        Field::new(frame, view, "worksite_id", t::SITE, Input::Select(sites)).required(),
        Field::new(frame, view, "from", of_reports::FIRST_DAY, Input::Date)
            .hint(frame.text(of_reports::FIRST_DAY_HINT)),
        Field::new(frame, view, "to", of_reports::LAST_DAY, Input::Date)
            .hint(frame.text(of_reports::LAST_DAY_HINT)),
        Field::new(frame, view, "language", t::LANGUAGE, Input::Select(languages)),
    ];
    Ok(FormPart::new("/reports/site-reports", view, fields, frame.text(t::ORDER)).creating(frame))
}

pub fn read(fields: &mut Fields) -> Option<NewSiteReport> {
    let worksite = fields.required("worksite_id", WorksiteId::from_json);
    let from = fields.optional("from", web::text(PeriodBound::parse));
    let to = fields.optional("to", read_last_day);
    let language = fields.optional("language", web::text(parse_language));
    let period = Period { from: from?, to: to? };
    Some(NewSiteReport { worksite: worksite?, period, language: language? })
}

/// The end of a period is exclusive; people name the last day.
fn read_last_day(value: &Value) -> Result<PeriodBound, Invalid> {
    let last = web::text(PeriodBound::parse)(value)?;
    Ok(match last {
        PeriodBound::Day(day) => PeriodBound::Day(Day::from_number(day.number() + 1)),
        PeriodBound::Instant(_) => last,
    })
}

fn parse_language(text: &str) -> Result<Language, Invalid> {
    Language::parse(text).ok_or_else(|| Invalid::new("invalid_language", "must be one of en, de"))
}
