//! Machines and worksites that pages of incursions refer to, in memory for as long as the registry of their brand is unchanged. The page
//! reads the number of its last change anyway, so that what is here is as new as what would be read.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use domain::{BrandId, Machine, MachineId, Worksite, WorksiteId};

/// Maximum number of brands whose records are in memory.
const MAX_BRANDS: usize = 64;
/// Maximum number of machines, and of worksites, of a brand.
const MAX_RECORDS: usize = 5_000;

/// The state of a brand's registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RegistryState {
    /// The timeline of the server. Another server may give the same version to another change.
    pub timeline: i64,
    pub version: i64,
}

/// The records of this process. They are as somebody without restrictions sees them.
#[derive(Default)]
pub(crate) struct RelatedCache(Mutex<HashMap<BrandId, CachedRecords>>);

struct CachedRecords {
    state: RegistryState,
    machines: HashMap<MachineId, Machine>,
    worksites: HashMap<WorksiteId, Worksite>,
}

impl RelatedCache {
    /// Returns the machines with these ids if all of them are known at this state.
    pub fn machines(&self, brand: BrandId, state: RegistryState, ids: &[MachineId]) -> Option<Vec<Machine>> {
        self.read(brand, state, |records| all_of(&records.machines, ids))
    }

    /// Returns the worksites with these ids, without boundaries, if all of them are known at this state.
    pub fn worksites(
        &self,
        brand: BrandId,
        state: RegistryState,
        ids: &[WorksiteId],
    ) -> Option<Vec<Worksite>> {
        self.read(brand, state, |records| all_of(&records.worksites, ids))
    }

    /// Keeps machines that were read after the state was.
    pub fn add_machines(&self, brand: BrandId, state: RegistryState, found: &[Machine]) {
        self.write(brand, state, |records| add(&mut records.machines, found, |machine| machine.id));
    }

    /// Keeps worksites that were read after the state was.
    pub fn add_worksites(&self, brand: BrandId, state: RegistryState, found: &[Worksite]) {
        self.write(brand, state, |records| add(&mut records.worksites, found, |worksite| worksite.id));
    }

    fn read<T>(
        &self,
        brand: BrandId,
        state: RegistryState,
        read: impl FnOnce(&CachedRecords) -> Option<T>,
    ) -> Option<T> {
        let brands = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        brands.get(&brand).filter(|records| records.state == state).and_then(read)
    }

    fn write(&self, brand: BrandId, state: RegistryState, write: impl FnOnce(&mut CachedRecords)) {
        let mut brands = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if brands.len() >= MAX_BRANDS && !brands.contains_key(&brand) {
            let one = brands.keys().next().copied();
            one.and_then(|one| brands.remove(&one));
        }
        let empty = || CachedRecords { state, machines: HashMap::new(), worksites: HashMap::new() };
        let records = brands.entry(brand).or_insert_with(empty);
        if records.state.timeline == state.timeline && records.state.version > state.version {
            // A slower request read an older state.
            return;
        }
        if records.state != state {
            *records = empty();
        }
        write(records);
    }
}

fn all_of<K: Eq + Hash, T: Clone>(known: &HashMap<K, T>, ids: &[K]) -> Option<Vec<T>> {
    ids.iter().map(|id| known.get(id).cloned()).collect()
}

fn add<K: Eq + Hash, T: Clone>(known: &mut HashMap<K, T>, found: &[T], id: impl Fn(&T) -> K) {
    if known.len() + found.len() > MAX_RECORDS {
        known.clear();
    }
    known.extend(found.iter().map(|record| (id(record), record.clone())));
}

#[cfg(test)]
mod tests {
    use domain::{MachineKind, Timestamp};

    use super::*;

    const BRAND: BrandId = BrandId(1);

    fn machine(id: i64, name: &str) -> Machine {
        Machine {
            id: MachineId(id),
            name: name.to_owned(),
            kind: MachineKind::Excavator,
            serial_number: None,
            manufacturer: None,
            model: None,
            year: None,
            number_plate: None,
            worksite: None,
            base_station: None,
            version: 1,
            created_at: Timestamp::from_micros(0),
            updated_at: Timestamp::from_micros(0),
            archived_at: None,
            name_key: name.to_owned(),
        }
    }

    #[test]
    fn records_are_those_of_one_state_of_the_registry() {
        let cache = RelatedCache::default();
        let state = |version| RegistryState { timeline: 1, version };
        let names = |state, ids: &[i64]| {
            let ids: Vec<MachineId> = ids.iter().copied().map(MachineId).collect();
            let found = cache.machines(BRAND, state, &ids)?;
            Some(found.into_iter().map(|machine| machine.name).collect::<Vec<_>>())
        };
        cache.add_machines(BRAND, state(4), &[machine(1, "Crane"), machine(2, "Loader")]);
        assert_eq!(names(state(4), &[2, 1]), Some(vec!["Loader".to_owned(), "Crane".to_owned()]));
        assert_eq!(names(state(4), &[1, 3]), None, "one of them is unknown");
        assert_eq!(names(state(5), &[1]), None);
        assert_eq!(names(RegistryState { timeline: 2, version: 4 }, &[1]), None);
        cache.add_machines(BRAND, state(5), &[machine(1, "Crane 1")]);
        assert_eq!(names(state(5), &[1]), Some(vec!["Crane 1".to_owned()]));
        cache.add_machines(BRAND, state(4), &[machine(2, "Loader")]);
        assert_eq!((names(state(5), &[1]).is_some(), names(state(5), &[2])), (true, None));
        assert!(cache.machines(BrandId(2), state(5), &[MachineId(1)]).is_none());
    }

    #[test]
    fn neither_brands_nor_records_grow_without_end() {
        let cache = RelatedCache::default();
        let state = RegistryState { timeline: 1, version: 1 };
        for brand in 0..200 {
            cache.add_machines(BrandId(brand), state, &[machine(1, "Crane")]);
        }
        assert_eq!(cache.0.lock().unwrap().len(), MAX_BRANDS);
        for id in 0..12_000 {
            cache.add_machines(BRAND, state, &[machine(id, "Crane")]);
        }
        assert!(cache.0.lock().unwrap()[&BRAND].machines.len() <= MAX_RECORDS);
    }
}
