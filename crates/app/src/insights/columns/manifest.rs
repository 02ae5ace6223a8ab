//! The manifest of saved columns: a row in the database, which names the objects that the columns are made of.
//!
//! Objects never change, so that a manifest that was read stays good for as long as its objects exist. Those that a save replaces are kept
//! for a while, for the hosts that still use the manifest before.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use blobs::Upload;
use domain::insights::ColumnsFormat;
use domain::{BrandId, Span, Timestamp};
use serde::{Deserialize, Serialize};
use store::{Platform, Tx};

use super::watermarks::Watermarks;
use crate::Error;

/// The number of the object with the outline; parts have numbers from 1.
pub(super) const OUTLINE: u64 = 0;
/// Objects that were replaced this long ago are deleted by the next save.
const KEPT_AFTER_REPLACEMENT: Span = Span::minutes(60);
/// Saved columns may have facts that retention has deleted for this long: a host that is asked about the brand saves them anew meanwhile.
/// Those of a brand that nobody asks about are forgotten, and the next question reads its rows.
const KEPT_AFTER_DELETION: Span = Span::minutes(24 * 60);
/// Saved columns of an older format are forgotten when no process has saved them for this long. Until then hosts of the version before may
/// run, or be started again instead of this one. Those that run even longer load such columns from rows.
const OLDER_FORMAT_KEPT: Span = Span::minutes(7 * 24 * 60);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    format_version: u32,
    incursions_seq: i64,
    runtime_seq: i64,
    incursions_kept_from: Option<i64>,
    runtime_kept_from: Option<i64>,
    timeline: i64,
    is_synchronous: bool,
    pub outline: PartObject,
    pub parts: Vec<PartObject>,
    replaced: Vec<ReplacedObject>,
}

/// An object of saved columns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PartObject {
    pub number: u64,
    pub upload: String,
    pub size_bytes: u64,
    pub sha256: String,
}

/// An object that a later save has replaced, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReplacedObject {
    pub number: u64,
    pub upload: String,
    replaced_at_us: i64,
}

impl ReplacedObject {
    /// Whether it was replaced long enough ago to be deleted.
    fn is_over(&self, now: Timestamp) -> bool {
        self.replaced_at_us <= (now - KEPT_AFTER_REPLACEMENT).micros()
    }
}

/// The reason why a manifest cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ManifestFault {
    /// A newer program wrote it, and runs beside this one.
    Newer,
    Unusable,
}

impl Manifest {
    pub fn new(watermarks: Watermarks, outline: PartObject, parts: Vec<PartObject>) -> Self {
        Self {
            format_version: ColumnsFormat::CURRENT.number(),
            incursions_seq: watermarks.incursions_seq,
            runtime_seq: watermarks.runtime_seq,
            incursions_kept_from: watermarks.incursions_kept_from,
            runtime_kept_from: watermarks.runtime_kept_from,
            timeline: watermarks.timeline,
            is_synchronous: watermarks.is_synchronous,
            outline,
            parts,
            replaced: Vec::new(),
        }
    }

    /// Parses a manifest of the format that is opened and saved.
    pub fn parse_current(text: &str) -> Result<Self, ManifestFault> {
        Self::parse(text, ColumnsFormat::CURRENT)
    }

    /// Parses a manifest that is stored as one of a format.
    pub fn parse(text: &str, format: ColumnsFormat) -> Result<Self, ManifestFault> {
        #[derive(Deserialize)]
        struct Version {
            format_version: u32,
        }
        let version: Version = serde_json::from_str(text).map_err(|_| ManifestFault::Unusable)?;
        match version.format_version.cmp(&format.number()) {
            Ordering::Equal => serde_json::from_str(text).map_err(|_| ManifestFault::Unusable),
            Ordering::Greater => Err(ManifestFault::Newer),
            Ordering::Less => Err(ManifestFault::Unusable),
        }
    }

    pub fn to_text(&self) -> Result<String, Error> {
        serde_json::to_string(self).map_err(Error::internal)
    }

    /// Returns the changes that the columns include.
    pub fn watermarks(&self) -> Watermarks {
        Watermarks {
            incursions_seq: self.incursions_seq,
            runtime_seq: self.runtime_seq,
            incursions_kept_from: self.incursions_kept_from,
            runtime_kept_from: self.runtime_kept_from,
            timeline: self.timeline,
            is_synchronous: self.is_synchronous,
        }
    }

    /// Returns the outline and the parts.
    pub fn objects(&self) -> impl Iterator<Item = &PartObject> {
        std::iter::once(&self.outline).chain(&self.parts)
    }

