//! The author of a change.

/// The author of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// `user`, `tester_device` or `service`.
    pub kind: String,
    /// The id of the user or tester device; none for the service.
    pub id: Option<i64>,
}
