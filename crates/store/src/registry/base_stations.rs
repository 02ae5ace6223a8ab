//! Base stations with the machine they are installed on, their token, and their status as last reported.

use std::collections::{BTreeMap, BTreeSet};

use domain::row::FromRow;
use domain::{
    BaseStation, BaseStationFilter, BaseStationId, Heartbeat, Name, Page, PageRequest, Serial, StationStatus,
    Timestamp,
};

use crate::engine::dialect::{BulkStatement, Rows};
use crate::engine::page::{self, Count, Keyed};
use crate::engine::row::{FromColumn, Id, Row};
use crate::engine::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

#[derive(Clone, Debug)]
pub struct NewBaseStation {
    pub serial: Serial,
    pub name: Option<Name>,
    /// Names of its cameras.
    pub cameras: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct ChangedBaseStation {
    /// None leaves the serial unchanged.
    pub serial: Option<Serial>,
    pub name: Option<Name>,
    /// Names of its cameras.
    pub cameras: Vec<String>,
}

/// A contact with a base station.
#[derive(Clone, Copy, Debug)]
pub struct Contact<'a> {
    pub station: BaseStationId,
    pub at: Timestamp,
    /// Firmware version, if the contact reported it.
    pub firmware: Option<&'a str>,
    /// Current faults, if the contact reported a status.
    pub faults: Option<&'a [String]>,
}

/// The state that contacts update.
#[derive(macros::FromRow)]
struct StationState {
    id: BaseStationId,
    firmware: Option<String>,
    #[row(flatten)]
    heartbeat: Heartbeat,
}

impl StationState {
    fn apply(&mut self, contact: &Contact<'_>, silence_limit_hours: i64) {
        let is_news = self.heartbeat.status_reported_at.is_none_or(|at| at <= contact.at);
        if let Some(firmware) = contact.firmware.filter(|_| is_news) {
            self.firmware = Some(firmware.to_owned());
        }
        self.heartbeat =
            self.heartbeat.clone().after_contact(contact.at, contact.faults, silence_limit_hours);
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

impl FromRow<Row> for Heartbeat {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            created_at: row.get("created_at")?,
            last_seen_at: row.get("last_seen_at")?,
            status_reported_at: row.get("told_at")?,
            online_since: row.get("online_since")?,
            faulty_since: row.get("faulty_since")?,
            faults: row.get("faults")?,
        })
    }
}

/// From a JSON list of strings.
impl FromColumn for Vec<String> {
    fn from_column(row: &Row, column: &'static str) -> Result<Self, Error> {
        let json: String = row.get(column)?;
        serde_json::from_str(&json)
            .map_err(|_| Error::Unusable(format!("column {column} is not a JSON list of strings")))
    }
}

fn to_json(texts: &[String]) -> String {
    serde_json::Value::from(texts).to_string()
}

impl Keyed for BaseStation {
    fn key(&self) -> (&str, i64) {
        (&self.serial_key, self.id.0)
    }
}

/// The base stations of a brand that are visible in the scope: in a restricted scope, those on a machine that is at a worksite
/// of its projects.
pub struct BaseStations<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn base_stations<'a>(&'a mut self, scope: &'a Scope) -> BaseStations<'a> {
        BaseStations(self, scope)
    }
}

#[macros::boxed]
impl BaseStations<'_> {
    /// Adds a station without an installation; fails with [`Error::Duplicate`] if the serial is taken.
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

    pub async fn find(&mut self, id: BaseStationId) -> Result<Option<BaseStation>, Error> {
        let statement = self.of_id(id).and_in_projects(self.1.projects(), "w.project_id");
        self.0.optional(statement).await
    }

    /// Returns a station that was found in this transaction, even if it is no longer visible in the scope.
    pub async fn get(&mut self, id: BaseStationId) -> Result<BaseStation, Error> {
        let statement = self.of_id(id);
        self.0.one(statement).await
    }

    /// Finds the id by serial, ignoring case and regardless of the scope's projects.
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

    /// Changes a station that was found in this transaction; fails with [`Error::Duplicate`] if the serial is taken.
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

    /// Raises the version after a change of the installation or the zones.
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

    /// Records a contact with a station, with the firmware and faults that it reported.
    pub async fn record_contact(
        &mut self,
        id: BaseStationId,
        at: Timestamp,
        firmware: Option<&str>,
        faults: Option<&[String]>,
    ) -> Result<(), Error> {
        self.record_contacts(&[Contact { station: id, at, firmware, faults }]).await
    }

    /// Records contacts in the given order. Reports older than the known state do not change it. Versions do not rise, because
    /// they only follow changes that people make. The caller must hold the brand's lock.
    pub async fn record_contacts(&mut self, contacts: &[Contact<'_>]) -> Result<(), Error> {
        if contacts.is_empty() {
            return Ok(());
        }
        let brand = self.1.brand();
        let limit = self.0.brand_settings(self.1).await?.values.silence_limit_hours;
        let ids: BTreeSet<BaseStationId> = contacts.iter().map(|contact| contact.station).collect();
        let rows = Rows::default().column(ids.iter().map(|_| brand)).column(ids.iter().copied());
        let states: Vec<StationState> = self.0.query_bulk(SELECT_STATES, rows).await?;
        let mut states: BTreeMap<BaseStationId, StationState> =
            states.into_iter().map(|state| (state.id, state)).collect();
        for contact in contacts {
            if let Some(state) = states.get_mut(&contact.station) {
                state.apply(contact, limit);
            }
        }
        let rows = Rows::default()
            .column(states.keys().map(|_| brand))
            .column(states.keys().copied())
            .column(states.values().map(|state| state.firmware.clone()))
            .column(states.values().map(|state| to_json(&state.heartbeat.faults)))
            .column(states.values().map(|state| state.heartbeat.faulty_since))
            .column(states.values().map(|state| state.heartbeat.last_seen_at))
            .column(states.values().map(|state| state.heartbeat.status_reported_at))
            .column(states.values().map(|state| state.heartbeat.online_since));
        self.0.execute_bulk(UPDATE_STATES, rows).await?;
        Ok(())
    }

    /// Returns a page, by serial. A station whose last contact is at or before `silent_from` is silent.
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

    /// Counts the stations that match the filter.
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

/// Appends the condition on a status: the rule of [`Heartbeat::health`] in SQL. A test compares the two.
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
