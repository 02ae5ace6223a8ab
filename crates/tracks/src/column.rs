//! One column of a chunk: numbers as pco packs them, without a length of their own.

use pco::data_types::Number;
use pco::errors::PcoError;
use pco::wrapped::{FileCompressor, FileDecompressor};
use pco::{ChunkConfig, DeltaSpec, ModeSpec};

use crate::Error;

/// The first major version of pco's format with the layout that [`refuse_foreign`] looks at.
const FIRST_MAJOR: u8 = 4;

/// Writes columns.
pub(crate) struct Writer {
    out: Vec<u8>,
    packer: FileCompressor,
}

impl Writer {
    /// Goes on after a head.
    pub fn new(head: Vec<u8>) -> Result<Self, Error> {
        let packer = FileCompressor::default();
        let out = packer.write_header(head).map_err(unpacked)?;
        Ok(Self { out, packer })
    }

    /// Packs a column in each of these ways and keeps the shortest. An empty column takes no bytes.
    pub fn column<T: Number>(&mut self, numbers: &[T], ways: &[DeltaSpec]) -> Result<(), Error> {
        if numbers.is_empty() {
            return Ok(());
        }
        let mut shortest: Option<Vec<u8>> = None;
        for way in ways {
            let packed = self.pack(numbers, way)?;
            if shortest.as_ref().is_none_or(|shortest| packed.len() < shortest.len()) {
                shortest = Some(packed);
            }
        }
        self.out.extend(shortest.unwrap_or_default());
        Ok(())
    }

    fn pack<T: Number>(&self, numbers: &[T], way: &DeltaSpec) -> Result<Vec<u8>, Error> {
        let config = ChunkConfig::default()
            .with_mode_spec(ModeSpec::Classic)
            .with_delta_spec(way.clone())
            // One page: its length is that of the column, which the reader knows.
            .with_paging_spec(pco::PagingSpec::Exact(vec![numbers.len()]));
        let mut packed = self.packer.chunk_compressor(numbers, &config).map_err(unpacked)?;
        let out = packed.write_meta(Vec::new()).map_err(unpacked)?;
        packed.write_page(0, out).map_err(unpacked)
    }

    /// All that was written.
    pub fn finish(self) -> Vec<u8> {
        self.out
    }
}

/// Reads columns.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    unpacker: FileDecompressor,
}

impl<'a> Reader<'a> {
    /// Reads on after a head.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Error> {
        let (unpacker, rest) = FileDecompressor::new(bytes).map_err(unread)?;
        if unpacker.format_version().major < FIRST_MAJOR {
            return Err(Error::Corrupt("its packing is older than chunks are"));
        }
        Ok(Self { rest, unpacker })
    }

    /// Unpacks a column of a known length. The caller bounds the length.
    pub fn column<T: Number>(&mut self, length: usize) -> Result<Vec<T>, Error> {
        if length == 0 {
            return Ok(Vec::new());
        }
        refuse_foreign(self.rest)?;
        let (mut column, rest) = self.unpacker.chunk_decompressor::<T, _>(self.rest).map_err(unread)?;
        let mut page = column.page_decompressor(rest, length).map_err(unread)?;
        let mut numbers = vec![T::default(); length];
        let progress = page.read(&mut numbers).map_err(unread)?;
        if progress.n_processed != length {
            return Err(Error::Corrupt("a column is too short"));
        }
        self.rest = page.into_src();
        Ok(numbers)
    }

    /// Refuses what comes after the last column.
    pub fn finish(self) -> Result<(), Error> {
        if self.rest.is_empty() { Ok(()) } else { Err(Error::Corrupt("it goes on after its end")) }
    }
}

/// Refuses modes and deltas that no [`Writer`] chooses, before pco sees them: a dictionary or a window is allocated in the
/// size that a few bytes claim.
fn refuse_foreign(column: &[u8]) -> Result<(), Error> {
    const CLASSIC: u8 = 0;
    const LOOKBACK: u8 = 2;
    match column.first() {
        Some(first) if first & 0x0f == CLASSIC && first >> 4 != LOOKBACK => Ok(()),
        Some(_) => Err(Error::Corrupt("a column is packed in a way chunks do not use")),
        None => Err(Error::Corrupt("a column is missing")),
    }
}

fn unread(_: PcoError) -> Error {
    Error::Corrupt("a column cannot be unpacked")
}

fn unpacked(_: PcoError) -> Error {
    Error::Packing
}
