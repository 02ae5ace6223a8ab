//! What has to be done now and then, looking only at the state of the store.

use domain::Span;
use serde_json::json;

use crate::audit::Act;
use crate::{App, Error};

/// How long ended things are kept after they stopped mattering.
const KEPT: Span = Span::minutes(30 * 24 * 60);

impl App {
    /// Puts refused logins of past minutes into the audit log, one row per account and minute.
    pub async fn sum_refused_logins(&self) -> Result<(), Error> {
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        tx.installation(&self.platform).lock().await?;
        let sums = tx.login_refusals(&self.platform).take_sums(now.minute()).await?;
        for sum in sums {
            let details =
                json!({ "minute": sum.minute, "refusals": sum.refusals, "addresses": sum.addresses });
            self.record(
                &mut tx,
                Act::of_service(sum.brand, None)
                    .on_kind("login.refused", "account")
                    .with(details)
                    .with_personal(&json!({ "account": sum.account })),
            )
            .await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// Forgets sessions and refusals that nothing asks for any more.
    pub async fn forget_old(&self) -> Result<(), Error> {
        let before = self.clock.now() - KEPT;
        let mut tx = self.store.begin().await?;
        tx.sessions(&self.platform).forget(before).await?;
        tx.login_refusals(&self.platform).forget(before).await?;
        tx.commit().await?;
        Ok(())
    }
}
