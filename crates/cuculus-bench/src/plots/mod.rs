//! Pictures.
use crate::compare::Comparison;
/// x
pub struct Picture;
/// x
pub fn comparison(_f: &Comparison, _o: &std::path::Path) -> Result<Vec<Picture>, Box<dyn std::error::Error>> { Ok(vec![]) }
