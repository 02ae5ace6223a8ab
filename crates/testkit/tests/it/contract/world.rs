//! Callers of two brands, records to name, and bodies built from examples, for generated calls.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use domain::{BrandId, DeviceKind, EmailAddress, ProjectId, Role};
use serde_json::{Value, json};
use testkit::{Account, Reply, Request, TestApp};

use super::collections::{self, Factory, REFERENCES, UNIQUE_FIELDS};
use super::{Operation, Scheme, operations};

/// The brand whose records are requested.
pub const OWN_BRAND: &str = "Acme";
/// Another brand, for which these records do not exist.
pub const OTHER_BRAND: &str = "Other";
/// Where callers sign in. Generated calls send wrong passwords from another address, and one account in 4,096 shares its count of
/// attempts there with one whose next attempt must wait.
const SIGN_IN_ADDRESS: &str = "192.0.2.1";

pub struct World {
    pub app: TestApp,
    pub operations: &'static [Operation],
    /// TOTP secrets by the email address of their owner.
    pub totp_secrets: Mutex<BTreeMap<String, String>>,
    tester_tokens: Mutex<BTreeMap<String, String>>,
    /// Who creates records for the callers of a brand. Calls may rename brands.
    makers: Mutex<BTreeMap<BrandId, Arc<Caller>>>,
    last_number: AtomicUsize,
}

/// A caller with everything a role allows: a user, and a tester device of the same brand.
pub struct Caller {
    pub brand: String,
    pub account: Account,
    pub tester_token: String,
}

impl Caller {
    /// Adds the credential that the operation requires.
    pub fn authenticate(&self, scheme: Scheme, request: Request) -> Request {
        match scheme {
            Scheme::Public => request,
            Scheme::Session => request.cookie(&self.account.cookie),
            Scheme::Jwt => request.bearer(&self.account.jwt),
            Scheme::Tester => request.bearer(&self.tester_token),
        }
    }
}

impl World {
    pub async fn new(app: TestApp) -> Self {
        // Jobs that the calls enqueue are not tested here.
        app.allow_leftover_jobs();
        // The user whom the documented logins name.
        app.create_user_in_brand(OWN_BRAND, "admin@keepclear.local", Role::Admin).await;
        Self {
            app,
            operations: operations(),
            totp_secrets: Mutex::default(),
            tester_tokens: Mutex::default(),
            makers: Mutex::default(),
            last_number: AtomicUsize::new(0),
        }
    }

