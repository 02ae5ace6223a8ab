//! Every operation, called by every kind of caller on resources of every brand.

use std::collections::BTreeMap;

use domain::{DeviceKind, ProjectId, Role};
use serde_json::{Value, json};
use testkit::{Reply, Request, TestApp, on_both_engines};

use super::collections::{self, Visibility};
use super::world::{OTHER_BRAND, OWN_BRAND, referenced_collection, resource_identifiers};
use super::{Operation, Scheme, World};

on_both_engines!(
    strangers_are_refused,
    roles_do_what_they_may_and_no_more,
    what_is_another_brands_does_not_exist,
    what_is_another_brands_cannot_be_named,
    what_is_another_brands_cannot_be_linked,
    what_is_in_another_project_does_not_exist,
);

async fn strangers_are_refused(app: TestApp) {
    let station = app.issue_token(OWN_BRAND, DeviceKind::Station, "S-1").await;
    let gateway = app.issue_token(OWN_BRAND, DeviceKind::Gateway, "G-1").await;
    let world = World::new(app).await;
    let admin = world.caller(OWN_BRAND, Role::Admin).await;
    for operation in world.operations {
        let (scheme, path) = (operation.scheme(), world.path(operation, &admin).await);
        let body = world.body(operation, &admin).await;
        let call = || world.call(operation, &path, body.as_ref());
        let mut strangers: Vec<(&str, Request)> = vec![
            ("a station", call().bearer(&station)),
            ("a gateway", call().bearer(&gateway)),
            ("a made-up bearer", call().bearer("x")),
            ("a made-up tester", call().bearer("kct_x")),
            ("a made-up cookie", call().cookie("x")),
            ("nobody", call()),
            // Authentication is checked before any other error.
            ("nobody, with nonsense", invalid_request(&world, operation)),
        ];
        for other in [Scheme::Session, Scheme::Jwt, Scheme::Tester] {
            if other != scheme {
                strangers.push(("a caller of another kind", admin.authenticate(other, call())));
            }
        }
        strangers.push(("a JWT for a cookie", call().cookie(&admin.account.jwt)));
        strangers.push(("a cookie for a bearer", call().bearer(&admin.account.cookie)));
        if scheme == Scheme::Public {
            // The holder of a link may use it.
            if operation.collection().is_some() {
                continue;
            }
            // These take their credentials from the body; other credentials do not replace invalid ones there.
            let mut wrong = body.clone().unwrap_or(json!({}));
            let secret = ["password", "refresh_token"].into_iter().find(|name| wrong.get(*name).is_some());
            let Some(secret) = secret else { continue };
            wrong[secret] = json!("kcr_made_up");
            if wrong.get("email").is_some() {
                // Failed attempts are counted, so each operation has an account of its own.
                wrong["email"] = json!(world.caller(OWN_BRAND, Role::Viewer).await.account.email);
            }
            let call = || world.call(operation, &path, Some(&wrong));
            strangers = vec![
                ("nobody", call()),
                ("a wrong secret and a session", admin.authenticate(Scheme::Session, call())),
                ("a wrong secret and a token", admin.authenticate(Scheme::Tester, call())),
                ("a wrong secret and a JWT", admin.authenticate(Scheme::Jwt, call())),
            ];
        }
        for (who, request) in strangers {
            let reply = request.send().await;
            assert_eq!(reply.status, 401, "{} by {who}", operation.name);
            assert_ne!(reply.header("www-authenticate"), "", "{} by {who}", operation.name);
            assert_eq!(operation.violations(&reply), [""; 0], "{} by {who}", operation.name);
        }
    }
}

