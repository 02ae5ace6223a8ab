//! The dated links by which facts are attributed, read for many stations and tags in one statement.

use domain::{BaseStationId, MachineId, PersonId, ProjectId, Serial, TagId, Timestamp, WorksiteId};

use crate::engine::dialect::{BulkStatement, Rows};
use crate::engine::row::Id;
use crate::engine::statement::sql;
use crate::{Error, Scope, Tx};

/// The id of a station or tag with its serial.
#[derive(Clone, Debug, macros::FromRow)]
pub struct SerialEntry<T> {
    pub id: T,
    /// The serial, case-folded.
    #[row(column = "serial_key")]
    pub key: String,
}

/// A link that holds from one time until another.
#[derive(Clone, Debug, macros::FromRow)]
pub struct DatedLink<From, To> {
    #[row(column = "of_id")]
    pub subject: From,
    #[row(column = "to_id")]
    pub target: To,
    #[row(column = "from_at")]
    pub from: Timestamp,
    /// The end, exclusive; none while the link still holds.
    #[row(column = "until_at")]
    pub until: Option<Timestamp>,
}

/// The properties of a worksite from one time until its next term.
#[derive(Clone, Debug, macros::FromRow)]
pub struct SiteTerm {
    #[row(column = "worksite_id")]
    pub worksite: WorksiteId,
    #[row(column = "from_at")]
    pub from: Timestamp,
    /// IANA name of the time zone.
    pub time_zone: String,
    #[row(column = "project_id")]
    pub project: Option<ProjectId>,
}

const STATIONS: BulkStatement = BulkStatement {
    before: "select s.id, s.serial_key from ",
    after: "cross join base_stations s where s.brand_id = v.column1 and s.serial_key = v.column2",
};

const STATIONS_BY_ID: BulkStatement = BulkStatement {
    before: "select s.id, s.serial_key from ",
    after: "cross join base_stations s where s.brand_id = v.column1 and s.id = v.column2",
};

const TAGS: BulkStatement = BulkStatement {
    before: "select t.id, t.serial_key from ",
    after: "cross join tags t where t.brand_id = v.column1 and t.serial_key = v.column2",
};

const TAGS_BY_ID: BulkStatement = BulkStatement {
    before: "select t.id, t.serial_key from ",
    after: "cross join tags t where t.brand_id = v.column1 and t.id = v.column2",
};

const ADD_TAGS: BulkStatement = BulkStatement {
    before: "insert into tags (brand_id, serial, serial_key, role, version, created_at, updated_at, registry_version)
             select v.column1, v.column2, v.column3, 'pedestrian', 1, v.column4, v.column4,
                 (select c.registry_version from brand_counters c where c.brand_id = v.column1) from ",
    after: "where true on conflict (brand_id, serial_key) do nothing",
};

const INSTALLATIONS: BulkStatement = BulkStatement {
    before: "select l.base_station_id as of_id, l.machine_id as to_id, l.from_at, l.to_at as until_at from ",
    after: "cross join installations l where l.brand_id = v.column1 and l.base_station_id = v.column2",
};

const WEARERS: BulkStatement = BulkStatement {
    before: "select l.tag_id as of_id, l.person_id as to_id, l.assigned_at as from_at, l.ended_at as until_at from ",
    after: "cross join tag_assignments l where l.brand_id = v.column1 and l.tag_id = v.column2",
};

const MACHINE_SITES: BulkStatement = BulkStatement {
    before: "select l.machine_id as of_id, l.worksite_id as to_id, l.from_at, l.to_at as until_at from ",
    after: "cross join machine_assignments l where l.brand_id = v.column1 and l.machine_id = v.column2",
};

/// The links of a brand, regardless of project.
pub struct FactLinks<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn fact_links<'a>(&'a mut self, scope: &'a Scope) -> FactLinks<'a> {
        FactLinks(self, scope)
    }
}

#[macros::boxed]
impl FactLinks<'_> {
    fn rows<T: Into<crate::engine::statement::Value>>(&self, of: impl ExactSizeIterator<Item = T>) -> Rows {
        let brand = self.1.brand();
        Rows::default().column((0..of.len()).map(|_| brand)).column(of)
    }

    /// Finds stations by their case-folded serials.
    pub async fn stations(&mut self, keys: &[String]) -> Result<Vec<SerialEntry<BaseStationId>>, Error> {
        let rows = self.rows(keys.iter().map(String::as_str));
        self.0.query_bulk(STATIONS, rows).await
    }

    pub async fn stations_by_id(
        &mut self,
        ids: &[BaseStationId],
    ) -> Result<Vec<SerialEntry<BaseStationId>>, Error> {
        let rows = self.rows(ids.iter().copied());
        self.0.query_bulk(STATIONS_BY_ID, rows).await
    }

    /// Finds tags by their case-folded serials.
    pub async fn tags(&mut self, keys: &[String]) -> Result<Vec<SerialEntry<TagId>>, Error> {
        let rows = self.rows(keys.iter().map(String::as_str));
        self.0.query_bulk(TAGS, rows).await
    }

    pub async fn tags_by_id(&mut self, ids: &[TagId]) -> Result<Vec<SerialEntry<TagId>>, Error> {
        let rows = self.rows(ids.iter().copied());
        self.0.query_bulk(TAGS_BY_ID, rows).await
    }

    /// Registers reported tags that are not registered yet, as tags of pedestrians.
    pub async fn add_tags(&mut self, serials: &[Serial], now: Timestamp) -> Result<(), Error> {
        let rows = self
            .rows(serials.iter().map(Serial::as_str))
            .column(serials.iter().map(Serial::key))
            .column(serials.iter().map(|_| now));
        self.0.execute_bulk(ADD_TAGS, rows).await?;
        Ok(())
    }

    /// Returns the machines on which the stations were installed.
    pub async fn installations(
        &mut self,
        of: &[BaseStationId],
    ) -> Result<Vec<DatedLink<BaseStationId, MachineId>>, Error> {
        let rows = self.rows(of.iter().copied());
        self.0.query_bulk(INSTALLATIONS, rows).await
    }

    /// Returns all stations that were ever installed on the machine.
    pub async fn stations_ever_on(&mut self, machine: MachineId) -> Result<Vec<BaseStationId>, Error> {
        let found: Vec<Id<BaseStationId>> = self
            .0
            .all(sql!(
                "select distinct base_station_id as id from installations where brand_id = $1 and machine_id = $2 order by 1",
                self.1.brand(),
                machine
            ))
            .await?;
        Ok(found.into_iter().map(|Id(id)| id).collect())
    }

    /// Returns the people to whom the tags were assigned.
    pub async fn wearers(&mut self, of: &[TagId]) -> Result<Vec<DatedLink<TagId, PersonId>>, Error> {
        let rows = self.rows(of.iter().copied());
        self.0.query_bulk(WEARERS, rows).await
    }

    /// Returns the worksites to which the machines were assigned.
    pub async fn machine_sites(
        &mut self,
        of: &[MachineId],
    ) -> Result<Vec<DatedLink<MachineId, WorksiteId>>, Error> {
        let rows = self.rows(of.iter().copied());
        self.0.query_bulk(MACHINE_SITES, rows).await
    }

    /// Returns the terms of all worksites, oldest term of each first.
    pub async fn site_terms(&mut self) -> Result<Vec<SiteTerm>, Error> {
        self.0
            .all(sql!(
                "select worksite_id, from_at, time_zone, project_id from worksite_terms where brand_id = $1
                 order by worksite_id, from_at",
                self.1.brand()
            ))
            .await
    }
}
