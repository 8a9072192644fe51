//! The filter: calls on many keys at once.

use crate::connection::{Connection, may_pass};
use crate::error::Error;
use crate::shards::{MOST, Shards};
use crate::url::Target;
use redis::{Cmd, RedisError, Value};
use std::time::{Duration, Instant};

/// How long to wait between two tries.
const PAUSE: Duration = Duration::from_millis(200);

/// How calls behave.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How many replicas must have an insert before it returns; 0 for none.
    pub wait: u32,
    /// How long a call may take, tries at other primaries included.
    pub timeout: Duration,
}

impl Default for Options {
    /// No replicas, and 30 seconds.
    fn default() -> Self {
        Options { wait: 0, timeout: Duration::from_secs(30) }
    }
}

/// One logical filter over one or more keys.
pub struct ShardedFilter {
    target: Target,
    shards: Shards,
    options: Options,
    connection: Option<Connection>,
}

impl ShardedFilter {
    /// Connects to `valkey://[USER:PASSWORD@]HOST[:PORT]/KEY`, a server or any node of a cluster.
    ///
    /// # Errors
    /// [`Error`] for a wrong URL or number of shards (1 to 16,384), and if there is no connection.
    pub fn open(url: &str, shards: u32, options: Options) -> Result<Self, Error> {
        if !(1..=MOST).contains(&shards) {
            return Err(Error::Shards(shards));
        }
        let target = Target::parse(url)?;
        let shards = Shards::new(&target.key, shards);
        let mut filter = ShardedFilter { target, shards, options, connection: None };
        filter.repeated(|_| Ok(()))?;
        Ok(filter)
    }

    /// The keys on the server.
    pub fn keys(&self) -> &[String] {
        &self.shards.keys
    }

    /// Makes the filter, for `items` at first; it grows. `rate` is the highest false-positive rate.
    ///
    /// # Errors
    /// [`Error::Exists`] if one of its keys is there; then those before it were made.
    pub fn reserve(&mut self, items: u64, rate: f64) -> Result<(), Error> {
        let each = items.div_ceil(self.shards.keys.len() as u64);
        // The shards differ in their numbers of items: five standard deviations more.
        let each = (each + 5 * (each as f64).sqrt() as u64).clamp(64, 1 << 30);
        for key in self.shards.keys.clone() {
            let mut command = redis::cmd("CF.RESERVE");
            command.arg(&key).arg(each).arg("ERROR").arg(rate);
            match self.connected()?.send(vec![command]) {
                Ok(_) => {}
                Err(error) if is_text(&error, "item exists") => return Err(Error::Exists(key)),
                Err(error) => return Err(error.into()),
            }
        }
        self.confirm_all()
    }

    /// Checks that every key is there.
    ///
    /// # Errors
    /// [`Error::Missing`] names the first that is not.
    pub fn check(&mut self) -> Result<(), Error> {
        for key in self.shards.keys.clone() {
            let asked = self.repeated(|connection| {
                let mut command = redis::cmd("CF.INFO");
                command.arg(&key);
                connection.send(vec![command]).map_err(Error::from)
            });
            match asked {
                Err(Error::Server(error)) if is_text(&error, "not found") => return Err(Error::Missing(key)),
                other => other?,
            };
        }
        Ok(())
    }

    /// Items of all keys.
    ///
    /// # Errors
    /// [`Error`] if a server cannot be asked.
    pub fn len(&mut self) -> Result<u64, Error> {
        let commands = |keys: &[String]| keys.iter().map(|key| redis::cmd("CF.CARD").arg(key).to_owned()).collect();
        let keys = self.shards.keys.clone();
        let replies = self.repeated(|connection| connection.send(commands(&keys)).map_err(Error::from))?;
        let numbers = replies.iter().map(|reply| match reply {
            Value::Int(number) => Ok(*number as u64),
            _ => Err(Error::Reply("a number")),
        });
        numbers.sum()
    }

    /// Whether nothing is stored.
    ///
    /// # Errors
    /// As [`len`](Self::len).
    pub fn is_empty(&mut self) -> Result<bool, Error> {
        self.len().map(|len| len == 0)
    }

    /// Stores each item that is not probably stored; says of each whether it was stored now. When it returns, as many
    /// replicas as asked for have all of them.
    ///
    /// # Errors
    /// [`Error::Full`] if items were refused, [`Error::Unacknowledged`] if replicas are missing; items may be stored then.
    pub fn insert_many<T: AsRef<[u8]>>(&mut self, items: &[T]) -> Result<Vec<bool>, Error> {
        let (parts, keys) = (self.parts(items), self.shards.keys.clone());
        let options = self.options;
        let answers = self.repeated(|connection| {
            let commands = parts.iter().map(|part| {
                let mut command = redis::cmd("CF.INSERTNX");
                command.arg(&keys[part.shard]).arg("NOCREATE").arg("ITEMS");
                part.add_items(command, items)
            });
            let replies = connection.send(commands.collect())?;
            // On the connections of the writes: only there it says anything about them.
            confirm(connection, parts.iter().map(|part| keys[part.shard].as_str()), &options)?;
            spread(&parts, replies, items.len())
        });
        let answers = answers.map_err(|error| self.missing(error))?;
        match answers.iter().filter(|&&answer| answer < 0).count() {
            0 => Ok(answers.into_iter().map(|answer| answer == 1).collect()),
            refused => Err(Error::Full { refused }),
        }
    }

