//! Imports of many records from a file. Either all of them are added or none, and every bad line is reported.

use std::collections::HashMap;

use domain::access::{ManageDevices, WriteRegistry};
use domain::{Invalid, Name, NewMachine, NewPerson, Permission, Serial, StoredResponse, TagRole};
use store::{Brand, Scope, SerialOwner, Tx};

use crate::people::EMPLOYEE_ID_TAKEN;
use crate::{App, BaseStationChange, Caller, Editor, Error, ErrorKind, FieldError, Idempotent};

#[derive(Clone, Debug)]
pub struct ImportLine<T> {
    /// Counted from 1 with the header included, as in a text editor.
    pub number: u64,
    pub value: T,
}

/// A record that an import adds from one line.
pub trait ImportEntry: Sync {
    type Permission: Permission;

    /// The action that restricted callers are refused, because they would not see what they add; `None` if they may import.
    const UNRESTRICTED_ACTION: Option<&str> = None;

    /// The folded employee id of the record, if it has one.
    fn employee_key(&self) -> Option<String> {
        None
    }

    /// Adds the record, in a transaction that has already locked the registry.
    fn add<'a>(
        &'a self,
        app: &'a App,
        tx: &'a mut Tx,
        editor: &'a Editor<'_>,
    ) -> impl Future<Output = Result<(), Error>> + Send + 'a;
}

#[derive(Clone, Debug)]
pub struct TagEntry {
    pub serial: Serial,
    pub role: TagRole,
}

#[derive(Clone, Debug)]
pub struct BaseStationEntry {
    pub serial: Serial,
    /// The other fields of the base station.
    pub rest: BaseStationChange,
}

impl ImportEntry for NewPerson {
    type Permission = WriteRegistry;

    fn employee_key(&self) -> Option<String> {
        self.employee_id.as_ref().map(Name::identifier_key)
    }

    async fn add(&self, app: &App, tx: &mut Tx, editor: &Editor<'_>) -> Result<(), Error> {
        app.add_person(tx, editor, self).await.map(drop)
    }
}

impl ImportEntry for NewMachine {
    type Permission = WriteRegistry;
    const UNRESTRICTED_ACTION: Option<&str> = Some("import machines");

    async fn add(&self, app: &App, tx: &mut Tx, editor: &Editor<'_>) -> Result<(), Error> {
        if let Some(serial) = &self.serial_number {
            refuse_duplicate_serial(tx, editor.scope, SerialOwner::Machine, ("serial_number", &serial.key()))
                .await?;
        }
        app.add_machine(tx, editor, self).await.map(drop)
    }
}

impl ImportEntry for TagEntry {
    type Permission = WriteRegistry;

    async fn add(&self, app: &App, tx: &mut Tx, editor: &Editor<'_>) -> Result<(), Error> {
        refuse_duplicate_serial(tx, editor.scope, SerialOwner::Tag, ("serial", &self.serial.key())).await?;
        app.add_tag(tx, editor, (&self.serial, self.role)).await.map(drop)
    }
}

impl ImportEntry for BaseStationEntry {
    type Permission = ManageDevices;
    const UNRESTRICTED_ACTION: Option<&str> = Some("register base stations");

    async fn add(&self, app: &App, tx: &mut Tx, editor: &Editor<'_>) -> Result<(), Error> {
        refuse_duplicate_serial(tx, editor.scope, SerialOwner::BaseStation, ("serial", &self.serial.key()))
            .await?;
        app.add_base_station(tx, editor, self.serial.clone(), self.rest.clone()).await.map(drop)
    }
}

/// Whether the import is committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportMode {
    /// Everything is checked as in an import, and nothing is stored.
    DryRun,
    Commit,
}

/// The result of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportSummary {
    /// Number of records that were added, or would have been in a dry run.
    pub lines: usize,
    pub mode: ImportMode,
}

/// Returns the name of a field of a line for errors.
pub fn line_field(number: u64, field: &str) -> String {
    format!("line {number}, {field}")
}

