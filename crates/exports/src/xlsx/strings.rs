//! The strings that cells of a sheet share, as long as there are not too many of them.

use std::collections::HashMap;

use super::text::push_cell_text;

/// More different texts than this in one column, and the column is not of the kind that repeats itself.
const COLUMN_TEXTS: u32 = 8_192;
const ALL_TEXTS: u32 = 65_536;
const TEXT_BYTES: usize = 256;

/// Texts by their number. Bounded: what finds no place stands in its cell.
pub(super) struct Strings {
    numbers: HashMap<Box<str>, u32>,
    xml: Vec<u8>,
    uses: u64,
    /// How many texts each column brought.
    brought: Vec<u32>,
}

impl Strings {
    pub fn new(columns: usize) -> Self {
        Self { numbers: HashMap::new(), xml: Vec::new(), uses: 0, brought: vec![0; columns] }
    }

    /// The number of a text of that column, if there is place for it.
    pub fn number(&mut self, column: usize, text: &str) -> Option<u32> {
        let brought = self.brought.get_mut(column).filter(|brought| **brought < COLUMN_TEXTS)?;
        if text.len() > TEXT_BYTES {
            return None;
        }
        if let Some(number) = self.numbers.get(text) {
            self.uses += 1;
            return Some(*number);
        }
        let number = self.numbers.len() as u32;
        if number >= ALL_TEXTS {
            return None;
        }
        *brought += 1;
        self.uses += 1;
        self.numbers.insert(text.into(), number);
        self.xml.extend_from_slice(b"<si>");
        push_cell_text(&mut self.xml, text);
        self.xml.extend_from_slice(b"</si>");
        Some(number)
    }

    /// The part of the workbook that holds them.
    pub fn part(&self) -> Vec<u8> {
        let mut part = format!(
            "{}<sst xmlns=\"{}\" count=\"{}\" uniqueCount=\"{}\">",
            super::parts::DECLARATION,
            super::parts::MAIN,
            self.uses,
            self.numbers.len()
        )
        .into_bytes();
        part.extend_from_slice(&self.xml);
        part.extend_from_slice(b"</sst>");
        part
    }
}