    /// Remembers what this manifest replaces of the one before, and returns the objects that were replaced long enough ago to be deleted.
    pub fn replace(&mut self, before: Self, now: Timestamp) -> Vec<ReplacedObject> {
        let uploads: HashSet<&str> = self.objects().map(|object| object.upload.as_str()).collect();
        let old = [before.outline].into_iter().chain(before.parts);
        let replaced = old.filter(|object| !uploads.contains(object.upload.as_str())).map(|object| {
            ReplacedObject { number: object.number, upload: object.upload, replaced_at_us: now.micros() }
        });
        let (over, kept) =
            before.replaced.into_iter().chain(replaced).partition(|object| object.is_over(now));
        self.replaced = kept;
        over
    }

    /// Forgets the objects that were replaced long enough ago to be deleted; returns whether there were any.
    pub fn forget_replaced(&mut self, now: Timestamp) -> bool {
        let before = self.replaced.len();
        self.replaced.retain(|object| !object.is_over(now));
        self.replaced.len() < before
    }

    /// Whether the columns were saved after a time.
    fn is_saved_since(&self, at: Timestamp) -> bool {
        Upload::parse(&self.outline.upload).is_some_and(|upload| upload.started_at() > at)
    }

    /// Whether the columns are of an older format, and no process has saved them for long.
    pub fn is_abandoned(&self, now: Timestamp) -> bool {
        self.format_version < ColumnsFormat::CURRENT.number() && !self.is_saved_since(now - OLDER_FORMAT_KEPT)
    }

    /// Whether the columns lack a change that all copies must include. They are never opened, and may have any facts.
    pub fn is_outdated(&self, copies_since: i64) -> bool {
        self.incursions_seq.min(self.runtime_seq) < copies_since
    }

    /// Whether the columns may have facts that retention has deleted, either a while ago or much older ones. Incursions and runtime are
    /// kept from these times on.
    pub fn has_deleted_facts(
        &self,
        (incursions, runtime): (Option<Timestamp>, Option<Timestamp>),
        now: Timestamp,
    ) -> bool {
        let is_recent = self.is_saved_since(now - KEPT_AFTER_DELETION);
        let tolerance = if is_recent { KEPT_AFTER_DELETION } else { Span::from_micros(0) };
        let is_below = |own: Option<i64>, mark: Option<Timestamp>| {
            mark.is_some_and(|mark| own.is_none_or(|own| own < (mark - tolerance).micros()))
        };
        is_below(self.incursions_kept_from, incursions) || is_below(self.runtime_kept_from, runtime)
    }

    fn names(&self, number: i64, upload: &str) -> bool {
        let is_it = |own: u64, own_upload: &str| i64::try_from(own) == Ok(number) && own_upload == upload;
        self.objects().any(|object| is_it(object.number, &object.upload))
            || self.replaced.iter().any(|object| is_it(object.number, &object.upload))
    }
}

/// The objects of the saved columns of some brands, for the collection of those that belong to nothing.
pub(crate) struct SavedColumns(HashMap<(ColumnsFormat, BrandId), Result<Manifest, ManifestFault>>);

impl SavedColumns {
    /// Reads the manifests of some brands, each in a format.
    pub async fn read(
        tx: &mut Tx,
        platform: &Platform,
        wanted: &[(ColumnsFormat, BrandId)],
    ) -> Result<Self, Error> {
        let mut all = HashMap::new();
        for format in ColumnsFormat::KNOWN {
            let of_format = wanted.iter().filter(|(wanted, _)| *wanted == format);
            let mut brands: Vec<BrandId> = of_format.map(|(_, brand)| *brand).collect();
            brands.dedup();
            for row in tx.all_column_manifests(platform).of_brands(format, &brands).await? {
                if let Some(text) = row.manifest {
                    all.insert((format, row.brand), Manifest::parse(&text, format));
                }
            }
        }
        Ok(Self(all))
    }

