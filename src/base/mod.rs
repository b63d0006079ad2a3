//! The ground floor: identifiers, instants, errors, configuration, secrets, languages.
//!
//! Nothing here knows a file format or a network. Everything above may use it; it uses nothing above.

mod both;
pub mod clock;
pub mod config;
pub mod env;
pub mod error;
pub mod id;
pub mod lang;
pub mod model;
pub mod near;
pub mod secret;

pub use both::both;
pub use clock::{Clock, Date, FixedClock, Instant, SystemClock};
pub use error::{Code, Error, Kind, Result};
pub use model::ModelIdentity;
