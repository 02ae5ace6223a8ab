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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use domain::Secret;
    use futures_util::TryStreamExt;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    const EMPTY: &str =
        "<ListBucketResult><Name>keepclear</Name><IsTruncated>false</IsTruncated></ListBucketResult>";

    fn answer(status: &str, headers: &str, body: &str) -> String {
        format!(
            "HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )
    }

    /// Lists a bucket on a server that gives each connection the next of these answers. Returns the number of objects, if it succeeds,
    /// and of connections.
    async fn list(answers: Vec<String>, allow_http: bool) -> (Result<usize, String>, usize) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        let server = tokio::spawn(async move {
            for answer in answers {
                let (mut stream, _) = listener.accept().await.unwrap();
                counted.fetch_add(1, Ordering::SeqCst);
                let _ = stream.read(&mut [0; 8_192]).await.unwrap();
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        let bucket = connect(&bucket_at(endpoint, allow_http)).unwrap();
        let listed: Result<Vec<_>, _> = bucket.list(None).try_collect().await;
        server.abort();
        (
            listed.map(|found| found.len()).map_err(|error| error.to_string()),
            connections.load(Ordering::SeqCst),
        )
    }

    fn bucket_at(endpoint: String, allow_http: bool) -> S3 {
        S3 {
            endpoint,
            bucket: "keepclear".to_owned(),
            region: "us-east-1".to_owned(),
            access_key: "tester".to_owned(),
            secret_key: Secret("tester".to_owned()),
            allow_http,
            path_style: true,
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for endpoint in
            ["https://h:99999/", "http://[::1", "http://127.0.0.1:9/?x=1", "http://h/#part", "http://"]
        {
            let (key, reason) = bucket_at(endpoint.to_owned(), true).check().unwrap_err();
            assert_eq!(key, "blobs.s3.endpoint", "{endpoint}: {reason}");
        }
        let bucket = bucket_at("http://[::1]:9000/objects".to_owned(), true);
        bucket.check().unwrap();
        assert!(connect(&bucket).is_ok());
    }

    #[tokio::test]
    async fn a_connection_that_breaks_is_made_again() {
        let listed = answer("200 OK", "content-type: application/xml\r\n", EMPTY);
        let cut = listed[..20].to_owned();
        assert_eq!(list(vec![String::new(), cut, listed], true).await, (Ok(0), 3));
    }

    #[tokio::test]
    async fn redirects_are_not_followed() {
        let away = answer("307 Temporary Redirect", "location: /elsewhere\r\n", "");
        let (listed, connections) = list(vec![away, answer("200 OK", "", EMPTY)], true).await;
        assert!(listed.unwrap_err().contains("307"));
        assert_eq!(connections, 1);
    }

    #[tokio::test]
    async fn nothing_is_sent_unencrypted_unless_it_is_allowed() {
        let (listed, connections) = list(vec![answer("200 OK", "", EMPTY)], false).await;
        assert!(listed.is_err());
        assert_eq!(connections, 0);
    }
}
