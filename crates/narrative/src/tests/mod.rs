mod honest;
mod lies;
mod names;
mod random;
mod rules;
mod sheets;
