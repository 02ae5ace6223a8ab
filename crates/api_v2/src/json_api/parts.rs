//! OpenAPI schemas of the parts of JSON:API documents: identifiers, relationships, resources and links.
//!
//! Each part has a name, so that generated clients have a type for it. For the resource `Worksite`, which belongs to a project:
//!
//! | Name | Part |
//! |---|---|
//! | `WorksiteIdentifier` | type and id |
//! | `WorksiteResource`, `ListedWorksiteResource` | a resource; in lists, if these show other attributes |
//! | `WorksiteRelationships` | its relationships |
//! | `ToProject`, `ToMachines` | one of them with its links, to one or to many |
//! | `ProjectLinkage` | one without links, as in requests |
//! | `NewWorksiteResource`, `ChangedWorksiteResource`, `SentWorksiteRelationships` | what requests contain |
//! | `IncludedWithWorksite` | the resources that can be included |

use std::borrow::Cow;
use std::marker::PhantomData;

use serde_json::json;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{
    AdditionalProperties, Discriminator, ObjectBuilder, OneOfBuilder, Schema, Type,
};
use utoipa::{PartialSchema, ToSchema};

use super::named_schema::named_schemas;
use super::references::{Schemas, add, array, or_null, reference, reference_to};
use super::resource::{Arity, Relationship, Resource, ResourceDefinition, Writable};

named_schemas! {
    /// Schema of a resource identifier.
    IdentifierOf<Resource> = "{}Identifier", identifier(R::DEFINITION.kind), [];
    /// Schema of a resource with all attributes.
    ResourceOf<Resource> = "{}Resource", resource::<R>(R::name()), [add::<R>, add_resource_parts::<R>];
    /// Schema of the relationships of a resource.
    RelationshipsOf<Resource> = "{}Relationships", relationships(R::DEFINITION), [add_relationships::<R>];
    /// Schema of a resource to create.
    NewResourceOf<Writable> =
        "New{}Resource", new_resource::<R>(), [add::<R::New>, add_sent_relationships::<R>];
    /// Schema of the changes of a resource.
    ChangedResourceOf<Writable> =
        "Changed{}Resource", changed_resource::<R>(), [add::<R::Changed>, add_sent_relationships::<R>];
    /// Schema of the relationships that can be sent with a resource.
    SentRelationshipsOf<Resource> =
        "Sent{}Relationships", sent_relationships(R::DEFINITION), [add_sent_linkages::<R>];
}

/// Schema of a resource with the attributes that lists show.
pub struct ListedOf<R>(PhantomData<R>);

impl<R: Resource> PartialSchema for ListedOf<R> {
    fn schema() -> RefOr<Schema> {
        resource::<R>(R::Listed::name())
    }
}

impl<R: Resource> ToSchema for ListedOf<R> {
    fn name() -> Cow<'static, str> {
        if R::Listed::name() == R::name() {
            return ResourceOf::<R>::name();
        }
        format!("Listed{}Resource", R::NAME).into()
    }

    fn schemas(schemas: &mut Schemas) {
        add::<R::Listed>(schemas);
        add_resource_parts::<R>(schemas);
    }
}

/// Link of a resource or document to itself.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer for OpenAPI")]
pub struct SelfLink {
    /// Link to the resource or document itself.
    #[schema(rename = "self")]
    own: String,
}

/// Links of a relationship.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer for OpenAPI")]
pub struct RelationshipLinks {
    /// Link to the relationship.
    #[schema(rename = "self")]
    own: String,
    /// Link to the related resources.
    related: String,
}

/// Links of a page of resources.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer for OpenAPI")]
pub struct ListLinks {
    /// Link to this document.
    #[schema(rename = "self")]
    own: String,
    /// Link to the first page.
    first: String,
    /// Link to the previous page; null on the first page.
    #[schema(required)]
    prev: Option<String>,
    /// Link to the next page; null on the last page.
    #[schema(required)]
    next: Option<String>,
}

/// Links of a page of resource linkage.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer for OpenAPI")]
pub struct LinkageListLinks {
    /// Link to this document.
    #[schema(rename = "self")]
    own: String,
    /// Link to the related resources.
    related: String,
    /// Link to the first page.
    first: String,
    /// Link to the previous page; null on the first page.
    #[schema(required)]
    prev: Option<String>,
    /// Link to the next page; null on the last page.
    #[schema(required)]
    next: Option<String>,
}

/// Schema of an included resource where none is known.
struct IncludedResource;

impl PartialSchema for IncludedResource {
    fn schema() -> RefOr<Schema> {
        let any = ObjectBuilder::new()
            .description(Some("An included resource."))
            .additional_properties(Some(AdditionalProperties::FreeForm(true)));
        RefOr::T(any.into())
    }
}

impl ToSchema for IncludedResource {}

