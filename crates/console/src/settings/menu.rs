//! The list of settings that the reader may open, which stands beside every page of settings.

use domain::access::{
    ManageBrand, ManageDevices, ManageOwnPreferences, ManageUsers, ReadAudit, ReadRegistry,
};
use texts::console::settings as t;

use super::is_unrestricted;
use crate::frame::Frame;

/// Settings that belong together.
pub struct MenuGroup {
    pub label: &'static str,
    pub items: Vec<MenuItem>,
}

/// A link to a page of settings.
pub struct MenuItem {
    pub text: &'static str,
    pub href: &'static str,
    /// What the page is for.
    pub about: &'static str,
    pub is_current: bool,
}

/// Returns what the reader may open, without groups that would be empty.
pub fn menu(frame: &Frame) -> Vec<MenuGroup> {
    let item = |is_open: bool, text, href: &'static str, about| {
        let path = frame.address.path();
        let is_current = path == href || path.strip_prefix(href).is_some_and(|rest| rest.starts_with('/'));
        is_open.then(|| MenuItem { text: frame.text(text), href, about: frame.text(about), is_current })
    };
    let (devices, registry) = (frame.may::<ManageDevices>(), frame.may::<ReadRegistry>());
    let own = frame.may::<ManageOwnPreferences>();
    let (users, brand) = (frame.may::<ManageUsers>(), frame.may::<ManageBrand>());
    // The log covers the whole brand.
    let audit = frame.may::<ReadAudit>() && is_unrestricted(frame);
    // Webhooks get the alarms of all projects.
    let webhooks = brand && is_unrestricted(frame);
    let groups = [
        (
            t::DEVICES,
            vec![
                item(devices, t::TESTER_DEVICES, "/settings/tester-devices", t::ABOUT_TESTER_DEVICES),
                item(registry, t::BASE_STATIONS, "/settings/base-stations", t::ABOUT_BASE_STATIONS),
                item(devices, t::GATEWAYS, "/settings/gateways", t::ABOUT_GATEWAYS),
                item(registry, t::TAGS, "/settings/tags", t::ABOUT_TAGS),
            ],
        ),
        (
            t::REGISTRIES,
            vec![
                item(registry, t::PROJECTS, "/settings/projects", t::ABOUT_PROJECTS),
                item(registry, t::MACHINES, "/settings/machines", t::ABOUT_MACHINES),
                item(registry, t::PEOPLE, "/settings/people", t::ABOUT_PEOPLE),
            ],
        ),
        (
            t::ACCESS,
            vec![
                item(users, t::USERS, "/settings/users", t::ABOUT_USERS),
                item(users, t::SERVICE_ACCOUNTS, "/settings/service-accounts", t::ABOUT_SERVICE_ACCOUNTS),
                item(webhooks, t::WEBHOOKS, "/settings/webhooks", t::ABOUT_WEBHOOKS),
                item(brand, t::BRAND, "/settings/brand", t::ABOUT_BRAND),
                item(audit, t::AUDIT_LOG, "/settings/audit-log", t::ABOUT_AUDIT_LOG),
            ],
        ),
        (
            t::OWN,
            vec![
                item(own, t::PREFERENCES, "/settings/preferences", t::ABOUT_PREFERENCES),
                item(own, t::PASSWORD, "/settings/password", t::ABOUT_PASSWORD),
                item(own, t::SECOND_FACTOR, "/settings/second-factor", t::ABOUT_SECOND_FACTOR),
                item(own, t::SESSIONS, "/settings/sessions", t::ABOUT_SESSIONS),
            ],
        ),
    ];
    let open = groups.into_iter().map(|(label, items)| MenuGroup {
        label: frame.text(label),
        items: items.into_iter().flatten().collect(),
    });
    open.filter(|group| !group.items.is_empty()).collect()
}
