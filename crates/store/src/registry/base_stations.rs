//! Base stations, with the machine they are on and what they tell of themselves.

use std::collections::{BTreeMap, BTreeSet};

use domain::{BaseStationId, Heartbeat, MachineId, Name, Serial, StationStatus, Timestamp};

use crate::engine::dialect::{BulkStatement, Rows};
use crate::engine::page::{self, Count, Keyed, Page, PageRequest};
use crate::engine::row::{FromRow, Id, Row};
use crate::engine::statement::{Statement, sql};
use crate::registry::tokens::TokenSummary;
use crate::{Error, Scope, Tx};

/// A base station.
#[derive(Clone, Debug)]
pub struct BaseStation {
    /// Its id.
    pub id: BaseStationId,
    /// What stands on it; unique in the brand, whatever its case.
    pub serial: String,
    /// What it is called.
    pub name: Option<String>,
    /// What runs on it, as it told.
    pub firmware: Option<String>,
    /// What its cameras are called.
    pub cameras: Vec<String>,
    /// The machine it is on now, what that is called, and since when.
    pub machine: Option<(MachineId, String, Timestamp)>,
    /// Its signs of life.
    pub heartbeat: Heartbeat,
    /// Its live token.
    pub token: Option<TokenSummary>,
    /// Moves with every change, of its installation and zones too; the `ETag`.
    pub version: i64,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    serial_key: String,
}

/// What a base station is made of.
#[derive(Clone, Debug)]
pub struct NewBaseStation {
    /// What stands on it.
    pub serial: Serial,
    /// What it is called.
    pub name: Option<Name>,
    /// What its cameras are called.
    pub cameras: Vec<String>,
}

/// What a base station becomes.
#[derive(Clone, Debug)]
pub struct ChangedBaseStation {
    /// What stands on it, if that changes.
    pub serial: Option<Serial>,
    /// What it is called.
    pub name: Option<Name>,
    /// What its cameras are called.
    pub cameras: Vec<String>,
}

/// Which base stations are asked for.
#[derive(Clone, Debug, Default)]
pub struct BaseStationFilter {
    /// Only those whose serial or name contains this, whatever its case and accents.
    pub q: Option<String>,
    /// Only those that stand so.
    pub status: Option<StationStatus>,
    /// Only the one on this machine.
    pub machine: Option<MachineId>,
    /// Only those on a machine, or only those on none.
    pub installed: Option<bool>,
}

/// A base station was heard of.
#[derive(Clone, Copy, Debug)]
pub struct Contact<'a> {
    /// Which.
    pub station: BaseStationId,
    /// When.
    pub at: Timestamp,
    /// What runs on it, if it told.
    pub firmware: Option<&'a str>,
    /// What is wrong with it, if it told how it is.
    pub faults: Option<&'a [String]>,
}

/// What a station told of itself.
struct StationState {
    id: BaseStationId,
    firmware: Option<String>,
    heartbeat: Heartbeat,
}

impl StationState {
    fn apply(&mut self, contact: &Contact<'_>, silence_limit_hours: i64) {
        let is_news = self.heartbeat.status_reported_at.is_none_or(|told| told <= contact.at);
        if let Some(firmware) = contact.firmware.filter(|_| is_news) {
            self.firmware = Some(firmware.to_owned());
        }
        self.heartbeat =
            self.heartbeat.clone().after_contact(contact.at, contact.faults, silence_limit_hours);
    }
}

impl FromRow for StationState {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self { id: row.get("id")?, firmware: row.get("firmware")?, heartbeat: read_heartbeat(row)? })
    }
}

const SELECT_STATES: BulkStatement = BulkStatement {
    before: "select s.id, s.firmware, s.created_at, s.last_seen_at, s.told_at, s.online_since, s.faulty_since, s.faults from ",
    after: "cross join base_stations s where s.brand_id = v.column1 and s.id = v.column2",
};

const UPDATE_STATES: BulkStatement = BulkStatement {
    before: "update base_stations set firmware = v.column3, faults = v.column4, faulty_since = v.column5,
                 last_seen_at = v.column6, told_at = v.column7, online_since = v.column8
             from ",
    after: "where base_stations.brand_id = v.column1 and base_stations.id = v.column2",
};

const COLUMNS: &str =
    "select s.id, s.serial, s.serial_key, s.name, s.firmware, s.cameras, s.faults, s.faulty_since,
    s.last_seen_at, s.told_at, s.online_since, s.version, s.created_at, s.updated_at,
    m.id as machine_id, m.name as machine_name, i.from_at as installed_since,
    t.id as token_id, t.hint, t.issued_at, t.last_used_at";

const TABLES: &str = " from base_stations s
    left join device_tokens t on t.kind = 'station' and t.device_id = s.id and t.ended_at is null
    left join installations i on i.base_station_id = s.id and i.to_at is null
    left join machines m on m.id = i.machine_id
    left join machine_assignments a on a.machine_id = m.id and a.to_at is null
    left join worksites w on w.id = a.worksite_id";

