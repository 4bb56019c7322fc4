//! What the service answers, as replies.

use bytes::{BufMut as _, Bytes, BytesMut};

use super::Context;
use crate::claims::page::Page;
use crate::command::{CHANNEL, Command};
use crate::readers::Tidings;
use crate::resp::Reply;
use crate::service::{Committed, Failure, Opened, Overview};
use crate::session::Lack;

pub(super) fn opened(opened: Result<Option<Opened>, Failure>) -> Reply {
    match opened {
        Ok(None) => Reply::NullArray,
        Ok(Some(opened)) => Reply::Array(fields(opened)),
        Err(failure) => failed(&failure),
    }
}

/// The same with the lock behind it.
pub(super) fn opened_exclusive(opened: Result<Option<(Opened, u64)>, Failure>) -> Reply {
    match opened {
        Ok(None) => Reply::NullArray,
        Ok(Some((opened, lock))) => {
            let mut fields = fields(opened);
            fields.push(Reply::number(lock));
            Reply::Array(fields)
        }
        Err(failure) => failed(&failure),
    }
}

fn fields(opened: Opened) -> Vec<Reply> {
    let mut fields = vec![
        Reply::number(opened.version),
        Reply::number(opened.created),
        Reply::number(opened.accessed),
        Reply::Integer(opened.idle),
        attributes(opened.lack),
    ];
    fields.extend(opened.ticket.map(Reply::number));
    fields
}

/// Without having been asked for: what became of a session of the page of claims.
pub(super) fn news(tidings: Tidings) -> Reply {
    Reply::Array(vec![
        Reply::text("news"),
        Reply::number(tidings.before),
        Reply::Array(fields(tidings.opened)),
    ])
}

pub(super) fn committed(committed: Result<Committed, Failure>) -> Reply {
    match committed {
        Ok(Committed { version, lack }) => {
            Reply::Array(vec![Reply::number(version), attributes(lack)])
        }
        Err(failure) => failed(&failure),
    }
}

pub(super) fn ended(ended: Result<bool, Failure>) -> Reply {
    match ended {
        Ok(ended) => Reply::Integer(i64::from(ended)),
        Err(failure) => failed(&failure),
    }
}

pub(super) fn sessions(sessions: Result<Vec<Overview>, Failure>) -> Reply {
    match sessions {
        Ok(sessions) => Reply::Array(sessions.into_iter().map(overview).collect()),
        Err(failure) => failed(&failure),
    }
}

fn overview(session: Overview) -> Reply {
    let text = |text: Option<Bytes>| text.map_or(Reply::NullBulk, Reply::Bulk);
    let count = |count: usize| Reply::number(count as u64);
    Reply::Array(vec![
        Reply::Bulk(session.id.hex().into()),
        text(session.context),
        text(session.user),
        Reply::number(session.created),
        Reply::number(session.accessed),
        Reply::Integer(session.idle),
        count(session.bytes),
        count(session.attributes),
    ])
}

pub(super) fn renamed(renamed: Result<u64, Failure>) -> Reply {
    match renamed {
        Ok(version) => Reply::number(version),
        Err(failure) => failed(&failure),
    }
}

pub(super) fn failed(failure: &Failure) -> Reply {
    Reply::error(failure.prefix(), failure.to_string())
}

/// Flat; a whole session begins with the name NUL and a null value.
fn attributes(lack: Lack) -> Reply {
    let mut flat = Vec::with_capacity(2 * lack.attributes.len() + 2);
    if lack.whole {
        flat.extend([Reply::text("\0"), Reply::NullBulk]);
    }
    for patched in lack.patched {
        flat.push(Reply::Bulk(patched.name));
        flat.push(Reply::Array(
            patched.deltas.into_iter().map(Reply::Bulk).collect(),
        ));
    }
    for (name, value) in lack.attributes {
        flat.push(Reply::Bulk(name));
        flat.push(value.map_or(Reply::NullBulk, Reply::Bulk));
    }
    Reply::Array(flat)
}

pub(super) fn hello(context: &Context) -> Reply {
    let mut properties = greeting(
        context.service.mode().name(),
        context.service.outage().name(),
        &context.cluster,
        context.is_draining(),
    );
    // A JVM without Unix sockets has the folder all the same.
    if let Some(page) = context.service.store().claims().page() {
        properties.extend(of_page(Page::clock(), page));
    }
    Reply::Array(properties)
}

fn of_page(clock: u64, name: &str) -> [Reply; 4] {
    [
        Reply::text("clock"),
        Reply::number(clock),
        Reply::text("page"),
        Reply::text(name),
    ]
}

fn greeting(mode: &str, outage: &str, cluster: &str, draining: bool) -> Vec<Reply> {
    vec![
        Reply::text("server"),
        Reply::text("sojournd"),
        Reply::text("version"),
        Reply::text(env!("CARGO_PKG_VERSION")),
        Reply::text("proto"),
        Reply::Integer(2),
        Reply::text("mode"),
        Reply::text(mode),
        Reply::text("outage"),
        Reply::text(outage),
        Reply::text("cluster"),
        Reply::text(cluster),
        Reply::text("draining"),
        Reply::Integer(i64::from(draining)),
    ]
}