    /// Whether each item is probably stored; `false` is certain, if every key of the filter is there.
    ///
    /// # Errors
    /// [`Error`] if a server cannot be asked.
    pub fn contains_many<T: AsRef<[u8]>>(&mut self, items: &[T]) -> Result<Vec<bool>, Error> {
        let (parts, keys) = (self.parts(items), self.shards.keys.clone());
        let answers = self.repeated(|connection| {
            let commands = parts.iter().map(|part| {
                let mut command = redis::cmd("CF.MEXISTS");
                command.arg(&keys[part.shard]);
                part.add_items(command, items)
            });
            spread(&parts, connection.send(commands.collect())?, items.len())
        })?;
        Ok(answers.into_iter().map(|answer| answer == 1).collect())
    }

    /// Removes one copy of each item; says of each whether there was one. Only what was stored may be removed. Never
    /// repeated by itself: a second removal could take another item's copy.
    ///
    /// # Errors
    /// [`Error::RemovalUnknown`] if the connection breaks on the way.
    pub fn remove_many<T: AsRef<[u8]>>(&mut self, items: &[T]) -> Result<Vec<bool>, Error> {
        let (parts, keys, options) = (self.parts(items), self.shards.keys.clone(), self.options);
        let connection = self.connected()?;
        let commands = parts.iter().map(|part| {
            let mut command = redis::cmd("CF.MDEL");
            command.arg(&keys[part.shard]);
            part.add_items(command, items)
        });
        let replies = connection.send(commands.collect());
        let outcome = replies.map_err(|error| match may_pass(&error) {
            true => Error::RemovalUnknown(error),
            false => Error::Server(error),
        });
        let outcome = outcome.and_then(|replies| {
            confirm(connection, parts.iter().map(|part| keys[part.shard].as_str()), &options)?;
            spread(&parts, replies, items.len())
        });
        let answers = outcome.inspect_err(|_| self.connection = None)?;
        Ok(answers.into_iter().map(|answer| answer == 1).collect())
    }

    /// The positions of the items of each shard that has any.
    fn parts<T: AsRef<[u8]>>(&self, items: &[T]) -> Vec<Part> {
        let mut positions = vec![Vec::new(); self.shards.keys.len()];
        for (position, item) in items.iter().enumerate() {
            positions[self.shards.of(item.as_ref())].push(position);
        }
        let parts = positions.into_iter().enumerate().map(|(shard, positions)| Part { shard, positions });
        parts.filter(|part| !part.positions.is_empty()).collect()
    }

    fn connected(&mut self) -> Result<&mut Connection, Error> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => Connection::open(&self.target.server, Duration::from_secs(5).min(self.options.timeout))?,
        };
        Ok(self.connection.insert(connection))
    }

    /// Runs `work` on a connection, and again on a new one while its errors may pass and there is time.
    fn repeated<R>(&mut self, mut work: impl FnMut(&mut Connection) -> Result<R, Error>) -> Result<R, Error> {
        let end = Instant::now() + self.options.timeout;
        loop {
            let outcome = self.connected().and_then(&mut work);
            let passes = match &outcome {
                Err(Error::Server(error)) => may_pass(error),
                Err(Error::Unacknowledged { .. }) => true,
                _ => false,
            };
            if outcome.is_err() {
                self.connection = None;
            }
            if !passes || Instant::now() >= end {
                return outcome;
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn confirm_all(&mut self) -> Result<(), Error> {
        let (keys, options) = (self.shards.keys.clone(), self.options);
        confirm(self.connected()?, keys.iter().map(String::as_str), &options)
    }

    fn missing(&self, error: Error) -> Error {
        match error {
            Error::Server(error) if is_text(&error, "not found") => Error::Missing(self.target.key.clone()),
            other => other,
        }
    }
}

/// The items of one call that go to one shard.
struct Part {
    shard: usize,
    positions: Vec<usize>,
}

impl Part {
    fn add_items<T: AsRef<[u8]>>(&self, mut command: Cmd, items: &[T]) -> Cmd {
        for &position in &self.positions {
            command.arg(items[position].as_ref());
        }
        command
    }
}

/// The answers of all parts, in the order of the items.
fn spread(parts: &[Part], replies: Vec<Value>, items: usize) -> Result<Vec<i64>, Error> {
    let mut answers = vec![0; items];
    for (part, reply) in parts.iter().zip(replies) {
        let Value::Array(values) = reply else { return Err(Error::Reply("a list")) };
        if values.len() != part.positions.len() {
            return Err(Error::Reply("an answer for each item"));
        }
        for (&position, value) in part.positions.iter().zip(values) {
            answers[position] = match value {
                Value::Int(answer) => answer,
                Value::Boolean(answer) => answer.into(),
                _ => return Err(Error::Reply("a list of numbers")),
            };
        }
    }
    Ok(answers)
}

/// Waits until enough replicas have what was written to some keys.
fn confirm<'a>(
    connection: &mut Connection,
    keys: impl Iterator<Item = &'a str>,
    options: &Options,
) -> Result<(), Error> {
    if options.wait == 0 {
        return Ok(());
    }
    for key in keys {
        let got = connection.wait(key, options.wait, Duration::from_secs(2).min(options.timeout))?;
        if got < options.wait {
            return Err(Error::Unacknowledged { wanted: options.wait, got });
        }
    }
    Ok(())
}

fn is_text(error: &RedisError, text: &str) -> bool {
    error.to_string().to_lowercase().contains(text)
}
