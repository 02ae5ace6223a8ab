//! People, tags and base stations by part of their name. The whole name comes first, then names that begin with the text, so that however
//! many contain it, what was written out is found. Nothing is read that only lists show.

use domain::{Found, FoundBaseStation, FoundPerson, FoundTag};

use crate::engine::page::like_pattern;
use crate::engine::statement::{Statement, sql};
use crate::people::ShownAs;
use crate::{Error, Projects, Scope, Tx};

/// The conditions on the folded name: `$2` is the pattern of names that contain the text, `$3` the text, and `$4` the pattern of names that
/// begin with it.
const PEOPLE_BY_NAME: &str = "select id, name, company, employee_id from people
    where brand_id = $1 and name_key like $2 escape '!'
    order by case when name_key = $3 then 0 when name_key like $4 escape '!' then 1 else 2 end,
        case when archived_at is null then 0 else 1 end, name_key, id";

const PEOPLE_BY_LABEL: &str = "select id, name, company, employee_id from people
    where brand_id = $1 and 'person ' || id like $2 escape '!'
    order by case when 'person ' || id = $3 then 0 when 'person ' || id like $4 escape '!' then 1 else 2 end,
        case when archived_at is null then 0 else 1 end, id";

/// The wearers of `$5` tags at most are looked up, not of all that contain the text.
const TAGS: &str = "select t.id, t.serial, a.person_id, p.name as person_name, p.kind as person_kind from (
        select id, serial, serial_key from tags where brand_id = $1 and serial_key like $2 escape '!'
        order by case when serial_key = $3 then 0 when serial_key like $4 escape '!' then 1 else 2 end,
            serial_key, id limit $5
    ) t
    left join tag_assignments a on a.tag_id = t.id and a.ended_at is null
    left join people p on p.id = a.person_id
    order by case when t.serial_key = $3 then 0 when t.serial_key like $4 escape '!' then 1 else 2 end,
        t.serial_key, t.id";

const BASE_STATIONS: &str = "select s.id, s.serial, s.name from base_stations s";

/// Where base stations are, which only a restriction to projects asks for.
const THEIR_WORKSITES: &str = "
    left join installations i on i.base_station_id = s.id and i.to_at is null
    left join machine_assignments a on a.machine_id = i.machine_id and a.to_at is null
    left join worksites w on w.id = a.worksite_id";

const BASE_STATIONS_BY_NAME: &str = "
    where s.brand_id = $1 and (s.serial_key like $2 escape '!' or s.name_key like $2 escape '!')";

const ORDER_OF_BASE_STATIONS: &str = " order by case when s.serial_key = $3 or s.name_key = $3 then 0
        when s.serial_key like $4 escape '!' or s.name_key like $4 escape '!' then 1 else 2 end,
        s.serial_key, s.id";

/// The records of a brand by part of their name. People and tags are visible across its projects, base stations as in their list.
pub struct NameSearch<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn name_search<'a>(&'a mut self, scope: &'a Scope) -> NameSearch<'a> {
        NameSearch(self, scope)
    }
}

#[macros::boxed]
impl NameSearch<'_> {
    /// Finds people, archived or not.
    pub async fn people(
        &mut self,
        text: &str,
        shown_as: ShownAs,
        max: u16,
    ) -> Result<Found<FoundPerson>, Error> {
        let statement = match shown_as {
            ShownAs::Name => self.statement(PEOPLE_BY_NAME, text),
            ShownAs::Label => self.statement(PEOPLE_BY_LABEL, text),
        };
        let rows = self.0.all(limited(statement, max)).await?;
        Ok(found(rows, max))
    }

    /// Finds tags by their serials, retired or not.
    pub async fn tags(&mut self, text: &str, max: u16) -> Result<Found<FoundTag>, Error> {
        let statement = self.statement(TAGS, text).bind(one_more(max));
        let rows = self.0.all(statement).await?;
        Ok(found(rows, max))
    }

    /// Finds base stations by their serials or names.
    pub async fn base_stations(&mut self, text: &str, max: u16) -> Result<Found<FoundBaseStation>, Error> {
        let projects = self.1.projects();
        let mut statement = self.statement(BASE_STATIONS, text);
        if matches!(projects, Projects::Only(_)) {
            statement = statement.push(THEIR_WORKSITES);
        }
        let statement = statement
            .push(BASE_STATIONS_BY_NAME)
            .and_in_projects(projects, "w.project_id")
            .push(ORDER_OF_BASE_STATIONS);
        let rows = self.0.all(limited(statement, max)).await?;
        Ok(found(rows, max))
    }

    fn statement(&self, select: &'static str, text: &str) -> Statement {
        let contains = like_pattern(text);
        let begins = contains.strip_prefix('%').unwrap_or(&contains).to_owned();
        sql!(select, self.1.brand(), contains, domain::text::fold(text), begins)
    }
}

fn limited(statement: Statement, max: u16) -> Statement {
    statement.push_with(" limit $?", [one_more(max).into()])
}

/// One row more than is wanted is read, to know whether there are more.
fn one_more(max: u16) -> i64 {
    i64::from(max) + 1
}

fn found<T>(mut records: Vec<T>, max: u16) -> Found<T> {
    let has_more = records.len() > usize::from(max);
    records.truncate(usize::from(max));
    Found { records, has_more }
}
