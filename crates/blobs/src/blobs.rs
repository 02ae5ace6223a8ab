//! The blob store: a folder, an S3-compatible server or memory.

use std::fmt;
use std::ops::Range;
use std::path::Path as FilePath;
use std::sync::Arc;

use bytes::Bytes;
use domain::Timestamp;
use futures_util::TryStreamExt;
use futures_util::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::{GetOptions, GetRange, ObjectStore, ObjectStoreExt};

use crate::config::Backend;
#[cfg(not(feature = "s3"))]
use crate::config::lacks_s3;
use crate::folder::Folder;
use crate::{Config, Error, Key, Prefix, UploadLimits, Writer};

/// Size of a part on its way to a file or to memory.
const LOCAL_PART_BYTES: usize = 512 * 1024;

/// The bytes of an object as they arrive.
pub type ByteStream = BoxStream<'static, Result<Bytes, Error>>;

/// Objects as the store lists them.
pub type ObjectStream = BoxStream<'static, Result<Object, Error>>;

/// Stores objects. Clones share the same store.
#[derive(Clone)]
pub struct Blobs {
    store: Arc<dyn ObjectStore>,
    part_bytes: usize,
    folder: Option<Folder>,
    uploads: UploadLimits,
    description: String,
}

/// A stored object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    pub key: Key,
    pub size_bytes: u64,
}

impl fmt::Debug for Blobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.description)
    }
}

#[macros::boxed]
impl Blobs {
    /// Opens the configured store. An error holds the configuration key that is wrong and the reason.
    pub fn new(config: &Config, data: &FilePath) -> Result<Self, (&'static str, String)> {
        let uploads = config.upload_limits();
        match config.backend {
            Backend::Memory => Ok(Self { uploads, ..Self::memory() }),
            Backend::Folder => {
                let place = if config.folder.as_os_str().is_empty() {
                    data.join("blobs")
                } else {
                    config.folder.clone()
                };
                let fault = |reason: String| {
                    ("blobs.folder", format!("{} cannot be used: {reason}", place.display()))
                };
                let folder = Folder::create(&place).map_err(fault)?;
                Ok(Self {
                    store: folder.store().map_err(fault)?,
                    part_bytes: LOCAL_PART_BYTES,
                    description: format!("the folder {}", place.display()),
                    folder: Some(folder),
                    uploads,
                })
            }
            #[cfg(not(feature = "s3"))]
            Backend::S3 => Err(lacks_s3()),
            #[cfg(feature = "s3")]
            Backend::S3 => Ok(Self {
                store: crate::s3::connect(&config.s3).map_err(|error| ("blobs.s3", error.to_string()))?,
                part_bytes: crate::s3::PART_BYTES,
                folder: None,
                uploads,
                description: format!("the bucket {}", config.s3.bucket),
            }),
        }
    }

    /// Returns a store in memory, which is dropped with its last clone.
    pub fn memory() -> Self {
        Self {
            store: Arc::new(InMemory::new()),
            part_bytes: LOCAL_PART_BYTES,
            folder: None,
            uploads: UploadLimits { total: 1024, per_brand: 1024, per_token: 1024 },
            description: "memory".to_owned(),
        }
    }

    /// Describes the store for people.
    pub fn describe(&self) -> &str {
        &self.description
    }

    /// Checks whether the store can be reached.
    pub async fn probe(&self) -> Result<(), Error> {
        // Lists instead of looking up an object: a missing bucket answers a lookup like a missing object.
        std::pin::pin!(self.store.list(None)).try_next().await?;
        Ok(())
    }

    pub fn upload_limits(&self) -> UploadLimits {
        self.uploads
    }

    /// Starts writing an object, which becomes visible with [`Writer::finish`].
    pub fn writer(&self, key: &Key) -> Writer {
        Writer::new(Arc::clone(&self.store), key.path(), self.part_bytes)
    }

    /// Reads a byte range of an object. A range beyond the end is truncated.
    pub async fn read(&self, key: &Key, range: Range<u64>) -> Result<ByteStream, Error> {
        if range.is_empty() {
            // Servers reject an empty range, but the caller must still learn whether the object exists.
            return match self.head(key).await? {
                Some(_) => Ok(Box::pin(futures_util::stream::empty())),
                None => Err(Error::NotFound(key.to_string())),
            };
        }
        let options = GetOptions { range: Some(GetRange::Bounded(range)), ..GetOptions::default() };
        let found = self.store.get_opts(&key.path(), options).await?;
        Ok(Box::pin(found.into_stream().map_err(Error::from)))
    }

    /// Writes a whole object.
    pub async fn put(&self, key: &Key, bytes: &[u8]) -> Result<(), Error> {
        let mut writer = self.writer(key);
        writer.write(bytes).await?;
        writer.finish().await
    }

    /// Reads a whole object, of which no more than these bytes are returned.
    pub async fn get(&self, key: &Key, max_bytes: u64) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let mut stream = self.read(key, 0..max_bytes).await?;
        while let Some(some) = stream.try_next().await? {
            bytes.extend_from_slice(&some);
        }
        Ok(bytes)
    }

    /// Whether objects are files on this host, so that a copy of them would be of no use.
    pub fn is_local(&self) -> bool {
        self.folder.is_some()
    }

    /// Returns an object's metadata, if it exists.
    pub async fn head(&self, key: &Key) -> Result<Option<Object>, Error> {
        match self.store.head(&key.path()).await {
            Ok(found) => Ok(Some(Object { key: key.clone(), size_bytes: found.size })),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes an object; succeeds if there is none.
    pub async fn delete(&self, key: &Key) -> Result<(), Error> {
        match self.store.delete(&key.path()).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Lists all objects with a prefix, in no particular order. Objects with names that are not [`Key`]s are skipped.
    pub fn list(&self, prefix: Prefix) -> ObjectStream {
        let found = self.store.list(prefix.path().as_ref());
        Box::pin(found.map_err(Error::from).try_filter_map(async |found| {
            let key = Key::parse(found.location.as_ref());
            Ok(key.map(|key| Object { key, size_bytes: found.size }))
        }))
    }

    /// Removes files that killed processes left incomplete before `before`, and returns how many. Such files never appear as
    /// objects. On S3, the operator configures the server to abort incomplete uploads.
    pub async fn remove_incomplete_uploads(&self, before: Timestamp) -> Result<u64, Error> {
        match &self.folder {
            Some(folder) => folder.remove_incomplete_uploads(before).await,
            None => Ok(0),
        }
    }
}