async fn roles_do_what_they_may_and_no_more(app: TestApp) {
    let world = World::new(app).await;
    // What is refused changes nothing, so those who are refused can be the same for all operations.
    let mut refused = BTreeMap::new();
    for role in Role::ALL {
        refused.insert(role, world.caller(OWN_BRAND, role).await);
    }
    for operation in world.operations {
        let roles = match operation.scheme() {
            Scheme::Session | Scheme::Jwt => &Role::ALL[..],
            Scheme::Public | Scheme::Tester => &[Role::Viewer],
        };
        for role in roles {
            let expected = if *role < operation.min_role() { 403 } else { operation.success().0 };
            let own;
            let caller = match expected {
                403 => &refused[role],
                _ => {
                    own = world.caller(OWN_BRAND, *role).await;
                    &own
                }
            };
            let reply = world.call_documented(operation, caller).await;
            assert_eq!(reply.status, expected, "{} by {role:?}: {}", operation.name, text(&reply));
            if expected == 403 {
                let nonsense =
                    caller.authenticate(operation.scheme(), invalid_request(&world, operation)).send().await;
                for reply in [reply, nonsense] {
                    assert_eq!(reply.code(), "permission_missing", "{} by {role:?}", operation.name);
                    assert_eq!(operation.violations(&reply), [""; 0], "{} by {role:?}", operation.name);
                }
            }
        }
    }
}

async fn what_is_another_brands_does_not_exist(app: TestApp) {
    let world = World::new(app).await;
    for operation in world.operations.iter().filter(|operation| operation.collection().is_some()) {
        if collections::collection(operation.collection().unwrap()).2 == Visibility::LinkHolder {
            continue;
        }
        let (ours, theirs) =
            (world.caller(OWN_BRAND, Role::Admin).await, world.caller(OTHER_BRAND, Role::Admin).await);
        let path = world.path(operation, &ours).await;
        let good = world.body(operation, &theirs).await;
        // Errors of the body must not come first: they would reveal that the resource exists.
        let bad = good.as_ref().map(|_| json!({ "surprise": 1 }));
        for body in [good, bad] {
            let call = |path: &str| {
                theirs.authenticate(operation.scheme(), world.call(operation, path, body.as_ref()))
            };
            let hidden = call(&path).send().await;
            let absent = call(&world.absent_path(operation)).send().await;
            assert_hidden(operation, &hidden, &absent);
        }
        if collections::collection(operation.collection().unwrap()).2 == Visibility::Caller {
            let colleague = world.caller(OWN_BRAND, Role::Admin).await;
            let call =
                |path: &str| colleague.authenticate(operation.scheme(), world.call(operation, path, None));
            assert_hidden(
                operation,
                &call(&path).send().await,
                &call(&world.absent_path(operation)).send().await,
            );
        }
        // The resource exists all the time.
        let reply = world.call_documented(operation, &ours).await;
        assert_eq!(reply.status, operation.success().0, "{}: {}", operation.name, text(&reply));
    }
}

async fn what_is_another_brands_cannot_be_named(app: TestApp) {
    let world = World::new(app).await;
    for operation in world.operations {
        let Some(schema) = operation.request_schema() else { continue };
        for (name, _) in schema.properties() {
            let Some(collection) = referenced_collection(name) else { continue };
            let (ours, theirs) =
                (world.caller(OWN_BRAND, Role::Admin).await, world.caller(OTHER_BRAND, Role::Admin).await);
            let hidden: i64 = world.create_member(collection, &ours).await.parse().unwrap();
            let path = world.path(operation, &theirs).await;
            let mut errors = Vec::new();
            for id in [hidden, 987_654_321] {
                let mut body = world.with_unique_fields(world.body(operation, &theirs).await.unwrap());
                if body.get(name).is_none() {
                    // Alternative fields cannot be required.
                    let required = schema.required();
                    body.as_object_mut().unwrap().retain(|field, _| required.contains(&field.as_str()));
                }
                body[name] = json!(id);
                let reply = theirs
                    .authenticate(operation.scheme(), world.call(operation, &path, Some(&body)))
                    .send()
                    .await;
                assert_eq!(
                    reply.status,
                    422,
                    "{} with {name} of another brand: {}",
                    operation.name,
                    text(&reply)
                );
                errors.push(reply.json()["errors"].clone());
            }
            assert_eq!(errors[0], errors[1], "{}: {name}", operation.name);
            assert_eq!(errors[0][0]["field"], name, "{}", operation.name);
        }
    }
}