#[macros::boxed]
impl App {
    /// Imports the lines of a file.
    pub async fn import<T: ImportEntry>(
        &self,
        caller: &Caller<T::Permission>,
        lines: &[ImportLine<T>],
        mode: ImportMode,
        idempotent: Idempotent<'_, ImportSummary>,
    ) -> Result<StoredResponse, Error> {
        let editor = Editor::by_caller(caller);
        if let Some(act) = T::UNRESTRICTED_ACTION {
            editor.require_unrestricted(act)?;
        }
        match mode {
            ImportMode::Commit => {
                self.run_idempotent(idempotent, async |tx| self.add_lines(tx, &editor, lines, mode).await)
                    .await
            }
            ImportMode::DryRun => {
                let mut tx = self.store.begin().await?;
                let summary = self.add_lines(&mut tx, &editor, lines, mode).await?;
                // Dropped without a commit, so that nothing is stored.
                drop(tx);
                Ok(idempotent.into_response(&summary))
            }
        }
    }

    /// Imports the lines of a file, from the command line.
    pub async fn import_from_command_line<T: ImportEntry>(
        &self,
        brand: &Brand,
        lines: &[ImportLine<T>],
        mode: ImportMode,
    ) -> Result<ImportSummary, Error> {
        let scope = self.scope_of(brand.id);
        let editor = Editor::by_command_line(&scope);
        let mut tx = self.store.begin().await?;
        let summary = self.add_lines(&mut tx, &editor, lines, mode).await?;
        if mode == ImportMode::Commit {
            tx.commit().await?;
        }
        Ok(summary)
    }

    async fn add_lines<T: ImportEntry>(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        lines: &[ImportLine<T>],
        mode: ImportMode,
    ) -> Result<ImportSummary, Error> {
        tx.lock_and_bump_registry(editor.scope).await?;
        let (mut faults, mut lines_by_employee_key) = (Vec::new(), HashMap::new());
        for line in lines {
            let employee_key = line.value.employee_key();
            match line.value.add(self, tx, editor).await {
                Ok(()) => {
                    if let Some(key) = employee_key {
                        lines_by_employee_key.entry(key).or_insert(line.number);
                    }
                }
                Err(error)
                    if matches!(error.kind, ErrorKind::Invalid | ErrorKind::MissingRelation)
                        && !error.fields.is_empty() =>
                {
                    let earlier = employee_key.and_then(|key| lines_by_employee_key.get(&key).copied());
                    faults.extend(error.fields.into_iter().map(|fault| FieldError {
                        field: line_field(line.number, &fault.field),
                        invalid: name_line_of_owner(fault.invalid, earlier),
                    }));
                }
                Err(error) => return Err(error),
            }
        }
        if faults.is_empty() {
            Ok(ImportSummary { lines: lines.len(), mode })
        } else {
            Err(Error::invalid(faults))
        }
    }
}

/// Names the earlier line of the file that has the same employee id in place of the person that it was about to add: that person will
/// not exist, because nothing is imported.
fn name_line_of_owner(invalid: Invalid, earlier: Option<u64>) -> Invalid {
    match earlier {
        Some(number) if invalid.code == EMPLOYEE_ID_TAKEN => {
            Invalid::new(EMPLOYEE_ID_TAKEN, format!("is also the employee id on line {number} of the file"))
        }
        _ => invalid,
    }
}

/// Checks before the insert, because on PostgreSQL a failed insert aborts the transaction and later lines could not be checked.
async fn refuse_duplicate_serial(
    tx: &mut Tx,
    scope: &Scope,
    of: SerialOwner,
    (field, key): (&str, &str),
) -> Result<(), Error> {
    if tx.serial_is_taken(scope, of, key).await? {
        let taken =
            Invalid::new("serial_taken", "already exists in the brand or on an earlier line of the file");
        return Err(Error::invalid_field(field, taken));
    }
    Ok(())
}
