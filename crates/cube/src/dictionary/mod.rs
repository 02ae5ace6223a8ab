//! Dictionary encoding of ids: each brand numbers its ids, so that columns are narrow and counters dense. Code 0 stands for no id.

mod cells;
mod index;

use std::sync::Arc;

pub(crate) use cells::ParentCells;
pub(crate) use index::{IdMap, Index};

use cells::ParentTables;

/// The number of ids in one block. Blocks limit how much is copied when a dictionary grows while readers hold it.
const BLOCK_IDS: usize = 4_096;

/// The ids of one kind, by code. A dictionary only grows, and the version that a reader holds does not change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dictionary {
    blocks: Vec<Arc<Vec<i64>>>,
    len: usize,
}

impl Dictionary {
    pub fn from_ids(ids: &[i64]) -> Self {
        let blocks = ids.chunks(BLOCK_IDS).map(|block| Arc::new(block.to_vec())).collect();
        Self { blocks, len: ids.len() }
    }

    /// Returns the number of codes, including the code for no id.
    pub fn code_count(&self) -> usize {
        self.len + 1
    }

    /// Returns the id of a code.
    pub fn id(&self, code: u32) -> Option<i64> {
        let at = (code as usize).checked_sub(1)?;
        self.blocks.get(at / BLOCK_IDS)?.get(at % BLOCK_IDS).copied()
    }

    /// Iterates over all ids; the first one has code 1.
    pub fn ids(&self) -> impl Iterator<Item = i64> {
        self.blocks.iter().flat_map(|block| block.iter().copied())
    }

    /// Adds an id and returns its code.
    pub fn push(&mut self, id: i64) -> u32 {
        if self.len.is_multiple_of(BLOCK_IDS) {
            self.blocks.push(Arc::new(Vec::with_capacity(BLOCK_IDS)));
        }
        if let Some(last) = self.blocks.last_mut() {
            Arc::make_mut(last).push(id);
        }
        self.len += 1;
        u32::try_from(self.len).unwrap_or(u32::MAX)
    }

    pub fn bytes(&self) -> usize {
        self.len * size_of::<i64>()
    }
}

/// The references of facts to entities, each stored as a column of codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    Project,
    Worksite,
    Machine,
    BaseStation,
    Pedestrian,
    Operator,
    Tag,
    Cell,
}

impl Link {
    pub const COUNT: usize = 8;
    pub const ALL: [Self; Self::COUNT] = [
        Self::Project,
        Self::Worksite,
        Self::Machine,
        Self::BaseStation,
        Self::Pedestrian,
        Self::Operator,
        Self::Tag,
        Self::Cell,
    ];

    /// Returns the index of its dictionary. Pedestrians and operators share the dictionary of people.
    const fn dictionary_index(self) -> usize {
        match self {
            Self::Project => 0,
            Self::Worksite => 1,
            Self::Machine => 2,
            Self::BaseStation => 3,
            Self::Pedestrian | Self::Operator => 4,
            Self::Tag => 5,
            Self::Cell => 6,
        }
    }
}

/// The number of dictionaries.
pub(crate) const DICTIONARY_COUNT: usize = 7;

/// All dictionaries of a brand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dictionaries {
    all: [Dictionary; DICTIONARY_COUNT],
    parents: Arc<ParentTables>,
}

impl Dictionaries {
    pub fn new(all: [Dictionary; DICTIONARY_COUNT]) -> Self {
        Self { all, parents: Arc::default() }
    }

    pub fn of(&self, link: Link) -> &Dictionary {
        &self.all[link.dictionary_index()]
    }

    pub fn all(&self) -> &[Dictionary; DICTIONARY_COUNT] {
        &self.all
    }

    /// Returns the cells of a coarser resolution that contain the cells of the dictionary.
    pub fn parent_cells(&self, resolution: domain::insights::Resolution) -> Arc<ParentCells> {
        self.parents.get(resolution, self.of(Link::Cell))
    }

    pub fn bytes(&self) -> usize {
        self.all.iter().map(Dictionary::bytes).sum::<usize>() + self.parents.bytes()
    }
}

/// The mapping from ids to codes, which is only needed for adding facts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Indexes([Index; DICTIONARY_COUNT]);

impl Indexes {
    pub fn new(dictionaries: &Dictionaries) -> Self {
        Self(std::array::from_fn(|place| Index::new(&dictionaries.all[place])))
    }

    /// Returns the code of an id, if it has one.
    pub fn find(&self, link: Link, id: i64) -> Option<u32> {
        self.0[link.dictionary_index()].find(id)
    }

    /// Returns the code of an id, and assigns one if needed. The dictionaries are copied only then.
    pub fn get_or_insert(
        &mut self,
        dictionaries: &mut Arc<Dictionaries>,
        link: Link,
        id: Option<i64>,
    ) -> u32 {
        let Some(id) = id else { return 0 };
        let index = &mut self.0[link.dictionary_index()];
        index.find(id).unwrap_or_else(|| {
            let code = Arc::make_mut(dictionaries).all[link.dictionary_index()].push(id);
            index.insert(id, code);
            code
        })
    }

    pub fn bytes(&self) -> usize {
        self.0.iter().map(Index::bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dictionary_that_grows_leaves_what_readers_hold() {
        let mut dictionaries = Arc::new(Dictionaries::default());
        let mut indexes = Indexes::default();
        for id in 0..10_000 {
            let held = Arc::clone(&dictionaries);
            let code = indexes.get_or_insert(&mut dictionaries, Link::Pedestrian, Some(id * 7));
            assert_eq!(i64::from(code), id + 1);
            assert_eq!(held.of(Link::Operator).id(code), None);
            assert_eq!(dictionaries.of(Link::Operator).id(code), Some(id * 7));
        }
        assert_eq!(indexes.get_or_insert(&mut dictionaries, Link::Operator, Some(70)), 11);
        assert_eq!(indexes.get_or_insert(&mut dictionaries, Link::Operator, None), 0);
        assert_eq!(dictionaries.of(Link::Pedestrian).code_count(), 10_001);
        let again = Indexes::new(&dictionaries);
        assert_eq!((again.find(Link::Operator, 70), again.find(Link::Operator, 71)), (Some(11), None));
    }
}
