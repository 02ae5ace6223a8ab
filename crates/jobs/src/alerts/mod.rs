//! Alerts: their evaluation, their mails and the calls of webhooks.

pub(crate) mod alert_mail;
pub(crate) mod evaluation_loop;
pub(crate) mod webhook_call;
pub(crate) mod webhook_notice;
