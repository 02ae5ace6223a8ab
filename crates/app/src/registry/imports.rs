//! Adding many things at once from a file: all of it or nothing, and every bad line named.

use domain::access::{ManageDevices, WriteRegistry};
use domain::{Invalid, Permission, Serial, TagRole};
use store::{Brand, NewMachine, NewPerson, Scope, SerialOwner, StoredResponse, Tx};

use crate::{App, BaseStationChange, Caller, Editor, Error, ErrorKind, FieldError, Idempotent};

/// A line of a file.
#[derive(Clone, Debug)]
pub struct ImportLine<T> {
    /// Counted from 1, the head included, as editors do.
    pub number: u64,
    /// What stands there.
    pub value: T,
}

/// What a line adds.
pub trait ImportEntry: Sync {
    /// What it takes to add it.
    type Permission: Permission;

    /// What those who see only some projects cannot do with it, since they would not see what they added.
    const UNRESTRICTED_ACTION: Option<&str> = None;

    /// Adds it, in a transaction that has raised the registry's version.
    fn add<'a>(
        &'a self,
        app: &'a App,
        tx: &'a mut Tx,
        editor: &'a Editor<'_>,
    ) -> impl Future<Output = Result<(), Error>> + Send + 'a;
}

/// A tag of a file.
#[derive(Clone, Debug)]
pub struct TagEntry {
    /// What stands on it.
    pub serial: Serial,
    /// Whom it is meant for.
    pub role: TagRole,
}

/// A base station of a file.
#[derive(Clone, Debug)]
pub struct BaseStationEntry {
    /// What stands on it.
    pub serial: Serial,
    /// What else is said of it.
    pub rest: BaseStationChange,
}

impl ImportEntry for NewPerson {
    type Permission = WriteRegistry;

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

/// Whether anything is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportMode {
    /// Everything is checked, as if it were, and nothing is kept.
    DryRun,
    /// All of it is.
    Commit,
}

/// What came of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportSummary {
    /// How many things were added, or would have been.
    pub lines: usize,
    /// Whether they were.
    pub mode: ImportMode,
}

/// Names a field of a line.
pub fn line_field(number: u64, field: &str) -> String {
    format!("line {number}, {field}")
}

impl App {
    /// Adds what a file holds.
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
                // Dropped without a commit: nothing of it is kept.
                drop(tx);
                Ok(idempotent.into_response(&summary))
            }
        }
    }

    /// The same, from the command line.
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
        let mut faults = Vec::new();
        for line in lines {
            match line.value.add(self, tx, editor).await {
                Ok(()) => {}
                Err(error) if error.kind == ErrorKind::Invalid && !error.fields.is_empty() => {
                    faults.extend(error.fields.into_iter().map(|fault| FieldError {
                        field: line_field(line.number, &fault.field),
                        invalid: fault.invalid,
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

/// On PostgreSQL a refusal by the engine ends the transaction, and the lines after it could not be looked at.
async fn refuse_duplicate_serial(
    tx: &mut Tx,
    scope: &Scope,
    of: SerialOwner,
    (field, key): (&str, &str),
) -> Result<(), Error> {
    if tx.serial_is_taken(scope, of, key).await? {
        let taken = Invalid::new("serial_taken", "is there already, in the brand or further up in the file");
        return Err(Error::invalid_field(field, taken));
    }
    Ok(())
}
