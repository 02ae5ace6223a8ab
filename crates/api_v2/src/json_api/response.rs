//! Response documents of JSON:API.

use axum::body::Body;
use axum::response::Response;
use domain::{Cursor, Listing, Slice, StoredResponse};
use http::{HeaderValue, header};
use serde::Serialize;
use serde_json::{Map, Value, json};
use web::JSON_API;

use super::included::Included;
use super::list_meta::ListMeta;
use super::object::{Identifier, Linkage, ResourceObject, push_json, push_text, write_list};
use super::query::{CollectionParams, Fieldsets, ResourceParams};
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
    let along = included.excluding(&primary);
    let document = Document::new(Data::Resource(primary.first()), json!({ "self": address.self_link() }));
    let included = include.is_given().then_some(&along[..]);
    document_response(&Document { included, ..document }, fields)
}

/// Answers 200 with a page of a list of the registry, with the total and how far changes reach if they were requested.
pub fn listing_response<R: Collection>(
    query: &DocumentQuery<CollectionParams<R>>,
    listing: &Listing<ResourceObject>,
    included: Included,
) -> Response {
    let Listing { rows, previous, next, total, changes } = listing;
    let texts = |ids: &[i64]| -> Vec<String> { ids.iter().map(ToString::to_string).collect() };
    let meta = (total.is_some() || changes.is_some()).then(|| ListMeta {
        total: *total,
        registry_version: changes.as_ref().map(|changes| changes.version),
        gone: changes.as_ref().and_then(|changes| changes.gone.as_deref()).map(texts),
    });
    let meta = meta.map(|meta| json!(meta));
    page_document(query, rows, (previous.as_ref(), next.as_ref()), meta, included)
}

/// Answers 200 with a page of a list that has a `meta` member of its own.
pub fn page_response<R: Collection>(
    query: &DocumentQuery<CollectionParams<R>>,
    slice: &Slice<ResourceObject>,
    included: Included,
    meta: &impl Serialize,
) -> Response {
    let Slice { rows, previous, next } = slice;
    page_document(query, rows, (previous.as_ref(), next.as_ref()), Some(json!(meta)), included)
}

fn page_document<R: Collection>(
    query: &DocumentQuery<CollectionParams<R>>,
    rows: &[ResourceObject],
    (previous, next): (Option<&Cursor>, Option<&Cursor>),
    meta: Option<Value>,
    included: Included,
) -> Response {
    let DocumentQuery { params: CollectionParams { include, fields, .. }, url: address } = query;
    let along = included.excluding(rows);
    let document = Document::new(Data::Resources(rows), page_links(address, previous, next).into());
    let included = include.is_given().then_some(&along[..]);
    document_response(&Document { meta, included, ..document }, fields)
}

/// Answers 200 with the linkage of a to-one relationship.
pub fn linkage_response(wanted: &DocumentQuery<web::NoParams>, one: Option<Identifier>) -> Response {
    let links = json!({ "self": wanted.url.self_link(), "related": wanted.url.related_link() });
    linkage_document(Linkage::One(one), links)
}

/// Answers 200 with a page of the linkage of a to-many relationship.
pub fn linkage_page_response<T>(wanted: &DocumentQuery<T>, slice: Slice<Identifier>) -> Response {
    let address = &wanted.url;
    let mut links = page_links(address, slice.previous.as_ref(), slice.next.as_ref());
    links.insert("related".to_owned(), address.related_link().into());
    linkage_document(Linkage::Many(slice.rows), links.into())
}

fn linkage_document(linkage: Linkage, links: Value) -> Response {
    document_response(&Document::new(Data::Linkage(linkage), links), &Fieldsets::default())
}

/// Builds the 201 response for a created resource, in the form that is stored for idempotent repeats. The caller adds its version.
pub fn created_to_store(object: &ResourceObject) -> StoredResponse {
    let location = object.path();
    let document = Document::new(Data::Resource(Some(object)), json!({ "self": location }));
    // JSON is UTF-8.
    let body = String::from_utf8(document.to_json(&Fieldsets::default())).unwrap_or_default();
    StoredResponse { status: 201, location, version: None, body }
}

/// Renders the response to a create request, whether it is new or stored from an earlier request with the same key.
pub fn render_stored(stored: StoredResponse) -> Response {
    with_json_api_type(web::render_stored(stored))
}

/// Answers 200 with a changed resource.
pub fn updated_response(object: &ResourceObject) -> Response {
    let document = Document::new(Data::Resource(Some(object)), json!({ "self": object.path() }));
    document_response(&document, &Fieldsets::default())
}

/// Answers 200 with a `meta` member and no data.
pub fn meta_only(meta: &impl Serialize) -> Response {
    with_json_api_type(web::json_response(&json!({ "jsonapi": { "version": VERSION }, "meta": meta })))
}

/// Version of JSON:API.
const VERSION: &str = "1.1";

/// Room for the members of a document besides its resources.
const DOCUMENT_CAPACITY: usize = 1_024;

/// The primary data of a document.
enum Data<'a> {
    Resource(Option<&'a ResourceObject>),
    Resources(&'a [ResourceObject]),
    Linkage(Linkage),
}

struct Document<'a> {
    links: Value,
    meta: Option<Value>,
    data: Data<'a>,
    /// Present, if only as an empty list, whenever the request has `include`.
    included: Option<&'a [ResourceObject]>,
}

impl<'a> Document<'a> {
    fn new(data: Data<'a>, links: Value) -> Self {
        Self { links, meta: None, data, included: None }
    }

    /// Returns the document with the selected fields of its resources as JSON.
    fn to_json(&self, fields: &Fieldsets) -> Vec<u8> {
        let write = |object: &ResourceObject, out: &mut Vec<u8>| object.write(fields, out);
        let mut out = Vec::with_capacity(self.capacity());
        push_text(&mut out, "{\"jsonapi\":{\"version\":\"");
        push_text(&mut out, VERSION);
        push_text(&mut out, "\"},\"links\":");
        push_json(&mut out, &self.links);
        if let Some(meta) = &self.meta {
            push_text(&mut out, ",\"meta\":");
            push_json(&mut out, meta);
        }
        push_text(&mut out, ",\"data\":");
        match &self.data {
            Data::Resource(None) => push_text(&mut out, "null"),
            Data::Resource(Some(object)) => object.write(fields, &mut out),
            Data::Resources(objects) => write_list(&mut out, objects, write),
            Data::Linkage(linkage) => linkage.write(&mut out),
        }
        if let Some(objects) = self.included {
            push_text(&mut out, ",\"included\":");
            write_list(&mut out, objects, write);
        }
        out.push(b'}');
        out
    }

    fn capacity(&self) -> usize {
        let room = |objects: &[ResourceObject]| objects.iter().map(ResourceObject::capacity).sum::<usize>();
        let primary = match &self.data {
            Data::Resource(object) => object.map_or(0, ResourceObject::capacity),
            Data::Resources(objects) => room(objects),
            Data::Linkage(_) => 0,
        };
        DOCUMENT_CAPACITY + primary + self.included.map_or(0, room)
    }
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

fn document_response(document: &Document<'_>, fields: &Fieldsets) -> Response {
    with_json_api_type(Response::new(Body::from(document.to_json(fields))))
}

fn with_json_api_type(mut response: Response) -> Response {
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON_API));
    response
}
