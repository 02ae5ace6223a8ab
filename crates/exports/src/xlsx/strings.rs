//! The strings that cells of a sheet share, as long as there are not too many of them.

use std::collections::HashMap;

use super::text::push_cell_text;

/// More different texts than this in one column, and the column is not of the kind that repeats itself.
const MAX_TEXTS_PER_COLUMN: u32 = 8_192;
const MAX_TEXTS: u32 = 65_536;
const MAX_TEXT_BYTES: usize = 256;

/// Texts by their number. Bounded: what finds no place stands in its cell.
pub(super) struct SharedStrings {
    indices: HashMap<Box<str>, u32>,
    xml: Vec<u8>,
    uses: u64,
    /// How many texts each column brought.
    texts_per_column: Vec<u32>,
}

impl SharedStrings {
    pub fn new(columns: usize) -> Self {
        Self { indices: HashMap::new(), xml: Vec::new(), uses: 0, texts_per_column: vec![0; columns] }
    }

    /// The number of a text of that column, if there is place for it.
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

    /// The part of the workbook that holds them.
    pub fn to_xml(&self) -> Vec<u8> {
        let mut part = format!(
            "{}<sst xmlns=\"{}\" count=\"{}\" uniqueCount=\"{}\">",
            super::parts::DECLARATION,
            super::parts::MAIN_NAMESPACE,
            self.uses,
            self.indices.len()
        )
        .into_bytes();
        part.extend_from_slice(&self.xml);
        part.extend_from_slice(b"</sst>");
        part
    }
}
