mod audit_log;
mod base_stations;
mod brand;
mod gateways;
mod service_accounts;
mod tester_devices;
mod users;