/// The same for JSON:API documents: resources of another brand are 404, and are ignored in removals.
async fn what_is_another_brands_cannot_be_linked(app: TestApp) {
    let world = World::new(app).await;
    for operation in world.operations.iter().filter(|operation| operation.takes_json_api()) {
        let (ours, theirs) =
            (world.caller(OWN_BRAND, Role::Admin).await, world.caller(OTHER_BRAND, Role::Admin).await);
        let path = world.path(operation, &theirs).await;
        let good = world.with_unique_fields(world.body(operation, &theirs).await.unwrap());
        for (place, kind) in resource_identifiers(&good) {
            let hidden = world.create_member(&collections::collection_of(&kind), &ours).await;
            let mut errors = Vec::new();
            for id in [hidden.as_str(), "987654321", "no number", "007", "99999999999999999999"] {
                let mut body = good.clone();
                body.pointer_mut(&place).unwrap()["id"] = json!(id);
                let call = theirs.authenticate(operation.scheme(), world.call(operation, &path, Some(&body)));
                let reply = call.send().await;
                if operation.method == http::Method::DELETE && id.parse::<i64>().is_ok() && id != "007" {
                    assert_eq!(reply.status, 200, "{}: {}", operation.name, text(&reply));
                    continue;
                }
                assert_eq!(reply.status, 404, "{} with {id}: {}", operation.name, text(&reply));
                assert_eq!(operation.violations(&reply), [""; 0], "{}", operation.name);
                assert_eq!(
                    reply.json()["errors"][0]["source"]["pointer"],
                    place.as_str(),
                    "{}",
                    operation.name
                );
                errors.push(without_request_details(&reply));
            }
            assert!(errors.iter().all(|error| *error == errors[0]), "{}: {errors:?}", operation.name);
        }
    }
}

/// Paths whose records are hidden from those who see less: of users and service accounts who see more, and of what alerts see.
const HIDDEN_FROM_RESTRICTED: &[&str] = &[
    "/api/v1/admin/service_accounts/{id}",
    "/api/v1/admin/users/{id}",
    "/api/v1/alerts/{id}",
    "/api/v2/alert_firings/{id}",
];

fn may_be_hidden(operation: &Operation) -> bool {
    HIDDEN_FROM_RESTRICTED.iter().any(|start| operation.path.starts_with(start))
}

