//! What programs get from `/`: a short description of the service with links.

use serde_json::{Value, json};

pub fn index() -> Value {
    json!({
        "service": "keepclear",
        "docs": "/docs/",
        "openapi": ["/openapi/v1.json", "/openapi/v2.json", "/openapi/ingest.json"],
        "health": "/health/ready",
    })
}