impl FromRow for BaseStation {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            id: row.get("id")?,
            serial: row.get("serial")?,
            name: row.get("name")?,
            firmware: row.get("firmware")?,
            cameras: read_string_list(row, "cameras")?,
            machine: match (row.get("machine_id")?, row.get("machine_name")?, row.get("installed_since")?) {
                (Some(id), Some(name), Some(since)) => Some((id, name, since)),
                _ => None,
            },
            heartbeat: read_heartbeat(row)?,
            token: TokenSummary::from_columns(row)?,
            version: row.get("version")?,
            created_at: row.get("created_at")?,
            updated_at: row.get("updated_at")?,
            serial_key: row.get("serial_key")?,
        })
    }
}

fn read_heartbeat(row: &Row) -> Result<Heartbeat, Error> {
    Ok(Heartbeat {
        created_at: row.get("created_at")?,
        last_seen_at: row.get("last_seen_at")?,
        status_reported_at: row.get("told_at")?,
        online_since: row.get("online_since")?,
        faulty_since: row.get("faulty_since")?,
        faults: read_string_list(row, "faults")?,
    })
}

/// A list of texts that stands in a column as JSON.
fn read_string_list(row: &Row, column: &'static str) -> Result<Vec<String>, Error> {
    let json: String = row.get(column)?;
    serde_json::from_str(&json)
        .map_err(|_| Error::Unusable(format!("column {column} holds no list of texts")))
}

fn to_json(texts: &[String]) -> String {
    serde_json::Value::from(texts).to_string()
}

impl Keyed for BaseStation {
    fn key(&self) -> (&str, i64) {
        (&self.serial_key, self.id.0)
    }
}

/// The base stations of a brand that the scope shows: to those who see only some projects, the ones on a machine that is at a
/// site of these.
pub struct BaseStations<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    /// The base stations of a brand that the scope shows.
    pub fn base_stations<'a>(&'a mut self, scope: &'a Scope) -> BaseStations<'a> {
        BaseStations(self, scope)
    }
}

