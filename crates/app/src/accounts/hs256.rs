//! The compact form of a JWT that is signed with HS256 (RFC 7515): a header, claims and a signature, each in base64, with dots between.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::platform::crypto::{constant_time_eq, hmac_sha256};

const TYPE: &str = "JWT";

/// The header of a token. The service writes no other fields, so that a header with another one, such as `crit` or `jku`, is not ours.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    typ: Option<String>,
    alg: Algorithm,
    kid: String,
}

/// The only algorithm. A header that names another one, or `none`, cannot be read.
#[derive(Serialize, Deserialize)]
enum Algorithm {
    #[serde(rename = "HS256")]
    Hs256,
}

/// Returns a token with these claims, signed with the secret whose id is `kid`.
pub(crate) fn sign(kid: &str, secret: &[u8], claims: &impl Serialize) -> serde_json::Result<String> {
    let header = Header { typ: Some(TYPE.to_owned()), alg: Algorithm::Hs256, kid: kid.to_owned() };
    let [header, claims] = [serde_json::to_vec(&header)?, serde_json::to_vec(claims)?]
        .map(|json| BASE64_URL_SAFE_NO_PAD.encode(json));
    let signed = format!("{header}.{claims}");
    let signature = BASE64_URL_SAFE_NO_PAD.encode(hmac_sha256(secret, &[signed.as_bytes()]));
    Ok(format!("{signed}.{signature}"))
}

/// A token whose signature has not been checked yet, so that nothing but its `kid` can be read.
pub(crate) struct UncheckedToken<'a> {
    pub kid: String,
    signed: &'a str,
    claims: &'a str,
    signature: &'a str,
}

impl<'a> UncheckedToken<'a> {
    /// Takes a token apart; none if it is no token of HS256 or names no key.
    pub fn parse(token: &'a str) -> Option<Self> {
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let header = BASE64_URL_SAFE_NO_PAD.decode(header).ok()?;
        let Header { kid, .. } = parse_object(&header)?;
        Some(Self { kid, signed, claims, signature })
    }

    /// Returns the claims if the signature was made with this secret and they have that form.
    pub fn verify<C: DeserializeOwned>(&self, secret: &[u8]) -> Option<C> {
        let signature = BASE64_URL_SAFE_NO_PAD.decode(self.signature).ok()?;
        if !constant_time_eq(&hmac_sha256(secret, &[self.signed.as_bytes()]), &signature) {
            return None;
        }
        parse_object(&BASE64_URL_SAFE_NO_PAD.decode(self.claims).ok()?)
    }
}

