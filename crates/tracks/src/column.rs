//! One column of a chunk: numbers as pco packs them, without a length of their own.

use pco::data_types::Number;
use pco::errors::PcoError;
use pco::wrapped::{FileCompressor, FileDecompressor};
use pco::{ChunkConfig, DeltaSpec, ModeSpec};

use crate::Error;

/// The first major version of pco's format with the layout that [`refuse_foreign`] looks at.
const MIN_PCO_MAJOR: u8 = 4;

/// Writes columns.
pub(crate) struct ColumnWriter {
    out: Vec<u8>,
    compressor: FileCompressor,
}

impl ColumnWriter {
    /// Goes on after a head.
    pub fn new(head: Vec<u8>) -> Result<Self, Error> {
        let packer = FileCompressor::default();
        let out = packer.write_header(head).map_err(compression_error)?;
        Ok(Self { out, compressor: packer })
    }

    /// Packs a column in each of these ways and keeps the shortest. An empty column takes no bytes.
    pub fn write_column<T: Number>(&mut self, numbers: &[T], delta_specs: &[DeltaSpec]) -> Result<(), Error> {
        if numbers.is_empty() {
            return Ok(());
        }
        let mut shortest: Option<Vec<u8>> = None;
        for way in delta_specs {
            let packed = self.compress(numbers, way)?;
            if shortest.as_ref().is_none_or(|shortest| packed.len() < shortest.len()) {
                shortest = Some(packed);
            }
        }
        self.out.extend(shortest.unwrap_or_default());
        Ok(())
    }

    fn compress<T: Number>(&self, numbers: &[T], way: &DeltaSpec) -> Result<Vec<u8>, Error> {
        let config = ChunkConfig::default()
            .with_mode_spec(ModeSpec::Classic)
            .with_delta_spec(way.clone())
            // One page: its length is that of the column, which the reader knows.
            .with_paging_spec(pco::PagingSpec::Exact(vec![numbers.len()]));
        let mut packed = self.compressor.chunk_compressor(numbers, &config).map_err(compression_error)?;
        let out = packed.write_meta(Vec::new()).map_err(compression_error)?;
        packed.write_page(0, out).map_err(compression_error)
    }

    /// All that was written.
    pub fn finish(self) -> Vec<u8> {
        self.out
    }
}

/// Reads columns.
pub(crate) struct ColumnReader<'a> {
    rest: &'a [u8],
    decompressor: FileDecompressor,
}

impl<'a> ColumnReader<'a> {
    /// Reads on after a head.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Error> {
        let (unpacker, rest) = FileDecompressor::new(bytes).map_err(decompression_error)?;
        if unpacker.format_version().major < MIN_PCO_MAJOR {
            return Err(Error::Corrupt("its packing is older than chunks are"));
        }
        Ok(Self { rest, decompressor: unpacker })
    }

    /// Unpacks a column of a known length. The caller bounds the length.
    pub fn read_column<T: Number>(&mut self, length: usize) -> Result<Vec<T>, Error> {
        if length == 0 {
            return Ok(Vec::new());
        }
        reject_unsupported_encoding(self.rest)?;
        let (mut column, rest) =
            self.decompressor.chunk_decompressor::<T, _>(self.rest).map_err(decompression_error)?;
        let mut page = column.page_decompressor(rest, length).map_err(decompression_error)?;
        let mut numbers = vec![T::default(); length];
        let progress = page.read(&mut numbers).map_err(decompression_error)?;
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
fn reject_unsupported_encoding(column: &[u8]) -> Result<(), Error> {
    const CLASSIC: u8 = 0;
    const LOOKBACK: u8 = 2;
    match column.first() {
        Some(first) if first & 0x0f == CLASSIC && first >> 4 != LOOKBACK => Ok(()),
        Some(_) => Err(Error::Corrupt("a column is packed in a way chunks do not use")),
        None => Err(Error::Corrupt("a column is missing")),
    }
}

fn decompression_error(_: PcoError) -> Error {
    Error::Corrupt("a column cannot be unpacked")
}

fn compression_error(_: PcoError) -> Error {
    Error::Compression
}
