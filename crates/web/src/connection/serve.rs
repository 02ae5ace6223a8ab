//! The accept loop: limits on connections, a header timeout, and a graceful shutdown.

use std::convert::Infallible;
use std::future::Future;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::{HeaderValue, Request, StatusCode, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tower::Service;

use crate::Edge;
use crate::connection::connections::{ConnectionGuard, Connections, TrackedBody};
use crate::connection::write_timeout::WriteTimeoutStream;

/// The maximum size of all headers of a request. A larger request gets a bare 431.
const MAX_HEADER_BYTES: usize = 64 * 1024;
/// The time that open requests may take after the signal to stop. With closing everything else, the process stops within ten seconds.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(8);

/// The address of the other end of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// Serves until `stop` completes, then waits up to eight seconds for open requests.
///
/// HTTP/1.1 only: every client and proxy supports it, and its header timeout covers the first byte.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    edge: Arc<Edge>,
    stop: impl Future<Output = ()> + Send,
) {
    let open_connections = Connections::new(&edge.config.server);
    let mut connections = JoinSet::new();
    let mut stop = std::pin::pin!(stop);
    // A new connection that waits for a permit. Those behind it stay in the queue of the operating system.
    let mut waiting: Option<(TcpStream, SocketAddr)> = None;
    loop {
        tokio::select! {
            () = &mut stop => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept(), if waiting.is_none() => match accepted {
                Ok(newcomer) => waiting = Some(newcomer),
                Err(error) => {
                    // Out of file descriptors, or the client disconnected. An immediate retry helps in neither case.
                    tracing::warn!("failed to accept a connection: {error}");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            },
            permit = open_connections.acquire_permit(&edge.metrics), if waiting.is_some() => {
                let Some((stream, peer)) = waiting.take() else { continue };
                let trusted = &edge.config.server.trusted_proxies;
                let is_trusted = trusted.iter().any(|net| net.contains(&peer.ip().to_canonical()));
                match open_connections.register(peer.ip(), is_trusted, permit, &edge.metrics) {
                    Some(guard) => {
                        connections.spawn(serve_connection(stream, peer, router.clone(), Arc::clone(&edge), guard));
                    }
                    None => refuse_connection(stream),
                }
            }
        }
    }
    drop(listener);
    edge.stopping.send_replace(true);
    let all_done = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(SHUTDOWN_TIMEOUT, all_done).await.is_err() {
        tracing::warn!("connections were still busy after {} s and were closed", SHUTDOWN_TIMEOUT.as_secs());
    }
}

/// Sends a 503 if that is possible without waiting, and closes the connection.
fn refuse_connection(stream: TcpStream) {
    const ANSWER: &[u8] =
        b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    if let Ok(mut stream) = stream.into_std() {
        let _ = stream.write(ANSWER);
    }
}

async fn serve_connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    edge: Arc<Edge>,
    guard: ConnectionGuard,
) {
    // Responses are written as a whole. Waiting to fill a packet would only delay them.
    let _ = stream.set_nodelay(true);
    edge.metrics.connections.inc();
    let state = Arc::clone(&guard.state);
    let (answering, serving) = (Arc::clone(&state), Arc::clone(&edge));
    let service = hyper::service::service_fn(move |request: Request<Incoming>| {
        let (mut router, connection, edge) = (router.clone(), Arc::clone(&answering), Arc::clone(&serving));
        async move {
            connection.mark_busy();
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(Peer(peer));
            let mut response = router.call(request).await.unwrap_or_else(|never| match never {});
            // The router has set the length of the empty body; that of a 304 would be the length of the content (RFC 9110, section 8.6).
            if response.status() == StatusCode::NOT_MODIFIED {
                response.headers_mut().remove(header::CONTENT_LENGTH);
            }
            // The next request of this client opens a connection, which a balancer leads elsewhere.
            if edge.is_draining() {
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(response.map(|body| TrackedBody::new(body, connection)))
        }
    });
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(edge.config.server.header_timeout_s.into()))
        .max_header_size(MAX_HEADER_BYTES)
        .max_buf_size(MAX_HEADER_BYTES)
        .half_close(false);
    let stream = TokioIo::new(WriteTimeoutStream::new(stream, Some(Arc::clone(&state))));
    let mut connection = std::pin::pin!(builder.serve_connection(stream, service));
    let mut stopping = edge.stopping.subscribe();
    let stopped = async move { drop(stopping.wait_for(|stop| *stop).await) };
    let outcome = tokio::select! {
        outcome = connection.as_mut() => outcome,
        () = stopped => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
        () = state.close_requested() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = outcome {
        edge.metrics.broken_connections.inc();
        tracing::debug!(%peer, "a connection ended early: {error}");
    }
    edge.metrics.connections.dec();
    drop(guard);
}
