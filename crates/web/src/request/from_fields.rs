//! Types that are read from a body field by field.

use crate::request::fields::Fields;

/// A type that is read from a body field by field.
pub trait FromFields: Sized {
    /// The format of such a body.
    const FORMAT: BodyFormat = BodyFormat::Json;

    /// The maximum size of such a body.
    const MAX_BYTES: usize = 1024 * 1024;

    /// Reads every field. Returns `None` if one of them was invalid.
    fn read(fields: &mut Fields) -> Option<Self>;

    /// Returns whether the record that the body changes is shown with a member of this name. What was read can be sent back: members
    /// that are shown and that the body does not set are ignored.
    fn is_shown_member(_name: &str) -> bool {
        false
    }
}

/// The format of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyFormat {
    Json,
    /// JSON or a form, as for logins.
    JsonOrForm,
    /// JSON with the media type of JSON:API. The parameters of the media type are checked elsewhere.
    JsonApi,
}
