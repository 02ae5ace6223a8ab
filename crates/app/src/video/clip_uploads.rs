//! Uploads of video clips. A clip gets the bytes of exactly one complete upload; others leave nothing behind.

use std::sync::Arc;
use std::time::Duration;

use blobs::{Key, Upload, Writer};
use domain::{ClipContent, ClipId, ClipState, Invalid, VideoClip, VideoType};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use sha2::{Digest, Sha256};

use crate::video::upload_permits::{UploadPermit, upload_replaced};
use crate::video::video_clips::clip_not_found;
use crate::{App, Error, ErrorKind, FieldError, Reporter, ReporterKind, TaskOwner};

/// Maximum duration of an upload. Orphaned objects that are older are removed.
const UPLOAD_TIMEOUT: Duration = Duration::from_secs(12 * 60 * 60);

/// The bytes of a clip as they arrive.
pub type ClipStream = BoxStream<'static, Result<bytes::Bytes, Error>>;

/// The state of the bytes received so far.
struct ReceivedBytes {
    header: Vec<u8>,
    kind: Option<VideoType>,
    size_bytes: u64,
    hash: Sha256,
}

#[macros::boxed]
impl App {
    /// Finds a clip that this device may upload: its own, or for a gateway any of its brand.
    pub async fn find_clip_to_upload(&self, reporter: &Reporter, id: ClipId) -> Result<VideoClip, Error> {
        let found = self.store.read().await?.video_clips(&reporter.scope).find(id).await?;
        let is_theirs = |clip: &VideoClip| match reporter.kind {
            ReporterKind::Station(station) => clip.base_station == station,
            ReporterKind::Gateway(_) => true,
        };
        found.filter(is_theirs).ok_or_else(clip_not_found)
    }

    /// Receives the bytes of a clip, which must have the given hash. The body is read to its end in any case, so that the device gets to
    /// read the response. The upload continues when the caller goes away, so that nothing is left half done.
    pub async fn receive_clip(
        self: &Arc<Self>,
        reporter: &Reporter,
        id: ClipId,
        sha256: [u8; 32],
        body: ClipStream,
    ) -> Result<VideoClip, Error> {
        let clip = self.find_clip_to_upload(reporter, id).await?;
        // An upload that is no longer wanted gets an error and blocks no other upload.
        let wanted = check_awaits_upload(&clip, &sha256).is_ok().then_some(clip.id);
        let permit =
            self.upload_permits.begin(reporter.token, reporter.brand(), wanted, self.clock.monotonic())?;
        let (app, reporter) = (Arc::clone(self), reporter.clone());
        let body = self.fail_when_replaced(body, &permit);
        let work = async move {
            match tokio::time::timeout(UPLOAD_TIMEOUT, app.store_clip(&reporter, &clip, sha256, body, permit))
                .await
            {
                Ok(outcome) => outcome,
                Err(_) => {
                    app.undo_upload(&reporter, clip.id).await?;
                    Err(Error::new(
                        ErrorKind::BadRequest,
                        "body_too_slow",
                        "The body took longer than 12 hours.",
                    ))
                }
            }
        };
        tokio::spawn(TaskOwner::propagate(work)).await.map_err(Error::internal)?
    }

    /// Returns the body as a stream that fails once a newer upload has replaced this one.
    fn fail_when_replaced(&self, body: ClipStream, permit: &UploadPermit) -> ClipStream {
        let start = (body, permit.upload(), self.clock.clone());
        let pieces = futures_util::stream::unfold(start, |(mut body, under_way, clock)| async move {
            let piece = tokio::select! {
                biased;
                () = under_way.replaced() => Some(Err(upload_replaced())),
                piece = body.next() => piece,
            };
            under_way.touch(clock.monotonic());
            piece.map(|piece| (piece, (body, under_way, clock)))
        });
        // Fused, because the stream is read on after a failure and polled again after its end.
        Box::pin(pieces.fuse())
    }

    async fn store_clip(
        &self,
        reporter: &Reporter,
        clip: &VideoClip,
        sha256: [u8; 32],
        mut body: ClipStream,
        mut permit: UploadPermit,
    ) -> Result<VideoClip, Error> {
        if let Err(refusal) = check_awaits_upload(clip, &sha256) {
            drain(&mut body).await?;
            return refusal.map_or_else(|| Ok(clip.clone()), Err);
        }
        let mut tx = self.store.begin().await?;
        tx.video_clips(&reporter.scope).begin_upload(clip.id, self.clock.now()).await?;
        tx.commit().await?;

        let upload = Upload::begin(self.clock.now(), &self.random);
        let key = Key::Clip(reporter.scope.brand(), clip.id, upload.clone());
        let mut writer = self.blobs.writer(&key);
        let content = match receive(&mut body, &mut writer, sha256).await {
            Ok((kind, size_bytes)) => {
                ClipContent { kind, size_bytes, sha256: sha256.into(), upload: upload.to_string() }
            }
            Err(error) => {
                if let Err(error) = writer.abort().await {
                    tracing::warn!("could not abort an upload: {error}");
                }
                if permit.is_replaced() {
                    return Err(error);
                }
                // Before the rest is read, which may take a while: a retry need not wait for it.
                self.undo_upload(reporter, clip.id).await?;
                permit.release_clip();
                let _ = drain(&mut body).await;
                return Err(error);
            }
        };
        if let Err(error) = writer.finish().await {
            self.undo_upload(reporter, clip.id).await?;
            return Err(error.into());
        }
        self.finish_upload(reporter, clip.id, &key, &content).await
    }

