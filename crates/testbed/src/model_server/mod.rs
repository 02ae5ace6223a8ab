//! A small OpenAI-compatible server on loopback that answers as a script says: honestly, with lies, or not at all.

mod lies;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use serde_json::{Deserializer, Value, json};

pub use lies::Lie;

/// A request that the server received.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// Method and path.
    pub target: String,
    /// The header `Authorization`, if there was one.
    pub authorization: Option<String>,
    pub body: Value,
}

impl ModelRequest {
    /// Returns what the user said: the facts and, if an answer was refused, why.
    pub fn user(&self) -> &str {
        self.body["messages"][1]["content"].as_str().unwrap_or_default()
    }

    /// Returns the facts of the prompt.
    pub fn facts(&self) -> Vec<Value> {
        let document = Deserializer::from_str(self.user()).into_iter::<Value>().next();
        let document = document.and_then(Result::ok).unwrap_or_default();
        document["facts"].as_array().cloned().unwrap_or_default()
    }

    /// Returns an honest answer: five sentences, each of which says what its fact says. Facts about machines and people come first.
    pub fn honest_sentences(&self) -> Vec<Value> {
        let mut facts = self.facts();
        facts.sort_by_key(|fact| fact["about"].as_array().is_none_or(Vec::is_empty));
        let sentence =
            |fact: &Value| json!({ "role": "finding", "text": fact["text"], "facts": [fact["id"]] });
        facts.iter().take(5).map(sentence).collect()
    }
}

/// What the server answers.
#[derive(Clone, Debug)]
pub enum ModelReply {
    /// A completion with this text.
    Text(String),
    /// A completion in which the model refuses.
    Refusal,
    /// A completion that was cut off by its length.
    CutOff(String),
    /// This status with an empty body.
    Status(u16),
    /// This status with this body, which says what is wrong.
    Error(u16, Value),
    /// A redirect to this address.
    Redirect(String),
    /// Status 200 with this body.
    Body(Vec<u8>),
    /// A body without an end.
    Endless,
    /// Nothing, until the server stops.
    Hang,
    /// The connection is closed.
    Close,
}

impl ModelReply {
    /// Returns a completion with these sentences.
    pub fn sentences(sentences: &[Value]) -> Self {
        Self::Text(json!({ "sentences": sentences }).to_string())
    }

    /// Returns the honest answer to a request.
    pub fn honest(request: &ModelRequest) -> Self {
        Self::sentences(&request.honest_sentences())
    }
}

/// A running server.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    stopped: Condvar,
}

#[derive(Default)]
struct State {
    requests: Vec<ModelRequest>,
    is_stopped: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ModelServer {
    /// Starts a server on a free port. The script gets each request and its number, from 0.
    pub fn start(
        script: impl Fn(&ModelRequest, usize) -> ModelReply + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let (shared, script) = (Arc::<Shared>::default(), Arc::new(script));
        let server = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if server.lock().is_stopped {
                    return;
                }
                let (shared, script) = (Arc::clone(&server), Arc::clone(&script));
                // A client that disconnects is not an error.
                std::thread::spawn(move || serve(&stream, &shared, &*script));
            }
        });
        Ok(Self { address, shared })
    }

    /// Returns the address up to `/chat/completions`.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub fn requests(&self) -> Vec<ModelRequest> {
        self.shared.lock().requests.clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.shared.lock().is_stopped = true;
        self.shared.stopped.notify_all();
        // Wakes the thread that accepts connections.
        drop(TcpStream::connect(self.address));
    }
}

fn serve(
    stream: &TcpStream,
    shared: &Shared,
    script: &(dyn Fn(&ModelRequest, usize) -> ModelReply + Send + Sync),
) -> std::io::Result<()> {
    let request = read_request(stream)?;
    let number = {
        let mut state = shared.lock();
        state.requests.push(request.clone());
        state.requests.len() - 1
    };
    let completion = |message: &Value, finish_reason: &str| {
        json!({
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "choices": [{ "index": 0, "message": message, "finish_reason": finish_reason }],
        })
        .to_string()
        .into_bytes()
    };
    let said = |text: &str| json!({ "role": "assistant", "content": text });
    match script(&request, number) {
        ModelReply::Text(text) => respond(stream, "200 OK", "", &completion(&said(&text), "stop")),
        ModelReply::CutOff(text) => respond(stream, "200 OK", "", &completion(&said(&text), "length")),
        ModelReply::Refusal => {
            let message = json!({ "role": "assistant", "content": null, "refusal": "I cannot do that." });
            respond(stream, "200 OK", "", &completion(&message, "stop"))
        }
        ModelReply::Status(status) => respond(stream, &format!("{status} Status"), "", b""),
        ModelReply::Error(status, error) => {
            respond(stream, &format!("{status} Status"), "", error.to_string().as_bytes())
        }
        ModelReply::Redirect(address) => {
            respond(stream, "307 Temporary Redirect", &format!("Location: {address}\r\n"), b"")
        }
        ModelReply::Body(body) => respond(stream, "200 OK", "", &body),
        ModelReply::Endless => {
            let mut stream = stream;
            stream.write_all(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n",
            )?;
            while !shared.lock().is_stopped {
                stream.write_all(&[b' '; 64 * 1024])?;
            }
            Ok(())
        }
        ModelReply::Hang => {
            let state = shared.lock();
            let stopped = shared.stopped.wait_while(state, |state| !state.is_stopped);
            drop(stopped.unwrap_or_else(PoisonError::into_inner));
            Ok(())
        }
        ModelReply::Close => Ok(()),
    }
}

fn read_request(stream: &TcpStream) -> std::io::Result<ModelRequest> {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        lines.push(line.trim().to_owned());
    }
    let header = |name: &str| {
        let mut pairs = lines.iter().skip(1).filter_map(|line| line.split_once(':'));
        let found = pairs.find(|(found, _)| found.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.trim().to_owned())
    };
    let length = header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let first = lines.first().map(String::as_str).unwrap_or_default();
    Ok(ModelRequest {
        target: first.rsplit_once(' ').map_or(first, |(target, _)| target).to_owned(),
        authorization: header("authorization"),
        body: serde_json::from_slice(&body).unwrap_or_default(),
    })
}

fn respond(mut stream: &TcpStream, status: &str, headers: &str, body: &[u8]) -> std::io::Result<()> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    stream.flush()
}
