//! Reports for people: compounding (step 10) and the HTML page.

pub mod compounding;
pub mod html;
