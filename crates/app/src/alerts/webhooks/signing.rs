//! Signatures by the rules of Standard Webhooks: <https://www.standardwebhooks.com>.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::platform::crypto::hmac_sha256;

/// Returns the value of the header `webhook-signature`: one signature for each secret that is valid now, so that a receiver that knows
/// only one of them can verify the call. `id` and `timestamp_s` are the values of the two other headers.
pub(super) fn sign(secrets: &[Vec<u8>], id: &str, timestamp_s: i64, body: &[u8]) -> String {
    let timestamp = timestamp_s.to_string();
    // The id contains no dot, so that the parts cannot run into each other.
    let signed: [&[u8]; 5] = [id.as_bytes(), b".", timestamp.as_bytes(), b".", body];
    let signatures = secrets.iter().map(|secret| {
        let mac = hmac_sha256(secret, &signed);
        format!("v1,{}", BASE64_STANDARD.encode(mac))
    });
    signatures.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const BODY: &[u8] = br#"{"test": 2432232314}"#;

    fn secret(text: &str) -> Vec<u8> {
        BASE64_STANDARD.decode(text).unwrap()
    }

    #[test]
    fn signatures_are_those_of_the_specification() {
        let secrets = [secret("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")];
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(sign(&secrets, ID, 1_614_265_330, BODY), expected);
        // Everything that is signed changes the signature.
        assert_ne!(sign(&secrets, ID, 1_614_265_331, BODY), expected);
        assert_ne!(sign(&secrets, "msg_other", 1_614_265_330, BODY), expected);
        assert_ne!(sign(&secrets, ID, 1_614_265_330, b"{}"), expected);
    }

    #[test]
    fn each_secret_has_a_signature() {
        let [one, other] =
            [secret("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), secret("C2FVsBQIhrscChlQIMV+b5sSYspob7oD")];
        let alone = |secret: &Vec<u8>| sign(std::slice::from_ref(secret), ID, 1_614_265_330, BODY);
        let both = sign(&[one.clone(), other.clone()], ID, 1_614_265_330, BODY);
        assert_eq!(both, format!("{} {}", alone(&one), alone(&other)));
    }
}