/// Returns the schema of the resources that are included with those of type `R`.
pub(super) fn included<R: Resource>() -> RefOr<Schema> {
    match R::INCLUDED_TYPES {
        [] => reference::<IncludedResource>(),
        [only] => only.schema.reference(),
        _ => reference_to(included_name::<R>()),
    }
}

pub(super) fn add_included<R: Resource>(schemas: &mut Schemas) {
    for one in R::INCLUDED_TYPES {
        one.schema.add_to(schemas);
    }
    match R::INCLUDED_TYPES {
        [] => add::<IncludedResource>(schemas),
        [_] => {}
        several => {
            let mapping = several.iter().map(|one| {
                let name = one.schema.name();
                (one.definition.kind, format!("#/components/schemas/{name}"))
            });
            let choice = several
                .iter()
                .fold(OneOfBuilder::new(), |choice, one| choice.item(one.schema.reference()))
                .description(Some("An included resource. `type` says which."))
                .discriminator(Some(Discriminator::with_mapping("type", mapping)));
            schemas.push((included_name::<R>(), choice.into()));
        }
    }
}

fn included_name<R: Resource>() -> String {
    format!("IncludedWith{}", R::NAME)
}

fn resource<R: Resource>(attributes: Cow<'static, str>) -> RefOr<Schema> {
    let shape = R::DEFINITION;
    let mut object = identifier_members(shape.kind).property("attributes", reference_to(attributes));
    if !shape.relationships.is_empty() {
        object = object.property("relationships", reference::<RelationshipsOf<R>>());
    }
    if shape.path.is_some() {
        object = object.property("links", reference::<SelfLink>()).required("links");
    }
    if let Some(meta) = R::META {
        object = object.property("meta", meta.reference());
    }
    RefOr::T(object.into())
}

fn add_resource_parts<R: Resource>(schemas: &mut Schemas) {
    if !R::DEFINITION.relationships.is_empty() {
        add::<RelationshipsOf<R>>(schemas);
    }
    if R::DEFINITION.path.is_some() {
        add::<SelfLink>(schemas);
    }
    if let Some(meta) = R::META {
        meta.add_to(schemas);
    }
}

fn relationships(shape: &ResourceDefinition) -> RefOr<Schema> {
    let all = shape.relationships.iter().fold(ObjectBuilder::new(), |all, one| {
        all.property(one.name, reference_to(one.schema_name(shape.links_to(one))))
    });
    RefOr::T(all.into())
}

fn add_relationships<R: Resource>(schemas: &mut Schemas) {
    for one in R::DEFINITION.relationships {
        add_relationship(one, R::DEFINITION.links_to(one), schemas);
    }
}

fn add_relationship(one: &Relationship, has_links: bool, schemas: &mut Schemas) {
    schemas.push((one.identifier_name(), one.identifier()));
    schemas.push((one.schema_name(has_links), one.schema(has_links)));
    if has_links {
        add::<RelationshipLinks>(schemas);
    }
}

impl ResourceDefinition {
    fn links_to(&self, one: &Relationship) -> bool {
        self.path.is_some() && one.has_links
    }

    fn sent_relationships(&self) -> impl Iterator<Item = &'static Relationship> {
        self.relationships.iter().filter(|one| one.field.is_some())
    }
}

impl Relationship {
    fn identifier_name(&self) -> String {
        format!("{}Identifier", self.related)
    }

    fn identifier(&self) -> RefOr<Schema> {
        let kinds = std::iter::once(self.kind).chain(self.other_kind);
        let kind = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(kinds));
        RefOr::T(identifier_with_type(kind).into())
    }

    fn schema_name(&self, has_links: bool) -> String {
        let related = match self.arity {
            Arity::One => self.related.to_owned(),
            Arity::Many => camel_case(self.kind),
        };
        if has_links { format!("To{related}") } else { format!("{related}Linkage") }
    }

    fn schema(&self, has_links: bool) -> RefOr<Schema> {
        let identifier = reference_to(self.identifier_name());
        let relationship = match self.arity {
            Arity::One => ObjectBuilder::new().property("data", or_null(identifier)).required("data"),
            Arity::Many if has_links => ObjectBuilder::new()
                .description(Some("Has `data` if the relationship is included."))
                .property("data", array(identifier)),
            Arity::Many => ObjectBuilder::new().property("data", array(identifier)).required("data"),
        };
        let relationship = match has_links {
            true => relationship.property("links", reference::<RelationshipLinks>()).required("links"),
            false => relationship,
        };
        RefOr::T(relationship.into())
    }
}

fn new_resource<R: Writable>() -> RefOr<Schema> {
    let object = ObjectBuilder::new()
        .property("type", constant(R::DEFINITION.kind))
        .required("type")
        .property("attributes", reference::<R::New>())
        .required("attributes");
    with_sent_relationships::<R>(object)
}

