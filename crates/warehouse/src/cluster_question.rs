//! A question as it is put to the cluster.

use domain::insights::Question;

use crate::applied::Origin;
use crate::copy::CopyId;
use crate::question::{KeptFrom, Kinds};

/// A question with what it depends on, as of the time at which it was asked.
#[derive(Clone, Copy, Debug)]
pub struct ClusterQuestion<'a> {
    pub question: &'a Question,
    pub copy: CopyId,
    pub origin: &'a Origin,
    /// The number of the brand's last change. Nodes may be further, never less far.
    pub last_seq: i64,
    pub kept_from: KeptFrom,
    /// Those that the question needs.
    pub kinds: &'a Kinds,
}
