//! One column of a chunk: numbers compressed by pco, without a stored length.

use pco::data_types::Number;
use pco::errors::PcoError;
use pco::wrapped::{FileCompressor, FileDecompressor};
use pco::{ChunkConfig, DeltaSpec, ModeSpec};

use crate::Error;

/// The first major version of pco's format with the layout that `reject_unsupported_encoding` inspects.
const MIN_PCO_MAJOR: u8 = 4;

pub(crate) struct ColumnWriter {
    out: Vec<u8>,
    compressor: FileCompressor,
}

impl ColumnWriter {
    /// Appends to a header.
    pub fn new(head: Vec<u8>) -> Result<Self, Error> {
        let packer = FileCompressor::default();
        let out = packer.write_header(head).map_err(compression_error)?;
        Ok(Self { out, compressor: packer })
    }

    /// Compresses a column with each delta encoding and keeps the shortest result. An empty column takes no bytes.
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

    pub fn finish(self) -> Vec<u8> {
        self.out
    }
}

pub(crate) struct ColumnReader<'a> {
    rest: &'a [u8],
    decompressor: FileDecompressor,
}

impl<'a> ColumnReader<'a> {
    /// Starts after the header.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Error> {
        let (unpacker, rest) = FileDecompressor::new(bytes).map_err(decompression_error)?;
        if unpacker.format_version().major < MIN_PCO_MAJOR {
            return Err(Error::Corrupt("its compression format is too old"));
        }
        Ok(Self { rest, decompressor: unpacker })
    }

    /// Decompresses a column of a known length, which the caller must have bounded.
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

    /// Rejects bytes after the last column.
    pub fn finish(self) -> Result<(), Error> {
        if self.rest.is_empty() { Ok(()) } else { Err(Error::Corrupt("it has data after its end")) }
    }
}

/// Rejects modes and deltas that [`ColumnWriter`] never chooses before pco sees them: pco would allocate a dictionary or window
/// of the size that a few bytes claim.
fn reject_unsupported_encoding(column: &[u8]) -> Result<(), Error> {
    const CLASSIC: u8 = 0;
    const LOOKBACK: u8 = 2;
    match column.first() {
        Some(first) if first & 0x0f == CLASSIC && first >> 4 != LOOKBACK => Ok(()),
        Some(_) => Err(Error::Corrupt("a column uses an unsupported encoding")),
        None => Err(Error::Corrupt("a column is missing")),
    }
}

fn decompression_error(_: PcoError) -> Error {
    Error::Corrupt("a column cannot be decompressed")
}

fn compression_error(_: PcoError) -> Error {
    Error::Compression
}
