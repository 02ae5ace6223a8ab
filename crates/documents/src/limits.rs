//! How far rendering may go, and how it can fail.

/// What stops rendering.
pub struct Limits<'a> {
    pub max_pages: usize,
    /// Asked between blocks, rows and pages, and for everything on a page.
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
}

impl Limits<'_> {
    pub(crate) fn check(&self) -> Result<(), Error> {
        if (self.is_cancelled)() { Err(Error::Cancelled) } else { Ok(()) }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the document has more than {max} pages")]
    TooManyPages { max: usize },
    #[error("rendering was cancelled")]
    Cancelled,
    #[error("a picture cannot be drawn: {0}")]
    Svg(String),
    #[error("the PDF cannot be written: {0}")]
    Pdf(String),
}

/// A finished file.
#[derive(Debug)]
pub struct Rendered {
    pub bytes: Vec<u8>,
    pub pages: usize,
}
