//! JWTs that tests sign themselves, as someone could who has stolen a key. Nothing here is shared with the code under test.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::{Sha256, Sha384, Sha512};

/// Signs with the algorithm that the header names; with none that is known, the signature is empty.
pub fn sign(header: &Value, claims: &Value, secret: &[u8]) -> String {
    let [encoded, claims] = [header, claims].map(|part| BASE64_URL_SAFE_NO_PAD.encode(part.to_string()));
    let signed = format!("{encoded}.{claims}");
    let signature = match header["alg"].as_str().unwrap_or_default() {
        "HS256" => code::<Hmac<Sha256>>(secret, &signed),
        "HS384" => code::<Hmac<Sha384>>(secret, &signed),
        "HS512" => code::<Hmac<Sha512>>(secret, &signed),
        _ => Vec::new(),
    };
    format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
}

fn code<M: Mac + KeyInit>(secret: &[u8], text: &str) -> Vec<u8> {
    let mut mac = <M as KeyInit>::new_from_slice(secret).unwrap();
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}
