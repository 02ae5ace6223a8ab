//! POST /api/v1/tester/people_assets

use std::sync::Arc;

use app::{App, Once};
use axum::extract::State;
use domain::{Email, Name, PersonKind};
use store::NewPerson;
use utoipa::ToSchema;
use web::{Creation, Fields, FromFields, NoParams, Repeatable, Result, Tester, problem, text, words};

use super::{PersonAsset, shape};

/// What a new person is made of.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewPersonAsset {
    /// Why they are on site.
    #[schema(value_type = words::PersonKind, example = "staff")]
    kind: String,
    /// What they are called.
    #[schema(example = "Ada Lovelace", min_length = 1, max_length = 100)]
    name: String,
    /// Their number with their employer.
    #[schema(example = "E-1815", min_length = 1, max_length = 100)]
    employee_id: Option<String>,
    /// Where they are written to.
    #[schema(example = "ada@example.com", format = "email", max_length = 254)]
    email: Option<String>,
    /// Whom they work for.
    #[schema(example = "Analytical Engines", min_length = 1, max_length = 100)]
    company: Option<String>,
}

/// A new person that was read.
pub struct NewPersonFields(NewPerson);

impl FromFields for NewPersonFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let kind = fields.required("kind", text(PersonKind::parse));
        let name = fields.required("name", text(Name::parse));
        let employee_id = fields.optional("employee_id", text(Name::parse));
        let email = fields.optional("email", text(Email::parse));
        let company = fields.optional("company", text(Name::parse));
        Some(Self(NewPerson {
            kind: kind?,
            name: name?,
            employee_id: employee_id?,
            email: email?,
            company: company?,
        }))
    }
}

/// Adds a person to the device's brand.
#[utoipa::path(
    post, path = "/api/v1/tester/people_assets", tag = "tester", operation_id = "create_person_asset",
    security(("tester_token" = [])),
    params(Repeatable),
    request_body = NewPersonAsset,
    responses(
        (status = 201, description = "Added", body = PersonAsset),
        problem::BadBody, problem::Unauthenticated,
    ),
)]
pub async fn create_person_asset(
    State(app): State<Arc<App>>,
    Tester(tester): Tester,
    _: NoParams,
    Creation { value: NewPersonFields(new), key }: Creation<NewPersonFields>,
) -> Result {
    let once = Once::new(key, |person: &store::Person| {
        web::made(format!("/api/v1/tester/people_assets/{}", person.id), &shape(person.clone()))
    });
    Ok(web::reply(app.create_person(&tester, &new, once).await?))
}
