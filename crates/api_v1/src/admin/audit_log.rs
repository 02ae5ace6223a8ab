//! GET /api/v1/admin/audit_log

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadAudit;
use domain::{Invalid, Timestamp};
use serde::Serialize;
use serde_json::Value;
use store::{AuditFilter, AuditRow};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{Caller, EdgeState, FromParams, ListParams, PageInfo, Params, Query, Result, problem};

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new().routes(routes!(list_audit_log))
}

/// Something that was done.
#[derive(Serialize, ToSchema)]
pub struct AuditEntry {
    /// Its id.
    #[schema(example = 17)]
    id: i64,
    /// When.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    at: Timestamp,
    /// By whom.
    actor: AuditParty,
    /// What: `session.started`, `project.changed`, …
    #[schema(example = "project.changed")]
    action: String,
    /// To what.
    target: AuditParty,
    /// Before and after, reasons, counts; nothing that names a person.
    details: Value,
    /// What names a person; null if there was nothing, or it was erased.
    personal: Option<Value>,
    /// From where.
    #[schema(example = "192.0.2.1")]
    address: Option<String>,
    /// In which request.
    request_id: Option<String>,
}

/// Someone or something in the log.
#[derive(Serialize, ToSchema)]
pub struct AuditParty {
    /// What kind.
    #[schema(example = "user")]
    kind: String,
    /// Which of the kind.
    #[schema(example = 1)]
    id: Option<i64>,
}

/// A page of the log.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer for OpenAPI")]
pub struct AuditLog {
    data: Vec<AuditEntry>,
    page: PageInfo,
}

/// Filters and paging.
pub struct AuditParams {
    filter: AuditFilter,
    list: ListParams,
}

impl FromParams for AuditParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let filter = AuditFilter {
            action: query.short_text("action")?,
            actor_kind: query.short_text("actor_kind")?,
            actor_id: query.id("actor_id")?,
            target_kind: query.short_text("target_kind")?,
            target_id: query.id("target_id")?,
            from: query.time("from")?,
            to: query.time("to")?,
        };
        if filter.from.zip(filter.to).is_some_and(|(from, to)| from > to) {
            return Err(Error::bad_parameter("from", Invalid::new("out_of_range", "must not be after to")));
        }
        Ok(Self { filter, list: ListParams::read_without_total(query)? })
    }
}

/// Reads the log of what people and devices did in the brand, the newest first.
///
/// 403 `restricted` if you are restricted to projects.
#[utoipa::path(
    get, path = "/api/v1/admin/audit_log", tag = "admin", operation_id = "list_audit_log",
    security(("session" = [])),
    params(
        ("action" = Option<String>, Query, description = "Only this action", example = "session.started"),
        ("actor_kind" = Option<String>, Query, description = "`user`, `tester_device`, `command_line` or `service`"),
        ("actor_id" = Option<i64>, Query, description = "Only what this one of the kind did"),
        ("target_kind" = Option<String>, Query, description = "Only what was done to this kind of thing"),
        ("target_id" = Option<i64>, Query, description = "Only what was done to this one of the kind"),
        ("from" = Option<String>, Query, description = "Not before this time"),
        ("to" = Option<String>, Query, description = "Before this time"),
        ("limit" = Option<u16>, Query, description = "How many rows at most, 1 to 500", minimum = 1, maximum = 500),
        ("cursor" = Option<String>, Query, description = "The `next` of the page before"),
    ),
    extensions(("x-permission" = json!("read_audit"))),
    responses(
        (status = 200, description = "A page of the log", body = AuditLog),
        problem::BadParams, problem::Unauthenticated, problem::Forbidden,
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

fn shape(row: AuditRow) -> AuditEntry {
    // Both were written as JSON by ourselves.
    let json = |text: &str| serde_json::from_str(text).unwrap_or(Value::Null);
    AuditEntry {
        id: row.id.0,
        at: row.at,
        actor: AuditParty { kind: row.actor_kind, id: row.actor_id },
        action: row.action,
        target: AuditParty { kind: row.target_kind, id: row.target_id },
        details: json(&row.details),
        personal: row.personal_text.as_deref().map(json),
        address: row.address,
        request_id: row.request_id,
    }
}
