//! A client of a language model behind an OpenAI-compatible address, such as Ollama, vLLM or a cloud.
//!
//! It asks one question and returns the text of the answer. Whether the answer is true is checked by the crate `narrative`.

mod answer;
mod client;
mod config;
mod error;
mod parameters;

pub use client::Client;
pub use config::Config;
pub use error::AskError;
