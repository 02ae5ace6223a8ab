//! A bucket on an S3-compatible server.

mod connector;

use std::sync::Arc;

use object_store::ObjectStore;
use object_store::aws::AmazonS3Builder;

use crate::S3;
use connector::Connector;

/// Size of a part in a multipart upload: the minimum of S3, because two parts are held in memory.
pub(crate) const PART_BYTES: usize = 5 * 1024 * 1024;

/// Returns the configured bucket. Nothing is sent yet.
pub(crate) fn connect(config: &S3) -> Result<Arc<dyn ObjectStore>, object_store::Error> {
    let mut builder = AmazonS3Builder::new()
        .with_http_connector(Connector { allow_http: config.allow_http })
        .with_bucket_name(&config.bucket)
        .with_region(&config.region)
        .with_access_key_id(&config.access_key)
        .with_secret_access_key(&config.secret_key.0)
        .with_allow_http(config.allow_http)
        .with_virtual_hosted_style_request(!config.path_style)
        // Objects are deleted one by one, and not every server supports bulk deletion.
        .with_disable_bulk_delete(true);
    if !config.endpoint.is_empty() {
        builder = builder.with_endpoint(&config.endpoint);
    }
    Ok(Arc::new(builder.build()?))
}
