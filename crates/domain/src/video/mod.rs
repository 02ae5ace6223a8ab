//! Video clips: where one stands, which times can be asked for, and what counts as video.

use serde::Serialize;

use crate::{Invalid, Span, Timestamp};

/// The longest clip.
pub const MAX_CLIP_DURATION: Span = Span::seconds(60);
/// How far back a clip may be asked for, and how long a request waits for its video.
pub const MAX_CLIP_AGE: Span = Span::minutes(7 * 24 * 60);
/// What a clip of an incursion shows before and after it.
pub const INCURSION_MARGIN: Span = Span::seconds(10);
/// The most bytes of a clip.
pub const MAX_CLIP_BYTES: u64 = 256 * 1024 * 1024;

/// Where a clip stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClipState {
    /// It waits for the station.
    Requested,
    /// The station is sending it.
    Uploading,
    /// It can be watched.
    Available,
    /// It was there, and is gone.
    Expired,
    /// It never came.
    Failed,
}

impl ClipState {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Requested, Self::Uploading, Self::Available, Self::Expired, Self::Failed];

    /// The word for it, in tables and answers alike.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Uploading => "uploading",
            Self::Available => "available",
            Self::Expired => "expired",
            Self::Failed => "failed",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|state| state.as_str() == text);
        let words = "must be one of requested, uploading, available, expired, failed";
        found.ok_or_else(|| Invalid::new("invalid_state", words))
    }
}

/// The time that a clip shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClipRange {
    /// Since when.
    pub from: Timestamp,
    /// Until when, exclusive.
    pub to: Timestamp,
}

impl ClipRange {
    /// A time that was asked for; says which of the two fields is wrong, and why.
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
            return Err(("to", Invalid::new("out_of_range", "must be after from, by 60 seconds at most")));
        }
        Ok(Self { from, to })
    }

    /// The time around an incursion: from a little before it to a little after it, cut to the longest, and to what has
    /// happened. One that has not ended is shown from its beginning.
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
            return Err(Invalid::new("bad_time", "is in the future, by the station's clock"));
        }
        Ok(Self { from, to })
    }
}

/// What kind of video some bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VideoType {
    /// ISO base media, as MP4 files are.
    Mp4,
    /// WebM.
    Webm,
}

impl VideoType {
    /// How many bytes from the beginning are enough to tell.
    pub const SNIFF_BYTES: usize = 1024;

    /// Its media type.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Mp4 => "video/mp4",
            Self::Webm => "video/webm",
        }
    }

    /// What the name of such a file ends with.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Mp4 => "mp4",
            Self::Webm => "webm",
        }
    }

    /// Reads a media type.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = [Self::Mp4, Self::Webm].into_iter().find(|kind| kind.media_type() == text);
        found.ok_or_else(|| Invalid::new("unsupported_video", "must be video/mp4 or video/webm"))
    }

    /// Tells it by how the bytes begin, whatever they are called; none if they are neither.
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

/// A first box `ftyp` of a plausible size with a brand, whose brand is not a picture's or a sound's.
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

/// An EBML header whose document type is webm.
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

/// A number of EBML, whose first byte tells its length by its leading zeros; with or without that mark.
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