async fn what_is_in_another_project_does_not_exist(app: TestApp) {
    let world = World::new(app).await;
    let admin = world.caller(OWN_BRAND, Role::Admin).await;
    let elsewhere = ProjectId(world.create_member("/api/v1/projects", &admin).await.parse().unwrap());
    let mut refused = BTreeMap::new();
    for role in Role::ALL {
        refused.insert(role, world.restricted(OWN_BRAND, role, &[elsewhere]).await);
    }
    for operation in world.operations {
        if !matches!(operation.scheme(), Scheme::Session | Scheme::Jwt) {
            continue;
        }
        let reach = operation.collection().or(operation.is_list().then_some(&*operation.path));
        let reach = reach.map(|path| collections::collection(path).2);
        let roles = Role::ALL.map(|role| (role, vec![elsewhere]));
        for (role, projects) in roles.into_iter().chain([(operation.min_role().max(Role::Member), vec![])]) {
            if role < operation.min_role() {
                let caller = &refused[&role];
                let reply =
                    caller.authenticate(operation.scheme(), invalid_request(&world, operation)).send().await;
                assert_eq!(reply.status, 403, "{} by a restricted {role:?}", operation.name);
                assert_eq!(reply.code(), "permission_missing", "{} by a restricted {role:?}", operation.name);
                continue;
            }
            let caller = world.restricted(OWN_BRAND, role, &projects).await;
            let path = world.path(operation, &caller).await;
            // Resources that everyone has name the caller's own records.
            let own = ["/api/v2/user_preferences", "/api/v1/session/"];
            let is_own = own.iter().any(|start| operation.path.starts_with(start));
            let maker = if is_own { &caller } else { &admin };
            let mut body = world.body(operation, maker).await.map(|body| world.with_unique_fields(body));
            if let Some(Value::Object(body)) = &mut body {
                // They cannot name what they cannot see.
                body.retain(|name, _| !names_project_resource(name));
                if let Some(data) = body.get_mut("data").and_then(Value::as_object_mut) {
                    data.remove("relationships");
                }
            }
            let call = |path: &str| {
                caller.authenticate(operation.scheme(), world.call(operation, path, body.as_ref()))
            };
            let reply = call(&path).send().await;
            match reach {
                Some(Visibility::Project) if operation.is_list() && operation.collection().is_none() => {
                    let rows = reply.expect(200).json()["data"].as_array().unwrap().len();
                    assert!(rows <= projects.len(), "{} shows {rows} to {projects:?}", operation.name);
                }
                Some(Visibility::Project) => {
                    let absent = call(&world.absent_path(operation)).send().await;
                    assert_hidden(operation, &reply, &absent);
                }
                _ if reply.status == 404 && may_be_hidden(operation) => {
                    let absent = call(&world.absent_path(operation)).send().await;
                    assert_hidden(operation, &reply, &absent);
                }
                _ if reply.status == 403 => {
                    assert_eq!(reply.code(), "restricted", "{}", operation.name);
                    assert_eq!(operation.violations(&reply), [""; 0], "{}", operation.name);
                    assert!(
                        operation.documents_code("restricted"),
                        "{} does not document `restricted`",
                        operation.name
                    );
                }
                // An alert watches something that its owner sees.
                _ if reply.status == 422 && projects.is_empty() && sees_nothing(&reply) => {}
                // They must name a project that they can see.
                _ if reply.status == 422 => {
                    let error = &reply.json()["errors"][0];
                    assert_eq!(error["code"], "required", "{}: {}", operation.name, text(&reply));
                    let pointer = error["source"]["pointer"].as_str();
                    let is_relationship =
                        pointer.is_some_and(|place| place.starts_with("/data/relationships/"));
                    let is_field = error["field"].as_str().is_some_and(names_project_resource);
                    assert!(is_relationship || is_field, "{}", operation.name);
                }
                _ => assert_eq!(reply.status, operation.success().0, "{}: {}", operation.name, text(&reply)),
            }
        }
    }
}

/// Returns whether the scope of an alert was refused because nothing in it is visible to the caller.
fn sees_nothing(reply: &Reply) -> bool {
    let error = &reply.json()["errors"][0];
    error["field"] == "scope" && error["code"] == "empty_scope"
}

/// Returns whether a field names records that belong to projects.
fn names_project_resource(field: &str) -> bool {
    referenced_collection(field).is_some_and(|path| collections::collection(path).2 == Visibility::Project)
}

#[track_caller]
fn assert_hidden(operation: &Operation, hidden: &Reply, absent: &Reply) {
    for reply in [hidden, absent] {
        assert_eq!(reply.status, 404, "{}: {}", operation.name, text(reply));
        assert_eq!(operation.violations(reply), [""; 0], "{}", operation.name);
    }
    assert_eq!(
        without_request_details(hidden),
        without_request_details(absent),
        "{} reveals what is hidden",
        operation.name
    );
}

/// Builds a request in which everything is invalid.
fn invalid_request(world: &World, operation: &Operation) -> Request {
    let path = format!("{}?surprise=1", world.absent_path(operation));
    world.app.request(operation.method.clone(), &path).bytes("text/plain", "nonsense")
}

/// Returns the body of an error without the values specific to the request.
fn without_request_details(reply: &Reply) -> Value {
    let mut body = reply.json();
    for own in ["instance", "request_id", "meta"] {
        body.as_object_mut().unwrap().remove(own);
    }
    for error in body["errors"].as_array_mut().into_iter().flatten() {
        error.as_object_mut().unwrap().remove("id");
    }
    body
}

fn text(reply: &Reply) -> String {
    String::from_utf8_lossy(&reply.body).into_owned()
}
