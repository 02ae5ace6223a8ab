//! The shared strings of a sheet, up to a limit.

use std::collections::HashMap;

use super::text::push_cell_text;

/// A column with more distinct texts than this is considered not repetitive.
const MAX_TEXTS_PER_COLUMN: u32 = 8_192;
const MAX_TEXTS: u32 = 65_536;
const MAX_TEXT_BYTES: usize = 256;

/// Texts with their indexes, up to a limit. Other texts are stored inline in their cells.
pub(super) struct SharedStrings {
    indices: HashMap<Box<str>, u32>,
    xml: Vec<u8>,
    uses: u64,
    /// The number of texts from each column.
    texts_per_column: Vec<u32>,
}

impl SharedStrings {
    pub fn new(columns: usize) -> Self {
        Self { indices: HashMap::new(), xml: Vec::new(), uses: 0, texts_per_column: vec![0; columns] }
    }

    /// Returns the index of a text of that column, unless the limit is reached.
    pub fn index(&mut self, column: usize, text: &str) -> Option<u32> {
        let brought =
            self.texts_per_column.get_mut(column).filter(|brought| **brought < MAX_TEXTS_PER_COLUMN)?;
        if text.len() > MAX_TEXT_BYTES {
            return None;
        }
        if let Some(number) = self.indices.get(text) {
            self.uses += 1;
            return Some(*number);
        }
        let number = self.indices.len() as u32;
        if number >= MAX_TEXTS {
            return None;
        }
        *brought += 1;
        self.uses += 1;
        self.indices.insert(text.into(), number);
        self.xml.extend_from_slice(b"<si>");
        push_cell_text(&mut self.xml, text);
        self.xml.extend_from_slice(b"</si>");
        Some(number)
    }

    /// Returns the part of the workbook with the shared strings.
    pub fn to_xml(&self) -> Vec<u8> {
        let mut part = format!(
            "{}<sst xmlns=\"{}\" count=\"{}\" uniqueCount=\"{}\">",
            super::namespaces::DECLARATION,
            super::namespaces::MAIN_NAMESPACE,
            self.uses,
            self.indices.len()
        )
        .into_bytes();
        part.extend_from_slice(&self.xml);
        part.extend_from_slice(b"</sst>");
        part
    }
}