    /// Whether an object belongs to saved columns, or may belong to those of a newer program.
    pub fn names(&self, of: (ColumnsFormat, BrandId), number: i64, upload: &Upload) -> bool {
        match self.0.get(&of) {
            Some(Ok(manifest)) => manifest.names(number, &upload.to_string()),
            Some(Err(ManifestFault::Newer)) => true,
            Some(Err(ManifestFault::Unusable)) | None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(number: u64, upload: &str) -> PartObject {
        PartObject { number, upload: upload.to_owned(), size_bytes: 9, sha256: "ab".to_owned() }
    }

    fn manifest(outline: &str, parts: &[(u64, &str)]) -> Manifest {
        let watermarks = Watermarks {
            incursions_seq: 7,
            runtime_seq: 8,
            incursions_kept_from: None,
            runtime_kept_from: Some(5),
            timeline: 3,
            is_synchronous: true,
        };
        let parts = parts.iter().map(|(number, upload)| object(*number, upload)).collect();
        Manifest::new(watermarks, object(OUTLINE, outline), parts)
    }

    #[test]
    fn a_manifest_is_read_as_it_was_written() {
        let first = manifest("1-a", &[(1, "1-b"), (2, "1-c")]);
        let read = Manifest::parse_current(&first.to_text().unwrap()).unwrap();
        assert_eq!((read.watermarks(), &read), (first.watermarks(), &first));
        let fault = |text: &str, format| Manifest::parse(text, format).unwrap_err();
        for format in ColumnsFormat::KNOWN {
            assert_eq!(fault("{\"format_version\":1}", format), ManifestFault::Unusable);
            assert_eq!(fault("{\"format_version\":4,\"more\":[]}", format), ManifestFault::Newer);
            let empty = format!("{{\"format_version\":{}}}", format.number());
            assert_eq!(fault(&empty, format), ManifestFault::Unusable);
            assert_eq!(fault("x", format), ManifestFault::Unusable);
        }
        // What the version before saved is not opened, and what it says of itself is understood.
        let older = first.to_text().unwrap().replace("\"format_version\":3", "\"format_version\":2");
        assert_eq!(Manifest::parse_current(&older), Err(ManifestFault::Unusable));
        let older = Manifest::parse(&older, ColumnsFormat::ARROW).unwrap();
        assert!(older.names(0, "1-a") && older.names(2, "1-c"));
    }

    #[test]
    fn columns_of_an_older_format_are_kept_for_a_week() {
        let at = |hours: i64| Timestamp::from_seconds(hours * 3_600);
        // Saved at 100 hours.
        let mut saved = manifest("360000-00000000000000ab", &[]);
        assert!(!saved.is_abandoned(at(10_000)), "those of this format stay");
        saved.format_version = ColumnsFormat::ARROW.number();
        assert!(!saved.is_abandoned(at(100 + 7 * 24 - 1)) && saved.is_abandoned(at(100 + 7 * 24)));
        assert!(!saved.is_outdated(7) && saved.is_outdated(8));
    }

    #[test]
    fn what_is_replaced_stays_for_an_hour() {
        let at = |minutes: i64| Timestamp::from_seconds(minutes * 60);
        let first = manifest("1-a", &[(1, "1-b"), (2, "1-c")]);
        let mut second = manifest("2-a", &[(1, "1-b"), (3, "2-c")]);
        assert_eq!(second.replace(first, at(0)), []);
        assert!(second.names(0, "1-a") && second.names(2, "1-c") && second.names(1, "1-b"));
        assert!(!second.names(3, "1-c") && !second.names(-1, "1-a"));
        let mut third = manifest("3-a", &[(1, "1-b"), (3, "2-c")]);
        assert_eq!(third.replace(second, at(59)), []);
        let mut fourth = manifest("4-a", &[(1, "1-b"), (3, "2-c")]);
        let over = fourth.replace(third, at(60));
        let over: Vec<&str> = over.iter().map(|object| object.upload.as_str()).collect();
        assert_eq!(over, ["1-a", "1-c"]);
        assert!(fourth.names(0, "2-a") && fourth.names(0, "3-a") && !fourth.names(0, "1-a"));
        // Without another save.
        assert!(!fourth.forget_replaced(at(59)) && fourth.names(0, "2-a"));
        assert!(fourth.forget_replaced(at(119)) && !fourth.names(0, "2-a"));
        assert!(fourth.names(0, "3-a") && fourth.names(0, "4-a") && fourth.names(3, "2-c"));
        assert!(!fourth.forget_replaced(at(119)));
    }

    #[test]
    fn columns_with_facts_that_retention_has_deleted_are_known() {
        let at = |hours: i64| Timestamp::from_seconds(hours * 3_600);
        // Saved at 100 hours.
        let mut saved = manifest("360000-00000000000000ab", &[]);
        saved.incursions_kept_from = Some(at(50).micros());
        saved.runtime_kept_from = Some(at(20).micros());
        let has_deleted = |incursions, runtime, now| saved.has_deleted_facts((incursions, runtime), at(now));
        assert!(!has_deleted(None, None, 900), "nothing was deleted");
        assert!(!has_deleted(Some(at(50)), Some(at(20)), 900), "nor since");
        assert!(!has_deleted(Some(at(51)), Some(at(44)), 123) && has_deleted(Some(at(51)), None, 124));
        assert!(!has_deleted(None, Some(at(44)), 101) && has_deleted(None, Some(at(45)), 101));
        saved.incursions_kept_from = None;
        assert!(saved.has_deleted_facts((Some(at(1)), None), at(101)), "how old its facts are is unknown");
        assert!(!saved.has_deleted_facts((None, Some(at(20))), at(101)));
    }
}
