//! Reviews of incursions by users.

use domain::access::ReviewIncursions;
use domain::{
    Actor, ChangeCause, IncursionId, IncursionRow, MultilineText, Review, StoredIncursion, StoredResponse,
    StoredReview,
};
use serde_json::json;
use store::Tx;

use crate::facts::incursions::incursion_not_found;
use crate::platform::audit::AuditEntry;
use crate::{App, Caller, Error, Idempotent, IfMatch};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewReview {
    pub state: Review,
    pub comment: Option<MultilineText>,
}

#[macros::boxed]
impl App {
    /// Reviews an incursion. Repeating the current state without a comment changes nothing.
    ///
    /// Only the id is stored for a retry, because the incursion names people who may be erased: a retry reads the incursion again.
    pub async fn review_incursion(
        &self,
        caller: &Caller<ReviewIncursions>,
        id: IncursionId,
        if_match: &IfMatch,
        new: &NewReview,
        idempotent: Idempotent<'_, IncursionId>,
    ) -> Result<StoredResponse, Error> {
        let (scope, now) = (caller.scope(), self.clock.now());
        let effect = async |tx: &mut Tx| {
            // The sequence number comes first: its lock orders the changes of the brand's facts, so that the incursion cannot change now.
            let seq = tx.lock_and_allocate_seq(scope, 1).await?.last_seq;
            let before = tx
                .incursions_in_detail(scope)
                .find(id)
                .await?
                .ok_or_else(incursion_not_found)?
                .details
                .stored;
            if_match.check(before.row.seq)?;
            if before.row.review == new.state && new.comment.is_none() {
                return Ok(id);
            }
            let (was, replaced) = (before.row.review, before.row.seq);
            let after = StoredIncursion { id, row: IncursionRow { seq, review: new.state, ..before.row } };
            let count = tx.incursions(scope).replace(&[(after, replaced)], ChangeCause::Review, now).await?;
            if count != 1 {
                return Err(Error::internal("an incursion changed while its brand was locked"));
            }
            let (kind, user) = caller.identity.actor().kind_and_id();
            let review = StoredReview {
                review: new.state,
                by: Actor { kind, id: user, name: Some(caller.identity.name.clone()) },
                at: now,
                comment: new.comment.as_ref().map(|comment| comment.as_str().to_owned()),
                seq,
            };
            tx.incursions_in_detail(scope).add_review(id, &review).await?;
            let details = json!({
                "before": { "state": was, "seq": replaced },
                "after": { "state": new.state, "seq": seq },
            });
            let act = AuditEntry::by_caller(caller)
                .on("incursion.reviewed", "incursion", id.0)
                .with_details(details);
            let act = match &review.comment {
                Some(comment) => act.with_personal(&json!({ "comment": comment })),
                None => act,
            };
            self.record_audit(tx, act).await?;
            Ok(id)
        };
        self.run_idempotent(idempotent, effect).await
    }
}
