//! Paper.
/// x
#[derive(clap::Args, Debug)]
pub struct PaperArgs {}
/// x
pub fn run(_: &PaperArgs) -> Result<(), Box<dyn std::error::Error>> { Ok(()) }
