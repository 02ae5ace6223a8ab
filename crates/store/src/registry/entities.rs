//! People and machines in one list, with their devices and the time they were last seen.

use domain::row::FromRow;
use domain::{Entity, EntityDevice, EntityLink, LinkKind, MachineId, PersonId, WorksiteId};

use crate::engine::row::{Row, impl_from_word};
use crate::engine::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

impl_from_word! { LinkKind, LinkKind::parse; }

/// An entity with at most one device. An entity with several devices has several consecutive rows.
struct EntityRow(Entity);

impl FromRow<Row> for EntityRow {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let device: (Option<i64>, Option<String>) = (row.get("device_id")?, row.get("serial")?);
        let last_seen_at = row.get("device_seen_at")?;
        let worksite: (Option<WorksiteId>, Option<String>) =
            (row.get("worksite_id")?, row.get("worksite_name")?);
        let project = row.get("project_id")?;
        Ok(Self(Entity {
            entity_type: row.get("entity_type")?,
            id: row.get("id")?,
            name: row.get("name")?,
            kind: row.get("kind")?,
            archived_at: row.get("archived_at")?,
            devices: device
                .0
                .zip(device.1)
                .map(|(id, serial)| EntityDevice { id, serial, last_seen_at })
                .into_iter()
                .collect(),
            last_seen_at: row.get("seen_at")?,
            worksite: worksite.0.zip(worksite.1).map(|(id, name)| (id, name, project)),
            created_at: row.get("created_at")?,
            updated_at: row.get("updated_at")?,
        }))
    }
}

/// A machine was last seen when its station was, if the station was installed by then.
const MACHINES: &str = "select 'machine' as entity_type, m.id, m.name, m.kind, m.archived_at, s.id as device_id, s.serial,
        s.last_seen_at as device_seen_at, case when s.last_seen_at >= i.from_at then s.last_seen_at end as seen_at,
        w.id as worksite_id, w.name as worksite_name, w.project_id, m.created_at, m.updated_at
    from machines m
    left join machine_assignments a on a.machine_id = m.id and a.to_at is null
    left join worksites w on w.id = a.worksite_id
    left join installations i on i.machine_id = m.id and i.to_at is null
    left join base_stations s on s.id = i.base_station_id
    where m.brand_id = $1";

/// A person was last seen when a tag of theirs was. If the tag has been seen with another wearer since, the tests and incursions
/// from the time of the assignment count instead.
const PEOPLE: &str = "select 'person' as entity_type, p.id, p.name, p.kind, p.archived_at,
        case when a.ended_at is null then t.id end as device_id, t.serial, t.last_seen_at as device_seen_at,
        case
            when t.last_seen_at < a.assigned_at then null
            when a.ended_at is null or t.last_seen_at < a.ended_at then t.last_seen_at
            else (select max(at) from (
                select max(x.tested_at) as at from tag_tests x where x.brand_id = a.brand_id and x.tag_id = a.tag_id
                    and x.tested_at >= a.assigned_at and x.tested_at < a.ended_at
                union all
                select max(n.started_at) as at from incursions n where n.brand_id = a.brand_id and n.tag_id = a.tag_id
                    and n.started_at >= a.assigned_at and n.started_at < a.ended_at) as seen)
        end as seen_at, null as worksite_id, null as worksite_name, null as project_id, p.created_at, p.updated_at
    from people p
    left join tag_assignments a on a.brand_id = p.brand_id and a.person_id = p.id
    left join tags t on t.id = a.tag_id
    where p.brand_id = $1";

/// The people and machines of a brand that are visible in the scope. People are visible across the brand; machines only at
/// worksites of the scope's projects.
pub struct Entities<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn entities<'a>(&'a mut self, scope: &'a Scope) -> Entities<'a> {
        Entities(self, scope)
    }
}

/// The project condition is appended to the second part, so that worksites of other projects are not disclosed.
const LINKS_OF_MACHINE: &str =
    "select 'base_station' as kind, i.base_station_id as id, s.serial as label, i.from_at, i.to_at
    from installations i join base_stations s on s.id = i.base_station_id
    where i.brand_id = $1 and i.machine_id = $2
    union all
    select 'worksite' as kind, a.worksite_id as id, w.name as label, a.from_at, a.to_at
    from machine_assignments a join worksites w on w.id = a.worksite_id
    where a.brand_id = $1 and a.machine_id = $2";

const LINKS_OF_PERSON: &str =
    "select 'tag' as kind, a.tag_id as id, t.serial as label, a.assigned_at as from_at, a.ended_at as to_at
    from tag_assignments a join tags t on t.id = a.tag_id where a.brand_id = $1 and a.person_id = $2";

#[macros::boxed]
impl Entities<'_> {
    pub async fn machines(&mut self) -> Result<Vec<Entity>, Error> {
        let statement = sql!(MACHINES, self.1.brand()).and_in_projects(self.1.projects(), "w.project_id");
        self.read(statement.push(" order by m.id")).await
    }

    pub async fn machine(&mut self, id: MachineId) -> Result<Option<Entity>, Error> {
        let statement = sql!(MACHINES, self.1.brand()).and_in_projects(self.1.projects(), "w.project_id");
        Ok(self.read(statement.push_with(" and m.id = $?", [id.into()])).await?.pop())
    }

    pub async fn people(&mut self) -> Result<Vec<Entity>, Error> {
        self.read(sql!(PEOPLE, self.1.brand()).push(" order by p.id, a.assigned_at, a.id")).await
    }

    pub async fn person(&mut self, id: PersonId) -> Result<Option<Entity>, Error> {
        let statement = sql!(PEOPLE, self.1.brand()).push_with(" and p.id = $?", [id.into()]);
        Ok(self.read(statement.push(" order by p.id, a.assigned_at, a.id")).await?.pop())
    }

    /// Returns the links of a machine, latest first.
    pub async fn links_of_machine(&mut self, id: MachineId, limit: i64) -> Result<Vec<EntityLink>, Error> {
        let statement =
            sql!(LINKS_OF_MACHINE, self.1.brand(), id).and_in_projects(self.1.projects(), "w.project_id");
        let order = " order by from_at desc, kind, id desc limit $?";
        self.0.all(statement.push_with(order, [limit.into()])).await
    }

    /// Returns the links of a person, latest first.
    pub async fn links_of_person(&mut self, id: PersonId, limit: i64) -> Result<Vec<EntityLink>, Error> {
        let statement = sql!(LINKS_OF_PERSON, self.1.brand(), id);
        let order = " order by from_at desc, id desc limit $?";
        self.0.all(statement.push_with(order, [limit.into()])).await
    }

    async fn read(&mut self, statement: Statement) -> Result<Vec<Entity>, Error> {
        let lines: Vec<EntityRow> = self.0.all(statement).await?;
        let mut entities: Vec<Entity> = Vec::with_capacity(lines.len());
        for EntityRow(line) in lines {
            match entities.last_mut() {
                Some(last) if last.id == line.id => {
                    last.devices.extend(line.devices);
                    last.last_seen_at = last.last_seen_at.max(line.last_seen_at);
                }
                _ => entities.push(line),
            }
        }
        Ok(entities)
    }
}