impl BaseStations<'_> {
    /// Adds one, on no machine; [`Error::Duplicate`] if the serial is taken.
    pub async fn add(&mut self, new: &NewBaseStation, now: Timestamp) -> Result<BaseStationId, Error> {
        let Id(id) = self
            .0
            .one(sql!(
                "insert into base_stations (brand_id, serial, serial_key, name, name_key, cameras, created_at, updated_at)
                 values ($1, $2, $3, $4, $5, $6, $7, $7) returning id",
                self.1.brand(),
                new.serial.as_str(),
                new.serial.key(),
                new.name.as_ref().map(Name::as_str),
                new.name.as_ref().map(Name::key),
                to_json(&new.cameras),
                now
            ))
            .await?;
        Ok(id)
    }

    /// The one of that id.
    pub async fn find(&mut self, id: BaseStationId) -> Result<Option<BaseStation>, Error> {
        let statement = self.of_id(id).and_in_projects(self.1.projects(), "w.project_id");
        self.0.optional(statement).await
    }

    /// The one of that id that was found in this transaction, though it may have left what the scope shows since.
    pub async fn get(&mut self, id: BaseStationId) -> Result<BaseStation, Error> {
        let statement = self.of_id(id);
        self.0.one(statement).await
    }

    /// The id of the one with that serial, whatever its case.
    pub async fn id_of_serial(&mut self, serial: &Serial) -> Result<Option<BaseStationId>, Error> {
        let statement = sql!(
            "select id from base_stations where brand_id = $1 and serial_key = $2",
            self.1.brand(),
            serial.key()
        );
        Ok(self.0.optional::<Id<BaseStationId>>(statement).await?.map(|Id(id)| id))
    }

    fn of_id(&self, id: BaseStationId) -> Statement {
        sql!(COLUMNS)
            .push(TABLES)
            .push_with(" where s.brand_id = $? and s.id = $?", [self.1.brand().into(), id.into()])
    }

    /// Changes one that was found in this transaction; [`Error::Duplicate`] if the serial is taken.
    pub async fn change(
        &mut self,
        id: BaseStationId,
        to: &ChangedBaseStation,
        now: Timestamp,
    ) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update base_stations set serial = coalesce($3, serial), serial_key = coalesce($4, serial_key), name = $5,
                     name_key = $6, cameras = $7, updated_at = $8, version = version + 1
                 where brand_id = $1 and id = $2",
                self.1.brand(),
                id,
                to.serial.as_ref().map(Serial::as_str),
                to.serial.as_ref().map(Serial::key),
                to.name.as_ref().map(Name::as_str),
                to.name.as_ref().map(Name::key),
                to_json(&to.cameras),
                now
            ))
            .await?;
        Ok(())
    }

    /// Moves the version of one whose installation or zones changed.
    pub async fn touch(&mut self, id: BaseStationId, now: Timestamp) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update base_stations set updated_at = $3, version = version + 1 where brand_id = $1 and id = $2",
                self.1.brand(),
                id,
                now
            ))
            .await?;
        Ok(())
    }

    /// Remembers that a station was heard of, and what it told: its firmware, its faults.
    pub async fn record_contact(
        &mut self,
        id: BaseStationId,
        at: Timestamp,
        firmware: Option<&str>,
        faults: Option<&[String]>,
    ) -> Result<(), Error> {
        self.record_contacts(&[Contact { station: id, at, firmware, faults }]).await
    }

    /// The same of many contacts, in their order. What is older than what is known changes nothing of it. The versions of
    /// stations stay: those are of what people change. Whoever calls holds the brand's lock.
    pub async fn record_contacts(&mut self, contacts: &[Contact<'_>]) -> Result<(), Error> {
        if contacts.is_empty() {
            return Ok(());
        }
        let brand = self.1.brand();
        let limit = self.0.brand_settings(self.1).await?.values.silence_limit_hours;
        let ids: BTreeSet<BaseStationId> = contacts.iter().map(|contact| contact.station).collect();
        let rows = Rows::default().column(ids.iter().map(|_| brand)).column(ids.iter().copied());
        let told: Vec<StationState> = self.0.query_bulk(SELECT_STATES, rows).await?;
        let mut told: BTreeMap<BaseStationId, StationState> =
            told.into_iter().map(|told| (told.id, told)).collect();
        for contact in contacts {
            if let Some(told) = told.get_mut(&contact.station) {
                told.apply(contact, limit);
            }
        }
        let rows = Rows::default()
            .column(told.keys().map(|_| brand))
            .column(told.keys().copied())
            .column(told.values().map(|told| told.firmware.clone()))
            .column(told.values().map(|told| to_json(&told.heartbeat.faults)))
            .column(told.values().map(|told| told.heartbeat.faulty_since))
            .column(told.values().map(|told| told.heartbeat.last_seen_at))
            .column(told.values().map(|told| told.heartbeat.status_reported_at))
            .column(told.values().map(|told| told.heartbeat.online_since));
        self.0.execute_bulk(UPDATE_STATES, rows).await?;
        Ok(())
    }

    /// One page, by serial. How they stand is judged by this limit and time.
    pub async fn page(
        &mut self,
        filter: &BaseStationFilter,
        silent_from: Timestamp,
        page: &PageRequest,
    ) -> Result<Page<BaseStation>, Error> {
        let list = format!("base_stations {filter:?}");
        let statement = self.filtered(sql!(COLUMNS), filter, silent_from);
        let order = (" and (s.serial_key, s.id) > ($?, $?)", " order by s.serial_key, s.id");
        let rows = self.0.all(page::order_by_key(statement, order, &list, page)?).await?;
        Ok(page::into_page(rows, &list, page))
    }

    /// How many the filter finds.
    pub async fn count(&mut self, filter: &BaseStationFilter, silent_from: Timestamp) -> Result<i64, Error> {
        let statement = self.filtered(sql!("select count(*) as count"), filter, silent_from);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn filtered(
        &self,
        statement: Statement,
        filter: &BaseStationFilter,
        silent_from: Timestamp,
    ) -> Statement {
        let mut statement = statement
            .push(TABLES)
            .push_with(" where s.brand_id = $?", [self.1.brand().into()])
            .and_in_projects(self.1.projects(), "w.project_id");
        if let Some(status) = filter.status {
            statement = and_status(statement, status, silent_from);
        }
        if let Some(machine) = filter.machine {
            statement = statement.push_with(" and m.id = $?", [machine.into()]);
        }
        statement = match filter.installed {
            Some(true) => statement.push(" and m.id is not null"),
            Some(false) => statement.push(" and m.id is null"),
            None => statement,
        };
        match &filter.q {
            Some(q) => {
                let pattern = page::like_pattern(q);
                statement.push_with(
                    " and (s.serial_key like $? escape '!' or s.name_key like $? escape '!')",
                    [pattern.clone().into(), pattern.into()],
                )
            }
            None => statement,
        }
    }
}

/// Appends "stands so": what [`Signs::standing`] decides of one station, asked of rows. A test holds them together.
fn and_status(statement: Statement, status: StationStatus, silent_from: Timestamp) -> Statement {
    match status {
        StationStatus::NeverSeen => statement.push(" and s.last_seen_at is null"),
        StationStatus::Faulty => statement.push(" and s.last_seen_at is not null and s.faults <> '[]'"),
        StationStatus::Silent => {
            statement.push_with(" and s.faults = '[]' and s.last_seen_at <= $?", [silent_from.into()])
        }
        StationStatus::Online => {
            statement.push_with(" and s.faults = '[]' and s.last_seen_at > $?", [silent_from.into()])
        }
    }
}
