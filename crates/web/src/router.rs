//! Routes of operations, each declared once: `#[web::operation]` at a handler says its method and path, and `routes!` registers it. With
//! the feature `openapi` the same routes carry their part of the OpenAPI document.

use std::convert::Infallible;

use axum::Router;
use axum::extract::Request;
use axum::handler::Handler;
use axum::response::IntoResponse;
use axum::routing::{MethodFilter, MethodRouter, Route};
use tower::{Layer, Service};
#[cfg(feature = "openapi")]
use utoipa::openapi::OpenApi;

use crate::state::EdgeState;

/// What `#[web::operation]` says of a handler, for a type of the handler's name.
pub trait Operation {
    const METHOD: MethodFilter;
    const PATH: &'static str;

    /// Adds the operation and its schemas to a document.
    #[cfg(feature = "openapi")]
    fn describe(document: &mut OpenApi);
}

/// Adds an operation to a document. It is kept as a function, because almost nobody who makes a router wants its document.
#[cfg(feature = "openapi")]
type Description = fn(&mut OpenApi);

/// The operations of one path.
#[macro_export]
macro_rules! routes {
    ($first:path $(, $further:path)* $(,)?) => {
        $crate::PathRoutes::of::<$first, _, _>($first)$(.and::<$further, _, _>($further))*
    };
}

/// The operations of one path, as `routes!` makes them.
pub struct PathRoutes {
    path: &'static str,
    methods: MethodRouter<EdgeState>,
    #[cfg(feature = "openapi")]
    descriptions: Vec<Description>,
}

impl PathRoutes {
    pub fn of<O: Operation, H: Handler<T, EdgeState>, T: 'static>(handler: H) -> Self {
        let empty = Self {
            path: O::PATH,
            methods: MethodRouter::new(),
            #[cfg(feature = "openapi")]
            descriptions: Vec::new(),
        };
        empty.and::<O, H, T>(handler)
    }

    /// Adds an operation of the same path.
    #[must_use]
    pub fn and<O: Operation, H: Handler<T, EdgeState>, T: 'static>(mut self, handler: H) -> Self {
        debug_assert_eq!(self.path, O::PATH, "operations of two paths");
        #[cfg(feature = "openapi")]
        self.descriptions.push(O::describe);
        self.methods = self.methods.on(O::METHOD, handler);
        self
    }
}

/// A router of operations, with their document if it is compiled in.
pub struct OperationRouter {
    router: Router<EdgeState>,
    #[cfg(feature = "openapi")]
    descriptions: Vec<Description>,
}

impl OperationRouter {
    #[expect(clippy::new_without_default, reason = "a router is made for its routes")]
    pub fn new() -> Self {
        Self {
            router: Router::new(),
            #[cfg(feature = "openapi")]
            descriptions: Vec::new(),
        }
    }

    /// Adds the operations of a path.
    #[must_use]
    pub fn routes(mut self, routes: PathRoutes) -> Self {
        self.router = self.router.route(routes.path, routes.methods);
        #[cfg(feature = "openapi")]
        self.descriptions.extend(routes.descriptions);
        self
    }

    /// Adds a route that no document shows.
    #[must_use]
    pub fn route(mut self, path: &str, methods: MethodRouter<EdgeState>) -> Self {
        self.router = self.router.route(path, methods);
        self
    }

    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.router = self.router.merge(other.router);
        #[cfg(feature = "openapi")]
        self.descriptions.extend(other.descriptions);
        self
    }

    /// Adds a layer around all routes so far.
    #[must_use]
    pub fn layer<L>(mut self, layer: L) -> Self
    where
        L: Layer<Route> + Clone + Send + Sync + 'static,
        L::Service: Service<Request, Error: Into<Infallible> + 'static> + Clone + Send + Sync + 'static,
        <L::Service as Service<Request>>::Response: IntoResponse + 'static,
        <L::Service as Service<Request>>::Future: Send + 'static,
    {
        self.router = self.router.layer(layer);
        self
    }

    pub fn into_router(self) -> Router<EdgeState> {
        self.router
    }

    #[cfg(feature = "openapi")]
    pub fn into_openapi(self) -> OpenApi {
        let mut document = OpenApi::default();
        for describe in self.descriptions {
            describe(&mut document);
        }
        document
    }
}

/// Adds to a document what `utoipa::path` knows of an operation. The traits are those that utoipa's own routers use.
#[cfg(feature = "openapi")]
pub fn describe_operation<D>(document: &mut OpenApi)
where
    D: utoipa::Path + utoipa::__dev::Tags<'static> + utoipa::__dev::SchemaReferences,
{
    let mut operation = D::operation();
    operation.tags.get_or_insert_default().extend(D::tags().into_iter().map(str::to_owned));
    document.paths.add_path_operation(D::path(), D::methods(), operation);
    let mut schemas = Vec::new();
    D::schemas(&mut schemas);
    document.components.get_or_insert_default().schemas.extend(schemas);
}
