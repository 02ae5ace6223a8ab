//! Forgets saved columns with facts that retention has deleted since, those of older formats in the end, and what their saves have replaced.
//!
//! A brand that is asked about is saved anew with the facts that are left. Of one that nobody asks about any more, the objects would stay.
//! Once no manifest names them, they are collected as objects that belong to nothing. Processes that still use such columns load them again.

use domain::insights::ColumnsFormat;
use domain::{BrandId, Timestamp};
use store::{Platform, Store, UnleasedColumnManifest};

use super::manifest::Manifest;
use crate::Error;

/// Manifests read per query.
const PAGE: i64 = 100;

/// Forgets what manifests name for no reason any more, except where a process has the right to save.
pub(crate) async fn expire_saved_columns(
    store: &Store,
    platform: &Platform,
    now: Timestamp,
) -> Result<(), Error> {
    for format in ColumnsFormat::KNOWN {
        let mut after = BrandId(0);
        loop {
            let mut tx = store.read().await?;
            let page = tx.all_column_manifests(platform).unleased(format, after, now, PAGE).await?;
            drop(tx);
            let Some(last) = page.last() else { break };
            after = last.brand;
            for row in &page {
                expire(store, platform, format, row, now).await?;
            }
        }
    }
    Ok(())
}

async fn expire(
    store: &Store,
    platform: &Platform,
    format: ColumnsFormat,
    row: &UnleasedColumnManifest,
    now: Timestamp,
) -> Result<(), Error> {
    // That of a newer program is for that program to expire, and one that cannot be used names nothing.
    let Ok(mut manifest) = Manifest::parse(&row.manifest, format) else { return Ok(()) };
    let kept_from = (row.incursions_kept_from, row.runtime_kept_from);
    let is_over = manifest.has_deleted_facts(kept_from, now)
        // A host of the version before forgets only manifests of its own format when retention becomes longer.
        || manifest.is_outdated(row.copies_since)
        || manifest.is_abandoned(now);
    let rest = if is_over {
        None
    } else if manifest.forget_replaced(now) {
        Some(manifest.to_text()?)
    } else {
        return Ok(());
    };
    let mut tx = store.begin().await?;
    let mut manifests = tx.all_column_manifests(platform);
    let is_replaced =
        manifests.replace_unleased(format, row.brand, row.revision, now, rest.as_deref()).await?;
    tx.commit().await?;
    if is_replaced && rest.is_none() {
        tracing::debug!("the saved columns of brand {} in format {} are over", row.brand, format.number());
    }
    Ok(())
}
