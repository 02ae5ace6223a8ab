//! Reads single files from a zip archive in memory, without unpacking the others.

use std::io::{self, Read};

use flate2::read::DeflateDecoder;

/// Signatures of the record at the end, of an entry in the directory, and of a file.
const END: &[u8] = b"PK\x05\x06";
const ENTRY: &[u8] = b"PK\x01\x02";
const FILE: &[u8] = b"PK\x03\x04";

/// Lengths of the three without the names and comments that follow.
const END_LENGTH: usize = 22;
const ENTRY_LENGTH: usize = 46;
const FILE_LENGTH: usize = 30;

/// Begin of a gzip stream: deflated, without a name, a time or an operating system.
const GZIP_HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// A file of an archive, as it is stored there.
#[derive(Clone, Copy, Debug)]
pub struct ArchivedFile<'a> {
    bytes: &'a [u8],
    method: u16,
    crc32: u32,
    length: u32,
}

impl<'a> ArchivedFile<'a> {
    /// Finds the first file whose path ends like this; none if the archive cannot be read.
    pub fn find(archive: &'a [u8], path_end: &str) -> Option<Self> {
        let end = archive.windows(END.len()).rposition(|window| window == END)?;
        let end = archive.get(end..end + END_LENGTH)?;
        let mut at = index(u32_at(end, 16)?)?;
        for _ in 0..u16_at(end, 10)? {
            let entry = archive.get(at..at + ENTRY_LENGTH).filter(|entry| entry.starts_with(ENTRY))?;
            let (name, extra, comment) = (u16_at(entry, 28)?, u16_at(entry, 30)?, u16_at(entry, 32)?);
            let name_at = at + ENTRY_LENGTH;
            if archive.get(name_at..name_at + usize::from(name))?.ends_with(path_end.as_bytes()) {
                return Self::from_entry(archive, entry);
            }
            at = name_at + usize::from(name) + usize::from(extra) + usize::from(comment);
        }
        None
    }

    fn from_entry(archive: &'a [u8], entry: &[u8]) -> Option<Self> {
        let at = index(u32_at(entry, 42)?)?;
        // Its own name and extra fields, whose lengths may differ from those in the directory.
        let file = archive.get(at..at + FILE_LENGTH).filter(|file| file.starts_with(FILE))?;
        let begin = at + FILE_LENGTH + usize::from(u16_at(file, 26)?) + usize::from(u16_at(file, 28)?);
        Some(Self {
            bytes: archive.get(begin..begin + index(u32_at(entry, 20)?)?)?,
            method: u16_at(entry, 10)?,
            crc32: u32_at(entry, 16)?,
            length: u32_at(entry, 24)?,
        })
    }

    /// Returns the file as a gzip stream if it is stored deflated, so that it need not be compressed again.
    pub fn gzip(&self) -> Option<Vec<u8>> {
        let parts = [&GZIP_HEADER, self.bytes, &self.crc32.to_le_bytes(), &self.length.to_le_bytes()];
        (self.method == DEFLATED).then(|| parts.concat())
    }

    pub fn read(&self) -> io::Result<Vec<u8>> {
        match self.method {
            STORED => Ok(self.bytes.to_vec()),
            DEFLATED => {
                let mut content = Vec::new();
                DeflateDecoder::new(self.bytes).take(self.length.into()).read_to_end(&mut content)?;
                Ok(content)
            }
            method => Err(io::Error::other(format!("files are stored by the unknown method {method}"))),
        }
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn index(number: u32) -> Option<usize> {
    usize::try_from(number).ok()
}
