//! Actions that concern the whole brand, as the refusal of a caller who is restricted to some projects names them. The use cases refuse
//! them, and pages do so before they read a form.

pub const ADD_GATEWAY: &str = "add a gateway, which acts for every base station of the brand";
pub const CHANGE_GATEWAY: &str = "change a gateway, which acts for every base station of the brand";
pub const MANAGE_GATEWAY_TOKEN: &str =
    "manage the token of a gateway, which acts for every base station of the brand";
pub const ADD_TESTER_DEVICE: &str = "add a tester device, which serves the whole brand";
pub const CHANGE_TESTER_DEVICE: &str = "change a tester device, which serves the whole brand";
pub const MANAGE_TESTER_DEVICE_TOKEN: &str =
    "manage the token of a tester device, which serves the whole brand";
pub const REGISTER_BASE_STATION: &str = "register a base station";
pub const ADD_PROJECT: &str = "add a project";
pub const MANAGE_WEBHOOKS: &str = "manage webhooks";
pub const CHANGE_BRAND: &str = "change the settings of the brand";
