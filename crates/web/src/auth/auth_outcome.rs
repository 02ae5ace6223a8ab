//! The result of authentication, which travels in the extensions of the request.

use app::{Authenticated, CredentialError, Identity};

/// The identity of the caller, or the reason why there is none. The extractors read it from the request.
#[derive(Clone)]
pub(crate) struct AuthOutcome(pub Result<Authenticated, CredentialError>);

/// The name of the caller under which idempotency keys are stored.
pub(crate) fn caller_label(extensions: &http::Extensions) -> Option<String> {
    extensions.get::<AuthOutcome>()?.caller_label()
}

impl AuthOutcome {
    pub fn caller_label(&self) -> Option<String> {
        match &self.0.as_ref().ok()?.identity {
            // One name for all tokens of an account, so that a retry after a rotation gets the stored response.
            Identity::User(user) if user.is_service_account() => {
                Some(format!("service_account {}", user.user))
            }
            Identity::User(user) => Some(format!("user {}", user.user)),
            Identity::Device(device) => Some(format!("token {}", device.token_id())),
        }
    }
}
