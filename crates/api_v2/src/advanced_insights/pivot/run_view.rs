//! GET /api/v2/advanced_insights/pivot

use std::sync::Arc;

use app::{App, Error, ErrorKind, FieldError, FieldLocation, ViewQuery};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{Invalid, Period, PeriodBound, SavedViewId};
use web::{
    Caller, CellFormat, FromParams, NamedReference, Params, Query, Result, enum_schemas, json_api_errors,
    parse_stored_view,
};

use super::{PivotAnswer, shape};

/// Saved view to run, and its period.
#[derive(web::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RunViewParams {
    /// Id of a saved view of the kind `pivot`. Default: the default view of your preferences.
    #[param(value_type = Option<i64>, example = 7)]
    view: Option<SavedViewId>,
    /// Start of the period, in place of the view's own: a time in RFC 3339, or a date in the local time of each worksite.
    #[param(value_type = Option<String>, example = "2026-02-01")]
    from: Option<PeriodBound>,
    /// End of the period, exclusive, in place of the view's own.
    #[param(value_type = Option<String>, example = "2026-03-01")]
    to: Option<PeriodBound>,
    /// Form of the cells: arrays, or with `objects` objects with a member for each number. Default: `compact`.
    #[param(value_type = Option<enum_schemas::PivotCellFormat>, example = "objects")]
    cells: Option<CellFormat>,
}

impl FromParams for RunViewParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self {
            view: query.id("view")?.map(SavedViewId),
            from: query.one("from", PeriodBound::parse)?,
            to: query.one("to", PeriodBound::parse)?,
            cells: query.one("cells", CellFormat::parse)?,
        })
    }
}

/// The pivot of a saved view.
#[web::answer]
pub struct ViewPivotAnswer {
    #[serde(flatten)]
    pivot: PivotAnswer,
    /// The view that was run.
    view: NamedReference,
    /// Records that the view's filters name but that do not exist or are not visible to you. They still restrict the numbers.
    missing: Vec<MissingRecord>,
}

/// A record that a view's filters name but that does not exist or is not visible.
#[web::answer]
pub struct MissingRecord {
    /// Filter field that names the record.
    #[schema(example = "worksite_id")]
    field: &'static str,
    /// Id of the record.
    #[schema(example = 3)]
    id: i64,
}

/// Run a saved view
///
/// Computes the pivot of the view from the data that you may see. A view without a period covers 28 local days, today the
/// last of them; `from` and `to` override the period of the view. Records that the view names but that do not exist or are not visible
/// are listed in `missing`.
#[web::operation(
    get, path = "/api/v2/advanced_insights/pivot", tag = "advanced insights", operation_id = "run_saved_view", params(RunViewParams),
    responses(
        (status = 200, description = "The pivot of the view.", body = ViewPivotAnswer),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::ResultTooLarge, json_api_errors::Unavailable,
    ),
)]
pub async fn run_saved_view(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(RunViewParams { view, from, to, cells }): Params<RunViewParams>,
) -> Result {
    let view = match view {
        Some(view) => app.find_saved_view(&caller, view).await?,
        None => app.find_default_view(&caller).await?.ok_or_else(|| {
            let invalid =
                Invalid::new("required", "must be given because your preferences have no default view");
            Error::bad_parameter("view", invalid)
        })?,
    };
    let ViewQuery::Pivot(mut filter, request) = parse_stored_view(&view)? else {
        let invalid = Invalid::new("not_a_pivot", "is a view of kind filter; only pivots can be run here");
        return Err(Error::bad_parameter("view", invalid).into());
    };
    let saved_period = filter.period.unwrap_or_default();
    filter.period = Some(Period { from: from.or(saved_period.from), to: to.or(saved_period.to) });
    let pivot = app.insight_pivot(&caller, &filter, &request).await.map_err(with_view_parameter)?;
    let missing = app.find_missing_references(&caller, &filter).await?;
    Ok(web::json_response(&ViewPivotAnswer {
        pivot: shape(pivot, &request, cells.unwrap_or_default()),
        view: NamedReference { id: view.id.0, name: view.name },
        missing: missing.into_iter().map(|one| MissingRecord { field: one.field, id: one.id }).collect(),
    }))
}

/// Attributes an error in the view's query to the parameter `view`, because the request has no body to point into.
fn with_view_parameter(mut error: Error) -> Error {
    if error.kind == ErrorKind::Invalid && error.field_location == FieldLocation::Body {
        error.field_location = FieldLocation::Query;
        for FieldError { field, invalid } in &mut error.fields {
            invalid.message = format!("{field}: {}", invalid.message).into();
            "view".clone_into(field);
        }
    }
    error
}
