//! CSV imports of machines, people, tags and base stations. A file is checked and shown first, and added as a whole when it is sent again.

mod outcome;
mod page;

use std::pin::Pin;
use std::sync::Arc;

use app::{
    App, BaseStationEntry, Error, ErrorKind, Idempotent, ImportEntry, ImportLine, ImportMode, ImportSummary,
    TagEntry,
};
use axum::extract::State;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::{Invalid, NewMachine, NewPerson, StoredResponse};
use texts::Text;
use texts::console::settings::imports as t;
use web::{Caller, FromLine, Result};

use crate::done::Done;
use crate::form::{FormView, Upload};
use crate::frame::Frame;
use crate::response;

use outcome::Outcome;

/// The maximum size of a file in bytes, as in the API.
const MAX_BYTES: usize = 1024 * 1024;

pub const MACHINES: Done = Done { code: "machines-imported", text: t::MACHINES_IMPORTED, undo: None };
pub const PEOPLE: Done = Done { code: "people-imported", text: t::PEOPLE_IMPORTED, undo: None };
pub const TAGS: Done = Done { code: "tags-imported", text: t::TAGS_IMPORTED, undo: None };
pub const BASE_STATIONS: Done =
    Done { code: "base-stations-imported", text: t::BASE_STATIONS_IMPORTED, undo: None };

type Stored<'a> = Pin<Box<dyn Future<Output = Result<StoredResponse, Error>> + Send + 'a>>;

/// What can be imported on a page of its own.
pub trait Imported: ImportEntry + FromLine + Send + 'static {
    /// The page that lists what was imported.
    const LIST: &'static str;
    const TITLE: Text;
    /// A file that can be imported.
    const EXAMPLE: &'static str;
    const DONE: &'static Done;

    fn import<'a>(
        app: &'a App,
        caller: &'a app::Caller<Self::Permission>,
        lines: &'a [ImportLine<Self>],
        mode: ImportMode,
        once: Idempotent<'a, ImportSummary>,
    ) -> Stored<'a>;
}

macro_rules! impl_imported {
    ($($type:ty: $list:literal, $title:expr, $done:expr, $example:literal;)*) => {$(
        impl Imported for $type {
            const LIST: &'static str = $list;
            const TITLE: Text = $title;
            const EXAMPLE: &'static str = $example;
            const DONE: &'static Done = &$done;

            fn import<'a>(
                app: &'a App,
                caller: &'a app::Caller<<Self as ImportEntry>::Permission>,
                lines: &'a [ImportLine<Self>],
                mode: ImportMode,
                once: Idempotent<'a, ImportSummary>,
            ) -> Stored<'a> {
                Box::pin(app.import(caller, lines, mode, once))
            }
        }
    )*};
}

impl_imported! {
    NewMachine: "/settings/machines", t::MACHINES, MACHINES,
        "name,kind,serial_number,manufacturer,model,year,number_plate\n\
        Excavator 4,excavator,CAT0320EJ4711,Caterpillar,320,2019,B-KC 320\n\
        Crane 2,crane,,,,,";
    NewPerson: "/settings/people", t::PEOPLE, PEOPLE,
        "kind,name,employee_id,email,company\n\
        staff,Ada Lovelace,E-1815,ada@example.com,Analytical Engines\n\
        visitor,Charles Babbage,,,";
    TagEntry: "/settings/tags", t::TAGS, TAGS, "serial,role\nTAG-0042,pedestrian\nTAG-0043,operator";
    BaseStationEntry: "/settings/base-stations", t::BASE_STATIONS, BASE_STATIONS,
        "serial,name,cameras\nBS-0042,Mast of crane 4,front|rear\nBS-0043,,";
}

pub async fn show<T: Imported>(_: Caller<T::Permission>, frame: Frame) -> Result {
    page::render::<T>(&frame, &FormView::new(Vec::new()), None)
}

/// Checks a chosen file. The form that follows carries the checked file, which is then imported.
pub async fn send<T: Imported>(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<T::Permission>,
    frame: Frame,
    upload: Upload,
) -> Result {
    if let Some(action) = T::UNRESTRICTED_ACTION {
        caller.require_unrestricted(action)?;
    }
    let form = upload.form();
    let (bytes, mode) = match form.value("content") {
        Some(content) => (decode(content)?, ImportMode::Commit),
        None => (upload.file.to_vec(), ImportMode::DryRun),
    };
    let key = form.once(&frame).filter(|_| mode == ImportMode::Commit);
    let once = response::made(key, |_: &ImportSummary| T::LIST.to_owned());
    match run::<T>(&app, &caller, &bytes, mode, once).await {
        Ok(stored) if mode == ImportMode::Commit => {
            Ok(response::redirect(&response::stored_location(stored), Some((T::DONE, None))))
        }
        Ok(_) => {
            let outcome = Outcome::new(&frame, &bytes, &[]);
            page::render::<T>(&frame, &FormView::new(Vec::new()), outcome)
        }
        Err(mut error) => {
            let faults = std::mem::take(&mut error.fields);
            // Those of the file as a whole stand beside its field.
            let (of_file, of_lines): (Vec<_>, Vec<_>) =
                faults.into_iter().partition(|fault| fault.field == "file");
            error.fields = of_file;
            let mut view = form.view(&frame, error)?;
            let outcome = match of_lines.is_empty() {
                true => None,
                false => Outcome::new(&frame, &bytes, &of_lines),
            };
            if outcome.is_some() {
                view.notice = Some(frame.text(t::CHOOSE_AGAIN).to_owned());
            }
            page::render::<T>(&frame, &view, outcome)
        }
    }
}

async fn run<T: Imported>(
    app: &App,
    caller: &app::Caller<T::Permission>,
    bytes: &[u8],
    mode: ImportMode,
    once: Idempotent<'_, ImportSummary>,
) -> Result<StoredResponse, Error> {
    if bytes.len() > MAX_BYTES {
        let invalid = Invalid::new("too_long", "must have at most 1 MiB");
        return Err(Error::invalid_field("file", invalid));
    }
    let lines = web::read_csv::<T>(bytes).map_err(name_file)?;
    T::import(app, caller, &lines, mode, once).await
}

/// Makes what is wrong with the whole file a fault of its field.
fn name_file(error: Error) -> Error {
    match error.code {
        "broken_csv" | "too_many_lines" => {
            Error::invalid_field("file", Invalid::new(error.code, error.detail))
        }
        _ => error,
    }
}

/// Decodes the file that the form of a checked file carries.
fn decode(content: &str) -> Result<Vec<u8>, Error> {
    let broken = |_| Error::new(ErrorKind::BadRequest, "broken_form", "The form could not be read.");
    BASE64_STANDARD.decode(content).map_err(broken)
}
