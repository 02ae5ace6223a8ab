//! The writable fields of a worksite, shared by both API versions.

use app::WorksiteChange;
use domain::{Colour, Name, ProjectId, TimeZone, Timestamp, WorksiteKind};
use geography::Boundary;
use serde_json::json;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};

use crate::request::fields::{Fields, boolean, id, text};
use crate::request::from_fields::FromFields;

pub struct NewWorksiteFields {
    pub new: store::NewWorksite,
    /// Time from which the time zone, boundary and project apply; `None` means now.
    pub effective_from: Option<Timestamp>,
}

impl FromFields for NewWorksiteFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let name = fields.required("name", text(Name::parse));
        let colour = fields.required("colour", text(Colour::parse));
        let kind = fields.required("kind", text(WorksiteKind::parse));
        let time_zone = fields.required("time_zone", text(TimeZone::parse));
        let boundary = fields.optional("boundary", Boundary::from_geojson);
        let technical_contact = fields.optional("technical_contact", text(Name::parse));
        let project = fields.optional("project_id", id);
        let effective_from = fields.optional("effective_from", text(Timestamp::parse));
        let new = store::NewWorksite {
            name: name?,
            colour: colour?,
            kind: kind?,
            technical_contact: technical_contact?,
            time_zone: time_zone?,
            boundary: boundary?.as_ref().map(app::stored_boundary),
            project: project?.map(ProjectId),
            archived_at: None,
        };
        Some(Self { new, effective_from: effective_from? })
    }
}

impl FromFields for WorksiteChange {
    fn read(fields: &mut Fields) -> Option<Self> {
        let name = fields.change("name", text(Name::parse));
        let colour = fields.change("colour", text(Colour::parse));
        let kind = fields.change("kind", text(WorksiteKind::parse));
        let time_zone = fields.change("time_zone", text(TimeZone::parse));
        let boundary = fields.change_optional("boundary", Boundary::from_geojson);
        let technical_contact = fields.change_optional("technical_contact", text(Name::parse));
        let project = fields.change_optional("project_id", id);
        let archived = fields.change("archived", boolean);
        let effective_from = fields.optional("effective_from", text(Timestamp::parse));
        Some(Self {
            name: name?,
            colour: colour?,
            kind: kind?,
            technical_contact: technical_contact?,
            time_zone: time_zone?,
            boundary: boundary?,
            project: project?.map(ProjectId),
            archived: archived?,
            effective_from: effective_from?,
        })
    }
}

/// Returns the schema of a boundary in a request body.
pub fn boundary_schema() -> Schema {
    let ring = json!([[13.4, 52.51], [13.41, 52.51], [13.41, 52.52], [13.4, 52.52], [13.4, 52.51]]);
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::Object, Type::Null]))
        .description(Some(
            "Boundary: a GeoJSON polygon with holes (or a feature that contains one), or `{\"type\": \"Circle\", \"center\": \
             [lon, lat], \"radius_m\": …}`. No ring may cross or touch itself or another. At most 10,000 points; 10 m² to \
             10,000 km²; not across the antimeridian. Coordinates are stored with nine decimals. Null means no boundary.",
        ))
        .examples([json!({ "type": "Polygon", "coordinates": [ring] })])
        .build()
        .into()
}
