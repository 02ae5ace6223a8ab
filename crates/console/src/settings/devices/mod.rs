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

/// What a reader who is restricted to projects is refused.
pub struct RefusedActions {
    pub add: &'static str,
    pub change: &'static str,
    pub manage_token: &'static str,
}

/// What every kind of device has.
pub struct DeviceSummary<'a> {
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
    const REFUSED: RefusedActions;

    fn summary(&self) -> DeviceSummary<'_>;

    /// The form that changes the device, as it is filled from it.
    fn values(&self) -> Vec<(&'static str, String)>;

    /// What stands in [`Pages::columns`].
    fn cells(&self, _: &Frame) -> Vec<Cell> {
        Vec::new()
    }

    /// The fields of the form that adds a device, or of the one that changes this one.
    async fn fields(
        app: &App,
        frame: &Frame,
        view: &FormView,
        of: Option<&Self>,
    ) -> Result<Vec<Field>, Error>;

    async fn list(
        app: &App,
        caller: &Caller<ManageDevices>,
        params: &RegistryParams,
    ) -> Result<Listing<Self>, Error>;

    async fn find(app: &App, caller: &Caller<ManageDevices>, id: DeviceId) -> Result<Self, Error>;

    async fn create(
        app: &App,
        caller: &Caller<ManageDevices>,
        form: &Form,
        idempotent: Idempotent<'static, Self>,
    ) -> Result<StoredResponse, Error>;

    async fn change(
        app: &App,
        caller: &Caller<ManageDevices>,
        id: DeviceId,
        form: &Form,
    ) -> Result<Self, Error>;
}

/// The filter of a list.
pub fn filter_of(params: &RegistryParams) -> DeviceFilter {
    DeviceFilter { q: params.q.clone(), rows: RegistryRows::default() }
}
