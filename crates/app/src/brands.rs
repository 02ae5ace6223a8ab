//! Brands.

use domain::{BrandId, Invalid, Name};
use serde_json::json;
use store::{Brand, Projects, Scope, Tx};

use crate::audit::Act;
use crate::{App, Error, Kind};

impl App {
    /// Adds a brand, from the command line.
    pub async fn create_brand(&self, name: &Name) -> Result<Brand, Error> {
        let mut tx = self.store.begin().await?;
        let brand = self.add_brand(&mut tx, name).await?;
        tx.commit().await?;
        Ok(brand)
    }

    pub(crate) async fn add_brand(&self, tx: &mut Tx, name: &Name) -> Result<Brand, Error> {
        let brand = match tx.brands(&self.platform).add(name, self.clock.now()).await {
            Err(store::Error::Duplicate(_)) => {
                let taken = Invalid::new("name_taken", format!("a brand called {name} exists already"));
                return Err(Error::invalid_field("name", taken));
            }
            other => other?,
        };
        let act = Act::of_command_line(Some(brand.id)).on("brand.created", "brand", brand.id.0);
        self.record(tx, act.with(json!({ "name": brand.name }))).await?;
        Ok(brand)
    }

    /// The brand of that name, for the command line.
    pub async fn find_brand(&self, name: &Name) -> Result<Brand, Error> {
        let found = self.store.read().await?.brands(&self.platform).by_name(name).await?;
        found.ok_or_else(|| {
            Error::new(Kind::NotFound, "not_found", format!("There is no brand called {name}."))
        })
    }

    /// Every brand, by name.
    pub async fn all_brands(&self) -> Result<Vec<Brand>, Error> {
        Ok(self.store.read().await?.brands(&self.platform).all().await?)
    }

    /// The whole of a brand, for the command line and for jobs.
    pub(crate) fn scope_of(&self, brand: BrandId) -> Scope {
        self.platform.scope(brand, Projects::All)
    }
}
