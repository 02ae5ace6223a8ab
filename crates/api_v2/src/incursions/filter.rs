//! The filters of the list of incursions: those that insights, charts and V1 have, under the names that filters have here, and the change
//! feed.

use app::Error;
use domain::insights::IncursionFilter;
use domain::{IncursionId, IncursionOrder, Invalid, Period};
#[cfg(feature = "openapi")]
use utoipa::openapi::RefOr;
#[cfg(feature = "openapi")]
use utoipa::openapi::path::{Parameter, ParameterIn, ParameterStyle};
#[cfg(feature = "openapi")]
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
#[cfg(feature = "openapi")]
use utoipa::{IntoParams as _, PartialSchema};
use web::{FactFilters, FromParams as _, Query};

/// The name of the parameter for the change feed.
pub const AFTER_SEQ: &str = "filter[after_seq]";

/// The name of the parameter for ids.
pub const ID: &str = "filter[id]";

/// The name of the parameter for reviews, which has a default.
const REVIEW: &str = "filter[review]";

pub enum IncursionListFilter {
    /// The incursions that match a filter, in an order; those with these ids only, if there are any.
    Matching { filter: Box<IncursionFilter>, ids: Vec<IncursionId>, order: IncursionOrder },
    /// The changes after a sequence number.
    ChangedAfter(i64),
}

impl IncursionListFilter {
    pub fn read(query: &mut Query) -> Result<Self, Error> {
        let after = query.integer(AFTER_SEQ, 0..=i64::MAX)?;
        let Some(after) = after else { return Self::read_matching(query) };
        let names = FactFilters::NAMES.into_iter().map(filter_name);
        let mut names = names.chain([ID, "sort", "page[before]"].map(str::to_owned));
        let refused = match names.find(|name| query.has(name)) {
            None if query.flag("page[total]")? => Some("page[total]".to_owned()),
            other => other,
        };
        match refused {
            None => Ok(Self::ChangedAfter(after)),
            Some(name) => {
                let text = format!("must not be given together with {AFTER_SEQ}");
                Err(Error::bad_parameter(&name, Invalid::new("not_with_after_seq", text)))
            }
        }
    }

    fn read_matching(query: &mut Query) -> Result<Self, Error> {
        let order = query.one("sort", IncursionOrder::parse_list)?.unwrap_or(IncursionOrder::NEWEST_FIRST);
        let ids: Vec<IncursionId> =
            query.comma_ids(ID)?.unwrap_or_default().into_iter().map(IncursionId).collect();
        let names_reviews = query.has(REVIEW);
        let names = FactFilters::NAMES.into_iter().map(|name| (filter_name(name), name));
        let mut filters = query.take_renamed(names)?;
        let mut filter = Box::new(IncursionFilter::read(&mut filters).map_err(with_filter_names)?);
        if !ids.is_empty() {
            // Whoever names incursions means these, whenever they were and whatever the office decided about them.
            filter.period = filter.period.filter(|Period { from, to }| from.is_some() || to.is_some());
            if !names_reviews {
                filter.reviews.clear();
            }
        }
        Ok(Self::Matching { filter, ids, order })
    }
}

/// Returns the name that a shared filter has here: `filter[machine]` instead of `machine_id`.
fn filter_name(name: &str) -> String {
    format!("filter[{}]", name.strip_suffix("_id").unwrap_or(name))
}

/// Replaces the names of shared filters in an error by those that they have here.
pub fn with_filter_names(mut error: Error) -> Error {
    for fault in &mut error.fields {
        if fault.field == "after_seq" || FactFilters::NAMES.contains(&fault.field.as_str()) {
            fault.field = filter_name(&fault.field);
        }
    }
    error
}

/// Returns the parameters of the shared filters. Several values are separated by commas.
#[cfg(feature = "openapi")]
pub fn parameters() -> Vec<Parameter> {
    let shared = FactFilters::into_params(|| Some(ParameterIn::Query)).into_iter();
    let renamed = shared.map(|mut parameter| {
        parameter.name = filter_name(&parameter.name);
        if matches!(parameter.schema, Some(RefOr::T(Schema::Array(_)))) {
            parameter.style = Some(ParameterStyle::Form);
            parameter.explode = Some(false);
        }
        parameter
    });
    renamed.collect()
}

/// Schema of the parameter for the change feed.
pub struct SequenceNumber;

#[cfg(feature = "openapi")]
impl PartialSchema for SequenceNumber {
    fn schema() -> RefOr<Schema> {
        RefOr::T(ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0)).into())
    }
}
