mod tester_devices;
mod users;
