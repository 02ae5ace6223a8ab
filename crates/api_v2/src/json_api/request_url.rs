//! The parsed query of a request together with its URL, from which links are built.

use app::Error;
use axum::extract::FromRequestParts;
use domain::Invalid;
use form_urlencoded::Serializer;
use http::Uri;
use http::request::Parts;
use web::{Failure, FromParams, Params};

/// The query parameters of a request, and its URL for the links of the response.
pub struct DocumentQuery<T> {
    pub params: T,
    pub(super) url: RequestUrl,
}

/// The path and query of a request.
pub(super) struct RequestUrl {
    path: String,
    path_and_query: String,
    query_pairs: Vec<(String, String)>,
}

impl<T: FromParams, S: Send + Sync> FromRequestParts<S> for DocumentQuery<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let Params(params) = Params::from_request_parts(parts, state).await?;
        Ok(Self { params, url: RequestUrl::of(&parts.uri) })
    }
}

impl<T> DocumentQuery<T> {
    /// Refuses all parameters, where the response is not a JSON:API document.
    pub fn refuse_parameters(&self) -> Result<(), Failure> {
        let Some((name, _)) = self.url.query_pairs.first() else { return Ok(()) };
        let text =
            "is a parameter of the JSON:API resource; send the header Accept: application/vnd.api+json";
        Err(Error::bad_parameter(name, Invalid::new("unknown_parameter", text)).into())
    }
}

impl RequestUrl {
    fn of(uri: &Uri) -> Self {
        let query = uri.query().unwrap_or_default();
        Self {
            path: uri.path().to_owned(),
            path_and_query: uri.path_and_query().map_or(uri.path(), |whole| whole.as_str()).to_owned(),
            query_pairs: form_urlencoded::parse(query.as_bytes()).into_owned().collect(),
        }
    }

    /// Returns the URL as it was requested.
    pub fn self_link(&self) -> &str {
        &self.path_and_query
    }

    /// Returns the URL of another page of the same list.
    pub fn page_link(&self, cursor_parameter: Option<(&str, &str)>) -> String {
        let kept =
            self.query_pairs.iter().filter(|(name, _)| name != "page[after]" && name != "page[before]");
        let mut query = Serializer::new(String::new());
        query.extend_pairs(kept);
        query.extend_pairs(cursor_parameter);
        match query.finish() {
            query if query.is_empty() => self.path.clone(),
            query => format!("{}?{query}", self.path),
        }
    }

    /// Returns the `related` link of a relationship path such as `/api/v2/projects/3/relationships/worksites`.
    pub fn related_link(&self) -> String {
        self.path.replacen("/relationships/", "/", 1)
    }
}
