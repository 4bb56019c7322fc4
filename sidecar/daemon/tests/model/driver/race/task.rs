//! What one pod does while others are at the same session.

use std::time::Instant;

use super::super::ASYNC;
use crate::agent::{Agent, Copy, Exclusive, Outcome, Written};
use crate::harness::Reply;
use crate::linear::{Action, Operation};
use crate::reference::{Changes, idle};

/// What a pod is to do.
#[derive(Debug)]
pub(super) enum Task {
    Open,
    Commit(Changes),
    /// Of a request that has it for itself.
    Alone(Changes),
    End,
    Rename(String),
}

/// What a pod did.
#[derive(Default)]
pub(super) struct Done {
    pub(super) operations: Vec<Operation>,
    /// What it saw meanwhile.
    pub(super) copies: Vec<Copy>,
}

/// The store did not answer once: it was done, or it was not.
pub(super) struct Unknown;

pub(super) fn work(
    agent: &mut Agent,
    pod: usize,
    name: &str,
    tasks: &[Task],
    zero: Instant,
) -> Result<Done, Unknown> {
    let mut done = Done::default();
    for task in tasks {
        let asked = zero.elapsed();
        let (actions, copy) = match task {
            // Of what is over nobody commits anything.
            Task::Commit(changes) if agent.holds(name) => commit(agent, pod, name, changes)?,
            Task::Open | Task::Commit(_) => match agent.open(name) {
                Outcome::Done(copy) => (vec![Action::Open(Some(copy.content.clone()))], Some(copy)),
                Outcome::Absent => (vec![Action::Open(None)], None),
                Outcome::Unknown => return Err(Unknown),
            },
            Task::Alone(changes) => (alone(agent, name, changes)?, None),
            Task::End => {
                let reply = known(agent.client.say(&format!("SJ.END {name}")))?;
                (vec![Action::End(reply.int() == 1)], None)
            }
            Task::Rename(new) => {
                let base = agent.version(name);
                let reply = agent.client.say(&format!("SJ.RENAME {name} {new} {base}"));
                assert!(known(reply)?.int() > base, "a new name is a version");
                (vec![Action::Rename], None)
            }
        };
        let answered = zero.elapsed();
        let operations = actions.into_iter().map(|action| Operation {
            action,
            asked,
            answered,
        });
        done.operations.extend(operations);
        done.copies.extend(copy);
    }
    Ok(done)
}

fn commit(
    agent: &mut Agent,
    pod: usize,
    name: &str,
    changes: &Changes,
) -> Result<(Vec<Action>, Option<Copy>), Unknown> {
    let write = Action::Write(changes.clone());
    match agent.commit(name, idle(false), changes) {
        // Its version is provisional.
        Outcome::Done(_) if pod == ASYNC => Ok((vec![write], None)),
        // What others did meanwhile comes along.
        Outcome::Done(copy) => Ok((vec![write, Action::See(copy.content.clone())], Some(copy))),
        Outcome::Absent => Ok((vec![Action::Refused], None)),
        Outcome::Unknown => Err(Unknown),
    }
}

/// A commit is seen whole by who makes it.
fn alone(agent: &mut Agent, name: &str, changes: &Changes) -> Result<Vec<Action>, Unknown> {
    let (seen, lock) = match agent.open_alone(name) {
        Exclusive::Locked(copy, lock) => (copy.content, lock),
        Exclusive::Absent => return Ok(vec![Action::Open(None)]),
        Exclusive::NotNow => return Ok(Vec::new()),
    };
    let actions = match agent.commit_alone(name, idle(false), lock, changes) {
        Written::As(Outcome::Done(_)) => vec![Action::Alone(seen, changes.clone())],
        Written::As(Outcome::Absent) => vec![Action::Open(Some(seen)), Action::Refused],
        Written::As(Outcome::Unknown) => return Err(Unknown),
        // It was lost, and nothing was written.
        Written::Lost => vec![Action::Open(Some(seen))],
    };
    agent.unlock(name, lock);
    Ok(actions)
}

fn known(reply: Reply) -> Result<Reply, Unknown> {
    let unknown = reply.text_or_empty().starts_with("UNAVAILABLE");
    if unknown { Err(Unknown) } else { Ok(reply) }
}
