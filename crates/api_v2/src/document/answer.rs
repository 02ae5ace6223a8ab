//! Documents that the server sends.

use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use serde_json::{Map, Value, json};
use store::{Answer, Cursor, Slice};
use web::JSON_API;

use super::address::{Address, Wanted};
use super::included::Included;
use super::object::{Identifier, Linkage, Object, Shown};
use super::query::{Fieldsets, Include, Linking, Listing, Reading};
use super::resource::{Collection, Resource};

/// 200 with one resource.
pub fn one<R: Resource>(wanted: &Wanted<Reading<R>>, object: Object, included: Included) -> Response {
    related(wanted, Some(object), included)
}

/// 200 with the one resource that a relationship leads to, or with null.
pub fn related<R: Resource>(
    wanted: &Wanted<Reading<R>>,
    object: Option<Object>,
    included: Included,
) -> Response {
    let Wanted { params: Reading { include, fields, .. }, address } = wanted;
    let primary: Vec<Object> = object.into_iter().collect();
    let data = primary.first().map(|object| object.shown(fields));
    let along = included.without(&primary);
    let document = Document::new(data, json!({ "self": address.own() }));
    answer(&Document { included: shown_along(include, &along, fields), ..document })
}

/// 200 with a page of resources.
pub fn page<R: Collection>(
    wanted: &Wanted<Listing<R>>,
    slice: &Slice<Object>,
    included: Included,
) -> Response {
    let Wanted { params: Listing { include, fields, .. }, address } = wanted;
    let data: Vec<_> = slice.rows.iter().map(|object| object.shown(fields)).collect();
    let links = page_links(address, slice.previous.as_ref(), slice.next.as_ref());
    let along = included.without(&slice.rows);
    let document = Document::new(data, links.into());
    answer(&Document { included: shown_along(include, &along, fields), ..document })
}

/// 200 with what a to-one relationship leads to.
pub fn linkage(wanted: &Wanted<web::NoParams>, one: Option<Identifier>) -> Response {
    let links = json!({ "self": wanted.address.own(), "related": wanted.address.related() });
    answer(&Document::new(Linkage::One(one), links))
}

/// 200 with a page of what a to-many relationship leads to.
pub fn linkages(wanted: &Wanted<Linking>, slice: Slice<Identifier>) -> Response {
    let address = &wanted.address;
    let mut links = page_links(address, slice.previous.as_ref(), slice.next.as_ref());
    links.insert("related".to_owned(), address.related().into());
    answer(&Document::new(Linkage::Many(slice.rows), links.into()))
}

/// 201 for a resource that was made, as it is kept for a repeat.
pub fn made(object: &Object) -> Answer {
    let location = object.path();
    let document = Document::new(object.shown(&Fieldsets::default()), json!({ "self": location }));
    Answer { status: 201, location, body: web::json(&document) }
}

/// The answer to a write, made now or kept from before.
pub fn reply(kept: Answer) -> Response {
    as_document(web::reply(kept))
}

/// 200 for a resource that was changed.
pub fn changed(object: &Object) -> Response {
    answer(&Document::new(object.shown(&Fieldsets::default()), json!({ "self": object.path() })))
}

/// 200 with nothing but words about what was done.
pub fn told(meta: &impl Serialize) -> Response {
    answer(&json!({ "jsonapi": VERSION, "meta": meta }))
}

/// 204: it is as it was asked for.
pub fn done() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

const VERSION: Version = Version { version: "1.1" };

#[derive(Serialize)]
struct Version {
    version: &'static str,
}

/// A document with data.
#[derive(Serialize)]
struct Document<'a, D> {
    jsonapi: Version,
    links: Value,
    data: D,
    #[serde(skip_serializing_if = "Option::is_none")]
    included: Option<Vec<Shown<'a>>>,
}

impl<D> Document<'_, D> {
    fn new(data: D, links: Value) -> Self {
        Self { jsonapi: VERSION, links, data, included: None }
    }
}

/// Related resources stand in a document if they were asked for, though there be none.
fn shown_along<'a>(include: &Include, objects: &'a [Object], fields: &Fieldsets) -> Option<Vec<Shown<'a>>> {
    include.is_given().then(|| objects.iter().map(|object| object.shown(fields)).collect())
}

fn page_links(address: &Address, previous: Option<&Cursor>, next: Option<&Cursor>) -> Map<String, Value> {
    let at = |name, cursor: Option<&Cursor>| match cursor {
        Some(cursor) => Value::from(address.at(Some((name, cursor.as_str())))),
        None => Value::Null,
    };
    Map::from_iter([
        ("self".to_owned(), address.own().into()),
        ("first".to_owned(), address.at(None).into()),
        ("prev".to_owned(), at("page[before]", previous)),
        ("next".to_owned(), at("page[after]", next)),
    ])
}

fn answer(document: &impl Serialize) -> Response {
    as_document(web::answer(document))
}

fn as_document(mut response: Response) -> Response {
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON_API));
    response
}
