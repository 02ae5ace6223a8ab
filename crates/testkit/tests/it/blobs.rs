//! Guarantees of blob storage on every backend: the same tests on a folder, an S3 server and memory.

use blobs::{Blobs, Error, Key, Prefix, Upload};
use domain::{BrandId, ClipId, Random, Timestamp};
use futures_util::TryStreamExt;
use testkit::TestBlobs;

macro_rules! on_every_backend {
    ($($name:ident),+ $(,)?) => {
        on_every_backend!(memory: Memory, $($name),+);
        on_every_backend!(folder: Folder, $($name),+);
        on_every_backend!(s3: S3, $($name),+);
    };
    ($module:ident: $backend:ident, $($name:ident),+) => {
        mod $module {
            $(#[test] fn $name() { super::run(blobs::Backend::$backend, super::$name); })+
        }
    };
}

on_every_backend!(
    an_object_is_read_as_it_was_written,
    a_range_is_cut_at_the_end,
    what_is_not_finished_is_not_there,
    a_large_object_comes_and_goes_in_parts,
    deleting_twice_is_fine,
    a_list_holds_what_begins_so,
    a_place_says_whether_it_can_be_reached,
);

fn run<F: Future<Output = ()>>(backend: blobs::Backend, test: impl FnOnce(TestBlobs) -> F) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let objects = TestBlobs::new(backend);
    runtime.block_on(test(objects));
}

/// Returns a key that no other test uses.
fn key(brand: BrandId) -> Key {
    Key::Clip(brand, ClipId(1), Upload::begin(Timestamp::from_seconds(1_772_366_430), &Random::System))
}

/// Returns a brand that no other test uses.
fn brand() -> BrandId {
    BrandId(i64::from(u32::from_be_bytes(Random::System.bytes())))
}

async fn put(blobs: &Blobs, key: &Key, bytes: &[u8]) {
    let mut writer = blobs.writer(key);
    writer.write(bytes).await.unwrap();
    writer.finish().await.unwrap();
}

async fn read(blobs: &Blobs, key: &Key, range: std::ops::Range<u64>) -> Vec<u8> {
    let parts: Vec<_> = blobs.read(key, range).await.unwrap().try_collect().await.unwrap();
    parts.concat()
}

async fn an_object_is_read_as_it_was_written(TestBlobs { blobs, folder: _folder }: TestBlobs) {
    let key = key(brand());
    put(&blobs, &key, b"hello").await;
    assert_eq!(blobs.head(&key).await.unwrap().unwrap().size_bytes, 5);
    assert_eq!(read(&blobs, &key, 0..5).await, b"hello");
    assert_eq!(read(&blobs, &key, 1..3).await, b"el");
    assert_eq!(read(&blobs, &key, 4..5).await, b"o");
    assert_eq!(read(&blobs, &key, 2..2).await, b"");
}

async fn a_range_is_cut_at_the_end(TestBlobs { blobs, folder: _folder }: TestBlobs) {
    let key = key(brand());
    put(&blobs, &key, b"hello").await;
    assert_eq!(read(&blobs, &key, 3..500).await, b"lo");
}

async fn what_is_not_finished_is_not_there(TestBlobs { blobs, folder: _folder }: TestBlobs) {
    let brand = brand();
    // Large enough that parts of it are uploaded before the end.
    let bytes = vec![7; 11 * 1024 * 1024];
    for is_aborted in [true, false] {
        let key = key(brand);
        let mut writer = blobs.writer(&key);
        writer.write(&bytes).await.unwrap();
        assert_eq!(blobs.head(&key).await.unwrap(), None);
        // A process that is killed does not abort its upload.
        if is_aborted {
            writer.abort().await.unwrap();
        } else {
            drop(writer);
        }
        assert_eq!(blobs.head(&key).await.unwrap(), None);
        assert!(matches!(blobs.read(&key, 0..1).await, Err(Error::NotFound(_))));
        assert!(matches!(blobs.read(&key, 0..0).await, Err(Error::NotFound(_))));
    }
    assert_eq!(list(&blobs, Prefix::ClipsOf(brand)).await, []);
}

async fn a_large_object_comes_and_goes_in_parts(TestBlobs { blobs, folder: _folder }: TestBlobs) {
    let (key, mut expected) = (key(brand()), Vec::new());
    let mut writer = blobs.writer(&key);
    // The pieces do not divide evenly into parts.
    for piece in 0..180u8 {
        let piece = vec![piece; 70_001];
        writer.write(&piece).await.unwrap();
        expected.extend(piece);
    }
    writer.finish().await.unwrap();
    let size = expected.len() as u64;
    assert_eq!(blobs.head(&key).await.unwrap().unwrap().size_bytes, size);
    assert!(read(&blobs, &key, 0..size).await == expected);
    let across = 5 * 1024 * 1024 - 10..5 * 1024 * 1024 + 70_000;
    let bounds = usize::try_from(across.start).unwrap()..usize::try_from(across.end).unwrap();
    assert!(read(&blobs, &key, across).await == expected[bounds]);
}

async fn deleting_twice_is_fine(TestBlobs { blobs, folder: _folder }: TestBlobs) {
    let key = key(brand());
    put(&blobs, &key, b"hello").await;
    blobs.delete(&key).await.unwrap();
    assert_eq!(blobs.head(&key).await.unwrap(), None);
    blobs.delete(&key).await.unwrap();
}

async fn a_list_holds_what_begins_so(TestBlobs { blobs, folder: _folder }: TestBlobs) {
    let (ours, theirs) = (brand(), brand());
    let mut keys = [key(ours), key(ours)];
    keys.sort();
    for key in &keys {
        put(&blobs, key, b"hello").await;
    }
    let other = key(theirs);
    put(&blobs, &other, b"").await;
    assert_eq!(list(&blobs, Prefix::ClipsOf(ours)).await, keys);
    // All tests share one bucket, so other objects may be there.
    for prefix in [Prefix::All, Prefix::Clips] {
        let all = list(&blobs, prefix).await;
        assert!(keys.iter().chain([&other]).all(|key| all.contains(key)));
    }
    assert!(list(&blobs, Prefix::Clips).await.iter().all(|key| matches!(key, Key::Clip(..))));
}

async fn list(blobs: &Blobs, prefix: Prefix) -> Vec<Key> {
    let mut keys: Vec<Key> = blobs.list(prefix).map_ok(|object| object.key).try_collect().await.unwrap();
    keys.sort();
    keys
}

async fn a_place_says_whether_it_can_be_reached(TestBlobs { blobs, folder }: TestBlobs) {
    blobs.probe().await.unwrap();
    let mut config = testkit::objects_config(blobs::Backend::S3);
    config.s3.bucket = "elsewhere".to_owned();
    let elsewhere = Blobs::new(&config, folder.path()).unwrap();
    assert!(elsewhere.probe().await.is_err());
}
