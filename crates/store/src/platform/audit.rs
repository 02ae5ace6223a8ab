//! The audit log: append-only rows. `audit_seals` has the chain of hashes that proves it.

use domain::{AuditFilter, AuditId, AuditLogEntry, BrandId, Page, PageRequest, PersonId, Timestamp, UserId};

use crate::engine::page::{self, Count, Keyed};
use crate::engine::row::Id;
use crate::engine::statement::sql;
use crate::{Error, Scope, Tx};

/// A new row of the audit log.
#[derive(Clone, Debug)]
pub struct NewAudit<'a> {
    /// None for actions on the installation.
    pub brand: Option<BrandId>,
    pub at: Timestamp,
    /// `user`, `device`, `command_line` or `service`.
    pub actor_kind: &'a str,
    pub actor_id: Option<i64>,
    /// For example `user.created` or `session.started`.
    pub action: &'a str,
    pub target_kind: &'a str,
    pub target_id: Option<i64>,
    /// JSON without personal fields.
    pub details: &'a str,
    /// Keyed hash of the personal text, so that erasing the text does not break the chain.
    pub personal_hash: Option<&'a [u8]>,
    /// The personal text, stored in a separate table.
    pub personal_text: Option<&'a str>,
    /// Network address of the caller.
    pub address: Option<&'a str>,
    pub request_id: Option<&'a str>,
}

/// The columns of [`AuditLogEntry`].
const ENTRY_COLUMNS: &str = "select a.id, a.brand_id, a.at, a.actor_kind, a.actor_id, a.action, a.target_kind,
    a.target_id, a.details, a.personal_hash, x.text as personal_text, a.address, a.request_id, case
        when a.actor_kind = 'tester_device' then (select y.name from tester_devices y where y.id = a.actor_id)
        when a.actor_kind in ('user', 'service_account') then (select y.name from users y where y.id = a.actor_id)
    end as actor_name
    from audit_log a left join audit_texts x on x.audit_id = a.id";

impl Keyed for AuditLogEntry {
    fn key(&self) -> (&str, i64) {
        ("", self.row.id.0)
    }
}

/// The audit log of one brand.
pub struct AuditsOfBrand<'a>(&'a mut Tx, &'a Scope);

#[macros::boxed]
impl AuditsOfBrand<'_> {
    /// Returns one page of a period, newest first.
    pub async fn page(
        &mut self,
        filter: &AuditFilter,
        (from, to): (Option<Timestamp>, Option<Timestamp>),
        page: &PageRequest,
    ) -> Result<Page<AuditLogEntry>, Error> {
        let list = format!("audit_log {filter:?}");
        let mut statement = sql!(ENTRY_COLUMNS).push_with(" where a.brand_id = $?", [self.1.brand().into()]);
        let texts = [
            (" and a.action = $?", &filter.action),
            (" and a.actor_kind = $?", &filter.actor_kind),
            (" and a.target_kind = $?", &filter.target_kind),
        ];
        for (condition, text) in texts {
            if let Some(text) = text {
                statement = statement.push_with(condition, [text.as_str().into()]);
            }
        }
        let numbers = [
            (" and a.actor_id = $?", filter.actor_id),
            (" and a.target_id = $?", filter.target_id),
            (" and a.at >= $?", from.map(Timestamp::micros)),
            (" and a.at < $?", to.map(Timestamp::micros)),
        ];
        for (condition, number) in numbers {
            if let Some(number) = number {
                statement = statement.push_with(condition, [number.into()]);
            }
        }
        let order = (" and a.id < $?", " order by a.id desc");
        let rows = self.0.all(page::order_by_id(statement, order, &list, page)?).await?;
        Ok(page::into_page(rows, &list, page))
    }

    /// Counts the entries of an action on records of a kind after a time, by one user or by anyone.
    pub async fn count_since(
        &mut self,
        (action, target_kind): (&str, &str),
        user: Option<UserId>,
        since: Timestamp,
    ) -> Result<i64, Error> {
        let text = "select count(*) as count from audit_log
             where brand_id = $1 and target_kind = $2 and action = $3 and at > $4";
        let mut statement = sql!(text, self.1.brand(), target_kind, action, since);
        if let Some(user) = user {
            let condition = " and actor_kind in ('user', 'service_account') and actor_id = $?";
            statement = statement.push_with(condition, [user.into()]);
        }
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    /// Deletes every personal text about a person, about their visits and on notes about them. The rows stay, and with them the chain.
    pub async fn erase_person(&mut self, person: PersonId) -> Result<u64, Error> {
        self.0
            .execute(sql!(
                "delete from audit_texts where audit_id in (
                     select id from audit_log where brand_id = $1 and target_kind = 'person' and target_id = $2
                     union all
                     select a.id from audit_log a join visitor_sessions v on v.id = a.target_id
                     where a.brand_id = $1 and a.target_kind = 'visitor_session'
                     and v.brand_id = $1 and v.person_id = $2
                     union all
                     select a.id from audit_log a join notes n on n.id = a.target_id
                     where a.brand_id = $1 and a.target_kind = 'note'
                     and n.brand_id = $1 and n.entity_type = 'person' and n.entity_id = $2)",
                self.1.brand(),
                person
            ))
            .await
    }
}

#[macros::boxed]
impl Tx {
    pub fn audits_of<'a>(&'a mut self, scope: &'a Scope) -> AuditsOfBrand<'a> {
        AuditsOfBrand(self, scope)
    }

    /// Writes a row in the transaction of the action itself, so that neither is committed without the other.
    pub async fn record_audit(&mut self, new: &NewAudit<'_>) -> Result<AuditId, Error> {
        let (text, is_single_statement) = self.insert_audit();
        let statement = sql!(
            text,
            new.brand,
            new.at,
            new.actor_kind,
            new.actor_id,
            new.action,
            new.target_kind,
            new.target_id,
            new.details,
            new.personal_hash,
            new.address,
            new.request_id
        );
        if is_single_statement {
            let Id(id) = self.one(statement.bind(new.personal_text)).await?;
            return Ok(id);
        }
        let Id(id) = self.one(statement).await?;
        if let Some(text) = new.personal_text {
            self.execute(sql!("insert into audit_texts (audit_id, text) values ($1, $2)", id, text)).await?;
        }
        self.execute(sql!("insert into audit_unsealed (audit_id) values ($1)", id)).await?;
        Ok(id)
    }
}
