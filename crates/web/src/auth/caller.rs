//! Extractors for the identity of the caller. Use cases take these identities, so a handler without one cannot reach data.

use std::sync::Arc;

use app::{App, Authenticated, CredentialError, Error, ErrorKind, Identity, Origin};
use axum::extract::{FromRef, FromRequestParts};
use domain::Permission;
use http::request::Parts;

use crate::auth::auth_outcome::AuthOutcome;
use crate::response::error::Failure;

/// A user with the permission `P`: `Caller(caller): Caller<ManageUsers>`.
pub struct Caller<P>(pub app::Caller<P>);

/// The same, for a user who has proven their identity recently: `FreshCaller(caller): FreshCaller<ManageUsers>`.
pub struct FreshCaller<P>(pub app::FreshCaller<P>);

pub struct Tester(pub app::Tester);

/// A base station or gateway.
pub struct Reporter(pub app::Reporter);

impl<P: Permission, S: Send + Sync> FromRequestParts<S> for Caller<P> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        match authenticated(parts)? {
            (Authenticated { identity: Identity::User(user), expires_at: good_until }, origin) => {
                Ok(Self(app::Caller::new(user, good_until, origin)?))
            }
            (Authenticated { identity: Identity::Device(_), .. }, _) => {
                Err(unauthenticated_error(CredentialError::Invalid).into())
            }
        }
    }
}

impl<P: Permission, S: Send + Sync> FromRequestParts<S> for FreshCaller<P>
where
    Arc<App>: FromRef<S>,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let Caller(caller) = Caller::<P>::from_request_parts(parts, state).await?;
        Ok(Self(Arc::<App>::from_ref(state).require_proof(caller)?))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Tester {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        let (known, origin) = authenticated(parts)?;
        known
            .identity
            .as_tester(origin)
            .map(Self)
            .ok_or_else(|| unauthenticated_error(CredentialError::Invalid).into())
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Reporter {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        let (known, origin) = authenticated(parts)?;
        known
            .identity
            .as_reporter(origin)
            .map(Self)
            .ok_or_else(|| unauthenticated_error(CredentialError::Invalid).into())
    }
}

fn authenticated(parts: &Parts) -> Result<(Authenticated, Origin), Error> {
    let known = match parts.extensions.get::<AuthOutcome>() {
        Some(AuthOutcome(known)) => known.clone().map_err(unauthenticated_error)?,
        None => return Err(Error::internal("a handler is not inside the auth layer")),
    };
    let origin = parts.extensions.get::<Origin>().cloned();
    Ok((known, origin.ok_or_else(|| Error::internal("a handler is not inside the request context layer"))?))
}

fn unauthenticated_error(refusal: CredentialError) -> Error {
    let (code, detail) = match refusal {
        CredentialError::Missing => {
            ("credentials_missing", "This call needs credentials, and none were sent.")
        }
        CredentialError::Invalid => {
            ("credentials_invalid", "The credentials are unknown, revoked or not valid for this path.")
        }
        CredentialError::Expired => ("credentials_expired", "The credentials have expired."),
    };
    Error::new(ErrorKind::Unauthenticated, code, detail)
}