    /// Returns a number that was not returned before.
    pub fn next_number(&self) -> usize {
        self.last_number.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Creates a new user with this role, unaffected by other calls.
    pub async fn caller(&self, brand: &str, role: Role) -> Caller {
        let email = format!("{}{}@example.com", role.as_str(), self.next_number());
        let account = self.app.sign_in_new_user_from(SIGN_IN_ADDRESS, brand, &email, role).await;
        Caller { brand: brand.to_owned(), account, tester_token: self.ensure_tester_token(brand).await }
    }

    /// Returns the admin who creates records in this brand.
    async fn maker(&self, brand: &str) -> Arc<Caller> {
        let id = self.app.ensure_brand(brand).await.id;
        let known = self.makers.lock().unwrap().get(&id).cloned();
        if let Some(maker) = known {
            return maker;
        }
        let maker = Arc::new(self.caller(brand, Role::Admin).await);
        self.makers.lock().unwrap().insert(id, Arc::clone(&maker));
        maker
    }

    /// Returns the token of the brand's tester device.
    async fn ensure_tester_token(&self, brand: &str) -> String {
        let known = self.tester_tokens.lock().unwrap().get(brand).cloned();
        if let Some(token) = known {
            return token;
        }
        let token = self.app.issue_token(brand, DeviceKind::Tester, "Kiosk").await;
        self.tester_tokens.lock().unwrap().insert(brand.to_owned(), token.clone());
        token
    }

    /// The same for a user who sees only these projects.
    pub async fn restricted(&self, brand: &str, role: Role, projects: &[ProjectId]) -> Caller {
        let caller = self.caller(brand, role).await;
        let email = EmailAddress::parse(&caller.account.email).unwrap();
        self.app.app.restrict_user(&email, Some(projects)).await.unwrap();
        caller
    }

    /// Builds a request.
    pub fn call(&self, operation: &Operation, path: &str, body: Option<&Value>) -> Request {
        let request = self.app.request(operation.method.clone(), path);
        match (body, operation.raw_body()) {
            (Some(body), _) if operation.takes_json_api() => {
                let mut body = body.clone();
                // A changed resource is named both in the path and in the document.
                if operation.path.ends_with("/{id}")
                    && let Some(id) = body.pointer_mut("/data/id")
                {
                    *id = path.split(['/', '?']).nth(4).into();
                }
                request.bytes(operation.media_type(), body.to_string())
            }
            (Some(body), _) => request.json(body),
            (None, Some((media_type @ "text/csv", bytes))) => {
                request.bytes(media_type, self.with_unique_serials(&bytes))
            }
            (None, Some((media_type, bytes))) => request.bytes(media_type, bytes),
            (None, None) => request,
        }
    }

    /// Calls an operation as documented: on records created for it, with a body built from its examples.
    pub async fn call_documented(&self, operation: &Operation, caller: &Caller) -> Reply {
        let path = self.path(operation, caller).await;
        let body = self.body(operation, caller).await.map(|body| self.with_unique_fields(body));
        caller.authenticate(operation.scheme(), self.call(operation, &path, body.as_ref())).send().await
    }

    /// Returns the path of an operation, with records that the caller's brand created for it.
    pub async fn path(&self, operation: &Operation, caller: &Caller) -> String {
        let mut path = operation.path.clone();
        for (index, name) in operation.parameters("path").into_iter().enumerate() {
            let place = format!("/{{{name}}}");
            let within = operation.path.split(&place).next().unwrap_or_default();
            if index > 0 && collections::is_collection(within) {
                // A member of a collection inside a record that was created before.
                let at = path.split(&place).next().unwrap_or_default().to_owned();
                let thing = self.create_member_at(within, &at, caller).await;
                path = path.replace(&place, &format!("/{thing}"));
                continue;
            }
            let collection = match index {
                0 => operation.collection().unwrap(),
                _ => referenced_collection(name)
                    .unwrap_or_else(|| panic!("{name} of {} is in no table", operation.name)),
            };
            let thing = self.create_member(collection, caller).await;
            path = path.replace(&format!("{{{name}}}"), &thing);
        }
        let prepared = collections::PREREQUISITES.iter().filter(|(name, _)| *name == operation.name);
        for (_, made) in prepared {
            if let Factory::Custom(make) = made {
                make(self, caller, &path).await;
            }
        }
        for (name, example) in operation.required_query() {
            let value = match referenced_collection(name) {
                Some(collection) => self.create_member(collection, caller).await,
                None => example,
            };
            path = with_query(&path, &format!("{name}={value}"));
        }
        path
    }

    /// The same path with records that do not exist.
    pub fn absent_path(&self, operation: &Operation) -> String {
        let names = operation.parameters("path").into_iter();
        names.fold(operation.path.clone(), |path, name| path.replace(&format!("{{{name}}}"), "987654321"))
    }

    /// Creates a member of a collection for the caller and returns the text by which paths name it.
    pub async fn create_member(&self, collection: &str, caller: &Caller) -> String {
        self.create_member_at(collection, collection, caller).await
    }

    /// Creates a member of the collection at this path.
    pub async fn create_member_at(&self, collection: &str, path: &str, caller: &Caller) -> String {
        match &collections::collection(collection).1 {
            Factory::Custom(make) => make(self, caller, path).await,
            Factory::Post => {
                let name = format!("POST {collection}");
                let operation = self.operations.iter().find(|operation| operation.name == name);
                let operation = operation.unwrap_or_else(|| panic!("there is no {name}"));
                let maker = self.maker(&caller.brand).await;
                let body = Box::pin(self.body(operation, &maker)).await;
                let body = self.with_unique_fields(body.unwrap());
                let call = |maker: &Arc<Caller>| {
                    let request = self.call(operation, path, Some(&body));
                    maker.authenticate(operation.scheme(), request).send()
                };
                let mut reply = call(&maker).await;
                if reply.status == 401 || reply.status == 403 {
                    // A call has ended the sessions of its brand, or asks for more at the next sign-in.
                    self.makers.lock().unwrap().retain(|_, known| !Arc::ptr_eq(known, &maker));
                    reply = call(&self.maker(&caller.brand).await).await;
                }
                let made = reply.expect(201).json();
                match made["data"]["id"].as_str() {
                    Some(id) => id.to_owned(),
                    None => made["id"].to_string(),
                }
            }
        }
    }

    /// Builds the body of an operation from its examples, with ids of the caller's brand.
    pub async fn body(&self, operation: &Operation, caller: &Caller) -> Option<Value> {
        let mut body = operation.example_body()?;
        if operation.takes_json_api() {
            for (place, kind) in resource_identifiers(&body) {
                let thing = Box::pin(self.create_member(&collections::collection_of(&kind), caller)).await;
                *body.pointer_mut(&place).unwrap() = json!({ "type": kind, "id": thing });
            }
            // The caller's preferences have the id of the user.
            if body["data"]["type"] == "user_preferences" {
                let call = self.app.get("/api/v2/user_preferences").bearer(&caller.account.jwt);
                body["data"]["id"] = call.send().await.expect(200).json()["data"]["id"].clone();
            }
            return Some(body);
        }
        for (name, value) in body.as_object_mut().unwrap() {
            if let Some(collection) = referenced_collection(name) {
                let thing = Box::pin(self.create_member(collection, caller)).await;
                *value = thing.parse::<i64>().unwrap().into();
            } else if let Some(collection) = name.strip_suffix('s').and_then(referenced_collection) {
                let thing = Box::pin(self.create_member(collection, caller)).await;
                *value = vec![thing.parse::<i64>().unwrap()].into();
            } else if name == "otp" {
                let known = self.totp_secrets.lock().unwrap();
                if let Some(secret) = known.get(&caller.account.email) {
                    *value = self.app.otp(secret).into();
                }
            } else if name == "refresh_token" {
                *value = caller.account.refresh_token.clone().into();
            }
        }
        Some(body)
    }

    /// The same file with other serial numbers and employee ids.
    fn with_unique_serials(&self, bytes: &[u8]) -> String {
        let number = self.next_number();
        let text = String::from_utf8_lossy(bytes).into_owned();
        ["TAG-", "BS-", "CAT", "E-18"]
            .into_iter()
            .fold(text, |text, mark| text.replace(mark, &format!("{mark}{number}-")))
    }

    /// The same body with other values in unique fields.
    pub fn with_unique_fields(&self, mut body: Value) -> Value {
        let number = self.next_number();
        let fields = if body.pointer("/data/attributes").is_some() { "/data/attributes" } else { "" };
        for name in UNIQUE_FIELDS {
            if let Some(Value::String(text)) = body.pointer_mut(&format!("{fields}/{name}"))
                && text != "admin@keepclear.local"
            {
                *text =
                    if *name == "email" { format!("x{number}.{text}") } else { format!("{text}-{number}") };
            }
        }
        body
    }
}

/// Returns the pointers at which a JSON:API document names other resources, with their types.
pub fn resource_identifiers(document: &Value) -> Vec<(String, String)> {
    let is_identifier = |value: &Value| {
        value.as_object().is_some_and(|object| object.len() == 2 && object.contains_key("id"))
    };
    let kind = |value: &Value| value["type"].as_str().unwrap().to_owned();
    let data = &document["data"];
    if is_identifier(data) {
        return vec![("/data".to_owned(), kind(data))];
    }
    if let Some(items) = data.as_array() {
        return items.iter().enumerate().map(|(n, item)| (format!("/data/{n}"), kind(item))).collect();
    }
    let relationships = data["relationships"].as_object().into_iter().flatten();
    relationships
        .map(|(name, one)| (format!("/data/relationships/{name}/data"), kind(&one["data"])))
        .collect()
}

/// Appends to the query of a path.
pub fn with_query(path: &str, query: &str) -> String {
    let sign = if path.contains('?') { '&' } else { '?' };
    format!("{path}{sign}{query}")
}

/// Returns the collection whose members a field names.
pub fn referenced_collection(name: &str) -> Option<&'static str> {
    REFERENCES.iter().find(|(field, _)| *field == name).map(|(_, collection)| *collection)
}
