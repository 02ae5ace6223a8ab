//! Video clips: their states, the periods that can be requested, and the accepted video formats.

mod clip;

use serde::Serialize;

use crate::{Invalid, Span, Timestamp};

pub use clip::{ClipContent, ClipFilter, VideoClip};

pub const MAX_CLIP_DURATION: Span = Span::seconds(60);
/// How far back a clip may be requested, and how long a request waits for its video.
pub const MAX_CLIP_AGE: Span = Span::minutes(7 * 24 * 60);
/// The time shown before and after an incursion.
pub const INCURSION_MARGIN: Span = Span::seconds(10);
pub const MAX_CLIP_BYTES: u64 = 256 * 1024 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClipState {
    /// Waiting for the station.
    Requested,
    /// The station is uploading it.
    Uploading,
    /// It can be watched.
    Available,
    /// It was available and has been deleted.
    Expired,
    /// The video was never received.
    Failed,
}

impl ClipState {
    pub const ALL: [Self; 5] =
        [Self::Requested, Self::Uploading, Self::Available, Self::Expired, Self::Failed];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Uploading => "uploading",
            Self::Available => "available",
            Self::Expired => "expired",
            Self::Failed => "failed",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|state| state.as_str() == text);
        let words = "must be one of requested, uploading, available, expired, failed";
        found.ok_or_else(|| Invalid::new("invalid_state", words))
    }
}

/// The period that a clip shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClipRange {
    pub from: Timestamp,
    /// Exclusive.
    pub to: Timestamp,
}

impl ClipRange {
    /// Validates a requested period; an error names the field that is wrong.
    pub fn requested(
        from: Timestamp,
        to: Timestamp,
        now: Timestamp,
    ) -> Result<Self, (&'static str, Invalid)> {
        if to > now {
            return Err(("to", Invalid::new("bad_time", "must not be in the future")));
        }
        if from < now - MAX_CLIP_AGE {
            return Err(("from", Invalid::new("bad_time", "must be at most 7 days ago")));
        }
        if to <= from || to - from > MAX_CLIP_DURATION {
            return Err(("to", Invalid::new("out_of_range", "must be after from, by at most 60 seconds")));
        }
        Ok(Self { from, to })
    }

    /// Returns the period around an incursion with [`INCURSION_MARGIN`] on both sides, limited to [`MAX_CLIP_DURATION`] and to
    /// the past. If the incursion has not ended, the period is as long as these limits allow.
    pub fn around_incursion(
        started: Timestamp,
        ended: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Self, Invalid> {
        let from = started - INCURSION_MARGIN;
        let longest = from + MAX_CLIP_DURATION;
        let to = ended.map_or(longest, |ended| longest.min(ended + INCURSION_MARGIN)).min(now);
        if from < now - MAX_CLIP_AGE {
            return Err(Invalid::new("bad_time", "was more than 7 days ago"));
        }
        if to <= from {
            return Err(Invalid::new("bad_time", "is in the future, according to the station's clock"));
        }
        Ok(Self { from, to })
    }
}

/// A supported video format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VideoType {
    /// ISO base media, the format of MP4 files.
    Mp4,
    Webm,
}

impl VideoType {
    /// The number of leading bytes that are enough to detect the format.
    pub const SNIFF_BYTES: usize = 1024;

    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Mp4 => "video/mp4",
            Self::Webm => "video/webm",
        }
    }

    pub const fn extension(self) -> &'static str {
        match self {
            Self::Mp4 => "mp4",
            Self::Webm => "webm",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = [Self::Mp4, Self::Webm].into_iter().find(|kind| kind.media_type() == text);
        found.ok_or_else(|| Invalid::new("unsupported_video", "must be video/mp4 or video/webm"))
    }

    /// Detects the format from the first bytes, regardless of the declared type; `None` if it is neither.
    pub fn sniff(beginning: &[u8]) -> Option<Self> {
        if is_mp4(beginning) {
            Some(Self::Mp4)
        } else if is_webm(beginning) {
            Some(Self::Webm)
        } else {
            None
        }
    }
}

/// Checks for a leading `ftyp` box of plausible size whose brand is not one of a still image, audio or QuickTime.
fn is_mp4(bytes: &[u8]) -> bool {
    let Some((size, rest)) = bytes.split_first_chunk::<4>() else { return false };
    let Some((b"ftyp", rest)) = rest.split_first_chunk::<4>() else { return false };
    let Some((brand, _)) = rest.split_first_chunk::<4>() else { return false };
    let size = u32::from_be_bytes(*size);
    let is_other = matches!(
        brand,
        b"heic" | b"heix" | b"mif1" | b"msf1" | b"avif" | b"avis" | b"M4A " | b"M4B " | b"qt  "
    );
    (16..=1024).contains(&size)
        && size % 4 == 0
        && brand.iter().all(|byte| (b' '..=b'~').contains(byte))
        && !is_other
}

