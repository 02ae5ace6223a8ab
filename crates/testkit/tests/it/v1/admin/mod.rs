mod audit_log;
mod tester_devices;
mod users;
