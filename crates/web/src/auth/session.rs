//! Who is signed in, as both versions answer it, and what they read to let someone in.

use app::{Credentials, Proof, UserIdentity};
use domain::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::request::body::{BodyFormat, FromFields};
use crate::request::fields::{Fields, text};
use crate::response::enum_schemas;

/// The body of a login, as JSON or as a form.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct LoginBody {
    /// The account's email.
    #[schema(example = "admin@keepclear.local", max_length = 254)]
    email: String,
    /// Its password.
    #[schema(example = "plum wagon sixty tiles", format = Password, max_length = 1024)]
    password: String,
    /// For those who have a second factor: the code that the app shows, or a recovery code. Each is good once.
    #[schema(example = "492039", max_length = 64)]
    otp: Option<String>,
}

/// A login that was read.
pub struct LoginFields(pub Credentials);

impl FromFields for LoginFields {
    const FORMAT: BodyFormat = BodyFormat::JsonOrForm;
    // Strangers send these, and each is held in memory while it comes.
    const MAX_BYTES: usize = 64 * 1024;

    fn read(fields: &mut Fields) -> Option<Self> {
        let email = fields.required("email", text(Credentials::check_email));
        let password = fields.required("password", text(Credentials::check_password));
        let otp = fields.optional("otp", text(Credentials::check_otp));
        Some(Self(Credentials { email: email?, password: password?, otp: otp?.flatten() }))
    }
}

/// What shows once more who is signed in.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ProofBody {
    /// Your password.
    #[schema(example = "plum wagon sixty tiles", format = Password, max_length = 1024)]
    password: String,
    /// For those who have a second factor: the code that the app shows, or a recovery code. Each is good once.
    #[schema(example = "492039", max_length = 64)]
    otp: Option<String>,
}

/// A proof that was read.
pub struct ProofFields(pub Proof);

impl FromFields for ProofFields {
    const MAX_BYTES: usize = 64 * 1024;

    fn read(fields: &mut Fields) -> Option<Self> {
        let password = fields.required("password", text(Credentials::check_password));
        let otp = fields.optional("otp", text(Credentials::check_otp));
        Some(Self(Proof { password: password?, otp: otp?.flatten() }))
    }
}

/// A proof that was taken.
#[derive(Serialize, ToSchema)]
pub struct AcceptedProof {
    /// Until when it is fresh.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:15:00Z")]
    pub fresh_until: Timestamp,
}

/// Who is signed in.
#[derive(Serialize, ToSchema)]
pub struct SessionIdentity {
    /// The user.
    pub user: SessionUser,
    /// The tenant.
    pub brand: SessionBrand,
    /// What the user's role allows.
    #[schema(value_type = Vec<String>, example = json!(["be_signed_in", "read_insights", "read_registry"]))]
    pub permissions: Vec<&'static str>,
    /// Whether the password was made for the user, who should choose one: `PUT /api/v1/session/password`.
    #[schema(example = false)]
    pub password_change_due: bool,
    /// Whether the user's role must have a second factor, and they have none yet: until they do, only the session itself, its
    /// password, proof and second factor are open.
    #[schema(example = false)]
    pub second_factor_due: bool,
}

/// The user who is signed in.
#[derive(Serialize, ToSchema)]
pub struct SessionUser {
    /// Its id.
    #[schema(example = 1)]
    id: i64,
    /// Unique in the installation.
    #[schema(example = "admin@keepclear.local")]
    email: String,
    /// What they are called.
    #[schema(example = "Administrator")]
    name: String,
    /// What they may do.
    #[schema(value_type = enum_schemas::Role, example = "admin")]
    role: &'static str,
    /// The projects they are restricted to; null if they see all.
    project_ids: Option<Vec<i64>>,
}

/// The tenant of who is signed in.
#[derive(Serialize, ToSchema)]
pub struct SessionBrand {
    /// Its id.
    #[schema(example = 1)]
    id: i64,
    /// What it is called.
    #[schema(example = "My brand")]
    name: String,
}

/// A session that has ended.
#[derive(Serialize, ToSchema)]
pub struct EndedSession {
    /// Its id.
    #[schema(example = 1)]
    pub id: i64,
    /// When it ended.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    pub ended_at: Timestamp,
}

impl SessionIdentity {
    /// Shapes an identity.
    pub fn new(identity: &UserIdentity) -> Self {
        Self {
            user: SessionUser {
                id: identity.user.0,
                email: identity.email.clone(),
                name: identity.name.clone(),
                role: identity.role.as_str(),
                project_ids: identity.project_ids().map(|ids| ids.iter().map(|id| id.0).collect()),
            },
            brand: SessionBrand { id: identity.brand().0, name: identity.brand_name.clone() },
            permissions: identity.permissions(),
            password_change_due: identity.password_change_due,
            second_factor_due: identity.second_factor_due(),
        }
    }
}
