//! The object store is away for a minute.

use std::time::Duration;

use domain::{BaseStationId, DeviceKind, Role, Secret, TagId, Timestamp};
use serde_json::json;
use testbed::{SeaweedFs, TcpProxy};
use testkit::{Account, Engine, TestApp, objects_config};
use tokio::time::Instant;

use super::print_row;
use crate::video::{mp4, post_clip_request, register_station, upload_clip};

const AWAY: Duration = Duration::from_secs(60);
const CLIPS: usize = 8;

/// Asks for totals, and returns the status, the number of incursions if there is one, and how long it took.
async fn ask(app: &TestApp, admin: &Account) -> (u16, Option<i64>, Duration) {
    let began = Instant::now();
    let reply = app.get("/api/v1/insights/totals").cookie(&admin.cookie).send().await;
    let status = reply.status.as_u16();
    assert!(status == 200 || (status == 503 && reply.headers.contains_key("retry-after")), "{status}");
    let count = (status == 200).then(|| reply.json()["metrics"]["incursions"]["value"].as_i64().unwrap());
    (status, count, began.elapsed())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: make soak"]
async fn the_object_store_is_away_for_a_minute() {
    let objects = tokio::task::block_in_place(SeaweedFs::start).unwrap();
    let way = TcpProxy::start(vec![objects.address()]).unwrap();
    let app = TestApp::start_with(Engine::Postgres, |config| {
        config.blobs = objects_config(blobs::Backend::Folder);
        config.blobs.backend = blobs::Backend::S3;
        config.blobs.s3.endpoint = format!("http://{}", way.address());
        config.blobs.s3.bucket = SeaweedFs::BUCKET.to_owned();
        config.blobs.s3.access_key = SeaweedFs::ACCESS_KEY.to_owned();
        config.blobs.s3.secret_key = Secret(SeaweedFs::SECRET_KEY.to_owned());
    })
    .await;
    app.allow_leftover_jobs();
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let station = register_station(&app, &admin, "BS-1").await;
    let token = app.issue_token("Acme", DeviceKind::Station, "BS-1").await;
    let facts = app.facts("Acme").await;
    let at = Timestamp::parse("2026-02-27T10:00:00Z").unwrap();
    facts.add_incursions((0..50).map(|_| facts.incursion(BaseStationId(1), TagId(1), at)).collect()).await;
    let bytes = mp4(6_000_000);
    let mut clips = Vec::new();
    for minute in 0..CLIPS {
        let (from, to) = (format!("2026-03-01T11:{minute:02}:00Z"), format!("2026-03-01T11:{minute:02}:30Z"));
        let made = post_clip_request(&app, &admin, station, &json!({ "from": from, "to": to })).await;
        clips.push(made.expect(201).json()["id"].as_i64().unwrap());
    }
    upload_clip(&app, &token, clips[0], &bytes).await.expect(200);
    assert_eq!(ask(&app, &admin).await.1, Some(50));
    // Another host that has not been asked yet.
    let newcomer = app.second_instance().await;

    way.stall();
    let (since, mut refused, mut cached, mut uncached) = (Instant::now(), 0, Vec::new(), Vec::new());
    let mut longest_upload = Duration::ZERO;
    while since.elapsed() < AWAY {
        let (status, count, took) = ask(&app, &admin).await;
        assert_eq!((status, count), (200, Some(50)), "columns in memory do not need the store");
        cached.push(took);
        let (_, count, took) = ask(&newcomer, &admin).await;
        assert!(count.is_none_or(|count| count == 50));
        uncached.push(took);
        let began = Instant::now();
        let reply = upload_clip(&app, &token, clips[1 + refused % (CLIPS - 1)], &bytes).await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (503, "objects_unavailable"));
        assert!(reply.headers.contains_key("retry-after"));
        longest_upload = longest_upload.max(began.elapsed());
        refused += 1;
    }
    way.restore();
    for clip in &clips {
        // Stations send again until it is accepted.
        while upload_clip(&app, &token, *clip, &bytes).await.status.as_u16() != 200 {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
    for clip in &clips {
        let path = format!("/api/v1/video_clips/{clip}/content");
        let watched = app.get(&path).cookie(&admin.cookie).send().await.expect(200);
        assert!(watched.body == bytes, "clip {clip} is as it was sent");
    }
    let longest = |took: &[Duration]| took.iter().max().copied().unwrap_or_default().as_secs_f64();
    let measured = format!(
        "{refused} uploads got 503 after at most {:.1} s, all {CLIPS} clips were stored after a retry; questions took at most {:.2} s \
         where columns were in memory, and {:.2} s elsewhere",
        longest_upload.as_secs_f64(),
        longest(&cached),
        longest(&uncached),
    );
    print_row(
        "S3 away for a minute",
        "uploads 503 and retried, nothing lost; cached brands unaffected, others by rows or 503 within the deadline",
        &measured,
    );
}