/// Checks for an EBML header with the document type webm.
fn is_webm(bytes: &[u8]) -> bool {
    const HEADER: [u8; 4] = [0x1A, 0x45, 0xDF, 0xA3];
    const DOCUMENT_TYPE: u64 = 0x4282;
    let Some(rest) = bytes.strip_prefix(&HEADER) else { return false };
    let Some((length, mut rest)) = read_vint(rest, true) else { return false };
    rest = &rest[..rest.len().min(usize::try_from(length).unwrap_or(usize::MAX))];
    while let Some((id, after)) = read_vint(rest, false) {
        let Some((length, content)) = read_vint(after, true) else { return false };
        let Some((content, after)) =
            usize::try_from(length).ok().and_then(|length| content.split_at_checked(length))
        else {
            return false;
        };
        if id == DOCUMENT_TYPE {
            return content.strip_suffix(b"\0").unwrap_or(content) == b"webm";
        }
        rest = after;
    }
    false
}

/// Reads an EBML variable-length integer, whose length is given by the leading zeros of its first byte, and optionally strips
/// the length marker.
fn read_vint(bytes: &[u8], strip_marker: bool) -> Option<(u64, &[u8])> {
    let first = *bytes.first()?;
    let length = first.leading_zeros() as usize + 1;
    let (number, rest) = bytes.split_at_checked(length).filter(|_| length <= 8)?;
    let mut value = number.iter().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
    if strip_marker {
        value &= !(1u64 << (7 * length));
    }
    Some((value, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(1_772_366_400 + seconds)
    }

    #[test]
    fn a_time_that_is_asked_for_is_short_past_and_recent() {
        let now = at(0);
        assert!(ClipRange::requested(at(-60), at(0), now).is_ok());
        assert_eq!(ClipRange::requested(at(-61), at(0), now).unwrap_err().0, "to");
        assert_eq!(ClipRange::requested(at(-5), at(1), now).unwrap_err().0, "to");
        assert_eq!(ClipRange::requested(at(-5), at(-5), now).unwrap_err().0, "to");
        let week = 7 * 86_400;
        assert!(ClipRange::requested(at(-week), at(-week + 60), now).is_ok());
        assert_eq!(ClipRange::requested(at(-week - 1), at(-week), now).unwrap_err().0, "from");
        assert!(
            ClipRange::requested(Timestamp::from_micros(i64::MIN), Timestamp::from_micros(i64::MAX), now)
                .is_err()
        );
    }

    #[test]
    fn an_incursion_is_shown_with_what_was_around_it() {
        let around = |started, ended: Option<i64>| {
            ClipRange::around_incursion(at(started), ended.map(at), at(0))
                .map(|footage| (footage.from, footage.to))
        };
        assert_eq!(around(-100, Some(-90)), Ok((at(-110), at(-80))));
        assert_eq!(around(-100, Some(-50)), Ok((at(-110), at(-50))));
        assert_eq!(around(-100, None), Ok((at(-110), at(-50))));
        assert_eq!(around(-5, Some(-3)), Ok((at(-15), at(0))));
        assert!(around(11, None).is_err());
        assert!(around(-8 * 86_400, Some(-8 * 86_400)).is_err());
    }

    #[test]
    fn video_is_told_by_its_content() {
        let mp4 = b"\0\0\0\x18ftypisom\0\0\x02\0isommp42\0\0\0\x08free";
        assert_eq!(VideoType::sniff(mp4), Some(VideoType::Mp4));
        let webm = b"\x1A\x45\xDF\xA3\x9F\x42\x86\x81\x01\x42\xF7\x81\x01\x42\xF2\x81\x04\x42\xF3\x81\x08\x42\x82\x84webm";
        assert_eq!(VideoType::sniff(webm), Some(VideoType::Webm));
        let mut padded = webm.to_vec();
        *padded.iter_mut().rev().nth(4).unwrap() = 0x85;
        padded.push(0);
        padded[4] = 0xA0;
        assert_eq!(VideoType::sniff(&padded), Some(VideoType::Webm));
        let mut matroska = webm.to_vec();
        matroska.truncate(webm.len() - 5);
        matroska.extend(b"\x88matroska");
        matroska[4] = 0xA3;
        for other in [
            &b""[..],
            b"<html>",
            b"\0\0\0\x18ftyp",
            b"\0\0\0\x18ftypheic\0\0\0\0",
            b"\0\0\0\0ftypisom",
            &matroska,
            &webm[..20],
            b"\x1A\x45\xDF\xA3\x00\x00",
            b"\x1A\x45\xDF\xA3\xFF\x00\x00\x00",
        ] {
            assert_eq!(VideoType::sniff(other), None, "{other:?}");
        }
    }
}
