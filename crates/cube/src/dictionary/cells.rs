//! Maps the finest cells to coarser cells. The tables are built once for all questions, because a brand may have a million cells.

use std::sync::{Arc, Mutex, PoisonError};

use domain::insights::Resolution;

use super::{Dictionary, IdMap};

/// The cells of one resolution.
#[derive(Clone, Debug, Default)]
pub(crate) struct ParentCells {
    /// The index of the containing cell for each code of the finest resolution, 0 for none.
    pub positions: Arc<Vec<u32>>,
    /// The cells; the first one has index 1.
    pub cells: Vec<i64>,
    index: IdMap<u32>,
}

impl ParentCells {
    /// Adds the entries that are new in the dictionary.
    fn extend(&mut self, resolution: Resolution, dictionary: &Dictionary) {
        let places = Arc::make_mut(&mut self.positions);
        if places.is_empty() {
            places.push(0);
        }
        let known = places.len() - 1;
        for finest in dictionary.ids().skip(known) {
            let cell = resolution.cell(finest);
            let place = *self.index.entry(cell).or_insert_with(|| {
                self.cells.push(cell);
                u32::try_from(self.cells.len()).unwrap_or(u32::MAX)
            });
            places.push(place);
        }
    }
}

/// One table for each resolution except the finest, shared by all versions of a dictionary, because it only grows.
#[derive(Debug, Default)]
pub(super) struct ParentTables([Mutex<Arc<ParentCells>>; 4]);

impl ParentTables {
    pub fn get(&self, resolution: Resolution, dictionary: &Dictionary) -> Arc<ParentCells> {
        let place = usize::from(resolution.number() - Resolution::COARSEST.number()).min(self.0.len() - 1);
        // After a panic the table covers fewer codes, and is extended.
        let mut table = self.0[place].lock().unwrap_or_else(PoisonError::into_inner);
        if table.positions.len() < dictionary.code_count() {
            Arc::make_mut(&mut table).extend(resolution, dictionary);
        }
        Arc::clone(&table)
    }

    pub fn bytes(&self) -> usize {
        let of = |table: &Mutex<Arc<ParentCells>>| {
            let table = table.lock().unwrap_or_else(PoisonError::into_inner);
            table.positions.len() * 4 + table.cells.len() * (8 + 17)
        };
        self.0.iter().map(of).sum()
    }
}
