//! The pages of gateways and of tester devices: the list of them, and one with its fields and its token.

pub mod edit;
pub mod list;
pub mod token;

use app::{App, Caller, Error, Idempotent};
use domain::access::ManageDevices;
use domain::{
    DeviceFilter, DeviceId, DeviceKind, Listing, RegistryRows, StoredResponse, Timestamp, TokenSummary,
};
use texts::Text;

use crate::done::Done;
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::{Cell, Field};
use crate::settings::list_params::RegistryParams;

pub type Manager = Caller<ManageDevices>;
pub type Once<D> = Idempotent<'static, D>;
pub type Result<T> = std::result::Result<T, Error>;

/// Where the pages of a kind of device are, and what they say.
pub struct Pages {
    pub path: &'static str,
    /// The name of the list as a file.
    pub csv: &'static str,
    pub title: Text,
    pub lead: Text,
    /// What an empty list says, and why it is empty.
    pub none_yet: (Text, Text),
    pub name: Text,
    /// The columns between the name and the token.
    pub columns: &'static [Text],
    /// Above the form that adds a device.
    pub new: Text,
    /// Above the form that changes one.
    pub device: Text,
    /// Why a reader who is restricted to projects may only look.
    pub restricted: Text,
    pub added: &'static Done,
    pub saved: &'static Done,
    pub revoked: &'static Done,
}

/// What every kind of device has.
pub struct Common<'a> {
    pub id: DeviceId,
    pub name: &'a str,
    pub token: Option<&'a TokenSummary>,
    pub version: i64,
    pub created_at: Timestamp,
}

/// A kind of device.
pub trait Device: Sized + Send + Sync + 'static {
    const KIND: DeviceKind;
    const PAGES: Pages;

    fn common(&self) -> Common<'_>;

    /// The form that changes the device, as it is filled from it.
    fn values(&self) -> Vec<(&'static str, String)>;

    /// What stands in [`Pages::columns`].
    fn cells(&self, _: &Frame) -> Vec<Cell> {
        Vec::new()
    }

    /// The fields of the form that adds a device, or of the one that changes this one.
    async fn fields(app: &App, frame: &Frame, view: &FormView, of: Option<&Self>) -> Result<Vec<Field>>;

    async fn list(app: &App, caller: &Manager, params: &RegistryParams) -> Result<Listing<Self>>;

    async fn find(app: &App, caller: &Manager, id: DeviceId) -> Result<Self>;

    async fn create(app: &App, caller: &Manager, form: &Form, once: Once<Self>) -> Result<StoredResponse>;

    async fn change(app: &App, caller: &Manager, id: DeviceId, form: &Form) -> Result<Self>;
}

/// The filter of a list.
pub fn filter_of(params: &RegistryParams) -> DeviceFilter {
    DeviceFilter { q: params.q.clone(), rows: RegistryRows::default() }
}
