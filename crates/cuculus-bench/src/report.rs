//! Report.
use crate::{compare::Comparison, plots::Picture, meter::Machine};
/// x
pub fn comparison(_f: &Comparison, _t: &str, _p: &[Picture], _m: &Machine, _o: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> { Ok(()) }
