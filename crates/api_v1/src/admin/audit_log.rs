//! GET /api/v1/admin/audit_log

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadAudit;
use domain::{ActorKind, AuditFilter, AuditLogEntry, Invalid, PeriodBound, Timestamp};
use serde_json::Value;
use web::{
    Caller, FromParams, List, ListParams, OperationRouter, Params, Query, Result, enum_schemas, problem,
    routes,
};

use crate::references::Actor;

pub fn routes() -> OperationRouter {
    OperationRouter::new().routes(routes!(list_audit_log))
}

/// One entry of the audit log.
#[web::answer]
pub struct AuditEntry {
    /// Identifier of the entry.
    #[schema(example = 17)]
    id: i64,
    /// Time of the action, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    at: Timestamp,
    /// Actor that performed the action.
    actor: Actor,
    /// Name of the action, such as `session.started` or `project.changed`.
    #[schema(example = "project.changed")]
    action: String,
    /// Target of the action.
    target: AuditTarget,
    /// Values before and after, reasons and counts. They contain nothing that names a person.
    details: Value,
    /// Details that name a person; null if there were none or if they were erased.
    personal: Option<Value>,
    /// Network address that the request came from.
    #[schema(example = "192.0.2.1")]
    address: Option<String>,
    /// Identifier of the request, as in the `X-Request-Id` header.
    request_id: Option<String>,
    /// Time at which the entry was added, RFC 3339 in UTC; the same as `at`.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// The same as `created_at`: entries are never changed. Only `personal` is removed when the person is erased.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

/// The target of an action in the audit log.
#[web::answer]
pub struct AuditTarget {
    /// Kind of the target, such as `user` or `project`.
    #[schema(example = "project")]
    kind: String,
    /// Identifier among its kind; null if the kind has none.
    #[schema(example = 1)]
    id: Option<i64>,
}

pub type AuditList = List<AuditEntry>;

pub struct AuditParams {
    filter: AuditFilter,
    list: ListParams,
}

impl FromParams for AuditParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let filter = AuditFilter {
            action: query.short_text("action")?,
            actor_kind: query.one("actor_kind", parse_actor_kind)?.map(|kind| kind.as_str().to_owned()),
            actor_id: query.id("actor_id")?,
            target_kind: query.short_text("target_kind")?,
            target_id: query.id("target_id")?,
            from: query.one("from", PeriodBound::parse)?,
            to: query.one("to", PeriodBound::parse)?,
        };
        Ok(Self { filter, list: ListParams::read_without_total(query)? })
    }
}

fn parse_actor_kind(word: &str) -> Result<ActorKind, Invalid> {
    ActorKind::parse(word).ok_or_else(|| {
        let words = ActorKind::ALL.map(ActorKind::as_str).join(", ");
        Invalid::new("invalid_kind", format!("must be one of {words}"))
    })
}

/// List audit log entries
///
/// The log records what people and devices did in the brand. The newest entries come first.
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    get, path = "/api/v1/admin/audit_log", tag = "admin", operation_id = "list_audit_log",
    params(
        ("action" = Option<String>, Query, description = "Only entries with this action", example = "session.started"),
        ("actor_kind" = Option<enum_schemas::ActorKind>, Query, description = "Only actions of this kind of actor"),
        ("actor_id" = Option<i64>, Query, description = "Only actions of the actor with this identifier"),
        ("target_kind" = Option<String>, Query, description = "Only actions on this kind of target"),
        ("target_id" = Option<i64>, Query, description = "Only actions on the target with this identifier"),
        ("from" = Option<String>, Query, description = "Only actions at or after this time: a time (RFC 3339), or a date, which begins by the \
            local time of the brand"),
        ("to" = Option<String>, Query, description = "Only actions before this time; a time or a date, as in `from`"),
        ("limit" = Option<u16>, Query, description = "Maximum number of rows, 1 to 500", minimum = 1, maximum = 500),
        ("cursor" = Option<String>, Query, description = "Value of `next` from the previous page"),
    ),
    responses(
        (status = 200, description = "A page of the log", body = AuditList),
        problem::BadParams,
    ),
)]
pub async fn list_audit_log(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadAudit>,
    Params(AuditParams { filter, list }): Params<AuditParams>,
) -> Result {
    let page = app.list_audit_log(&caller, &filter, &list.page()).await?;
    Ok(web::list_response(&list, (page, None), shape))
}

fn shape(entry: AuditLogEntry) -> AuditEntry {
    let AuditLogEntry { row, actor_name: name } = entry;
    // Only kinds that are known here are written.
    let kind = ActorKind::parse(&row.actor_kind).unwrap_or(ActorKind::Service);
    // Both columns contain JSON that this service wrote.
    let json = |text: &str| serde_json::from_str(text).unwrap_or(Value::Null);
    AuditEntry {
        id: row.id.0,
        at: row.at,
        actor: domain::Actor { kind, id: row.actor_id, name }.into(),
        action: row.action,
        target: AuditTarget { kind: row.target_kind, id: row.target_id },
        details: json(&row.details),
        personal: row.personal_text.as_deref().map(json),
        address: row.address,
        request_id: row.request_id,
        created_at: row.at,
        updated_at: row.at,
    }
}
