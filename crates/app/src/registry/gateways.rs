//! Gateways, as admins manage them.

use domain::access::ManageDevices;
use domain::{Change, DeviceFilter, DeviceId, Gateway, Invalid, ListRequest, Listing, Name, StoredResponse};
use serde_json::json;

use crate::platform::audit::AuditEntry;
use crate::platform::duplicates::map_duplicate;
use crate::registry::listing::ListQuery;
use crate::{App, Caller, Error, Idempotent, IfMatch, unrestricted};

#[macros::boxed]
impl App {
    /// Lists a page of the brand's gateways, in an order or as they changed, with the total if requested.
    pub async fn list_gateways(
        &self,
        caller: &Caller<ManageDevices>,
        filter: &DeviceFilter,
        request: &ListRequest,
    ) -> Result<Listing<Gateway>, Error> {
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        let query = ListQuery::new(&mut tx, scope, request).await?;
        let filter = DeviceFilter { rows: query.rows(&filter.rows), ..filter.clone() };
        let slice = tx.gateways(scope).slice(&filter, query.sorting, &request.window).await?;
        let total = match request.include_total {
            true => Some(tx.gateways(scope).count(&filter).await?),
            false => None,
        };
        let changes = query.changes(&slice);
        Ok(Listing::new(slice, total, changes))
    }

    pub async fn find_gateway(&self, caller: &Caller<ManageDevices>, id: DeviceId) -> Result<Gateway, Error> {
        let found = self.store.read().await?.gateways(caller.scope()).find(id).await?;
        found.ok_or_else(|| Error::not_found("gateway"))
    }

    /// Adds a gateway. It can do nothing until it has a token.
    pub async fn create_gateway(
        &self,
        caller: &Caller<ManageDevices>,
        name: &Name,
        idempotent: Idempotent<'_, Gateway>,
    ) -> Result<StoredResponse, Error> {
        caller.require_unrestricted(unrestricted::ADD_GATEWAY)?;
        self.run_idempotent(idempotent, async |tx| {
            tx.lock_and_bump_registry(caller.scope()).await?;
            let gateway = map_duplicate_name(tx.gateways(caller.scope()).add(name, self.clock.now()).await)?;
            let entry = AuditEntry::by_caller(caller).on("gateway.created", "gateway", gateway.id.0);
            self.record_audit(tx, entry.with_details(json!({ "after": { "name": gateway.name } }))).await?;
            Ok(gateway)
        })
        .await
    }

    pub async fn change_gateway(
        &self,
        caller: &Caller<ManageDevices>,
        id: DeviceId,
        if_match: &IfMatch,
        name: Change<Name>,
    ) -> Result<Gateway, Error> {
        caller.require_unrestricted(unrestricted::CHANGE_GATEWAY)?;
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(caller.scope()).await?;
        let found = tx.gateways(caller.scope()).find(id).await?;
        let before = found.ok_or_else(|| Error::not_found("gateway"))?;
        if_match.check(before.version)?;
        let name = match name {
            Change::Set(name) if name.as_str() != before.name => name,
            _ => return Ok(before),
        };
        let after =
            map_duplicate_name(tx.gateways(caller.scope()).rename(id, &name, self.clock.now()).await)?;
        let entry = AuditEntry::by_caller(caller).on("gateway.changed", "gateway", id.0);
        let details = json!({ "before": { "name": before.name }, "after": { "name": after.name } });
        self.record_audit(&mut tx, entry.with_details(details)).await?;
        tx.commit().await?;
        Ok(after)
    }
}

/// Turns a duplicate name into an error of the field `name`.
fn map_duplicate_name(outcome: Result<Gateway, store::Error>) -> Result<Gateway, Error> {
    map_duplicate(outcome, || {
        let taken = Invalid::new("name_taken", "is the name of another gateway");
        Error::invalid_field("name", taken)
    })
}
