//! The encoding of the fixes of one station in one quarter hour.
//!
//! A chunk consists of a header, columns, and a checksum over both. The header holds the version, the presence of the optional
//! columns, the number of fixes, the number of the quarter hour and the parameters of the predictor. The columns are the
//! milliseconds since the start of the quarter hour, speeds, headings, accuracies, and the residuals of latitude and longitude.
//! A partly absent column is preceded by a column of ones and zeros and holds only the values that are present.

use domain::{Fix, crc32};
use pco::DeltaSpec;

use crate::column::{ColumnReader, ColumnWriter};
use crate::predictor::{Predictor, PredictorParameters};
use crate::{Error, QUARTER_HOUR_MS, quarter_hour};

/// The version written, and the only one so far.
const VERSION: u8 = 1;

/// A quarter hour has this many distinct times, in milliseconds.
const MAX_FIXES: u64 = QUARTER_HOUR_MS.unsigned_abs();

const CHECKSUM_BYTES: usize = 4;

/// Encodes fixes of one quarter hour, ordered by time and with distinct times.
pub fn encode(fixes: &[Fix]) -> Result<Vec<u8>, Error> {
    if !fixes.is_sorted_by(|one, next| one.at_ms < next.at_ms) {
        return Err(Error::Unordered);
    }
    let first_quarter = fixes.first().map_or(0, |fix| quarter_hour(fix.at_ms));
    if fixes.last().is_some_and(|fix| quarter_hour(fix.at_ms) != first_quarter) {
        return Err(Error::SeveralQuarterHours);
    }
    let speeds = OptionalColumn::new(fixes.iter().map(|fix| fix.speed_half_kmh));
    let headings = OptionalColumn::new(fixes.iter().map(|fix| fix.heading_5deg.map(u16::from)));
    let accuracies = OptionalColumn::new(fixes.iter().map(|fix| fix.accuracy_m));

    let presence = speeds.presence() | headings.presence() << 2 | accuracies.presence() << 4;
    let mut head = vec![VERSION, presence];
    write_varint(&mut head, fixes.len() as u64);
    write_varint(&mut head, zigzag_encode(first_quarter));
    let plan = PredictorParameters::fit(fixes);
    head.push(plan.gain);
    write_varint(&mut head, plan.longitude_scale.into());
    write_varint(&mut head, zigzag_encode(plan.start.0.into()));
    write_varint(&mut head, zigzag_encode(plan.start.1.into()));

    let mut columns = ColumnWriter::new(head)?;
    let offset = |fix: &Fix| fix.at_ms.rem_euclid(QUARTER_HOUR_MS) as u32;
    let consecutive = DeltaSpec::TryConsecutive;
    columns.write_column(&fixes.iter().map(offset).collect::<Vec<_>>(), &[consecutive(1), consecutive(2)])?;
    for optional in [speeds, headings, accuracies] {
        optional.write(&mut columns)?;
    }
    let (lats, lons): (Vec<i32>, Vec<i32>) = plan.residuals(fixes).unzip();
    for offs in [lats, lons] {
        columns.write_column(&offs, &[DeltaSpec::NoOp, consecutive(1)])?;
    }
    let mut chunk = columns.finish();
    chunk.extend(crc32(&chunk).to_le_bytes());
    Ok(chunk)
}

