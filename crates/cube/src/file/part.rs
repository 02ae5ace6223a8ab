//! The container of a part: a header, an outline of the columns, and the columns, each at a multiple of 64 bytes. Numbers are
//! little-endian.
//!
//! | Bytes of the header | |
//! |---|---|
//! | 0 to 7 | `KEEPPART` |
//! | 8 to 11 | version |
//! | 12 to 15 | number of columns |
//! | 16 to 23 | number of rows |
//! | 24 to 31 | length of the file |
//! | 32 to 35 | CRC-32 of the outline |
//! | 36 to 59 | 0 |
//! | 60 to 63 | CRC-32 of the header before |
//!
//! | Bytes of a column in the outline | |
//! |---|---|
//! | 0 to 3 | number |
//! | 4 to 7 | type |
//! | 8 to 15 | length in bytes |
//! | 16 to 19 | CRC-32 of the column |
//! | 20 to 23 | 0 |
//!
//! Outline and columns are filled up with zeros, which are covered by their checksums.

use domain::insights::ColumnsFormat;

use super::layout::Column;
use crate::Error;

pub(super) const MAGIC: [u8; 8] = *b"KEEPPART";
/// Columns begin at multiples of this, as wide as a cache line and the widest vector.
pub(super) const ALIGNMENT: usize = 64;
pub(super) const HEADER_BYTES: usize = ALIGNMENT;
pub(super) const ENTRY_BYTES: usize = 24;
/// The end of the outline, where the first column begins.
pub(super) const OUTLINE_END: usize =
    (HEADER_BYTES + Column::COUNT * ENTRY_BYTES).next_multiple_of(ALIGNMENT);

/// The places of what the header has.
pub(super) mod header {
    pub const VERSION: usize = 8;
    pub const COLUMNS: usize = 12;
    pub const ROWS: usize = 16;
    pub const FILE_LENGTH: usize = 24;
    pub const OUTLINE_CHECKSUM: usize = 32;
    pub const CHECKSUM: usize = 60;
}

/// The places of what an entry of the outline has.
pub(super) mod entry {
    pub const KIND: usize = 4;
    pub const LENGTH: usize = 8;
    pub const CHECKSUM: usize = 16;
}

/// A type of the values of a column.
pub(super) trait Value: Copy {
    /// The number by which a file names it.
    const KIND: u32;
    const BYTES: usize;

    fn encode(values: impl ExactSizeIterator<Item = Self>, bytes: &mut Vec<u8>);

    /// Decodes values from bytes, whose number is a multiple of [`Value::BYTES`].
    fn decode(bytes: &[u8]) -> Vec<Self>;
}

macro_rules! value {
    ($type:ty, $kind:literal) => {
        impl Value for $type {
            const KIND: u32 = $kind;
            const BYTES: usize = size_of::<Self>();

            fn encode(values: impl ExactSizeIterator<Item = Self>, bytes: &mut Vec<u8>) {
                let from = bytes.len();
                bytes.resize(from + values.len() * Self::BYTES, 0);
                let places = bytes[from..].as_chunks_mut::<{ size_of::<$type>() }>().0;
                places.iter_mut().zip(values).for_each(|(place, value)| *place = value.to_le_bytes());
            }

            fn decode(bytes: &[u8]) -> Vec<Self> {
                let values = bytes.as_chunks::<{ size_of::<$type>() }>().0;
                values.iter().map(|value| Self::from_le_bytes(*value)).collect()
            }
        }
    };
}

value!(u8, 1);
value!(u16, 2);
value!(u32, 3);
value!(i32, 4);
value!(i64, 5);

/// Builds a file, column by column in their order.
pub(super) struct PartWriter {
    bytes: Vec<u8>,
    columns: usize,
    rows: usize,
}

impl PartWriter {
    pub fn new(rows: usize) -> Self {
        // The columns have 47 to 55 bytes for each row, besides ids.
        let mut bytes = Vec::with_capacity(OUTLINE_END + rows * 56);
        bytes.resize(OUTLINE_END, 0);
        Self { bytes, columns: 0, rows }
    }

    pub fn add<T: Value>(&mut self, column: Column, values: impl ExactSizeIterator<Item = T>) {
        debug_assert_eq!(column.number(), self.columns, "columns are written in their order");
        let from = self.bytes.len();
        T::encode(values, &mut self.bytes);
        let length = self.bytes.len() - from;
        self.bytes.resize(self.bytes.len().next_multiple_of(ALIGNMENT), 0);
        let checksum = crc32fast::hash(&self.bytes[from..]);
        let at = HEADER_BYTES + self.columns * ENTRY_BYTES;
        put_u32(&mut self.bytes, at, small(column.number()));
        put_u32(&mut self.bytes, at + entry::KIND, T::KIND);
        put_u64(&mut self.bytes, at + entry::LENGTH, length as u64);
        put_u32(&mut self.bytes, at + entry::CHECKSUM, checksum);
        self.columns += 1;
    }

    pub fn finish(self) -> Vec<u8> {
        let Self { mut bytes, columns, rows } = self;
        bytes[..MAGIC.len()].copy_from_slice(&MAGIC);
        put_u32(&mut bytes, header::VERSION, ColumnsFormat::CURRENT.number());
        put_u32(&mut bytes, header::COLUMNS, small(columns));
        put_u64(&mut bytes, header::ROWS, rows as u64);
        let length = bytes.len() as u64;
        put_u64(&mut bytes, header::FILE_LENGTH, length);
        seal(&mut bytes);
        bytes
    }
}

