//! Brands, as the command line creates and finds them.

use domain::{BrandId, Name};
use serde_json::json;
use store::{Brand, Projects, Scope, Tx};

use crate::platform::audit::AuditEntry;
use crate::{App, Error, ErrorKind};

#[macros::boxed]
impl App {
    /// Adds a brand, from the command line.
    pub async fn create_brand(&self, name: &Name) -> Result<Brand, Error> {
        let mut tx = self.store.begin().await?;
        let brand = self.add_brand(&mut tx, name).await?;
        tx.commit().await?;
        Ok(brand)
    }

    pub(crate) async fn add_brand(&self, tx: &mut Tx, name: &Name) -> Result<Brand, Error> {
        let brand = tx.brands(&self.platform).add(name, self.clock.now()).await?;
        let entry = AuditEntry::by_command_line(Some(brand.id)).on("brand.created", "brand", brand.id.0);
        self.record_audit(tx, entry.with_details(json!({ "name": brand.name }))).await?;
        Ok(brand)
    }

    /// Finds a brand by id or name, for the command line.
    pub async fn find_brand(&self, name: &Name) -> Result<Brand, Error> {
        let mut tx = self.store.read().await?;
        self.brand_by_id_or_name(&mut tx, name).await?.ok_or_else(|| {
            Error::new(
                ErrorKind::NotFound,
                "not_found",
                format!("There is no brand with the name or id {name}."),
            )
        })
    }

    /// Finds a brand by id or name, if there is one. Fails with the ids if several brands have the name. An existing id is never taken
    /// for a name, so that every brand can be referred to.
    pub(crate) async fn brand_by_id_or_name(&self, tx: &mut Tx, name: &Name) -> Result<Option<Brand>, Error> {
        if let Ok(id) = name.as_str().parse()
            && let Some(brand) = tx.brands(&self.platform).by_id(BrandId(id)).await?
        {
            return Ok(Some(brand));
        }
        let mut found = tx.brands(&self.platform).by_name(name).await?;
        if found.len() > 1 {
            let ids: Vec<String> = found.iter().map(|brand| brand.id.to_string()).collect();
            let detail =
                format!("Several brands are called {name}; use the id of one of them: {}.", ids.join(", "));
            return Err(Error::new(ErrorKind::Conflict, "ambiguous_brand", detail));
        }
        Ok(found.pop())
    }

    /// Lists all brands by name.
    pub async fn list_all_brands(&self) -> Result<Vec<Brand>, Error> {
        Ok(self.store.read().await?.brands(&self.platform).all().await?)
    }

    /// Returns the unrestricted scope of a brand, for the command line and for jobs.
    pub(crate) fn scope_of(&self, brand: BrandId) -> Scope {
        self.platform.scope(brand, Projects::All)
    }
}
