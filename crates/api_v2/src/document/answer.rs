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
use super::object::{Identifier, Linkage, Object};
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
    let data = primary.first().map_or(Value::Null, |object| object.render(fields));
    let mut document = document(data, json!({ "self": address.own() }));
    bring_along(&mut document, include, &included.without(&primary), fields);
    answer(&document)
}

/// 200 with a page of resources.
pub fn page<R: Collection>(
    wanted: &Wanted<Listing<R>>,
    slice: &Slice<Object>,
    included: Included,
) -> Response {
    let Wanted { params: Listing { include, fields, .. }, address } = wanted;
    let data = slice.rows.iter().map(|object| object.render(fields)).collect();
    let links = page_links(address, slice.previous.as_ref(), slice.next.as_ref());
    let mut document = document(data, links.into());
    bring_along(&mut document, include, &included.without(&slice.rows), fields);
    answer(&document)
}

/// 200 with what a to-one relationship leads to.
pub fn linkage(wanted: &Wanted<web::NoParams>, one: Option<Identifier>) -> Response {
    let links = json!({ "self": wanted.address.own(), "related": wanted.address.related() });
    answer(&document(Linkage::One(one).render(), links))
}

/// 200 with a page of what a to-many relationship leads to.
pub fn linkages(wanted: &Wanted<Linking>, slice: Slice<Identifier>) -> Response {
    let address = &wanted.address;
    let mut links = page_links(address, slice.previous.as_ref(), slice.next.as_ref());
    links.insert("related".to_owned(), address.related().into());
    answer(&document(Linkage::Many(slice.rows).render(), links.into()))
}

/// 201 for a resource that was made, as it is kept for a repeat.
pub fn made(object: &Object) -> Answer {
    let location = object.path();
    let document = document(object.render(&Fieldsets::default()), json!({ "self": location }));
    Answer { status: 201, location, body: web::json(&document) }
}

/// The answer to a write, made now or kept from before.
pub fn reply(kept: Answer) -> Response {
    as_document(web::reply(kept))
}

/// 200 for a resource that was changed.
pub fn changed(object: &Object) -> Response {
    answer(&document(object.render(&Fieldsets::default()), json!({ "self": object.path() })))
}

/// 200 with nothing but words about what was done.
pub fn told(meta: &impl Serialize) -> Response {
    answer(&json!({ "jsonapi": { "version": "1.1" }, "meta": meta }))
}

/// 204: it is as it was asked for.
pub fn done() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

fn document(data: Value, links: Value) -> Map<String, Value> {
    Map::from_iter([
        ("jsonapi".to_owned(), json!({ "version": "1.1" })),
        ("links".to_owned(), links),
        ("data".to_owned(), data),
    ])
}

/// Related resources stand in a document if they were asked for, though there be none.
fn bring_along(document: &mut Map<String, Value>, include: &Include, objects: &[Object], fields: &Fieldsets) {
    if include.is_given() {
        let objects = objects.iter().map(|object| object.render(fields)).collect();
        document.insert("included".to_owned(), objects);
    }
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
