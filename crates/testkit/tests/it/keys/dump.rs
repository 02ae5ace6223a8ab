//! An attacker who has a dump of the database and nothing else.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::Role;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::json;
use sha2::Sha256;
use testkit::{Account, TestApp, on_both_engines, read_all_values};

use crate::account::links;

on_both_engines!(a_dump_alone_forges_nothing);

fn hmac(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().to_vec()
}

/// Credentials that an attacker tries to forge, and the parts that the test knows.
struct ForgeryTargets {
    signed: String,
    signature: Vec<u8>,
    refresh_claims: Vec<u8>,
    refresh_mac: Vec<u8>,
    nonces: Vec<Vec<u8>>,
    link: String,
}

impl ForgeryTargets {
    /// Returns what can be forged with this key.
    fn forgeable_with(&self, key: &[u8]) -> Vec<&'static str> {
        let mut made = Vec::new();
        if hmac(key, &[self.signed.as_bytes()]) == self.signature {
            made.push("a token");
        }
        if hmac(key, &[b"keepclear refresh token", &self.refresh_claims]) == self.refresh_mac {
            made.push("a refresh token");
        }
        let is_link = |nonce: &Vec<u8>| {
            BASE64.encode(hmac(key, &[b"account link\0", b"password_reset", b"\0", nonce])) == self.link
        };
        if self.nonces.iter().any(is_link) {
            made.push("a link");
        }
        made
    }

    /// Returns what can be forged with any of these values, or with 32 bytes anywhere in one of them.
    fn forgeable_with_any(&self, values: &[Vec<u8>]) -> Vec<&'static str> {
        let mut made: Vec<_> = values
            .iter()
            .flat_map(|value| {
                let texts = [BASE64.decode(value).ok(), decode_hex(value)];
                let whole = [value.clone()].into_iter().chain(texts.into_iter().flatten());
                let parts = value.windows(32).take(200).map(<[u8]>::to_vec);
                whole.chain(parts).flat_map(|key| self.forgeable_with(&key)).collect::<Vec<_>>()
            })
            .collect();
        made.sort_unstable();
        made.dedup();
        made
    }
}

fn decode_hex(value: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(value).ok()?;
    (0..text.len() / 2).map(|n| u8::from_str_radix(text.get(2 * n..2 * n + 2)?, 16).ok()).collect()
}

async fn forgery_targets(app: &TestApp, ada: &Account) -> ForgeryTargets {
    app.post("/account/password_resets").json(&json!({ "email": ada.email })).send().await.expect(200);
    app.run_jobs().await;
    let link = links(app, &ada.email).remove(0);
    let (signed, signature) = ada.jwt.rsplit_once('.').unwrap();
    let refresh = BASE64.decode(ada.refresh_token.strip_prefix("kcr_").unwrap()).unwrap();
    ForgeryTargets {
        signed: signed.to_owned(),
        signature: BASE64.decode(signature).unwrap(),
        refresh_claims: refresh[..16].to_vec(),
        refresh_mac: refresh[16..].to_vec(),
        nonces: read_all_values(app.database()).await.into_iter().filter(|value| value.len() == 32).collect(),
        link: link.rsplit('/').next().unwrap().to_owned(),
    }
}

async fn a_dump_alone_forges_nothing(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let goods = forgery_targets(&app, &ada).await;
    let values = read_all_values(app.database()).await;
    assert!(values.len() > 100, "{}", values.len());
    assert_eq!(goods.forgeable_with_any(&values), Vec::<&str>::new());

    // The attack itself works: with the values that the installation key unseals, everything can be forged.
    let mut opened = Vec::new();
    let (store, platform) = app.database().open().await;
    let mut tx = store.read().await.unwrap();
    for column in store::SEALED_COLUMNS {
        for value in tx.key_epochs(&platform).values(column, 0, 100).await.unwrap() {
            let context = value.context.as_bytes();
            opened.push(app.app.unseal(column.purpose, context, &value.sealed).unwrap());
        }
    }
    assert_eq!(goods.forgeable_with_any(&opened), ["a link", "a refresh token", "a token"]);
}
