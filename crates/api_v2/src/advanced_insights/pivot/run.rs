//! GET /api/v2/advanced_insights/pivot

use std::sync::Arc;

use app::{App, Error, FieldError, FieldsOf, Kind, ViewOf};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{Cut, Invalid, Period, SavedViewId};
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, FromParams, Params, Query, Result, json_api};

use super::{PivotAnswer, shape};
use crate::saved_views;

/// Which view is run, and of which time.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RunParams {
    /// The id of a saved view of kind `pivot`; left out, that of the one that your preferences begin with.
    #[param(value_type = Option<i64>, example = 7)]
    view: Option<SavedViewId>,
    /// Where the period begins, whatever the view says: an instant, or a day on each site's own clock.
    #[param(value_type = Option<String>, example = "2026-02-01")]
    from: Option<Cut>,
    /// Where it ends, exclusive, whatever the view says.
    #[param(value_type = Option<String>, example = "2026-03-01")]
    to: Option<Cut>,
}

impl FromParams for RunParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self {
            view: query.id("view")?.map(SavedViewId),
            from: query.one("from", Cut::parse)?,
            to: query.one("to", Cut::parse)?,
        })
    }
}

/// The pivot of a saved view.
#[derive(Serialize, ToSchema)]
pub struct ViewPivotAnswer {
    #[serde(flatten)]
    pivot: PivotAnswer,
    /// Which view it is of.
    view: RunView,
    /// What the view's filters name that is not there: deleted, or not for you to see. It still narrows the numbers.
    missing: Vec<MissingRecord>,
}

/// A view that was run.
#[derive(Serialize, ToSchema)]
pub struct RunView {
    /// Its id.
    #[schema(example = 7)]
    id: i64,
    /// What it is called.
    #[schema(example = "Danger by machine")]
    name: String,
}

/// Something that a view names and that is not there.
#[derive(Serialize, ToSchema)]
pub struct MissingRecord {
    /// Which field of the filters names it.
    #[schema(example = "worksite_id")]
    field: &'static str,
    /// Its id.
    #[schema(example = 3)]
    id: i64,
}

/// Runs a saved view: the pivot that it holds, of what you may see.
///
/// A view that says no period is about the last 30 days; `from` and `to` each take the place of what it says. What it names and is not
/// there is told in `missing`.
#[utoipa::path(
    get, path = "/api/v2/advanced_insights/pivot", tag = "advanced insights", operation_id = "run_saved_view",
    security(("jwt" = [])), params(RunParams),
    responses(
        (status = 200, description = "The pivot", body = ViewPivotAnswer),
        json_api::BadParams, json_api::Unauthenticated, json_api::NotFound, json_api::TooWide, json_api::NotNow,
    ),
)]
pub async fn run_saved_view(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(RunParams { view, from, to }): Params<RunParams>,
) -> Result {
    let view = match view {
        Some(view) => app.find_saved_view(&caller, view).await?,
        None => app.find_default_view(&caller).await?.ok_or_else(|| {
            let invalid = Invalid::new("required", "must be given: your preferences have no default view");
            Error::bad_parameter("view", invalid)
        })?,
    };
    let ViewOf::Pivot(mut filter, request) = saved_views::stored(&view)? else {
        let invalid = Invalid::new("not_a_pivot", "is a view of kind filter; only pivots can be run here");
        return Err(Error::bad_parameter("view", invalid).into());
    };
    let own = filter.period.unwrap_or_default();
    filter.period = Some(Period { from: from.or(own.from), to: to.or(own.to) });
    let pivot = app.insight_pivot(&caller, &filter, &request).await.map_err(about_view)?;
    let missing = app.missing_of(&caller, &filter).await?;
    Ok(web::answer(&ViewPivotAnswer {
        pivot: shape(pivot, &request),
        view: RunView { id: view.id.0, name: view.name },
        missing: missing.into_iter().map(|one| MissingRecord { field: one.field, id: one.id }).collect(),
    }))
}

/// A refusal of what a view asks is one of the parameter that names it: there is no body to point into.
fn about_view(mut error: Error) -> Error {
    if error.kind == Kind::Invalid && error.fields_of == FieldsOf::Body {
        error.fields_of = FieldsOf::Query;
        for FieldError { field, invalid } in &mut error.fields {
            invalid.message = format!("{field}: {}", invalid.message).into();
            "view".clone_into(field);
        }
    }
    error
}
