//! The operations of the OpenAPI documents, as the contract tests read them.

use std::sync::{Arc, LazyLock};

use domain::Role;
use http::Method;
use serde_json::Value;
use testkit::Reply;

use super::Schema;
use super::collections::{FIELDS_WITHOUT_EXAMPLE, PIXEL_PNG};

/// How a caller authenticates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Without credentials, as for signing in.
    Public,
    /// With the cookie of a V1 session.
    Session,
    /// With the JWT of a V2 session.
    Jwt,
    /// With the token of a tester device.
    Tester,
}

/// An operation of an OpenAPI document.
#[derive(Clone)]
pub struct Operation {
    /// Such as `POST /api/v1/projects`.
    pub name: String,
    pub method: Method,
    /// The path, with parameters in braces.
    pub path: String,
    spec: Value,
    document: Arc<Value>,
}

/// Returns every operation of both documents.
pub fn operations() -> &'static [Operation] {
    static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(read_operations);
    &OPERATIONS
}

fn read_operations() -> Vec<Operation> {
    let mut all = Vec::new();
    for document in [api_v1::openapi(), api_v2::openapi()] {
        let document = Arc::new(serde_json::to_value(document).unwrap());
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, spec) in methods.as_object().unwrap() {
                let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
                all.push(Operation {
                    name: format!("{method} {path}"),
                    method,
                    path: path.clone(),
                    spec: spec.clone(),
                    document: Arc::clone(&document),
                });
            }
        }
    }
    all
}

impl Operation {
    pub fn scheme(&self) -> Scheme {
        let security = self.spec["security"].as_array().unwrap_or_else(|| panic!("{}", self.name));
        let Some(required) = security.first().and_then(Value::as_object) else { return Scheme::Public };
        match required.keys().next().map(String::as_str) {
            None => panic!("{}: credentials are not optional", self.name),
            Some("session") => Scheme::Session,
            Some("jwt") => Scheme::Jwt,
            Some("tester_token") => Scheme::Tester,
            Some(other) => panic!("{}: say in contract/document.rs what {other} is", self.name),
        }
    }

    /// Returns the least privileged role that may call it.
    pub fn min_role(&self) -> Role {
        let Some(permission) = self.spec.get("x-permission") else { return Role::Viewer };
        let permission = permission.as_str().unwrap();
        let least = Role::ALL.into_iter().find(|role| role.permissions().contains(&permission));
        least.unwrap_or_else(|| panic!("{}: nobody has {permission}", self.name))
    }

    /// Returns whether the summary or description names this error code.
    pub fn documents_code(&self, code: &str) -> bool {
        let description = self.spec["description"].as_str().unwrap_or_default();
        let summary = self.spec["summary"].as_str().unwrap_or_default();
        description.contains(&format!("`{code}`")) || summary.contains(&format!("`{code}`"))
    }

    pub fn permission(&self) -> Option<&str> {
        self.spec.get("x-permission").and_then(Value::as_str)
    }

    /// Returns whether it requires fresh proof.
    pub fn requires_proof(&self) -> bool {
        self.spec["security"][0]["session"]
            .as_array()
            .is_some_and(|roles| roles.contains(&"fresh_proof".into()))
    }

    /// Returns the success status and the schema of its JSON body, if it has one.
    pub fn success(&self) -> (u16, Option<Schema<'_>>) {
        let responses = self.spec["responses"].as_object().unwrap();
        // An import also documents the 200 of a dry run.
        let made = responses.get_key_value("201");
        let any = || responses.iter().find(|(status, _)| status.starts_with('2'));
        let (status, response) = made.or_else(any).unwrap();
        (status.parse().unwrap(), self.json_schema(response))
    }

    /// Returns whether plain JSON is documented for a successful response.
    pub fn answers_plain_json(&self) -> bool {
        self.answers_with("application/json")
    }

    /// Returns whether this media type is documented for a successful response.
    pub fn answers_with(&self, media_type: &str) -> bool {
        let (status, _) = self.success();
        self.spec["responses"][status.to_string()]["content"].get(media_type).is_some()
    }

    /// Returns whether a header is documented for a successful response.
    pub fn documents_header(&self, status: u16, name: &str) -> bool {
        self.spec["responses"][status.to_string()]["headers"].get(name).is_some()
    }

    /// Returns how a response differs from what is documented for its status.
    pub fn violations(&self, reply: &Reply) -> Vec<String> {
        let Some(response) = self.spec["responses"].get(reply.status.as_str()) else {
            return vec![format!("{} is not documented", reply.status)];
        };
        let response = match response["$ref"].as_str() {
            Some(shared) => self.document.pointer(shared.trim_start_matches('#')).unwrap(),
            None => response,
        };
        let Some(content) = response.get("content").and_then(Value::as_object) else { return Vec::new() };
        let media_type = reply.header("content-type");
        if !content.contains_key(media_type) {
            return vec![format!("{media_type:?} is not documented")];
        }
        if !is_json(media_type) {
            return Vec::new();
        }
        // JSON:API leaves out members that an error does not have.
        let but = ["source", "parameter", "pointer", "header"];
        self.json_schema(response)
            .map(|schema| schema.violations(&reply.json(), true, &but))
            .unwrap_or_default()
    }

