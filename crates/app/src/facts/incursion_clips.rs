//! Incursions as lists show them, with their clips.

use std::collections::HashMap;

use domain::{IncursionClip, IncursionDetails, IncursionId, ReviewedIncursion, StoredIncursion};
use store::{ListedIncursion, Scope, Tx};

use crate::accounts::names::RedactNames;
use crate::{Error, Names};

/// An incursion as it appears in lists.
#[derive(Clone, Debug)]
pub struct IncursionView<R = IncursionDetails> {
    /// The row, with the names of what it refers to unless they were not wanted.
    pub details: R,
    pub clips: Vec<IncursionClip>,
}

impl IncursionView {
    /// Returns the same without the names of what it refers to.
    pub fn without_names(self) -> IncursionView<ReviewedIncursion> {
        IncursionView { details: self.details.into(), clips: self.clips }
    }
}

/// Redacts rows as the reader requires and adds their clips, with one query for all rows that have some.
pub(crate) async fn with_clips<R: RedactNames + AsRef<StoredIncursion>>(
    tx: &mut Tx,
    scope: &Scope,
    names: Names,
    rows: Vec<ListedIncursion<R>>,
) -> Result<Vec<IncursionView<R>>, Error> {
    let filmed = rows.iter().filter(|row| row.has_clips);
    let ids: Vec<IncursionId> = filmed.map(|row| row.incursion.as_ref().id).collect();
    let clips = match ids.is_empty() {
        true => Vec::new(),
        false => tx.incursions_in_detail(scope).clips(ids).await?,
    };
    let mut clips_of: HashMap<IncursionId, Vec<IncursionClip>> = HashMap::new();
    for clip in clips {
        clips_of.entry(clip.incursion).or_default().push(clip);
    }
    let views = rows.into_iter().map(|row| {
        let clips = clips_of.get(&row.incursion.as_ref().id).cloned().unwrap_or_default();
        IncursionView { details: names.redact_record(row.incursion), clips }
    });
    Ok(views.collect())
}
