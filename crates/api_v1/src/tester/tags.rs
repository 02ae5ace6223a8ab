//! GET /api/v1/tester/tags/{serial}

use std::sync::Arc;

use app::{App, Error};
use axum::extract::{Path, State};
use domain::{Serial, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{EdgeState, NoParams, Result, Tester, problem, words};

use super::PersonReference;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new().routes(routes!(get_tag))
}

/// What a kiosk shows of a tag.
#[derive(Serialize, ToSchema)]
pub struct TagView {
    /// Its id.
    #[schema(example = 12)]
    id: i64,
    /// What stands on it.
    #[schema(example = "TAG-0042")]
    serial: String,
    /// Whom it is meant for.
    #[schema(value_type = words::TagRole, example = "pedestrian")]
    role: &'static str,
    /// `retired`, `assigned` or `stock`.
    #[schema(example = "assigned")]
    state: &'static str,
    /// What its battery last held.
    #[schema(example = 87)]
    battery_percent: Option<i64>,
    /// Who wears it now.
    person: Option<PersonReference>,
    /// How it was last tested.
    last_test: Option<LastTest>,
}

/// The latest test of a tag.
#[derive(Serialize, ToSchema)]
pub struct LastTest {
    /// When it was.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    tested_at: Timestamp,
    /// Whether the tag did what it should.
    #[schema(example = true)]
    passed: bool,
}

/// What a kiosk shows of a tag.
#[utoipa::path(
    get, path = "/api/v1/tester/tags/{serial}", tag = "tester", operation_id = "get_tester_tag",
    security(("tester_token" = [])),
    params(("serial" = String, Path, description = "What stands on the tag, in any case")),
    responses(
        (status = 200, description = "The tag", body = TagView),
        problem::Unauthenticated, problem::NotFound,
    ),
)]
pub async fn get_tag(
    State(app): State<Arc<App>>,
    Tester(tester): Tester,
    serial: Result<Path<String>, axum::extract::rejection::PathRejection>,
    _: NoParams,
) -> Result {
    // What could not stand on any tag names none.
    let serial = serial
        .ok()
        .and_then(|Path(text)| Serial::parse(&text).ok())
        .ok_or_else(|| Error::not_found("tag"))?;
    let app::TagView { tag, assignment, last_test } = app.view_tag(&tester, &serial).await?;
    let state = match (tag.retired_at, &assignment) {
        (Some(_), _) => "retired",
        (None, Some(_)) => "assigned",
        (None, None) => "stock",
    };
    Ok(web::answer(&TagView {
        id: tag.id.0,
        serial: tag.serial,
        role: tag.role.as_str(),
        state,
        battery_percent: tag.battery_percent,
        person: assignment.as_ref().map(PersonReference::of),
        last_test: last_test.map(|test| LastTest { tested_at: test.tested_at, passed: test.passed }),
    }))
}
