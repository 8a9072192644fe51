//! Every command in one table: what the server is told of it, and what runs.

use crate::commands::*;
use crate::server::{Call, Outcome};
use std::ffi::CStr;

/// A command.
pub(crate) struct Command {
    pub(crate) name: &'static CStr,
    pub(crate) run: fn(&Call) -> Outcome,
    /// Arguments with the name; negative: at least as many.
    pub(crate) arity: i32,
    pub(crate) flags: &'static CStr,
    pub(crate) categories: &'static CStr,
    pub(crate) keys: Keys,
    pub(crate) summary: &'static CStr,
    pub(crate) complexity: &'static CStr,
    /// The arguments after the key.
    pub(crate) args: &'static [Arg],
}

/// Which arguments are keys, and what happens to them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keys {
    /// The first is read.
    Read,
    /// The first is changed.
    Write,
    /// The first is changed, all others are read.
    WriteReadAll,
}

/// An argument, for COMMAND DOCS.
pub(crate) struct Arg {
    pub(crate) name: &'static CStr,
    pub(crate) kind: Kind,
    pub(crate) token: Option<&'static CStr>,
    pub(crate) is_optional: bool,
    pub(crate) is_multiple: bool,
}

#[derive(Clone, Copy)]
pub(crate) enum Kind {
    String,
    Integer,
    Double,
    Token,
    /// A key that is only read.
    Source,
}

const fn arg(name: &'static CStr, kind: Kind) -> Arg {
    Arg { name, kind, token: None, is_optional: false, is_multiple: false }
}

const fn many(name: &'static CStr) -> Arg {
    Arg { is_multiple: true, ..arg(name, Kind::String) }
}

const fn option(token: &'static CStr, name: &'static CStr, kind: Kind) -> Arg {
    Arg { token: Some(token), is_optional: true, ..arg(name, kind) }
}

const ITEM: &[Arg] = &[arg(c"item", Kind::String)];
const ITEMS: &[Arg] = &[many(c"item")];
const INSERT: &[Arg] = &[
    option(c"CAPACITY", c"capacity", Kind::Integer),
    option(c"ERROR", c"rate", Kind::Double),
    option(c"NOCREATE", c"nocreate", Kind::Token),
    Arg { token: Some(c"ITEMS"), ..many(c"item") },
];

const READ: &CStr = c"readonly fast";
const ADD: &CStr = c"write deny-oom";
const READS: &CStr = c"read fast cuckoo";
const WRITES: &CStr = c"write slow cuckoo";

