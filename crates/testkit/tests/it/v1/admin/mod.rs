mod audit_log;
mod brand;
mod tester_devices;
mod users;
