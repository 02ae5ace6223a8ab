//! People who wear tags, as tester devices see and add them.

use domain::PersonId;
use serde_json::json;
use store::{Answer, NewPerson, Page, PageRequest, PeopleFilter, Person, Tx};

use crate::audit::Act;
use crate::{App, Error, Once, Tester};

impl App {
    /// One page of the brand's people, with how many there are if that is asked for.
    pub async fn list_people(
        &self,
        tester: &Tester,
        filter: &PeopleFilter,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<Person>, Option<i64>), Error> {
        let mut tx = self.store.read().await?;
        let found = tx.people(&tester.scope).page(filter, page).await?;
        let total = if include_total { Some(tx.people(&tester.scope).count(filter).await?) } else { None };
        Ok((found, total))
    }

    /// One person of the brand.
    pub async fn find_person(&self, tester: &Tester, id: PersonId) -> Result<Person, Error> {
        let found = self.store.read().await?.people(&tester.scope).find(id).await?;
        found.ok_or_else(|| Error::not_found("person"))
    }

    /// Adds a person.
    pub async fn create_person(
        &self,
        tester: &Tester,
        new: &NewPerson,
        once: Once<'_, Person>,
    ) -> Result<Answer, Error> {
        self.once(once, async |tx| {
            tx.raise_registry_version(&tester.scope).await?;
            self.add_person(tx, tester, new).await
        })
        .await
    }

    /// Adds a person in a transaction that has raised the registry's version.
    pub(crate) async fn add_person(
        &self,
        tx: &mut Tx,
        tester: &Tester,
        new: &NewPerson,
    ) -> Result<Person, Error> {
        let person = tx.people(&tester.scope).add(new, self.clock.now()).await?;
        self.record(
            tx,
            Act::of_tester(tester)
                .on("person.created", "person", person.id.0)
                .with(json!({ "kind": person.kind }))
                .with_personal(&json!({
                    "name": person.name,
                    "employee_id": person.employee_id,
                    "email": person.email,
                    "company": person.company,
                })),
        )
        .await?;
        Ok(person)
    }
}
