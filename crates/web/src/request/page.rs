//! Paging: the parameters and the responses of lists.

use std::borrow::Cow;

use app::Error;
use axum::response::Response;
use domain::{Cursor, Invalid, Page, PageRequest};
use serde::Serialize;
#[cfg(feature = "openapi")]
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema};
#[cfg(feature = "openapi")]
use utoipa::openapi::{Ref, RefOr};

use crate::request::params::{FromParams, Query};
use crate::response::success::json_response;
use crate::{IntoParams, PartialSchema, ToSchema};

const DEFAULT_LIMIT: u16 = 50;
const MAX_LIMIT: u16 = 500;

/// The parameters of every list.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListParams {
    /// Maximum number of rows on a page, 1 to 500.
    #[param(default = 50, minimum = 1, maximum = 500, required = false)]
    pub limit: u16,
    /// Value of `next` from the previous page. It is only valid with the same filters.
    #[param(value_type = Option<String>)]
    pub cursor: Option<Cursor>,
    /// Whether to count all rows that match the filters.
    #[param(default = false, required = false)]
    pub include_total: bool,
}

/// The position of a page in its list.
#[macros::answer]
pub struct PageInfo {
    /// Maximum number of rows on a page.
    limit: u16,
    /// Cursor of the next page; null on the last page.
    next: Option<String>,
    /// Total number of rows that match the filters; only with `include_total=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<i64>,
}

impl PageInfo {
    pub fn new(limit: u16, next: Option<&Cursor>, total: Option<i64>) -> Self {
        Self { limit, next: next.map(|cursor| cursor.as_str().to_owned()), total }
    }
}

impl FromParams for ListParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let include_total = query.flag("include_total")?;
        Ok(Self { include_total, ..Self::read_without_total(query)? })
    }
}

impl ListParams {
    /// Reads the parameters of a list that has no `include_total`.
    pub fn read_without_total(query: &mut Query) -> Result<Self, Error> {
        let limit = query.one("limit", |text| match text.parse() {
            Ok(limit @ 1..=MAX_LIMIT) => Ok(limit),
            _ => Err(Invalid::new("out_of_range", format!("must be a whole number from 1 to {MAX_LIMIT}"))),
        })?;
        let cursor = query.one("cursor", |text| Ok(Cursor::from_client(text)))?;
        Ok(Self { limit: limit.unwrap_or(DEFAULT_LIMIT), cursor, include_total: false })
    }
}

impl ListParams {
    pub fn page(&self) -> PageRequest {
        PageRequest { limit: self.limit, after: self.cursor.clone() }
    }
}

/// A page of a list. In OpenAPI it is called after its rows: a page of `Machine`, `MachineSummary` or `MachineEntry` is a
/// `MachineList`. A test refuses two lists of one name.
#[derive(Serialize)]
pub struct List<T, P = PageInfo> {
    data: Vec<T>,
    page: P,
}

impl<T, P> List<T, P> {
    pub(crate) fn new(data: Vec<T>, page: P) -> Self {
        Self { data, page }
    }
}

#[cfg(feature = "openapi")]
impl<T: ToSchema, P: ToSchema> PartialSchema for List<T, P> {
    fn schema() -> RefOr<Schema> {
        let rows = ArrayBuilder::new()
            .items(Ref::from_schema_name(T::name()))
            .description(Some("Rows of this page."));
        let page = Ref::from_schema_name(P::name());
        let list = ObjectBuilder::new()
            .description(Some(format!("A page of a list of `{}`.", T::name())))
            .property("data", rows)
            .property("page", page)
            .required("data")
            .required("page");
        RefOr::T(list.into())
    }
}

#[cfg(feature = "openapi")]
impl<T: ToSchema, P: ToSchema> ToSchema for List<T, P> {
    fn name() -> Cow<'static, str> {
        let row = T::name();
        let subject = ["Summary", "ListItem", "Entry"].iter().find_map(|suffix| row.strip_suffix(suffix));
        format!("{}List", subject.unwrap_or(&row)).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
        schemas.push((P::name().into_owned(), P::schema()));
    }
}

/// Renders a page of rows.
pub fn list_response<T, U: Serialize>(
    params: &ListParams,
    (page, total): (Page<T>, Option<i64>),
    shape: impl FnMut(T) -> U,
) -> Response {
    let page_info = PageInfo::new(params.limit, page.next.as_ref(), total);
    json_response(&List { data: page.rows.into_iter().map(shape).collect(), page: page_info })
}