/// As much as clients look for, and what a person would want to see.
pub(super) fn info(context: &Context) -> Reply {
    let version = env!("CARGO_PKG_VERSION");
    let (mode, cluster) = (context.service.mode().name(), &context.cluster);
    let store = match context.service.store().down() {
        None => "up".to_owned(),
        Some(reason) => format!("down: {reason}"),
    };
    let draining = i32::from(context.is_draining());
    Reply::text(&format!(
        "# Server\r\nredis_version:7.2.0\r\nserver_name:sojournd\r\nsojournd_version:{version}\r\n\
         mode:{mode}\r\ncluster:{cluster}\r\nstore:{store}\r\ndraining:{draining}\r\n"
    ))
}

pub(super) fn message(payload: Bytes) -> Reply {
    Reply::Array(vec![
        Reply::text("message"),
        Reply::text(CHANNEL),
        Reply::Bulk(payload),
    ])
}

pub(super) fn subscription(what: &str, count: i64) -> Reply {
    Reply::Array(vec![
        Reply::text(what),
        Reply::text(CHANNEL),
        Reply::Integer(count),
    ])
}

/// A command that somebody else should have answered.
pub(super) fn not_here(command: &Command) -> Reply {
    Reply::error("ERR", format!("'{}' is not for here", command.name()))
}

/// Appends a reply's bytes, with the request's tag if it has one.
pub(super) fn encode(tag: Option<u64>, reply: &Reply, out: &mut BytesMut) {
    if let Some(tag) = tag {
        out.put_slice(b"*2\r\n");
        Reply::number(tag).encode(out);
    }
    reply.encode(out);
}

/// The label of an error reply in metrics.
pub(super) fn kind(text: &str) -> &'static str {
    match text.split(' ').next() {
        Some("GONE") => "gone",
        Some("UNAVAILABLE") => "unavailable",
        Some("TOOLARGE") => "too_large",
        Some("MISSING") => "missing",
        Some("BUSY") => "busy",
        Some("NOAUTH") => "auth",
        Some("NOPROTO") => "protocol",
        _ => "request",
    }
}

#[cfg(test)]
mod vectors {
    use serde_json::Value;

    use super::*;
    use crate::session::Patched;
    use crate::vectors::{bytes_of, read, text_of};

    fn lack_of(attributes: &Value) -> Lack {
        let pairs = attributes.as_array().unwrap();
        let value_of = |value: &Value| value.as_str().map(|_| bytes_of(value));
        let pairs: Vec<(Bytes, Option<Bytes>)> = pairs
            .iter()
            .filter(|pair| !pair[1].is_array())
            .map(|pair| (bytes_of(&pair[0]), value_of(&pair[1])))
            .collect();
        let patched = attributes.as_array().unwrap().iter();
        let patched = patched.filter_map(|pair| {
            let deltas = pair[1].as_array()?.iter().map(bytes_of).collect();
            let name = bytes_of(&pair[0]);
            Some(Patched { name, deltas })
        });
        let whole = pairs
            .first()
            .is_some_and(|(name, _)| name.as_ref() == b"\0");
        Lack {
            whole,
            attributes: pairs.into_iter().skip(usize::from(whole)).collect(),
            patched: patched.collect(),
        }
    }

    fn opened_of(fields: &Value) -> Opened {
        let number = |name: &str| fields[name].as_u64().unwrap();
        Opened {
            version: number("version"),
            created: number("created"),
            accessed: number("accessed"),
            idle: fields["idle"].as_i64().unwrap(),
            lack: lack_of(&fields["attributes"]),
            ticket: fields.get("ticket").and_then(Value::as_u64),
        }
    }

    fn reply_of(kind: &str, fields: &Value) -> Reply {
        let number = |name: &str| fields[name].as_u64().unwrap();
        match kind {
            "open" if fields.is_null() => opened(Ok(None)),
            "open" => match fields.get("lock").and_then(Value::as_u64) {
                None => opened(Ok(Some(opened_of(fields)))),
                Some(lock) => opened_exclusive(Ok(Some((opened_of(fields), lock)))),
            },
            "news" => news(Tidings {
                before: number("before"),
                opened: opened_of(fields),
            }),
            "commit" => {
                let lack = lack_of(&fields["attributes"]);
                committed(Ok(Committed {
                    version: number("version"),
                    lack,
                }))
            }
            "ok" => Reply::OK,
            "integer" => Reply::number(number("value")),
            "error" => Reply::error(&text_of(&fields["prefix"]), text_of(&fields["text"])),
            "pong" if fields["text"].is_null() => Reply::Simple("PONG"),
            "pong" => Reply::Bulk(bytes_of(&fields["text"])),
            "hello" => {
                let draining = number("draining") == 1;
                let mut properties = greeting(
                    &text_of(&fields["mode"]),
                    &text_of(&fields["outage"]),
                    &text_of(&fields["cluster"]),
                    draining,
                );
                if let Some(clock) = fields.get("clock").and_then(Value::as_u64) {
                    properties.extend(of_page(clock, &text_of(&fields["page"])));
                }
                Reply::Array(properties)
            }
            "subscribed" => subscription("subscribe", 1),
            "message" => message(bytes_of(&fields["payload"])),
            other => panic!("unknown reply {other}"),
        }
    }

    #[test]
    fn replies_have_the_bytes_of_the_vectors() {
        for vector in read("replies.json") {
            let mut out = BytesMut::new();
            let reply = reply_of(&text_of(&vector["reply"]), &vector["fields"]);
            encode(vector["tag"].as_u64(), &reply, &mut out);
            assert_eq!(
                out.freeze(),
                bytes_of(&vector["wire"]),
                "{}",
                vector["name"]
            );
        }
    }
}