/// Parses a JSON object. Without the look at its beginning, an array with the values of the fields would be accepted, too.
fn parse_object<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Option<T> {
    json.trim_ascii_start().starts_with(b"{").then(|| serde_json::from_slice(json).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const SECRET: &[u8] = b"a secret of the installation";

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Claims {
        sub: String,
        exp: i64,
    }

    fn verify(token: &str, secret: &[u8]) -> Option<(String, Claims)> {
        let token = UncheckedToken::parse(token)?;
        let claims = token.verify(secret)?;
        Some((token.kid, claims))
    }

    /// Signs parts as they are, as someone could who knows the secret.
    fn sign_parts(header: &str, claims: &str) -> String {
        sign_encoded(&BASE64_URL_SAFE_NO_PAD.encode(header), &BASE64_URL_SAFE_NO_PAD.encode(claims))
    }

    fn sign_encoded(header: &str, claims: &str) -> String {
        let signature = hmac_sha256(SECRET, &[header.as_bytes(), b".", claims.as_bytes()]);
        format!("{header}.{claims}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
    }

    #[test]
    fn a_signature_is_that_of_rfc_7515() {
        // Appendix A.1. Its header names no key, and so is not ours.
        let header = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9";
        let claims =
            "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
        let signature = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        let key = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow";
        let key = BASE64_URL_SAFE_NO_PAD.decode(key).unwrap();
        assert!(UncheckedToken::parse(&format!("{header}.{claims}.{signature}")).is_none());
        let signed = format!("{header}.{claims}");
        let token = UncheckedToken { kid: String::new(), signed: &signed, claims, signature };
        assert_eq!(token.verify::<Value>(&key).unwrap()["exp"], 1_300_819_380);
        assert!(token.verify::<Value>(&key[1..]).is_none());
    }

    #[test]
    fn a_token_is_read_with_its_own_secret_alone() {
        let claims = || Claims { sub: "7".to_owned(), exp: 5 };
        let token = sign("k1", SECRET, &claims()).unwrap();
        assert_eq!(verify(&token, SECRET), Some(("k1".to_owned(), claims())));
        assert!(verify(&token, b"another").is_none());
        assert!(verify(&token, b"").is_none());
        // Whatever byte is changed, added or missing, the token is refused.
        for place in 0..token.len() {
            for other in ["A", "B", ".", "=", "+", " "] {
                let changed = format!("{}{other}{}", &token[..place], &token[place + 1..]);
                assert!(changed == token || verify(&changed, SECRET).is_none(), "{changed}");
                let longer = format!("{}{other}{}", &token[..place], &token[place..]);
                assert!(verify(&longer, SECRET).is_none(), "{longer}");
            }
            assert!(verify(&token[..place], SECRET).is_none(), "{place} bytes");
            assert!(verify(&token[place + 1..], SECRET).is_none(), "without {place} bytes");
        }
        assert!(verify(&format!("{token}="), SECRET).is_none());
        assert!(verify(&format!("{token}."), SECRET).is_none());
    }

    #[test]
    fn headers_that_are_not_ours_are_refused() {
        let claims = json!({ "sub": "7", "exp": 5 }).to_string();
        let good = [
            r#"{"typ":"JWT","alg":"HS256","kid":"k1"}"#,
            r#"{"alg":"HS256","kid":"k1"}"#,
            r#" { "kid" : "k\u0031", "typ":null, "alg" : "HS256" } "#,
        ];
        for header in good {
            assert_eq!(verify(&sign_parts(header, &claims), SECRET).unwrap().0, "k1", "{header}");
        }
        let bad = [
            r#"{"typ":"JWT","alg":"none","kid":"k1"}"#,
            r#"{"typ":"JWT","alg":"None","kid":"k1"}"#,
            r#"{"typ":"JWT","alg":"","kid":"k1"}"#,
            r#"{"typ":"JWT","alg":null,"kid":"k1"}"#,
            r#"{"typ":"JWT","alg":["HS256"],"kid":"k1"}"#,
            r#"{"typ":"JWT","alg":"hs256","kid":"k1"}"#,
            r#"{"typ":"JWT","alg":"HS384","kid":"k1"}"#,
            r#"{"typ":"JWT","alg":"HS512","kid":"k1"}"#,
            r#"{"typ":"JWT","alg":"RS256","kid":"k1"}"#,
            r#"{"typ":"JWT","alg":"ES256","kid":"k1"}"#,
            r#"{"typ":"JWT","kid":"k1"}"#,
            r#"{"typ":"JWT","alg":"HS256"}"#,
            r#"{"typ":"JWT","alg":"HS256","kid":null}"#,
            r#"{"typ":"JWT","alg":"HS256","kid":7}"#,
            r#"{"typ":7,"alg":"HS256","kid":"k1"}"#,
            r#"{"typ":"JWT","alg":"none","alg":"HS256","kid":"k1"}"#,
            r#"{"typ":"JWT","alg":"HS256","kid":"k0","kid":"k1"}"#,
            r#"{"typ":"JWT","alg":"HS256","kid":"k1","crit":["b64"],"b64":false}"#,
            r#"{"typ":"JWT","alg":"HS256","kid":"k1","jku":"https://example.com/keys"}"#,
            r#"{"typ":"JWT","alg":"HS256","kid":"k1"} x"#,
            r#"["JWT","HS256","k1"]"#,
            r#""HS256""#,
            "null",
            "{}",
            "",
        ];
        for header in bad {
            assert!(verify(&sign_parts(header, &claims), SECRET).is_none(), "{header}");
        }
        let bytes = BASE64_URL_SAFE_NO_PAD.encode(b"{\"alg\":\"HS256\",\"kid\":\"\xff\"}");
        assert!(verify(&sign_encoded(&bytes, "e30"), SECRET).is_none(), "no UTF-8");
    }

    #[test]
    fn claims_of_another_form_are_refused() {
        let header = r#"{"typ":"JWT","alg":"HS256","kid":"k1"}"#;
        assert!(verify(&sign_parts(header, r#" {"exp":5,"sub":"7","pad":[1],"pad":2}"#), SECRET).is_some());
        let bad = [
            r#"{"sub":"7"}"#,
            r#"{"sub":"7","exp":"5"}"#,
            r#"{"sub":"7","exp":5.0}"#,
            r#"{"sub":"7","exp":9223372036854775808}"#,
            r#"{"sub":"7","exp":null}"#,
            r#"{"sub":7,"exp":5}"#,
            r#"{"sub":["7"],"exp":5}"#,
            r#"{"sub":"7","exp":5,"exp":6}"#,
            r#"{"sub":"7","sub":"8","exp":5}"#,
            r#"{"sub":"7","exp":5}{}"#,
            r#"["7",5]"#,
            "5",
            "",
        ];
        for claims in bad {
            assert!(verify(&sign_parts(header, claims), SECRET).is_none(), "{claims}");
        }
        // The last bits of base64 belong to no byte: with others than zeros, it is another text for the same claims.
        let (encoded, claims) = (BASE64_URL_SAFE_NO_PAD.encode(header), r#"{"sub":"7","exp":5}"#);
        let claims = BASE64_URL_SAFE_NO_PAD.encode(claims);
        assert!(verify(&sign_encoded(&encoded, &claims), SECRET).is_some());
        assert!(claims.ends_with('Q'), "{claims}");
        let odd = format!("{}R", &claims[..claims.len() - 1]);
        assert!(verify(&sign_encoded(&encoded, &odd), SECRET).is_none());
        assert!(verify(&sign_encoded(&encoded, &format!("{claims}==")), SECRET).is_none());
        assert!(verify(&sign_encoded(&encoded, &claims.replace('e', "+")), SECRET).is_none());
    }
}
