//! The form that moves a base station to another machine, or off its machine.

use app::{App, Error};
use domain::BaseStation;
use texts::console::settings::base_stations as t;

use super::PATH;
use crate::form::FormView;
use crate::frame::Frame;
use crate::parts::{Choice, Field, FormPart, Input};
use crate::settings;

/// The form that moves a station, filled from it or with its faults.
pub async fn form(
    app: &App,
    frame: &Frame,
    station: &BaseStation,
    refused: Option<FormView>,
) -> Result<FormPart, Error> {
    let current = station.machine.as_ref();
    let machine = current.map(|(id, ..)| id.to_string()).unwrap_or_default();
    let view = FormView::new(vec![("machine_id", machine)]).or_refused(frame, refused);
    let mut machines = settings::machine_choices(app, frame).await?;
    // An archived machine is not offered, but the station may still be on it.
    if let Some((id, name, _)) = current
        && machines.iter().all(|choice| choice.value != id.to_string())
    {
        machines.push(Choice::new(id.to_string(), name.clone()));
    }
    // The local time of the form is read in the zone that stands beside it.
    let zone = frame.preferences.time_zone.as_str();
    let zones = vec![Choice::new(zone, zone)];
    let fields = vec![
        Field::new(frame, &view, "machine_id", t::MACHINE, Input::Select(machines))
            .hint(frame.text(t::MACHINE_HINT)),
        Field::new(frame, &view, "effective_from", t::FROM, Input::DateTime)
            .hint(frame.text(t::FROM_HINT))
            .of_change(),
        Field::new(frame, &view, "effective_from_zone", t::TIME_ZONE, Input::Select(zones)).of_change(),
        Field::new(frame, &view, "replace", t::REPLACE, Input::Flag)
            .hint(frame.text(t::REPLACE_HINT))
            .of_change(),
    ];
    let to = format!("{PATH}/{}/installation", station.id);
    Ok(FormPart::new(to, &view, fields, frame.text(t::MOVE)).changing(station.version))
}