    /// Gives the clip these bytes, unless another upload was faster. The row decides.
    async fn finish_upload(
        &self,
        reporter: &Reporter,
        id: ClipId,
        key: &Key,
        content: &ClipContent,
    ) -> Result<VideoClip, Error> {
        let mut tx = self.store.begin().await?;
        let is_taken = tx.video_clips(&reporter.scope).finish_upload(id, content, self.clock.now()).await?;
        let clip = tx.video_clips(&reporter.scope).find(id).await?.ok_or_else(clip_not_found)?;
        // If this fails, the object stays, because it is unknown whether the row refers to it. An orphaned object is removed later.
        tx.commit().await?;
        if is_taken {
            return Ok(clip);
        }
        if let Err(error) = self.blobs.delete(key).await {
            tracing::warn!("could not delete the orphaned object {key}: {error}");
        }
        match check_awaits_upload(&clip, &content.sha256) {
            Err(None) => Ok(clip),
            Err(Some(refusal)) => Err(refusal),
            Ok(()) => Err(Error::internal("a clip refused an upload but still awaits one")),
        }
    }

    async fn undo_upload(&self, reporter: &Reporter, id: ClipId) -> Result<(), Error> {
        let mut tx = self.store.begin().await?;
        tx.video_clips(&reporter.scope).undo_upload(id, self.clock.now()).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Fails a clip whose station has no such video. Repeating it is fine.
    pub async fn fail_clip(&self, reporter: &Reporter, id: ClipId, reason: &str) -> Result<VideoClip, Error> {
        self.find_clip_to_upload(reporter, id).await?;
        let mut tx = self.store.begin().await?;
        tx.video_clips(&reporter.scope).fail(id, reason, self.clock.now()).await?;
        let clip = tx.video_clips(&reporter.scope).find(id).await?.ok_or_else(clip_not_found)?;
        tx.commit().await?;
        match clip.state {
            ClipState::Failed => Ok(clip),
            _ => Err(Error::new(ErrorKind::Conflict, "clip_has_video", "The clip already has its video.")),
        }
    }
}

/// Checks that a clip awaits an upload. The error is the refusal, or `None` if the clip already has these bytes.
fn check_awaits_upload(clip: &VideoClip, sha256: &[u8]) -> Result<(), Option<Error>> {
    match clip.state {
        ClipState::Requested | ClipState::Uploading => Ok(()),
        ClipState::Available if clip.content.as_ref().is_some_and(|content| content.sha256 == sha256) => {
            Err(None)
        }
        ClipState::Available => {
            let detail = "The clip already has a different video.";
            Err(Some(Error::new(ErrorKind::Conflict, "clip_has_video", detail)))
        }
        ClipState::Expired | ClipState::Failed => {
            let detail = "The clip has expired or failed; it can no longer be uploaded.";
            Err(Some(Error::new(ErrorKind::Conflict, "clip_ended", detail)))
        }
    }
}

/// Writes the body as it arrives. Returns its type and size once it is complete and has the expected hash.
async fn receive(
    body: &mut ClipStream,
    writer: &mut Writer,
    sha256: [u8; 32],
) -> Result<(VideoType, i64), Error> {
    let mut received = ReceivedBytes { header: Vec::new(), kind: None, size_bytes: 0, hash: Sha256::new() };
    while let Some(bytes) = body.next().await {
        let bytes = bytes?;
        received.update(&bytes)?;
        writer.write(&bytes).await?;
    }
    let kind = received.kind.or_else(|| VideoType::sniff(&received.header)).ok_or_else(unsupported_video)?;
    if <[u8; 32]>::from(received.hash.finalize()) != sha256 {
        let mut error = Error::new(
            ErrorKind::Invalid,
            "wrong_checksum",
            "The uploaded bytes do not have the SHA-256 given in the header.",
        );
        let invalid = Invalid::new("wrong_checksum", "is not the SHA-256 of the uploaded bytes");
        error.fields.push(FieldError { field: "X-Content-SHA256".to_owned(), invalid });
        return Err(error);
    }
    Ok((kind, i64::try_from(received.size_bytes).map_err(Error::internal)?))
}

impl ReceivedBytes {
    fn update(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.size_bytes += bytes.len() as u64;
        self.hash.update(bytes);
        if self.kind.is_none() {
            let missing_bytes = VideoType::SNIFF_BYTES - self.header.len();
            self.header.extend(bytes.iter().take(missing_bytes));
            self.kind = VideoType::sniff(&self.header);
            if self.kind.is_none() && self.header.len() == VideoType::SNIFF_BYTES {
                return Err(unsupported_video());
            }
        }
        Ok(())
    }
}

/// Reads and discards the rest of a body.
async fn drain(body: &mut ClipStream) -> Result<(), Error> {
    while let Some(bytes) = body.next().await {
        bytes?;
    }
    Ok(())
}

fn unsupported_video() -> Error {
    let detail = "The uploaded bytes are neither MP4 nor WebM.";
    Error::new(ErrorKind::Invalid, "unsupported_video", detail)
}
