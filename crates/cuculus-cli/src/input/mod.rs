//! Keys from files and standard input.
//!
//! ```text
//!  source     a name -> its bytes, unpacked          unzstd   all frames of a .zst
//!  cut        text -> records, one a line            csv      the same, one field of each
//!  block      text, its records and their hashes     reader   the thread that fills blocks
//!                                                    crew     the threads that hash and look up
//! ```

mod block;
mod crew;
mod csv;
mod cut;
mod reader;
mod source;
mod unzstd;

pub(crate) use block::Block;
pub(crate) use crew::{Crew, Look, ThreadsArgs};
pub(crate) use reader::{Hasher, Keys};

use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Where keys come from and how they are cut.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct InputArgs {
    /// Files with the keys, one a line; "-" is standard input, which is also read when no file is named
    ///
    /// Files packed with gzip or zstd are unpacked while they are read, known by their first bytes, not only by their
    /// names. A key is the bytes of its line without the line's end, which is a newline or a carriage return and a
    /// newline. The last line may lack its newline. An empty line is the empty key.
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    /// Records end with a NUL byte instead of a newline (as find -print0 writes them)
    ///
    /// Nothing else is taken off: a carriage return belongs to the key.
    #[arg(short = '0', long)]
    pub(crate) null: bool,

    /// The key is the N-th field of each line, counted from 1
    ///
    /// Fields are separated by --delimiter and quoted as in CSV: "a, b" is one field, "" inside quotes is a quote, and
    /// a quoted field may run over several lines. A record without an N-th field is an error; empty lines are skipped, and
    /// so is a byte order mark at the start of an input.
    #[arg(long, value_name = "N", value_parser = field, allow_negative_numbers = true)]
    pub(crate) field: Option<NonZeroUsize>,

    /// What separates fields: one ASCII character, or \t or tab [default: ,]
    #[arg(long, value_name = "D", requires = "field", value_parser = delimiter)]
    pub(crate) delimiter: Option<u8>,
}

impl InputArgs {
    /// The inputs that can be opened. The others are told on standard error; the second answer is whether there are any.
    pub(crate) fn readable(&self) -> (Self, bool) {
        let mut readable = self.clone();
        readable.inputs.retain(|path| match reader::look_at(path) {
            Ok(_) => true,
            Err(failure) => {
                failure.tell();
                false
            }
        });
        let missing = readable.inputs.len() < self.inputs.len();
        (readable, missing)
    }

    fn terminator(&self) -> u8 {
        if self.null { 0 } else { b'\n' }
    }
}

fn field(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "allowed is a whole number from 1".to_owned())
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text {
        "\\t" | "tab" => Ok(b'\t'),
        _ => match text.as_bytes() {
            [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r' | 0) => Ok(*byte),
            _ => Err("allowed is one ASCII character but a quote or a line's end, or \\t or tab".to_owned()),
        },
    }
}
