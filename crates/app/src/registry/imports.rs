//! Adding many things at once from a file: all of it or nothing, and every bad line named.

use domain::access::{ManageDevices, WriteRegistry};
use domain::{Invalid, Permission, Serial, TagRole};
use store::{Answer, Brand, NewMachine, NewPerson, Registered, Scope, Tx};

use crate::{App, BaseStationChange, Caller, Error, FieldError, Hand, Kind, Once};

/// A line of a file.
#[derive(Clone, Debug)]
pub struct Line<T> {
    /// Counted from 1, the head included, as editors do.
    pub number: u64,
    /// What stands there.
    pub value: T,
}

/// What a line adds.
pub trait Entry: Sync {
    /// What it takes to add it.
    type Permission: Permission;

    /// What those who see only some projects cannot do with it, since they would not see what they added.
    const NOT_FOR_RESTRICTED: Option<&str> = None;

    /// Adds it, in a transaction that has raised the registry's version.
    fn add<'a>(
        &'a self,
        app: &'a App,
        tx: &'a mut Tx,
        hand: &'a Hand<'_>,
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

impl Entry for NewPerson {
    type Permission = WriteRegistry;

    async fn add(&self, app: &App, tx: &mut Tx, hand: &Hand<'_>) -> Result<(), Error> {
        app.add_person(tx, hand, self).await.map(drop)
    }
}

impl Entry for NewMachine {
    type Permission = WriteRegistry;
    const NOT_FOR_RESTRICTED: Option<&str> = Some("import machines");

    async fn add(&self, app: &App, tx: &mut Tx, hand: &Hand<'_>) -> Result<(), Error> {
        if let Some(serial) = &self.serial_number {
            refuse_taken(tx, hand.scope, Registered::Machine, ("serial_number", &serial.key())).await?;
        }
        app.add_machine(tx, hand, self).await.map(drop)
    }
}

impl Entry for TagEntry {
    type Permission = WriteRegistry;

    async fn add(&self, app: &App, tx: &mut Tx, hand: &Hand<'_>) -> Result<(), Error> {
        refuse_taken(tx, hand.scope, Registered::Tag, ("serial", &self.serial.key())).await?;
        app.add_tag(tx, hand, (&self.serial, self.role)).await.map(drop)
    }
}

impl Entry for BaseStationEntry {
    type Permission = ManageDevices;
    const NOT_FOR_RESTRICTED: Option<&str> = Some("register base stations");

    async fn add(&self, app: &App, tx: &mut Tx, hand: &Hand<'_>) -> Result<(), Error> {
        refuse_taken(tx, hand.scope, Registered::BaseStation, ("serial", &self.serial.key())).await?;
        app.add_base_station(tx, hand, self.serial.clone(), self.rest.clone()).await.map(drop)
    }
}

/// Whether anything is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    /// Everything is checked, as if it were, and nothing is kept.
    Dry,
    /// All of it is.
    Real,
}

/// What came of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Imported {
    /// How many things were added, or would have been.
    pub lines: usize,
    /// Whether they were.
    pub run: Run,
}

/// Names a field of a line.
pub fn line_field(number: u64, field: &str) -> String {
    format!("line {number}, {field}")
}

impl App {
    /// Adds what a file holds.
    pub async fn import<T: Entry>(
        &self,
        caller: &Caller<T::Permission>,
        lines: &[Line<T>],
        run: Run,
        once: Once<'_, Imported>,
    ) -> Result<Answer, Error> {
        let hand = Hand::of_caller(caller);
        if let Some(act) = T::NOT_FOR_RESTRICTED {
            hand.refuse_restricted(act)?;
        }
        match run {
            Run::Real => self.once(once, async |tx| self.add_lines(tx, &hand, lines, run).await).await,
            Run::Dry => {
                let mut tx = self.store.begin().await?;
                let report = self.add_lines(&mut tx, &hand, lines, run).await?;
                // Dropped without a commit: nothing of it is kept.
                drop(tx);
                Ok(once.answer(&report))
            }
        }
    }

    /// The same, from the command line.
    pub async fn import_from_command_line<T: Entry>(
        &self,
        brand: &Brand,
        lines: &[Line<T>],
        run: Run,
    ) -> Result<Imported, Error> {
        let scope = self.scope_of(brand.id);
        let hand = Hand::of_command_line(&scope);
        let mut tx = self.store.begin().await?;
        let report = self.add_lines(&mut tx, &hand, lines, run).await?;
        if run == Run::Real {
            tx.commit().await?;
        }
        Ok(report)
    }

    async fn add_lines<T: Entry>(
        &self,
        tx: &mut Tx,
        hand: &Hand<'_>,
        lines: &[Line<T>],
        run: Run,
    ) -> Result<Imported, Error> {
        tx.raise_registry_version(hand.scope).await?;
        let mut faults = Vec::new();
        for line in lines {
            match line.value.add(self, tx, hand).await {
                Ok(()) => {}
                Err(error) if error.kind == Kind::Invalid && !error.fields.is_empty() => {
                    faults.extend(error.fields.into_iter().map(|fault| FieldError {
                        field: line_field(line.number, &fault.field),
                        invalid: fault.invalid,
                    }));
                }
                Err(error) => return Err(error),
            }
        }
        if faults.is_empty() { Ok(Imported { lines: lines.len(), run }) } else { Err(Error::invalid(faults)) }
    }
}

/// On PostgreSQL a refusal by the engine ends the transaction, and the lines after it could not be looked at.
async fn refuse_taken(
    tx: &mut Tx,
    scope: &Scope,
    of: Registered,
    (field, key): (&str, &str),
) -> Result<(), Error> {
    if tx.serial_is_taken(scope, of, key).await? {
        let taken = Invalid::new("serial_taken", "is there already, in the brand or further up in the file");
        return Err(Error::invalid_field(field, taken));
    }
    Ok(())
}
