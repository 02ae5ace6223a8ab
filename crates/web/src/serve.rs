//! The accept loop: a cap on connections, a time limit on headers, and a stop that waits for work in hand.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tower::Service;

use crate::Edge;
use crate::stall::Unstalled;

/// Headers of a request in all; more is answered with a bare 431.
const HEADER_BYTES: usize = 64 * 1024;
/// How long work in hand may take after the signal to stop; with what closing takes, ten seconds at most.
const GRACE: Duration = Duration::from_secs(8);

/// The other end of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// Serves until `stop` is done, then lets work in hand end, for eight seconds at most.
///
/// HTTP/1.1 only: every client and proxy speaks it to its upstream, and its header timeout covers the first byte.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    edge: Arc<Edge>,
    stop: impl Future<Output = ()> + Send,
) {
    let places = Arc::new(Semaphore::new(edge.config.server.max_connections as usize));
    let mut connections = JoinSet::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = async {
            // A full house leaves newcomers in the system's queue until someone goes.
            let place = Arc::clone(&places).acquire_owned().await;
            (listener.accept().await, place)
        };
        tokio::select! {
            () = &mut stop => break,
            Some(_) = connections.join_next() => {}
            (accepted, place) = accepted => match accepted {
                Ok((stream, peer)) => {
                    let work = connection(stream, peer, router.clone(), Arc::clone(&edge), edge.stopping.subscribe());
                    connections.spawn(async move {
                        let _place = place;
                        work.await;
                    });
                }
                Err(error) => {
                    // Out of file descriptors, or a client that went away; neither is helped by trying at once.
                    tracing::warn!("a connection could not be accepted: {error}");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }
    drop(listener);
    edge.stopping.send_replace(true);
    let all_done = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(GRACE, all_done).await.is_err() {
        tracing::warn!("connections were still busy after {} s and were cut", GRACE.as_secs());
    }
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    edge: Arc<Edge>,
    mut stopping: watch::Receiver<bool>,
) {
    // Answers are written whole; waiting to fill a packet would only delay them.
    let _ = stream.set_nodelay(true);
    edge.metrics.connections.inc();
    let service = hyper::service::service_fn(move |request: Request<Incoming>| {
        let mut router = router.clone();
        async move {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(Peer(peer));
            let response = router.call(request).await.unwrap_or_else(|never| match never {});
            Ok::<_, Infallible>(response)
        }
    });
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(edge.config.server.header_timeout_s.into()))
        .max_header_size(HEADER_BYTES)
        .max_buf_size(HEADER_BYTES)
        .half_close(false);
    let mut connection =
        std::pin::pin!(builder.serve_connection(TokioIo::new(Unstalled::new(stream)), service));
    let stopped = async move { drop(stopping.wait_for(|stop| *stop).await) };
    let outcome = tokio::select! {
        outcome = connection.as_mut() => outcome,
        () = stopped => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = outcome {
        edge.metrics.broken_connections.inc();
        tracing::debug!(%peer, "a connection ended early: {error}");
    }
    edge.metrics.connections.dec();
}
