//! The bodies of logins and proofs, the signed-in user, as both API versions represent them, and the session cookie.

use app::{Credentials, Proof, UserIdentity};
use domain::{ActorKind, Timestamp};

use crate::auth::auth_layer::session_cookie_name;
use crate::config::Server;
use crate::request::fields::{Fields, text};
use crate::request::references::NamedReference;
use crate::response::enum_schemas;

/// The body of a login, as JSON or as a form.
// Anonymous callers send these bodies, and each is held in memory while it is received.
#[macros::body(into = Credentials, format = JsonOrForm, max_bytes = 64 * 1024)]
pub struct LoginBody {
    /// Email address of the account.
    #[schema(example = "admin@keepclear.local", max_length = 254)]
    #[field(parse = Credentials::check_email)]
    email: String,
    /// Password of the account.
    #[schema(example = "plum wagon sixty tiles", format = Password, max_length = 1024)]
    #[field(parse = Credentials::check_password)]
    password: String,
    /// Code from the authenticator app, or a recovery code, if the account has a second factor. Each code can be used once.
    #[schema(example = "492039", max_length = 64)]
    #[field(read = otp)]
    otp: Option<String>,
}

/// The credentials that confirm the identity of the signed-in user again.
#[macros::body(into = Proof, max_bytes = 64 * 1024)]
pub struct ProofBody {
    /// Your password.
    #[schema(example = "plum wagon sixty tiles", format = Password, max_length = 1024)]
    #[field(parse = Credentials::check_password)]
    password: String,
    /// Code from the authenticator app, or a recovery code, if your account has a second factor. Each code can be used once.
    #[schema(example = "492039", max_length = 64)]
    #[field(read = otp)]
    otp: Option<String>,
}

/// Reads a code. Blank text counts as no code.
fn otp(fields: &mut Fields, name: &str) -> Option<Option<String>> {
    fields.optional(name, text(Credentials::check_otp)).map(Option::flatten)
}

/// A proof of identity that was accepted.
#[macros::answer]
pub struct AcceptedProof {
    /// Time until which the proof is fresh, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:15:00Z")]
    pub fresh_until: Timestamp,
}

/// The signed-in user, or the service account whose token was presented.
#[macros::answer]
pub struct SessionIdentity {
    /// User who is signed in, or service account.
    pub user: SessionUser,
    /// Brand that the user belongs to.
    pub brand: NamedReference,
    /// Permissions that the role grants. A service account has none that grant access to others.
    #[schema(value_type = Vec<String>, example = json!(["be_signed_in", "read_insights", "read_registry"]))]
    pub permissions: Vec<&'static str>,
    /// Whether the password was generated for the user and must be changed with `PUT /api/v1/session/password`.
    #[schema(example = false)]
    pub password_change_due: bool,
    /// Whether the user's role requires a second factor that the user has not added yet. Until then only the session itself, its
    /// password, proof and second factor can be used.
    #[schema(example = false)]
    pub second_factor_due: bool,
}

/// The user who is signed in, or a service account.
#[macros::answer]
pub struct SessionUser {
    /// Whether this is a person or a service account.
    #[serde(rename = "type")]
    #[schema(value_type = enum_schemas::UserType, example = "user")]
    kind: &'static str,
    /// Identifier of the user.
    #[schema(example = 1)]
    id: i64,
    /// Email address of the user, unique in the installation; null for a service account.
    #[schema(example = "admin@keepclear.local")]
    email: Option<String>,
    /// Name of the user.
    #[schema(example = "Administrator")]
    name: String,
    /// Role of the user in the brand.
    #[schema(value_type = enum_schemas::Role, example = "admin")]
    role: &'static str,
    /// Identifiers of the projects that the user is restricted to; null if the user sees all projects.
    project_ids: Option<Vec<i64>>,
}

/// A session that has ended.
#[macros::answer]
pub struct EndedSession {
    /// Identifier of the session.
    #[schema(example = 1)]
    pub id: i64,
    /// Time at which the session ended, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    pub ended_at: Timestamp,
}

/// Returns the `Set-Cookie` value that sets the session cookie, or with an empty value clears it.
pub fn set_session_cookie(value: &str, server: &Server) -> String {
    let name = session_cookie_name(server.is_https());
    let secure = if server.is_https() { "; Secure" } else { "" };
    let age = if value.is_empty() { "; Max-Age=0" } else { "" };
    format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax{secure}{age}")
}

impl SessionIdentity {
    pub fn new(identity: &UserIdentity) -> Self {
        Self {
            user: SessionUser {
                kind: match identity.is_service_account() {
                    true => ActorKind::ServiceAccount.as_str(),
                    false => ActorKind::User.as_str(),
                },
                id: identity.user.0,
                email: (!identity.is_service_account()).then(|| identity.email.clone()),
                name: identity.name.clone(),
                role: identity.role.as_str(),
                project_ids: identity.project_ids().map(|ids| ids.iter().map(|id| id.0).collect()),
            },
            brand: NamedReference { id: identity.brand().0, name: identity.brand_name.clone() },
            permissions: identity.permissions(),
            password_change_due: identity.password_change_due,
            second_factor_due: identity.second_factor_due(),
        }
    }
}