    /// Returns the schema of the request body, if that is JSON.
    pub fn request_schema(&self) -> Option<Schema<'_>> {
        self.json_schema(self.spec.get("requestBody")?)
    }

    /// Returns the request body that is built from the documented examples, without the fields that stand for others.
    pub fn example_body(&self) -> Option<Value> {
        let mut body = Value::Object(self.request_schema()?.example_object());
        for (_, field) in FIELDS_WITHOUT_EXAMPLE.iter().filter(|(name, _)| *name == self.name) {
            let pointer = format!("/{field}");
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            if let Some(object) = body.pointer_mut(parent).and_then(Value::as_object_mut) {
                object.remove(name);
            }
        }
        Some(body)
    }

    /// Returns the media type of the JSON request body.
    pub fn media_type(&self) -> &str {
        let content = self.spec.get("requestBody").and_then(|body| body["content"].as_object());
        let json = content.and_then(|content| content.keys().find(|name| name.ends_with("json")));
        json.map_or("application/json", String::as_str)
    }

    /// Returns whether the request body is a JSON:API document.
    pub fn takes_json_api(&self) -> bool {
        self.media_type() == "application/vnd.api+json"
    }

    /// Returns the pointer to the object with the fields that callers set: the whole body, or the attributes of a JSON:API resource.
    /// A JSON:API document with linkage only has none.
    pub fn fields_pointer(&self) -> Option<&'static str> {
        if !self.takes_json_api() {
            return Some("");
        }
        let example = Value::Object(self.request_schema()?.example_object());
        example.pointer("/data/attributes").map(|_| "/data/attributes")
    }

    /// Returns every field of the body with its JSON pointer.
    pub fn fields(&self) -> Vec<(String, Schema<'_>)> {
        let Some(body) = self.request_schema() else { return Vec::new() };
        let mut fields: Vec<_> =
            body.properties().into_iter().map(|(name, of)| (format!("/{name}"), of)).collect();
        if !self.takes_json_api() {
            return fields;
        }
        let data = fields[0].1.without_null();
        for (name, of) in data.properties() {
            match name {
                "attributes" => {
                    let attributes = of.properties().into_iter();
                    fields.extend(attributes.map(|(name, of)| (format!("/data/attributes/{name}"), of)));
                    fields.push(("/data/attributes".to_owned(), of));
                }
                "relationships" => {
                    for (name, of) in of.properties() {
                        let (_, data) = of.properties().remove(0);
                        fields.push((format!("/data/relationships/{name}/data"), data));
                    }
                }
                _ => {}
            }
        }
        fields
    }

    /// Returns the media type and an example of a request body that is not JSON.
    pub fn raw_body(&self) -> Option<(&str, Vec<u8>)> {
        let content = self.spec.get("requestBody")?.get("content")?.as_object()?;
        let (media_type, content) = content.iter().find(|(media_type, _)| !is_json(media_type))?;
        match media_type.as_str() {
            "image/png" => Some((media_type, PIXEL_PNG.to_vec())),
            "text/csv" => Some((media_type, content["example"].as_str()?.as_bytes().to_vec())),
            _ => None,
        }
    }

    fn json_schema<'a>(&'a self, of: &'a Value) -> Option<Schema<'a>> {
        let content = of.get("content")?.as_object()?;
        let (_, content) = content.iter().find(|(media_type, _)| is_json(media_type))?;
        Some(Schema::new(&self.document, content.get("schema")?).without_null())
    }

    /// Returns the names of its parameters of one kind: `query`, `path` or `header`.
    pub fn parameters(&self, kind: &str) -> Vec<&str> {
        let all = self.spec["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
        all.iter().filter(|of| of["in"] == kind).map(|of| of["name"].as_str().unwrap()).collect()
    }

    /// Returns the query parameters whose values, or whose items, are words of an enumeration.
    pub fn enumerated_query(&self) -> Vec<&str> {
        let all = self.spec["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
        let enumerated = all
            .iter()
            .filter(|of| of["in"] == "query" && Schema::new(&self.document, &of["schema"]).is_enumeration());
        enumerated.map(|of| of["name"].as_str().unwrap()).collect()
    }

    /// Returns the required query parameters with their examples.
    pub fn required_query(&self) -> Vec<(&str, String)> {
        let all = self.spec["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
        let required = all.iter().filter(|of| of["in"] == "query" && of["required"] == true);
        let example = |of: &Value| of["example"].as_str().unwrap_or_default().to_owned();
        required.map(|of| (of["name"].as_str().unwrap(), example(of))).collect()
    }

    /// Returns whether it returns a page of a list.
    pub fn is_list(&self) -> bool {
        self.method == Method::GET
            && (self.parameters("query").contains(&"cursor") || self.is_json_api_list())
    }

    /// Returns whether it returns a page of JSON:API resources or linkage.
    pub fn is_json_api_list(&self) -> bool {
        self.parameters("query").contains(&"page[after]")
    }

    /// Returns the documented example of a query parameter.
    pub fn query_example(&self, name: &str) -> Option<&str> {
        let all = self.spec["parameters"].as_array()?;
        all.iter().find(|of| of["in"] == "query" && of["name"] == name)?["example"].as_str()
    }

    /// Returns the collection whose member its path names, such as `/api/v1/projects`.
    pub fn collection(&self) -> Option<&str> {
        self.path.split_once("/{").map(|(collection, _)| collection)
    }
}

pub fn is_json(media_type: &str) -> bool {
    media_type == "application/json" || media_type.ends_with("+json")
}
