//! The fields of a machine.

use app::{MachineChange, MachineCreation};
use domain::{Machine, MachineKind, Name, NewMachine, WorksiteId};
use texts::console::settings::{self as s, machines as t};
use texts::values;
use web::{BodyField, Fields, FromFields};

use crate::form::{FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Choice, Field, Input};

pub const KINDS: &[(&str, Kind)] = &[
    ("name", Kind::Text),
    ("kind", Kind::Text),
    ("serial_number", Kind::Text),
    ("manufacturer", Kind::Text),
    ("model", Kind::Text),
    ("year", Kind::Number),
    ("number_plate", Kind::Text),
    ("worksite_id", Kind::Number),
];

pub fn read_new(fields: &mut Fields) -> Option<MachineCreation> {
    let machine = NewMachine::read(fields);
    let worksite = fields.optional("worksite_id", WorksiteId::from_json);
    let machine = machine?;
    Some(MachineCreation {
        name: machine.name,
        kind: machine.kind,
        serial_number: machine.serial_number,
        manufacturer: machine.manufacturer,
        model: machine.model,
        year: machine.year,
        number_plate: machine.number_plate,
        worksite: worksite?,
        effective_from: None,
    })
}

pub fn read_change(fields: &mut Fields) -> Option<MachineChange> {
    let name = fields.change("name", Name::from_json);
    let kind = fields.change("kind", MachineKind::from_json);
    let serial_number = fields.change_optional("serial_number", Name::from_json);
    let manufacturer = fields.change_optional("manufacturer", Name::from_json);
    let model = fields.change_optional("model", Name::from_json);
    let year = fields.change_optional("year", web::year);
    let number_plate = fields.change_optional("number_plate", Name::from_json);
    let worksite = fields.change_optional("worksite_id", WorksiteId::from_json);
    Some(MachineChange {
        name: name?,
        kind: kind?,
        serial_number: serial_number?,
        manufacturer: manufacturer?,
        model: model?,
        year: year?,
        number_plate: number_plate?,
        worksite: worksite?,
        effective_from: None,
    })
}

/// The form as it is filled from the stored machine.
pub fn view_of(machine: &Machine) -> FormView {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    FormView::new(vec![
        ("name", machine.name.clone()),
        ("kind", machine.kind.as_str().to_owned()),
        ("serial_number", text(&machine.serial_number)),
        ("manufacturer", text(&machine.manufacturer)),
        ("model", text(&machine.model)),
        ("year", machine.year.map(|year| year.to_string()).unwrap_or_default()),
        ("number_plate", text(&machine.number_plate)),
        ("worksite_id", machine.worksite.as_ref().map(|(id, _)| id.to_string()).unwrap_or_default()),
    ])
}

/// The fields of a machine, in the form that adds one and in the one that changes it. An archived machine is at no worksite.
pub fn fields_of(frame: &Frame, view: &FormView, worksites: Option<Vec<Choice>>) -> Vec<Field> {
    let kinds = std::iter::once(Choice::blank(frame.text(s::CHOOSE))).chain(kind_choices(frame)).collect();
    let mut fields = vec![
        Field::new(frame, view, "name", t::NAME, Input::Text).required(),
        Field::new(frame, view, "kind", t::KIND, Input::Select(kinds)).required(),
        Field::new(frame, view, "serial_number", t::SERIAL_NUMBER, Input::Text)
            .hint(frame.text(t::SERIAL_NUMBER_HINT)),
        Field::new(frame, view, "manufacturer", t::MANUFACTURER, Input::Text),
        Field::new(frame, view, "model", t::MODEL, Input::Text),
        Field::new(frame, view, "year", t::YEAR, Input::Number { min: 1900, max: 2200 }),
        Field::new(frame, view, "number_plate", t::NUMBER_PLATE, Input::Text),
    ];
    if let Some(worksites) = worksites {
        let field = Field::new(frame, view, "worksite_id", t::WORKSITE, Input::Select(worksites));
        fields.push(field.hint(frame.text(t::WORKSITE_HINT)));
    }
    fields
}

/// All kinds of machines.
pub fn kind_choices(frame: &Frame) -> impl Iterator<Item = Choice> {
    let language = frame.language;
    MachineKind::ALL
        .into_iter()
        .map(move |kind| Choice::new(kind.as_str(), values::machine_kind(language, kind.as_str())))
}
