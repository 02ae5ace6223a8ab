//! Where objects are kept, and what can be done with them.

use std::fmt;
use std::ops::Range;
use std::path::Path as FilePath;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::Timestamp;
use futures_util::TryStreamExt;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::memory::InMemory;
use object_store::{ClientOptions, GetOptions, GetRange, ObjectStore, ObjectStoreExt};

use crate::config::{Backend, S3};
use crate::folder::Folder;
use crate::{Config, Error, Key, Prefix, UploadLimits, Writer};

/// How long the server may take to connect, and may say nothing while it answers.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// A part of an object on its way to a server: the least that S3 takes, since so much is held in memory twice.
const S3_PART_BYTES: usize = 5 * 1024 * 1024;
/// The same on its way to a file or to memory.
const LOCAL_PART_BYTES: usize = 512 * 1024;

/// The bytes of an object as they come.
pub type ByteStream = Pin<Box<dyn futures_util::Stream<Item = Result<Bytes, Error>> + Send>>;

/// Where objects are kept. Clones are the same place.
#[derive(Clone)]
pub struct Blobs {
    store: Arc<dyn ObjectStore>,
    part_bytes: usize,
    folder: Option<Folder>,
    uploads: UploadLimits,
    description: String,
}

/// An object that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its name.
    pub key: Key,
    /// How long it is.
    pub size_bytes: u64,
}

impl fmt::Debug for Blobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.description)
    }
}

impl Blobs {
    /// The configured place; says which key is wrong, and why, if there can be none.
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
            Backend::S3 => Ok(Self {
                store: Arc::new(
                    build_s3_client(&config.s3).map_err(|error| ("blobs.s3", error.to_string()))?,
                ),
                part_bytes: S3_PART_BYTES,
                folder: None,
                uploads,
                description: format!("the bucket {}", config.s3.bucket),
            }),
        }
    }

    /// A place in memory that goes with its last clone.
    pub fn memory() -> Self {
        Self {
            store: Arc::new(InMemory::new()),
            part_bytes: LOCAL_PART_BYTES,
            folder: None,
            uploads: UploadLimits { total: 1024, per_brand: 1024, per_token: 1024 },
            description: "memory".to_owned(),
        }
    }

    /// Where objects are kept, for people.
    pub fn describe(&self) -> &str {
        &self.description
    }

    /// Looks whether the place can be reached.
    pub async fn probe(&self) -> Result<(), Error> {
        // A bucket that is not there has no list, though it also has no object of any name.
        std::pin::pin!(self.store.list(None)).try_next().await?;
        Ok(())
    }

    /// How many objects are to be taken in at once.
    pub fn upload_limits(&self) -> UploadLimits {
        self.uploads
    }

    /// Begins an object. Nobody sees it before [`Writer::finish`].
    pub fn writer(&self, key: &Key) -> Writer {
        Writer::new(Arc::clone(&self.store), key.path(), self.part_bytes)
    }

    /// The bytes of an object from one place to another. A range that reaches past its end is cut there.
    pub async fn read(&self, key: &Key, range: Range<u64>) -> Result<ByteStream, Error> {
        if range.is_empty() {
            // No server takes such a range; whether the object is there is still to be said.
            return match self.head(key).await? {
                Some(_) => Ok(Box::pin(futures_util::stream::empty())),
                None => Err(Error::NotFound(key.to_string())),
            };
        }
        let options = GetOptions { range: Some(GetRange::Bounded(range)), ..GetOptions::default() };
        let found = self.store.get_opts(&key.path(), options).await?;
        Ok(Box::pin(found.into_stream().map_err(Error::from)))
    }

    /// An object, if it is there.
    pub async fn head(&self, key: &Key) -> Result<Option<Object>, Error> {
        match self.store.head(&key.path()).await {
            Ok(found) => Ok(Some(Object { key: key.clone(), size_bytes: found.size })),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes an object away; one that is not there is fine.
    pub async fn delete(&self, key: &Key) -> Result<(), Error> {
        match self.store.delete(&key.path()).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// All objects whose names begin so, in no order. What is not ours is left out.
    pub fn list(
        &self,
        prefix: Prefix,
    ) -> impl futures_util::Stream<Item = Result<Object, Error>> + Send + use<> {
        let found = self.store.list(prefix.path().as_ref());
        found.map_err(Error::from).try_filter_map(async |found| {
            let key = Key::parse(found.location.as_ref());
            Ok(key.map(|key| Object { key, size_bytes: found.size }))
        })
    }

    /// Takes away what a process that was killed left half written before `before`, and tells how much that was. Such
    /// things are never seen as objects. A server is told by its operator to give up parts of uploads that were not ended.
    pub async fn remove_incomplete_uploads(&self, before: Timestamp) -> Result<u64, Error> {
        match &self.folder {
            Some(folder) => folder.remove_incomplete_uploads(before).await,
            None => Ok(0),
        }
    }
}

fn build_s3_client(config: &S3) -> Result<AmazonS3, object_store::Error> {
    // A whole clip may take longer than any fixed time; silence may not.
    let client = ClientOptions::new()
        .with_allow_http(config.allow_http)
        .with_connect_timeout(CONNECT_TIMEOUT)
        .with_timeout_disabled()
        .with_read_timeout(READ_TIMEOUT);
    let mut builder = AmazonS3Builder::new()
        .with_client_options(client)
        .with_bucket_name(&config.bucket)
        .with_region(&config.region)
        .with_access_key_id(&config.access_key)
        .with_secret_access_key(&config.secret_key.0)
        .with_allow_http(config.allow_http)
        .with_virtual_hosted_style_request(!config.path_style)
        // Objects go one by one, and not every server knows the call for many.
        .with_disable_bulk_delete(true);
    if !config.endpoint.is_empty() {
        builder = builder.with_endpoint(&config.endpoint);
    }
    builder.build()
}
