mod audit_log;
mod base_stations;
mod gateways;
mod tester_devices;
mod users;
