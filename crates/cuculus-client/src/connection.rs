//! A connection to one server, or to all primaries of a cluster: whichever the server is.

use redis::cluster::{ClusterClientBuilder, ClusterConnection, cluster_pipe};
use redis::cluster_routing::{Route, RoutingInfo, SingleNodeRoutingInfo, SlotAddr};
use redis::{Client, Cmd, Connection as OneConnection, ConnectionLike, ErrorKind, RedisError, RedisResult, Value};
use std::time::Duration;

/// How long an answer may take; longer than any WAIT.
const ANSWER: Duration = Duration::from_secs(10);

pub(crate) enum Connection {
    One(Box<OneConnection>),
    Cluster(Box<ClusterConnection>),
}

impl Connection {
    /// Connects, and asks the server which it is.
    pub(crate) fn open(server: &str, timeout: Duration) -> RedisResult<Self> {
        let mut one = Client::open(server)?.get_connection_with_timeout(timeout)?;
        one.set_read_timeout(Some(ANSWER))?;
        one.set_write_timeout(Some(ANSWER))?;
        let info: String = redis::cmd("INFO").arg("cluster").query(&mut one)?;
        if !info.contains("cluster_enabled:1") {
            return Ok(Connection::One(Box::new(one)));
        }
        // Nothing is repeated inside: a WAIT that was sent to another node than the write would confirm nothing.
        let client =
            ClusterClientBuilder::new([server]).retries(0).connection_timeout(timeout).response_timeout(ANSWER);
        let cluster = client.build()?.get_connection()?;
        cluster.set_read_timeout(Some(ANSWER))?;
        cluster.set_write_timeout(Some(ANSWER))?;
        Ok(Connection::Cluster(Box::new(cluster)))
    }

    /// Sends all commands at once; their replies in order.
    pub(crate) fn send(&mut self, commands: Vec<Cmd>) -> RedisResult<Vec<Value>> {
        match self {
            Connection::One(one) => {
                let mut pipe = redis::pipe();
                for command in commands {
                    pipe.add_command(command);
                }
                pipe.query(one)
            }
            Connection::Cluster(cluster) => {
                let mut pipe = cluster_pipe();
                for command in commands {
                    pipe.add_command(command);
                }
                pipe.query(cluster)
            }
        }
    }

    /// How many replicas have everything that was sent for a key on this connection; waits up to `timeout` for `replicas`.
    pub(crate) fn wait(&mut self, key: &str, replicas: u32, timeout: Duration) -> RedisResult<u32> {
        let mut wait = redis::cmd("WAIT");
        wait.arg(replicas).arg(timeout.as_millis() as u64);
        let value = match self {
            Connection::One(one) => one.req_command(&wait)?,
            Connection::Cluster(cluster) => {
                let route = Route::with_key(key.as_bytes(), SlotAddr::Master);
                cluster.route_command(&wait, RoutingInfo::SingleNode(SingleNodeRoutingInfo::SpecificNode(route)))?
            }
        };
        redis::from_redis_value(value).map_err(Into::into)
    }
}

/// Whether an error may pass: a dead or moved primary, a cluster that is choosing another.
pub(crate) fn may_pass(error: &RedisError) -> bool {
    let cluster =
        ["MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN", "LOADING", "READONLY", "NOREPLICAS", "UNBLOCKED"];
    error.is_io_error()
        || error.is_cluster_error()
        || error.is_connection_dropped()
        || error.kind() == ErrorKind::ClusterConnectionNotFound
        || error.code().is_some_and(|code| cluster.contains(&code))
}
