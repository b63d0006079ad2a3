//! The governance memory of PD-295.
