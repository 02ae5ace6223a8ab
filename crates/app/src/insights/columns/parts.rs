//! The objects of saved columns: written once, read by every host, and cached where they are far away.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use blobs::{Blobs, Key, Upload};
use cube::ChunkSource;
use domain::insights::ColumnsFormat;
use domain::{BrandId, Clock, Random};
use futures_util::stream::{self, StreamExt, TryStreamExt};

use super::manifest::{Manifest, PartObject};
use super::part_cache::{PartCache, hash};
use crate::Error;

/// Parts that are fetched at a time.
const MAX_CONCURRENT_FETCHES: usize = 8;
/// An object store that does not answer for this long is away.
const FETCH_TIMEOUT: Duration = Duration::from_secs(5);

/// The same for writing, which nobody waits for.
const PUT_TIMEOUT: Duration = Duration::from_secs(30);

/// The reason why parts are not at hand.
#[derive(Debug)]
pub(crate) enum FetchError {
    /// The object store cannot be reached.
    Unreachable(String),
    /// An object was deleted, or is not what was saved.
    Lost(String),
}

/// Where the parts of all brands are.
#[derive(Clone, Debug)]
pub(crate) struct PartStore {
    pub blobs: Blobs,
    /// None where a cache is of no use, or not wanted.
    pub cache: Option<Arc<PartCache>>,
    pub clock: Clock,
    pub random: Random,
}

/// The parts of one brand.
#[derive(Clone, Debug)]
pub(crate) struct BrandParts {
    pub store: PartStore,
    pub brand: BrandId,
}

impl BrandParts {
    fn key(&self, number: u64, upload: &str) -> Option<Key> {
        let (part, upload) = (i64::try_from(number).ok()?, Upload::parse(upload)?);
        Some(Key::ColumnPart(ColumnsFormat::CURRENT, self.brand, part, upload))
    }

    /// Writes an object, which no manifest names yet.
    pub async fn put(&self, number: u64, bytes: Vec<u8>) -> Result<PartObject, Error> {
        let upload = Upload::begin(self.store.clock.now(), &self.store.random);
        let part = i64::try_from(number).map_err(Error::internal)?;
        let key = Key::ColumnPart(ColumnsFormat::CURRENT, self.brand, part, upload.clone());
        let hashed = tokio::task::spawn_blocking(move || (hash(&bytes), bytes));
        let (sha256, bytes) = hashed.await.map_err(Error::internal)?;
        let written = tokio::time::timeout(PUT_TIMEOUT, self.store.blobs.put(&key, &bytes)).await;
        written.map_err(|_| Error::internal("the object store does not answer"))??;
        let size_bytes = bytes.len() as u64;
        let object = PartObject { number, upload: upload.to_string(), size_bytes, sha256 };
        if let Some(cache) = self.store.cache.clone() {
            let name = object.sha256.clone();
            let cached = tokio::task::spawn_blocking(move || cache.add(&name, &bytes));
            cached.await.map_err(Error::internal)?;
        }
        Ok(object)
    }

    /// Reads an object from the cache or the object store.
    pub async fn fetch(&self, object: &PartObject) -> Result<Vec<u8>, FetchError> {
        let unreachable = |error: &dyn std::fmt::Display| FetchError::Unreachable(error.to_string());
        if let Some(cache) = self.store.cache.clone() {
            let name = object.sha256.clone();
            let cached = tokio::task::spawn_blocking(move || cache.read(&name)).await;
            if let Some(bytes) = cached.map_err(|error| unreachable(&error))? {
                return Ok(bytes);
            }
        }
        let lost =
            || FetchError::Lost(format!("part {} of the columns of brand {}", object.number, self.brand));
        let key = self.key(object.number, &object.upload).ok_or_else(lost)?;
        let read = self.store.blobs.get(&key, object.size_bytes.saturating_add(1));
        let bytes = match tokio::time::timeout(FETCH_TIMEOUT, read).await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(blobs::Error::NotFound(_))) => return Err(lost()),
            Ok(Err(error)) => return Err(unreachable(&error)),
            Err(_) => return Err(unreachable(&"the object store does not answer")),
        };
        let (cache, expected) = (self.store.cache.clone(), object.sha256.clone());
        let checked = tokio::task::spawn_blocking(move || {
            if hash(&bytes) != expected {
                return None;
            }
            if let Some(cache) = cache {
                cache.add(&expected, &bytes);
            }
            Some(bytes)
        });
        checked.await.map_err(|error| unreachable(&error))?.ok_or_else(lost)
    }

    /// Deletes objects that no manifest names. What cannot be deleted remains for the collection of such objects.
    pub async fn delete(&self, objects: Vec<(u64, String)>) {
        for (number, upload) in objects {
            let Some(key) = self.key(number, &upload) else { continue };
            match tokio::time::timeout(PUT_TIMEOUT, self.store.blobs.delete(&key)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::debug!("{key} was not deleted: {error}"),
                // Each of the others would take as long.
                Err(_) => return,
            }
        }
    }
}

/// The parts of saved columns that were opened. What is needed is fetched first, so that no thread waits for the network while it scans.
#[derive(Debug)]
pub(crate) struct PartSource {
    parts: BrandParts,
    objects: HashMap<u64, PartObject>,
    fetched: Mutex<FetchedParts>,
}

#[derive(Debug, Default)]
struct FetchedParts {
    unread: HashMap<u64, Vec<u8>>,
    read: HashSet<u64>,
}

impl PartSource {
    pub fn new(parts: BrandParts, manifest: &Manifest) -> Self {
        let objects = manifest.parts.iter().map(|object| (object.number, object.clone())).collect();
        Self { parts, objects, fetched: Mutex::default() }
    }

    /// Returns the objects by the numbers of their parts.
    pub fn objects(&self) -> &HashMap<u64, PartObject> {
        &self.objects
    }

    fn fetched(&self) -> MutexGuard<'_, FetchedParts> {
        self.fetched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fetches parts that are not at hand, some at a time.
    pub async fn fetch(&self, numbers: &[u64]) -> Result<(), FetchError> {
        let fetches = stream::iter(numbers.iter().copied()).map(|number| self.fetch_one(number));
        fetches.buffer_unordered(MAX_CONCURRENT_FETCHES).try_collect::<()>().await
    }

    async fn fetch_one(&self, number: u64) -> Result<(), FetchError> {
        // Another question may have fetched it while this one waited for others.
        if self.is_at_hand(number) {
            return Ok(());
        }
        let unnamed = || FetchError::Lost(format!("the manifest has no part {number}"));
        let bytes = self.parts.fetch(self.objects.get(&number).ok_or_else(unnamed)?).await?;
        let mut fetched = self.fetched();
        // Another question may have been faster.
        if !fetched.read.contains(&number) {
            fetched.unread.insert(number, bytes);
        }
        Ok(())
    }
}

impl ChunkSource for PartSource {
    fn read(&self, part: u64) -> Result<Vec<u8>, String> {
        let mut fetched = self.fetched();
        fetched.read.insert(part);
        fetched.unread.remove(&part).ok_or_else(|| format!("part {part} has been read before"))
    }

    fn is_at_hand(&self, part: u64) -> bool {
        let fetched = self.fetched();
        fetched.unread.contains_key(&part) || fetched.read.contains(&part)
    }
}
