//! The form that asks the base station of a machine for a video clip.

use domain::{PartName, Span, Timestamp, video};
use texts::console::machines as t;
use web::{BodyField, Fields};

use super::{MachineAtSite, local_input};
use crate::form::{FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Choice, Field, FormPart, Input};

/// The length that is proposed, in seconds.
const LENGTH_S: i64 = 30;

pub const KINDS: &[(&str, Kind)] =
    &[("camera", Kind::Text), ("from", Kind::LocalTime), ("length", Kind::Number)];

/// The part of a recording that is asked for.
pub struct Wanted {
    pub camera: Option<PartName>,
    pub from: Timestamp,
    pub length: Span,
}

/// The values of a form that nobody has sent: the last half minute.
pub fn fresh_view(frame: &Frame, at: &MachineAtSite) -> FormView {
    let from = frame.now - Span::seconds(60);
    FormView::new(vec![
        ("from", local_input(from, &at.zone)),
        ("from_zone", at.zone.to_string()),
        ("length", LENGTH_S.to_string()),
    ])
}

pub fn form(frame: &Frame, at: &MachineAtSite, cameras: &[String], view: &FormView) -> FormPart {
    let camera = |name: &String| Choice::new(name.as_str(), name.as_str());
    let zone = vec![Choice::new(at.zone.as_str(), at.zone.as_str())];
    let length = Input::Number { min: 1, max: video::MAX_CLIP_DURATION.whole_seconds() };
    let fields = vec![
        Field::new(frame, view, "camera", t::CAMERA, Input::Select(cameras.iter().map(camera).collect())),
        Field::new(frame, view, "from", t::FROM, Input::DateTime)
            .required()
            .hint(frame.text(t::ASK_CLIP_HINT)),
        Field::new(frame, view, "from_zone", t::ZONE_OF_TIME, Input::Select(zone)),
        Field::new(frame, view, "length", t::SECONDS, length).required(),
    ];
    let to = frame.link(&format!("/machines/{}/clips", at.machine.id));
    FormPart::new(to, view, fields, frame.text(t::ASK_CLIP)).creating(frame)
}

pub fn read(fields: &mut Fields) -> Option<Wanted> {
    let camera = fields.optional("camera", PartName::from_json);
    let from = fields.required("from", Timestamp::from_json);
    let longest = video::MAX_CLIP_DURATION.whole_seconds();
    let length = fields.required("length", web::integer_within(1..=longest));
    Some(Wanted { camera: camera?, from: from?, length: Span::seconds(length?) })
}