fn changed_resource<R: Writable>() -> RefOr<Schema> {
    let object = identifier_members(R::DEFINITION.kind).property("attributes", reference::<R::Changed>());
    with_sent_relationships::<R>(object)
}

fn with_sent_relationships<R: Resource>(object: ObjectBuilder) -> RefOr<Schema> {
    let object = match R::DEFINITION.sent_relationships().next() {
        Some(_) => object.property("relationships", reference::<SentRelationshipsOf<R>>()),
        None => object,
    };
    RefOr::T(object.into())
}

fn sent_relationships(shape: &ResourceDefinition) -> RefOr<Schema> {
    let all = shape
        .sent_relationships()
        .fold(ObjectBuilder::new(), |all, one| all.property(one.name, reference_to(one.schema_name(false))));
    RefOr::T(all.into())
}

fn add_sent_relationships<R: Resource>(schemas: &mut Schemas) {
    if R::DEFINITION.sent_relationships().next().is_some() {
        add::<SentRelationshipsOf<R>>(schemas);
    }
}

fn add_sent_linkages<R: Resource>(schemas: &mut Schemas) {
    for one in R::DEFINITION.sent_relationships() {
        add_relationship(one, false, schemas);
    }
}

fn identifier_members(kind: &str) -> ObjectBuilder {
    identifier_with_type(constant(kind))
}

fn identifier_with_type(kind: ObjectBuilder) -> ObjectBuilder {
    let id = ObjectBuilder::new().schema_type(Type::String).examples([json!("3")]);
    ObjectBuilder::new().property("type", kind).required("type").property("id", id).required("id")
}

fn identifier(kind: &str) -> RefOr<Schema> {
    RefOr::T(identifier_members(kind).into())
}

fn constant(word: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some([word]))
}

/// Turns a type such as `saved_views` into `SavedViews`.
fn camel_case(kind: &str) -> String {
    kind.split('_')
        .map(|word| {
            let (first, rest) = word.split_at(word.len().min(1));
            first.to_uppercase() + rest
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use serde_json::Value;

    fn schemas() -> BTreeMap<String, Value> {
        let document = crate::openapi();
        let schemas = document.components.unwrap().schemas.into_iter();
        schemas.map(|(name, schema)| (name, serde_json::to_value(schema).unwrap())).collect()
    }

    #[test]
    fn each_type_has_one_identifier() {
        let mut types = BTreeSet::new();
        for (name, schema) in schemas().iter().filter(|(name, _)| name.ends_with("Identifier")) {
            let kind = schema["properties"]["type"]["enum"][0].as_str().unwrap().to_owned();
            assert!(types.insert(kind), "{name} is called otherwise elsewhere");
        }
        assert!(types.contains("users") && types.contains("worksites"), "{types:?}");
    }

    #[test]
    fn attributes_that_can_be_selected_are_not_required() {
        let schemas = schemas();
        let is_answer = |name: &str| {
            name.ends_with("Resource") && !name.starts_with("New") && !name.starts_with("Changed")
        };
        let mut count = 0;
        for resource in schemas.iter().filter(|(name, _)| is_answer(name)).map(|(_, schema)| schema) {
            let Some(reference) = resource["properties"]["attributes"]["$ref"].as_str() else { continue };
            let name = reference.rsplit('/').next().unwrap();
            let attributes = &schemas[name];
            let parts = attributes["allOf"].as_array().cloned().unwrap_or_default();
            for part in parts.iter().chain([attributes]) {
                assert_eq!(part.get("required"), None, "{name}: declare it as #[web::answer(sparse)]");
            }
            count += 1;
        }
        assert!(count >= 6);
    }

    #[test]
    fn documents_consist_of_named_parts() {
        fn unnamed(schema: &Value, place: &str, found: &mut Vec<String>) {
            for (name, part) in schema["properties"].as_object().into_iter().flatten() {
                let item = if part["type"] == "array" { &part["items"] } else { part };
                if item.get("properties").is_some() {
                    found.push(format!("{place}/{name}"));
                }
                unnamed(part, &format!("{place}/{name}"), found);
            }
        }
        let mut found = Vec::new();
        for (name, schema) in schemas() {
            unnamed(&schema, &name, &mut found);
        }
        assert_eq!(found, [""; 0]);
    }

    #[test]
    fn included_resources_differ_by_their_type() {
        let schemas = schemas();
        let included = &schemas["IncludedWithWorksite"];
        assert_eq!(included["discriminator"]["propertyName"], "type");
        assert_eq!(included["discriminator"]["mapping"]["projects"], "#/components/schemas/ProjectResource");
        assert_eq!(included["oneOf"].as_array().unwrap().len(), 2);
        let items = &schemas["ProjectListDocument"]["properties"]["included"]["items"];
        assert_eq!(items["$ref"], "#/components/schemas/IncludedWithProject");
    }
}
