//! Claims, each true or false here, with the number.

use serde::Serialize;

use super::{Outcome, Run};

/// One claim.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    /// What is claimed.
    pub claim: String,
    /// What was found.
    pub found: String,
    /// Whether it holds here.
    pub holds: bool,
}

impl Run<'_> {
    pub(super) fn claim(&mut self, claim: &str, found: String, holds: bool) {
        self.claims.push(Claim { claim: claim.to_owned(), found, holds });
    }
}

/// The table of all claims.
pub(super) fn section(run: &mut Run<'_>) -> Outcome<()> {
    run.page.heading("Claims, true or false on this machine");
    let rows: Vec<Vec<String>> = run
        .claims
        .iter()
        .map(|c| vec![if c.holds { "true" } else { "false" }.to_owned(), c.claim.clone(), c.found.clone()])
        .collect();
    run.page.table(&["here", "claim", "number"], &rows);
    run.csv("claims.csv", &run.claims)
}
