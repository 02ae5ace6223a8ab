//! The object store is away for a minute.

use std::time::Duration;

use domain::{BaseStationId, DeviceKind, Role, Secret, TagId, Timestamp};
use serde_json::json;
use testbed::{SeaweedFs, TcpProxy};
use testkit::{Account, Engine, TestApp, objects_config, query_raw_sql, temporary_folder};
use tokio::time::Instant;

use super::{print_row, summarise};
use crate::v1::insights::columns::add_many;
use crate::video::{mp4, post_clip_request, register_station, upload_clip};

const AWAY: Duration = Duration::from_secs(60);
const CLIPS: usize = 8;

/// Incursions of the last days, and of years.
const FEW: (&str, i64) = ("?from=2026-02-27&to=2026-02-28", 50);
const MANY: (&str, i64) = ("?from=2022-01-01", 210_050);

/// Asks for totals, which are right or not given for now. Returns whether they are, and how long it took.
async fn ask(app: &TestApp, admin: &Account, (period, expected): (&str, i64)) -> (bool, Duration) {
    let began = Instant::now();
    let reply = app.get(&format!("/api/v1/insights/totals{period}")).cookie(&admin.cookie).send().await;
    let took = began.elapsed();
    if reply.status.as_u16() == 503 {
        assert!(reply.headers.contains_key("retry-after"), "{}", reply.text());
        return (false, took);
    }
    assert_eq!(reply.expect(200).json()["metrics"]["incursions"]["value"], json!(expected), "{period}");
    (true, took)
}

/// What was answered and how long it took.
#[derive(Default)]
struct Asked {
    answered: usize,
    refused: usize,
    took: Vec<Duration>,
}

impl Asked {
    async fn ask(&mut self, app: &TestApp, admin: &Account, question: (&str, i64)) {
        let (is_answered, took) = ask(app, admin, question).await;
        self.answered += usize::from(is_answered);
        self.refused += usize::from(!is_answered);
        self.took.push(took);
    }
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
    add_many(&app, 210_000).await;
    while !ask(&app, &admin, MANY).await.0 {}
    let saved = "select cast(count(*) as text) from saved_columns where manifest is not null";
    while query_raw_sql(app.database(), saved).await != ["1"] {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // Other hosts, with data folders of their own: one that has only fetched what the last days need, and one that nobody has asked yet.
    let folders = [temporary_folder(), temporary_folder()];
    let on_folder = |folder: &tempfile::TempDir| {
        let data = folder.path().to_owned();
        app.second_instance_with(|config| config.data = data)
    };
    let (acquainted, newcomer) = (on_folder(&folders[0]).await, on_folder(&folders[1]).await);
    while acquainted.app.column_cache_stats().0 == 0 {
        assert!(ask(&acquainted, &admin, FEW).await.0);
    }

    way.stall();
    let since = Instant::now();
    let (mut cached, mut few, mut many) = (Asked::default(), Asked::default(), <[Asked; 2]>::default());
    let (mut refused, mut longest_upload) = (0, Duration::ZERO);
    let uploads = async {
        while since.elapsed() < AWAY {
            let began = Instant::now();
            let reply = upload_clip(&app, &token, clips[1 + refused % (CLIPS - 1)], &bytes).await;
            assert_eq!((reply.status.as_u16(), reply.code().as_str()), (503, "objects_unavailable"));
            assert!(reply.headers.contains_key("retry-after"));
            longest_upload = longest_upload.max(began.elapsed());
            refused += 1;
        }
    };
    let questions = async {
        while since.elapsed() < AWAY {
            cached.ask(&app, &admin, MANY).await;
            for (host, many) in [&acquainted, &newcomer].into_iter().zip(&mut many) {
                few.ask(host, &admin, FEW).await;
                many.ask(host, &admin, MANY).await;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::join!(uploads, questions);
    assert_eq!(cached.refused, 0, "columns in memory do not need the store");
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
    for host in [&acquainted, &newcomer] {
        while !ask(host, &admin, MANY).await.0 {}
    }
    let deadline = Duration::from_secs(app.config.analytics.sql_timeout_s.into());
    let describe = |asked: &Asked| {
        let took = summarise(&asked.took, deadline);
        format!("{} answers and {} 503 after {took}", asked.answered, asked.refused)
    };
    let measured = format!(
        "{refused} uploads got 503 after at most {:.1} s, all {CLIPS} clips were stored after a retry; a question about 210050 facts got \
         {} where columns were in memory, {} on a host that had only fetched the last days, and {} on one that had fetched nothing; a \
         question about few facts on these two got {}",
        longest_upload.as_secs_f64(),
        describe(&cached),
        describe(&many[0]),
        describe(&many[1]),
        describe(&few),
    );
    print_row(
        "S3 away for a minute",
        "uploads 503 and retried, nothing lost; cached brands unaffected, others by rows or 503 within the deadline",
        &measured,
    );
}
