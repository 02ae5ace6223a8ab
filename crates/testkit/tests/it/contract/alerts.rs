//! How alerts, their firings, webhooks and their deliveries are created.

use domain::{
    AlertEvent, AlertRuleId, DeliveryState, FiringSubject, MachineId, Measurement, Role, Span, SplitKey,
    TimeZone, WebhookId, WorksiteId,
};
use serde_json::{Value, json};
use store::{NewDelivery, NewFiring, Projects, RuleViewer, Scope, Store};
use testkit::Reply;

use super::collections::CreateFuture;
use super::{Caller, World};

/// Creates an alert of the caller's own, or of an admin if the caller may not have one or sees nothing.
pub fn create_alert<'a>(world: &'a World, caller: &'a Caller, _: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let mut made = post_alert(world, caller, &json!({})).await;
        if [403, 422].contains(&made.status.as_u16()) {
            let admin = world.caller(&caller.brand, Role::Admin).await;
            made = post_alert(world, &admin, &json!({})).await;
        }
        made.expect(201).json()["id"].to_string()
    })
}

/// Creates an alert that does not fire by itself, with these members.
async fn post_alert(world: &World, owner: &Caller, more: &Value) -> Reply {
    let mut body = json!({
        "name": format!("Alert {}", world.next_number()), "metric": "incursions", "threshold": 1_000_000,
        "recipients": [{ "email": "ada@example.com" }],
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    world.app.post("/api/v1/alerts").cookie(&owner.account.cookie).json(&body).send().await
}

/// Creates an alert that has fired.
pub fn create_firing<'a>(world: &'a World, caller: &'a Caller, path: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let rule = create_alert(world, caller, "").await.parse().unwrap();
        let mut subject = FiringSubject::default();
        // Only documents of V2 can include what a firing is about.
        if path.starts_with("/api/v2/") {
            let worksite = world.create_member("/api/v1/worksites", caller).await.parse().unwrap();
            let machine = world.create_member("/api/v1/machines", caller).await.parse().unwrap();
            (subject.worksite, subject.machine) = (Some(WorksiteId(worksite)), Some(MachineId(machine)));
        }
        add_firing(world, caller, AlertRuleId(rule), subject).await
    })
}

/// Has the alert of the path fire.
pub fn create_firing_of_alert<'a>(world: &'a World, caller: &'a Caller, path: &'a str) -> CreateFuture<'a> {
    let rule = path.split('/').nth(4).unwrap().parse().unwrap();
    Box::pin(add_firing(world, caller, AlertRuleId(rule), FiringSubject::default()))
}

/// Returns the store and the scope of a whole brand.
async fn store_of(world: &World, brand: &str) -> (Store, Scope) {
    let brand = world.app.ensure_brand(brand).await;
    let (store, platform) = world.app.database().open().await;
    (store, platform.scope(brand.id, Projects::All))
}

/// Adds an open firing without projects, which everyone in the brand sees.
async fn add_firing(world: &World, caller: &Caller, rule: AlertRuleId, subject: FiringSubject) -> String {
    let (store, scope) = store_of(world, &caller.brand).await;
    let now = world.app.clock.now();
    let mut tx = store.begin().await.unwrap();
    let rule = tx.alert_rules(&scope).find(rule, RuleViewer::Brand).await.unwrap().unwrap();
    let split = SplitKey::new(vec![i64::try_from(world.next_number()).unwrap()]);
    let new = NewFiring {
        rule: &rule,
        split_key: &split,
        subject,
        value: Measurement::count(12),
        window: (Some(now - Span::minutes(60)), now),
        time_zone: &TimeZone::utc(),
        seq: 1,
        incursions: &[],
        details: "{}",
        projects: &[],
        held_until: None,
        is_told: true,
    };
    let id = tx.alert_firings(&scope).add(&new, now).await.unwrap().unwrap();
    tx.commit().await.unwrap();
    id.to_string()
}

/// Creates a webhook that nothing calls.
pub fn create_webhook<'a>(world: &'a World, caller: &'a Caller, _: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let admin = world.caller(&caller.brand, Role::Admin).await;
        let number = world.next_number();
        let body = json!({
            "name": format!("Webhook {number}"), "url": format!("https://hooks.example.com/{number}"),
        });
        let call = world.app.post("/api/v1/webhooks").cookie(&admin.account.cookie).json(&body);
        call.send().await.expect(201).json()["webhook"]["id"].to_string()
    })
}

/// Adds a delivery of the webhook of the path that has failed, so that it can be sent again.
pub fn create_delivery<'a>(world: &'a World, caller: &'a Caller, path: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let webhook = WebhookId(path.split('/').nth(4).unwrap().parse().unwrap());
        let (store, scope) = store_of(world, &caller.brand).await;
        let event_id = format!("evt_{}", world.next_number());
        let new = NewDelivery {
            message: None,
            recipient: None,
            webhook: Some(webhook),
            firing: None,
            event: Some(AlertEvent::Test),
            event_id: Some(event_id.as_str()),
            state: DeliveryState::Failed,
            reason: Some("status_500"),
        };
        let mut tx = store.begin().await.unwrap();
        let id = tx.alert_deliveries(&scope).add(&new, world.app.clock.now()).await.unwrap();
        tx.commit().await.unwrap();
        id.to_string()
    })
}

/// Has an alert of a brand of its own fire and mail, and returns the token of the link in the mail.
pub fn create_unsubscribe_link<'a>(world: &'a World, _: &'a Caller, _: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let admin = world.caller("Mailed", Role::Admin).await;
        post_alert(world, &admin, &json!({ "threshold": 1 })).await.expect(201);
        world.create_member("/api/v1/incursions", &admin).await;
        // The window ends before now.
        world.app.clock.advance(Span::seconds(1));
        world.app.evaluate_alerts().await;
        world.app.run_jobs().await;
        let mails = world.app.mails();
        let mut links = mails.iter().filter_map(|mail| mail.text.split_once("/links/alerts/"));
        let (_, rest) = links.next_back().unwrap();
        rest.split_whitespace().next().unwrap().to_owned()
    })
}
