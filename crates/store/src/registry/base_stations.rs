//! Base stations with the machine they are installed on, their token, and their status as last reported.

use std::collections::{BTreeMap, BTreeSet};

use domain::row::FromRow;
use domain::{
    BaseStation, BaseStationFilter, BaseStationId, Direction, Heartbeat, Name, RegistryRows, Serial, Slice,
    SortKey, Sorting, StationStatus, Timestamp, VersionRange, Window,
};

use crate::engine::dialect::{BulkStatement, Rows};
use crate::engine::page::{self, Count};
use crate::engine::row::{FromColumn, Id, Row};
use crate::engine::statement::{Statement, sql};
use crate::engine::window::{self, SortColumns, Sorted};
use crate::registry::listing::{self, DepartureRequest, Departures};
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
    s.last_seen_at, s.told_at, s.online_since, s.version, s.created_at, s.updated_at, s.registry_version,
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

const SORT_COLUMNS: SortColumns = SortColumns {
    id: "s.id",
    name_key: "s.serial_key",
    created_at: "s.created_at",
    updated_at: "s.updated_at",
    started_at: "s.created_at",
    registry_version: "s.registry_version",
};

impl Sorted for BaseStation {
    fn id(&self) -> i64 {
        self.id.0
    }

    fn name_key(&self) -> &str {
        &self.serial_key
    }

    fn created_at(&self) -> Timestamp {
        self.created_at
    }

    fn updated_at(&self) -> Timestamp {
        self.updated_at
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
                "insert into base_stations (brand_id, serial, serial_key, name, name_key, cameras, created_at, updated_at,
                     registry_version)
                 values ($1, $2, $3, $4, $5, $6, $7, $7,
                     (select registry_version from brand_counters where brand_id = $1))
                 returning id",
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

    /// Finds stations by id, sorted by id.
    pub async fn among(&mut self, ids: &[BaseStationId]) -> Result<Vec<BaseStation>, Error> {
        let statement = sql!(COLUMNS)
            .push(TABLES)
            .push_with(" where s.brand_id = $?", [self.1.brand().into()])
            .and_in_projects(self.1.projects(), "w.project_id")
            .and_in_padded("s.id", ids.iter().copied())
            .push(" order by s.id");
        self.0.all(statement).await
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
                     name_key = $6, cameras = $7, updated_at = $8, version = version + 1,
                     registry_version = (select registry_version from brand_counters where brand_id = $1)
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
                "update base_stations set updated_at = $3, version = version + 1,
                     registry_version = (select registry_version from brand_counters where brand_id = $1)
                 where brand_id = $1 and id = $2",
                self.1.brand(),
                id,
                now
            ))
            .await?;
        Ok(())
    }

    /// Records that a station is about to leave its machine.
    pub async fn record_move(&mut self, id: BaseStationId) -> Result<(), Error> {
        let departure = sql!(
            "insert into registry_departures (brand_id, kind, row_id, project_id, deleted, registry_version)
             select i.brand_id, 'base_stations', i.base_station_id, w.project_id, false, c.registry_version
             from installations i join machine_assignments a on a.machine_id = i.machine_id and a.to_at is null
             join worksites w on w.id = a.worksite_id join brand_counters c on c.brand_id = i.brand_id
             where i.brand_id = $1 and i.base_station_id = $2 and i.to_at is null and w.project_id is not null",
            self.1.brand(),
            id
        );
        self.0.execute(departure.push(listing::LATEST_DEPARTURE)).await?;
        Ok(())
    }

    /// Marks the machine of a station as changed, because it shows the serial of the station.
    pub async fn mark_machine(&mut self, id: BaseStationId) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update machines set registry_version = (select registry_version from brand_counters where brand_id = $1)
                 where brand_id = $1 and id in (select machine_id from installations
                     where brand_id = $1 and base_station_id = $2 and to_at is null)",
                self.1.brand(),
                id
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

    /// Returns a window of the list, in any order and from either end. A station whose last contact is at or before `silent_from` is
    /// silent.
    pub async fn slice(
        &mut self,
        filter: &BaseStationFilter,
        silent_from: Timestamp,
        sorting: Sorting,
        window: &Window,
    ) -> Result<Slice<BaseStation>, Error> {
        let list = format!("base_stations {filter:?} {sorting:?}");
        let statement = self.filtered(sql!(COLUMNS), filter, silent_from);
        let rows =
            self.0.all(window::apply_window(statement, &SORT_COLUMNS, sorting, &list, window)?).await?;
        Ok(window::into_registry_slice(rows, sorting, &list, window))
    }

    /// Returns a page of the base stations that were deleted or left the scope.
    pub async fn departures(&mut self, request: &DepartureRequest) -> Result<Departures, Error> {
        let departures = listing::departed(self.0, self.1, "base_stations", request).await?;
        if departures.ids.is_empty() {
            return Ok(departures);
        }
        let rows = listing::rows_of_ids(&departures.ids);
        let filter = BaseStationFilter { rows, ..BaseStationFilter::default() };
        let statement = self.filtered(sql!("select s.id"), &filter, Timestamp::from_micros(0));
        let visible: Vec<Id<i64>> = self.0.all(statement).await?;
        Ok(departures.without(&visible))
    }

    /// Returns the query plan of a page of changes, for tests of indexes.
    pub async fn explain_changes(&mut self, window: &Window) -> Result<Vec<String>, Error> {
        let range = VersionRange { after: 1, up_to: i64::MAX };
        let rows = RegistryRows { ids: None, changed: Some(range) };
        let filter = BaseStationFilter { rows, ..BaseStationFilter::default() };
        let statement = self.filtered(sql!(COLUMNS), &filter, Timestamp::from_micros(0));
        let sorting = Sorting::by(SortKey::RegistryVersion, Direction::Ascending);
        self.0.explain(window::apply_window(statement, &SORT_COLUMNS, sorting, "", window)?).await
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
        statement = listing::and_rows(statement, &filter.rows, &SORT_COLUMNS);
        for (index, status) in filter.statuses.iter().enumerate() {
            statement = statement.push(if index == 0 { " and (" } else { " or " });
            statement = push_status(statement, *status, silent_from);
        }
        if !filter.statuses.is_empty() {
            statement = statement.push(")");
        }
        if !filter.machines.is_empty() {
            statement = statement.and_in("m.id", filter.machines.iter().copied());
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
fn push_status(statement: Statement, status: StationStatus, silent_from: Timestamp) -> Statement {
    match status {
        StationStatus::NeverSeen => statement.push("s.last_seen_at is null"),
        StationStatus::Faulty => statement.push("(s.last_seen_at is not null and s.faults <> '[]')"),
        StationStatus::Silent => {
            statement.push_with("(s.faults = '[]' and s.last_seen_at <= $?)", [silent_from.into()])
        }
        StationStatus::Online => {
            statement.push_with("(s.faults = '[]' and s.last_seen_at > $?)", [silent_from.into()])
        }
    }
}