/// All of them. The place of a command is the number of its entry point in `callbacks`.
pub(crate) static COMMANDS: [Command; 18] = [
    Command {
        name: c"cf.reserve",
        run: reserve::run,
        arity: -3,
        flags: ADD,
        categories: c"write fast cuckoo",
        keys: Keys::Write,
        summary: c"Makes an empty filter",
        complexity: c"O(1); the memory is taken as items come",
        args: &[
            arg(c"capacity", Kind::Integer),
            option(c"BUCKETSIZE", c"bucketsize", Kind::Integer),
            option(c"MAXITERATIONS", c"maxiterations", Kind::Integer),
            option(c"EXPANSION", c"expansion", Kind::Integer),
            option(c"ERROR", c"rate", Kind::Double),
            option(c"LAYOUT", c"layout", Kind::String),
            option(c"SEED", c"seed", Kind::Integer),
            option(c"SECRET", c"secret", Kind::String),
        ],
    },
    Command {
        name: c"cf.add",
        run: add::run,
        arity: 3,
        flags: ADD,
        categories: WRITES,
        keys: Keys::Write,
        summary: c"Stores an item once more; makes the filter if there is none",
        complexity: c"O(1)",
        args: ITEM,
    },
    Command {
        name: c"cf.addnx",
        run: addnx::run,
        arity: 3,
        flags: ADD,
        categories: WRITES,
        keys: Keys::Write,
        summary: c"Stores an item unless it is probably there; makes the filter if there is none",
        complexity: c"O(1)",
        args: ITEM,
    },
    Command {
        name: c"cf.insert",
        run: insert::run,
        arity: -4,
        flags: ADD,
        categories: WRITES,
        keys: Keys::Write,
        summary: c"Stores items once more each; makes the filter if there is none",
        complexity: c"O(n) for n items",
        args: INSERT,
    },
    Command {
        name: c"cf.insertnx",
        run: insert::run_unique,
        arity: -4,
        flags: ADD,
        categories: WRITES,
        keys: Keys::Write,
        summary: c"Stores the items that are not probably there; makes the filter if there is none",
        complexity: c"O(n) for n items",
        args: INSERT,
    },
    Command {
        name: c"cf.exists",
        run: exists::run,
        arity: 3,
        flags: READ,
        categories: READS,
        keys: Keys::Read,
        summary: c"Whether an item is probably stored; 0 is certain",
        complexity: c"O(1)",
        args: ITEM,
    },
    Command {
        name: c"cf.mexists",
        run: mexists::run,
        arity: -3,
        flags: READ,
        categories: READS,
        keys: Keys::Read,
        summary: c"Whether each item is probably stored; 0 is certain",
        complexity: c"O(n) for n items",
        args: ITEMS,
    },
    Command {
        name: c"cf.count",
        run: count::run,
        arity: 3,
        flags: READ,
        categories: READS,
        keys: Keys::Read,
        summary: c"How often an item is stored, at least",
        complexity: c"O(1)",
        args: ITEM,
    },
    Command {
        name: c"cf.card",
        run: card::run,
        arity: 2,
        flags: READ,
        categories: READS,
        keys: Keys::Read,
        summary: c"How many items are stored",
        complexity: c"O(1)",
        args: &[],
    },
    Command {
        name: c"cf.del",
        run: del::run,
        arity: 3,
        flags: c"write fast",
        categories: c"write fast cuckoo",
        keys: Keys::Write,
        summary: c"Removes one copy of an item; only what was stored may be removed",
        complexity: c"O(1)",
        args: ITEM,
    },
    Command {
        name: c"cf.mdel",
        run: mdel::run,
        arity: -3,
        flags: c"write",
        categories: WRITES,
        keys: Keys::Write,
        summary: c"Removes one copy of each item; only what was stored may be removed",
        complexity: c"O(n) for n items",
        args: ITEMS,
    },
    Command {
        name: c"cf.clear",
        run: clear::run,
        arity: 2,
        flags: c"write",
        categories: WRITES,
        keys: Keys::Write,
        summary: c"Removes everything; the filter stays",
        complexity: c"O(1), and the old memory is given back",
        args: &[],
    },
    Command {
        name: c"cf.merge",
        run: merge::run,
        arity: -3,
        flags: ADD,
        categories: WRITES,
        keys: Keys::WriteReadAll,
        summary: c"Stores every item of the sources in the destination too",
        complexity: c"O(n) for n stored items",
        args: &[Arg { is_multiple: true, ..arg(c"source", Kind::Source) }],
    },
    Command {
        name: c"cf.scandump",
        run: scandump::run,
        arity: 3,
        flags: READ,
        categories: READS,
        keys: Keys::Read,
        summary: c"The next chunk of a dump; begins at 0",
        complexity: c"O(n) for the chunk's bytes",
        args: &[arg(c"position", Kind::Integer)],
    },
    Command {
        name: c"cf.loadchunk",
        run: loadchunk::run,
        arity: 4,
        flags: ADD,
        categories: WRITES,
        keys: Keys::Write,
        summary: c"Takes the next chunk of a dump of this module or of RedisBloom",
        complexity: c"O(n) for the chunk's bytes, with the last one for the filter's",
        args: &[arg(c"position", Kind::Integer), arg(c"data", Kind::String)],
    },
    Command {
        name: c"cf.info",
        run: info::run,
        arity: -2,
        flags: READ,
        categories: READS,
        keys: Keys::Read,
        summary: c"A filter's size, contents and parameters",
        complexity: c"O(1)",
        args: &[option(c"ALL", c"all", Kind::Token)],
    },
    Command {
        name: c"cf.compact",
        run: compact::run,
        arity: 2,
        flags: c"write",
        categories: WRITES,
        keys: Keys::Write,
        summary: c"Gives back memory that removals left: some now, the rest with later changes",
        complexity: c"O(1)",
        args: &[],
    },
    Command {
        name: c"cf.debug",
        run: debug::run,
        arity: 2,
        flags: READ,
        categories: READS,
        keys: Keys::Read,
        summary: c"The numbers of CF.INFO in one line",
        complexity: c"O(1)",
        args: &[],
    },
];
