//! The subcommands, one a file: its arguments and its `run`.

pub(crate) mod add;
pub(crate) mod build;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod dedup;
pub(crate) mod import_redisbloom;
pub(crate) mod info;
pub(crate) mod man;
pub(crate) mod merge;
pub(crate) mod plan;
pub(crate) mod remove;
mod storing;
pub(crate) mod tour;
pub(crate) mod verify;