/// Decodes the output of [`encode`]. The input is untrusted: the sizes it claims are checked before anything is allocated.
pub fn decode(bytes: &[u8]) -> Result<Vec<Fix>, Error> {
    let version = *bytes.first().ok_or(Error::Corrupt("it is empty"))?;
    if version != VERSION {
        return Err(Error::Version(version));
    }
    let body = bytes.len().checked_sub(CHECKSUM_BYTES).and_then(|end| bytes.split_at_checked(end));
    let (body, sum) = body.ok_or(Error::Corrupt("it is truncated"))?;
    if sum != crc32(body).to_le_bytes() {
        return Err(Error::Corrupt("its checksum does not match"));
    }
    let mut rest = body.get(1..).unwrap_or_default();
    let presence = read_byte(&mut rest)?;
    let count = read_varint(&mut rest)?;
    if count > MAX_FIXES {
        return Err(Error::Corrupt("it claims more fixes than fit a quarter hour"));
    }
    let count = count as usize;
    let quarter = zigzag_decode(read_varint(&mut rest)?);
    let (gain, stretch) = (read_byte(&mut rest)?, read_varint(&mut rest)?);
    let plan = PredictorParameters::validated(
        gain,
        stretch,
        (read_coordinate(&mut rest)?, read_coordinate(&mut rest)?),
    )?;

    let mut columns = ColumnReader::new(rest)?;
    let offsets: Vec<u32> = columns.read_column(count)?;
    if !offsets.is_sorted_by(|one, next| one < next)
        || offsets.last().is_some_and(|last| i64::from(*last) >= QUARTER_HOUR_MS)
    {
        return Err(Error::Corrupt("its times do not lie within a quarter hour"));
    }
    let mut speeds = read_optional(&mut columns, presence, count)?;
    let mut headings = read_optional(&mut columns, presence >> 2, count)?;
    let mut accuracies = read_optional(&mut columns, presence >> 4, count)?;
    let lats: Vec<i32> = columns.read_column(count)?;
    let lons: Vec<i32> = columns.read_column(count)?;
    columns.finish()?;

    let mut follower = Predictor::new(plan);
    let mut fixes = Vec::with_capacity(count);
    for ((offset, lat_off), lon_off) in offsets.into_iter().zip(lats).zip(lons) {
        // The quarter hour that contains i64::MIN begins before it.
        let at_ms = i128::from(quarter) * i128::from(QUARTER_HOUR_MS) + i128::from(offset);
        let at_ms = at_ms.try_into().map_err(|_| Error::Corrupt("its times are out of range"))?;
        let heading = headings.next().flatten().map(u8::try_from).transpose();
        let heading = heading.map_err(|_| Error::Corrupt("a heading is out of range"))?;
        let (speed, accuracy_m) = (speeds.next().flatten(), accuracies.next().flatten());
        let (lat, lon) = follower.predict(at_ms, speed, heading);
        let (lat_e6, lon_e6) = (lat.wrapping_add(lat_off), lon.wrapping_add(lon_off));
        follower.update(lat_e6, lon_e6);
        fixes.push(Fix { at_ms, lat_e6, lon_e6, speed_half_kmh: speed, heading_5deg: heading, accuracy_m });
    }
    Ok(fixes)
}

/// Presence of an optional column, in two bits of the header.
const PRESENCE_NONE: u8 = 0;
const PRESENCE_ALL: u8 = 1;
const PRESENCE_SOME: u8 = 2;

/// A column in which values may be absent.
struct OptionalColumn {
    present: Vec<u16>,
    values: Vec<u16>,
}

impl OptionalColumn {
    fn new(column: impl Iterator<Item = Option<u16>> + Clone) -> Self {
        let present = column.clone().map(|value| u16::from(value.is_some())).collect();
        Self { present, values: column.flatten().collect() }
    }

    fn presence(&self) -> u8 {
        match self.values.len() {
            0 => PRESENCE_NONE,
            some if some == self.present.len() => PRESENCE_ALL,
            _ => PRESENCE_SOME,
        }
    }

    fn write(&self, columns: &mut ColumnWriter) -> Result<(), Error> {
        let ways = [DeltaSpec::NoOp, DeltaSpec::TryConsecutive(1)];
        if self.presence() == PRESENCE_SOME {
            columns.write_column(&self.present, &ways)?;
        }
        columns.write_column(&self.values, &ways)
    }
}

/// Reads an optional column. The returned iterator may be shorter than `count`; the remaining fixes have no value.
fn read_optional(
    columns: &mut ColumnReader<'_>,
    presence: u8,
    count: usize,
) -> Result<impl Iterator<Item = Option<u16>> + use<>, Error> {
    let present: Vec<u16> = match presence & 0b11 {
        PRESENCE_NONE => Vec::new(),
        PRESENCE_ALL => vec![1; count],
        PRESENCE_SOME => columns.read_column(count)?,
        _ => return Err(Error::Corrupt("its header is invalid")),
    };
    let values: Vec<u16> = columns.read_column(present.iter().filter(|present| **present == 1).count())?;
    let mut values = values.into_iter();
    Ok(present.into_iter().map(move |present| if present == 1 { values.next() } else { None }))
}

/// Maps a signed number to an unsigned one that is small if the number is near 0.
fn zigzag_encode(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

fn zigzag_decode(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

fn read_coordinate(rest: &mut &[u8]) -> Result<i32, Error> {
    let number = zigzag_decode(read_varint(rest)?);
    number.try_into().map_err(|_| Error::Corrupt("a number in its header is too large"))
}

/// Writes a number in groups of seven bits, the lowest first; the eighth bit marks that more follow.
fn write_varint(out: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn read_varint(rest: &mut &[u8]) -> Result<u64, Error> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let byte = read_byte(rest)?;
        let bits = u64::from(byte & 0x7f);
        if bits << shift >> shift != bits {
            break;
        }
        number |= bits << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(Error::Corrupt("a number in its header is too large"))
}

fn read_byte(rest: &mut &[u8]) -> Result<u8, Error> {
    let (byte, after) = rest.split_first().ok_or(Error::Corrupt("it is truncated"))?;
    *rest = after;
    Ok(*byte)
}

#[cfg(test)]
pub(crate) mod tests;
