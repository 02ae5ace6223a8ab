//! Erasing a person from alerts.

use domain::{ClearReason, PersonId};
use store::{Scope, Tx};

use crate::{App, Error};

impl App {
    /// Removes someone from the recipients and the scopes of all rules of the brand, and from firings about them, of which open ones clear.
    /// Returns the number of rules and firings that were changed.
    ///
    /// A rule about nobody else is disabled: without its last person it would watch everyone.
    pub(crate) async fn erase_person_from_alerts(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        person: PersonId,
        email: Option<&str>,
    ) -> Result<u64, Error> {
        let (whole, now) = (self.scope_of(scope.brand()), self.clock.now());
        // Firings first, so that open ones clear because of the erasure.
        let mut changed = tx.alert_firings(&whole).erase_person(person, now).await?;
        if let Some(email) = email {
            changed += tx.alert_rules(&whole).remove_address(&email.to_lowercase(), now).await?;
        }
        let rules = tx.alert_rules(&whole).all().await?;
        for rule in rules {
            let mut remaining = rule.terms.scope.clone();
            if !remaining.remove_person(person) {
                continue;
            }
            changed += 1;
            if !remaining.person_ids.is_empty() {
                tx.alert_rules(&whole).set_scope(rule.id, &remaining, now).await?;
                continue;
            }
            tx.alert_rules(&whole).disable_erased(rule.id, &remaining, now).await?;
            tx.alert_firings(&whole).close_all(rule.id, ClearReason::RuleDisabled, now).await?;
        }
        Ok(changed)
    }
}
