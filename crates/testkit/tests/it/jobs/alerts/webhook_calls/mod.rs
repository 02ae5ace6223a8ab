//! Calls of webhooks: what receivers get, when they get it again, and what happens to those that fail.

mod attempts;
mod disabling;
mod payloads;
mod signatures;
mod waiting;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::Span;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use testbed::{ReceivedCall, WebhookReceiver};
use testkit::{Engine, TestApp};

use super::world::AlertWorld;

/// A world whose webhooks can be called on this machine, and a receiver.
struct Calls {
    world: AlertWorld,
    receiver: WebhookReceiver,
}

impl Calls {
    async fn new(engine: Engine) -> Self {
        let app = TestApp::start_with(engine, allow_receiver).await;
        Self { world: AlertWorld::new(app).await, receiver: WebhookReceiver::start() }
    }

    /// Adds a webhook for the receiver, with these members put over it; returns its id and its secret.
    async fn webhook(&self, more: &Value) -> (i64, String) {
        let mut body = json!({ "name": "Control room", "url": self.receiver.url() });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let made = self.world.post("webhooks", &body).await;
        (made["webhook"]["id"].as_i64().unwrap(), made["secret"].as_str().unwrap().to_owned())
    }

    /// Posts incursions at machine 1, and evaluates the alerts a second later, when they are in every window.
    async fn incursions(&self, count: usize) {
        self.world.incursions(1, count).await;
        self.world.app.clock.advance(Span::seconds(1));
        self.world.evaluate().await;
    }

    /// Queues a test event, without making an attempt.
    async fn test(&self, webhook: i64) -> Value {
        self.world.post(&format!("webhooks/{webhook}/test"), &json!({})).await
    }

    /// Makes the attempts that are due, and returns the calls that they led to.
    async fn attempt(&self) -> Vec<ReceivedCall> {
        let before = self.receiver.calls().len();
        self.world.app.run_jobs().await;
        self.receiver.calls().split_off(before)
    }

    /// Returns the only delivery of a webhook.
    async fn delivery(&self, webhook: i64) -> Value {
        let mut list = self.world.get(&format!("/api/v1/webhooks/{webhook}/deliveries")).await;
        let Value::Array(mut rows) = list["data"].take() else { panic!("no list: {list}") };
        assert_eq!(rows.len(), 1, "{rows:?}");
        rows.remove(0)
    }

    async fn show(&self, webhook: i64) -> Value {
        self.world.get(&format!("/api/v1/webhooks/{webhook}")).await
    }
}

/// Allows calls of receivers on this machine, which must answer within some seconds: they do not get a turn at once on a busy machine.
fn allow_receiver(config: &mut server::Config) {
    config.alerts.webhook_allow_http = true;
    config.alerts.webhook_allow_private = true;
    config.alerts.webhook_timeout_s = 5;
}

fn body(call: &ReceivedCall) -> Value {
    serde_json::from_slice(&call.body).unwrap()
}

/// Whether a call has a signature by a secret, computed as the specification says.
fn is_signed(call: &ReceivedCall, secret: &str) -> bool {
    let key = BASE64_STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    mac.update(format!("{}.{}.", call.header("webhook-id"), call.header("webhook-timestamp")).as_bytes());
    mac.update(&call.body);
    let expected = format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()));
    call.header("webhook-signature").split(' ').any(|signature| signature == expected)
}
