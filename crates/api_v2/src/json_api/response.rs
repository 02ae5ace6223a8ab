//! Response documents of JSON:API.

use axum::body::Body;
use axum::response::Response;
use domain::{Cursor, Slice, StoredResponse};
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use serde_json::{Map, Value, json};
use web::JSON_API;

use super::included::Included;
use super::object::{Identifier, Linkage, RenderedResource, ResourceObject};
use super::query::{CollectionParams, Fieldsets, Include, LinkageParams, ResourceParams};
use super::request_url::{DocumentQuery, RequestUrl};
use super::resource::{Collection, Resource};

/// Answers 200 with one resource.
pub fn resource_response<R: Resource>(
    wanted: &DocumentQuery<ResourceParams<R>>,
    object: ResourceObject,
    included: Included,
) -> Response {
    related_response(wanted, Some(object), included)
}

/// Answers 200 with the related resource of a to-one relationship, or with null.
pub fn related_response<R: Resource>(
    query: &DocumentQuery<ResourceParams<R>>,
    object: Option<ResourceObject>,
    included: Included,
) -> Response {
    let DocumentQuery { params: ResourceParams { include, fields, .. }, url: address } = query;
    let primary: Vec<ResourceObject> = object.into_iter().collect();
    let data = primary.first().map(|object| object.render(fields));
    let along = included.excluding(&primary);
    let document = Document::new(data, json!({ "self": address.self_link() }));
    document_response(&Document { included: included_members(include, &along, fields), ..document })
}

/// Answers 200 with a page of resources.
pub fn page_response<R: Collection>(
    query: &DocumentQuery<CollectionParams<R>>,
    slice: &Slice<ResourceObject>,
    included: Included,
) -> Response {
    let DocumentQuery { params: CollectionParams { include, fields, .. }, url: address } = query;
    let data: Vec<_> = slice.rows.iter().map(|object| object.render(fields)).collect();
    let links = page_links(address, slice.previous.as_ref(), slice.next.as_ref());
    let along = included.excluding(&slice.rows);
    let document = Document::new(data, links.into());
    document_response(&Document { included: included_members(include, &along, fields), ..document })
}

/// Answers 200 with the linkage of a to-one relationship.
pub fn linkage_response(wanted: &DocumentQuery<web::NoParams>, one: Option<Identifier>) -> Response {
    let links = json!({ "self": wanted.url.self_link(), "related": wanted.url.related_link() });
    document_response(&Document::new(Linkage::One(one), links))
}

/// Answers 200 with a page of the linkage of a to-many relationship.
pub fn linkage_page_response(wanted: &DocumentQuery<LinkageParams>, slice: Slice<Identifier>) -> Response {
    let address = &wanted.url;
    let mut links = page_links(address, slice.previous.as_ref(), slice.next.as_ref());
    links.insert("related".to_owned(), address.related_link().into());
    document_response(&Document::new(Linkage::Many(slice.rows), links.into()))
}

/// Builds the 201 response for a created resource, in the form that is stored for idempotent repeats.
pub fn created_to_store(object: &ResourceObject) -> StoredResponse {
    let location = object.path();
    let document = Document::new(object.render(&Fieldsets::default()), json!({ "self": location }));
    StoredResponse { status: 201, location, body: web::to_json(&document) }
}

/// Renders the response to a create request, whether it is new or stored from an earlier request with the same key.
pub fn render_stored(stored: StoredResponse) -> Response {
    with_json_api_type(web::render_stored(stored))
}

/// Answers 200 with a changed resource.
pub fn updated_response(object: &ResourceObject) -> Response {
    document_response(&Document::new(object.render(&Fieldsets::default()), json!({ "self": object.path() })))
}

/// Answers 200 with a `meta` member and no data.
pub fn meta_only(meta: &impl Serialize) -> Response {
    document_response(&json!({ "jsonapi": VERSION, "meta": meta }))
}

/// Answers 204 after a successful change.
pub fn no_content() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

const VERSION: Version = Version { version: "1.1" };

#[derive(Serialize)]
struct Version {
    version: &'static str,
}

#[derive(Serialize)]
struct Document<'a, D> {
    jsonapi: Version,
    links: Value,
    data: D,
    #[serde(skip_serializing_if = "Option::is_none")]
    included: Option<Vec<RenderedResource<'a>>>,
}

impl<D> Document<'_, D> {
    fn new(data: D, links: Value) -> Self {
        Self { jsonapi: VERSION, links, data, included: None }
    }
}

/// Returns the `included` member: present, if only as an empty list, whenever the request has `include`.
fn included_members<'a>(
    include: &Include,
    objects: &'a [ResourceObject],
    fields: &Fieldsets,
) -> Option<Vec<RenderedResource<'a>>> {
    include.is_given().then(|| objects.iter().map(|object| object.render(fields)).collect())
}

fn page_links(address: &RequestUrl, previous: Option<&Cursor>, next: Option<&Cursor>) -> Map<String, Value> {
    let at = |name, cursor: Option<&Cursor>| match cursor {
        Some(cursor) => Value::from(address.page_link(Some((name, cursor.as_str())))),
        None => Value::Null,
    };
    Map::from_iter([
        ("self".to_owned(), address.self_link().into()),
        ("first".to_owned(), address.page_link(None).into()),
        ("prev".to_owned(), at("page[before]", previous)),
        ("next".to_owned(), at("page[after]", next)),
    ])
}

fn document_response(document: &impl Serialize) -> Response {
    with_json_api_type(web::json_response(document))
}

fn with_json_api_type(mut response: Response) -> Response {
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON_API));
    response
}