/// Writes the checksums of the outline and of the header.
pub(super) fn seal(bytes: &mut [u8]) {
    let outline = crc32fast::hash(&bytes[HEADER_BYTES..OUTLINE_END]);
    put_u32(bytes, header::OUTLINE_CHECKSUM, outline);
    let header = crc32fast::hash(&bytes[..header::CHECKSUM]);
    put_u32(bytes, header::CHECKSUM, header);
}

fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

pub(super) fn put_u32(bytes: &mut [u8], at: usize, number: u32) {
    bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
}

pub(super) fn put_u64(bytes: &mut [u8], at: usize, number: u64) {
    bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
}

/// Reads a file of which nothing but its bytes is known.
pub(super) struct PartReader<'a> {
    bytes: &'a [u8],
    outline: &'a [u8],
    rows: usize,
    /// Where each column begins.
    starts: [usize; Column::COUNT],
}

impl<'a> PartReader<'a> {
    /// Checks everything except the columns themselves.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Error> {
        let truncated = Error::Damaged("a part is truncated");
        let header = bytes.first_chunk::<HEADER_BYTES>().ok_or(truncated.clone())?;
        if !header.starts_with(&MAGIC) {
            return Err(Error::Damaged("a part is a file of something else"));
        }
        if get_u32(header, header::VERSION) != ColumnsFormat::CURRENT.number() {
            return Err(Error::Damaged("a part is of another version"));
        }
        if get_u32(header, header::CHECKSUM) != crc32fast::hash(&header[..header::CHECKSUM]) {
            return Err(Error::Damaged("a part's header has another checksum"));
        }
        if get_u64(header, header::FILE_LENGTH) != bytes.len() as u64 {
            return Err(Error::Damaged("a part has another length"));
        }
        if get_u32(header, header::COLUMNS) as usize != Column::COUNT {
            return Err(Error::Damaged("a part has unexpected columns"));
        }
        let outline = bytes.get(HEADER_BYTES..OUTLINE_END).ok_or(truncated.clone())?;
        if get_u32(header, header::OUTLINE_CHECKSUM) != crc32fast::hash(outline) {
            return Err(Error::Damaged("a part's outline has another checksum"));
        }
        let (mut starts, mut end) = ([0; Column::COUNT], OUTLINE_END);
        for (number, start) in starts.iter_mut().enumerate() {
            let entry = &outline[number * ENTRY_BYTES..][..ENTRY_BYTES];
            if get_u32(entry, 0) as usize != number {
                return Err(Error::Damaged("a part has unexpected columns"));
            }
            *start = end;
            let length = usize::try_from(get_u64(entry, entry::LENGTH)).ok();
            end = length
                .and_then(|length| end.checked_add(length)?.checked_next_multiple_of(ALIGNMENT))
                .filter(|end| *end <= bytes.len())
                .ok_or(truncated.clone())?;
        }
        if end != bytes.len() {
            return Err(Error::Damaged("a part has more than its columns"));
        }
        let rows = usize::try_from(get_u64(header, header::ROWS))
            .map_err(|_| Error::Damaged("a part has too many rows"))?;
        Ok(Self { bytes, outline, rows, starts })
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    fn entry(&self, column: Column) -> &'a [u8] {
        &self.outline[column.number() * ENTRY_BYTES..][..ENTRY_BYTES]
    }

    /// Returns the number of the type of a column.
    pub fn kind(&self, column: Column) -> u32 {
        get_u32(self.entry(column), entry::KIND)
    }

    /// Returns the values of a column that has one for each row.
    pub fn values<T: Value>(&self, column: Column) -> Result<Vec<T>, Error> {
        let bytes = self.column::<T>(column)?;
        if self.rows.checked_mul(T::BYTES) != Some(bytes.len()) {
            return Err(Error::Damaged("a part's column has another number of rows"));
        }
        Ok(T::decode(bytes))
    }

    /// Returns all values of a column, however many there are.
    pub fn all_values<T: Value>(&self, column: Column) -> Result<Vec<T>, Error> {
        let bytes = self.column::<T>(column)?;
        if !bytes.len().is_multiple_of(T::BYTES) {
            return Err(Error::Damaged("a part's column ends within a value"));
        }
        Ok(T::decode(bytes))
    }

    /// Returns the bytes of a column with values of a type.
    fn column<T: Value>(&self, column: Column) -> Result<&'a [u8], Error> {
        if self.kind(column) != T::KIND {
            return Err(Error::Damaged("a part's column has an unexpected type"));
        }
        let entry = self.entry(column);
        let from = self.starts[column.number()];
        let end = self.starts.get(column.number() + 1).copied().unwrap_or(self.bytes.len());
        let filled_up = &self.bytes[from..end];
        if get_u32(entry, entry::CHECKSUM) != crc32fast::hash(filled_up) {
            return Err(Error::Damaged("a part's column has another checksum"));
        }
        // It was compared with the length of the file.
        let length = usize::try_from(get_u64(entry, entry::LENGTH)).unwrap_or(usize::MAX);
        filled_up.get(..length).ok_or(Error::Damaged("a part is truncated"))
    }
}

fn get_u32(bytes: &[u8], at: usize) -> u32 {
    bytes[at..].first_chunk().map_or(0, |number| u32::from_le_bytes(*number))
}

fn get_u64(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |number| u64::from_le_bytes(*number))
}
