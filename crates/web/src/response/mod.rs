//! Writing responses and errors.

#[cfg(feature = "openapi")]
pub(crate) mod document_completion;
pub mod enum_schemas;
pub(crate) mod error;
pub(crate) mod error_body;
pub(crate) mod error_format;
pub(crate) mod error_page;
pub(crate) mod error_responses;
pub(crate) mod event_stream;
pub(crate) mod success;
pub(crate) mod vary;
