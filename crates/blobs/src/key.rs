//! Names of objects. They never contain user input.

use std::fmt;

use domain::insights::ColumnsFormat;
use domain::{BrandId, ClipId, ExportId, Random, ReportId, Timestamp};
use object_store::path::Path;

const CLIPS: &str = "clips";
const EXPORTS: &str = "exports";
const REPORTS: &str = "reports";
const COLUMNS: &str = "columns";

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// The bytes of a video clip, from one upload.
    Clip(BrandId, ClipId, Upload),
    /// The file of an export, from one attempt.
    Export(BrandId, ExportId, Upload),
    /// The figures or a file of a report, from one attempt.
    Report(BrandId, ReportId, Upload),
    /// A part of the columns of a brand in a format, by its number, or their outline as number 0, from one save.
    ColumnPart(ColumnsFormat, BrandId, i64, Upload),
}

/// Identifies an upload by its start and a random part, so that no two are ever the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Upload {
    started_at_s: i64,
    nonce: u64,
}

impl Upload {
    pub fn begin(now: Timestamp, random: &Random) -> Self {
        Self { started_at_s: now.micros().div_euclid(1_000_000), nonce: u64::from_be_bytes(random.bytes()) }
    }

    /// Parses what [`fmt::Display`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (begun_at_s, nonce) = text.split_once('-')?;
        let upload =
            Self { started_at_s: begun_at_s.parse().ok()?, nonce: u64::from_str_radix(nonce, 16).ok()? };
        (upload.to_string() == text).then_some(upload)
    }

    /// Returns the time at which it started, in whole seconds.
    pub fn started_at(&self) -> Timestamp {
        Timestamp::from_seconds(self.started_at_s)
    }
}

impl fmt::Display for Upload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:016x}", self.started_at_s, self.nonce)
    }
}

impl Key {
    /// Parses a name; `None` if it was not made by this program.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('/');
        let (kind, brand, id, upload, None) =
            (parts.next()?, parts.next()?, parts.next()?, parts.next()?, parts.next())
        else {
            return None;
        };
        let (brand, id, upload) = (BrandId(brand.parse().ok()?), id.parse().ok()?, Upload::parse(upload)?);
        let key = match kind {
            CLIPS => Self::Clip(brand, ClipId(id), upload),
            EXPORTS => Self::Export(brand, ExportId(id), upload),
            REPORTS => Self::Report(brand, ReportId(id), upload),
            COLUMNS => Self::ColumnPart(ColumnsFormat::ARROW, brand, id, upload),
            // Those of newer programs are none of ours.
            _ => Self::ColumnPart(parse_columns_format(kind)?, brand, id, upload),
        };
        (key.to_string() == text).then_some(key)
    }

    pub fn upload(&self) -> &Upload {
        match self {
            Self::Clip(_, _, upload)
            | Self::Export(_, _, upload)
            | Self::Report(_, _, upload)
            | Self::ColumnPart(_, _, _, upload) => upload,
        }
    }

    pub(crate) fn path(&self) -> Path {
        Path::from(self.to_string())
    }
}

/// Parses the first word of the names of columns in a format after the first.
fn parse_columns_format(kind: &str) -> Option<ColumnsFormat> {
    let number = kind.strip_prefix(COLUMNS)?.strip_prefix('-')?;
    ColumnsFormat::from_number(number.parse().ok()?)
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clip(brand, clip, upload) => write!(f, "{CLIPS}/{}/{}/{upload}", brand.0, clip.0),
            Self::Export(brand, export, upload) => write!(f, "{EXPORTS}/{}/{}/{upload}", brand.0, export.0),
            Self::Report(brand, report, upload) => write!(f, "{REPORTS}/{}/{}/{upload}", brand.0, report.0),
            Self::ColumnPart(ColumnsFormat::ARROW, brand, part, upload) => {
                write!(f, "{COLUMNS}/{}/{part}/{upload}", brand.0)
            }
            Self::ColumnPart(format, brand, part, upload) => {
                write!(f, "{COLUMNS}-{}/{}/{part}/{upload}", format.number(), brand.0)
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefix {
    All,
    /// The video clips of all brands.
    Clips,
    /// The video clips of a brand.
    ClipsOf(BrandId),
}

impl Prefix {
    pub(crate) fn path(self) -> Option<Path> {
        match self {
            Self::All => None,
            Self::Clips => Some(Path::from(CLIPS)),
            Self::ClipsOf(brand) => Some(Path::from(format!("{CLIPS}/{}", brand.0))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_was_written_and_nothing_else_is() {
        let upload = Upload::begin(Timestamp::from_seconds(1_772_366_430), &Random::seeded(7));
        let key = Key::Clip(BrandId(7), ClipId(12), upload.clone());
        assert!(key.to_string().starts_with("clips/7/12/1772366430-"));
        assert_eq!(Key::parse(&key.to_string()), Some(key.clone()));
        assert_eq!(upload.started_at(), Timestamp::from_seconds(1_772_366_430));
        let export = Key::Export(BrandId(7), ExportId(12), upload.clone());
        assert!(export.to_string().starts_with("exports/7/12/1772366430-"));
        assert_eq!(Key::parse(&export.to_string()), Some(export));
        let report = Key::Report(BrandId(7), ReportId(12), upload.clone());
        assert!(report.to_string().starts_with("reports/7/12/1772366430-"));
        assert_eq!(Key::parse(&report.to_string()), Some(report));
        for (format, beginning) in [
            (ColumnsFormat::ARROW, "columns/7/0/1772366430-"),
            (ColumnsFormat::CURRENT, "columns-3/7/0/1772366430-"),
        ] {
            let part = Key::ColumnPart(format, BrandId(7), 0, upload.clone());
            assert!(part.to_string().starts_with(beginning), "{part}");
            assert_eq!(Key::parse(&part.to_string()), Some(part));
        }
        for other in [
            "",
            "clips",
            "clips/7/12",
            "clips/7/12/x",
            "clips/07/12/1-0000000000000001",
            "files/1/2/3-4",
            // The format 2 has its own name, and 4 belongs to a newer program.
            "columns-2/1/2/1-0000000000000001",
            "columns-03/1/2/1-0000000000000001",
            "columns-4/1/2/1-0000000000000001",
            "columns-/1/2/1-0000000000000001",
        ] {
            assert_eq!(Key::parse(other), None, "{other}");
        }
        assert_eq!(Key::parse(&format!("{key}/more")), None);
    }
}
