//! Several pods have requests of one session at the same time: what comes of it is what could have come one after the other.

mod task;

use std::sync::Barrier;
use std::time::{Duration, Instant};

use super::{ASYNC, DAEMONS, Driver};
use crate::agent::Copy;
use crate::linear::{Action, Operation, State, outcomes};
use crate::reference::{Content, short};
use task::{Done, Task, Unknown, work};

/// Whose process is stopped for a while meanwhile.
#[derive(Debug, Clone, Copy)]
enum Stopped {
    Nobody,
    Store,
    Daemon(usize),
}

impl Driver {
    pub(super) fn race(&mut self, index: usize) {
        if !self.sessions[index].is_certain() {
            return;
        }
        self.unlock_all(index);
        // Else a commit has nothing that it could be made of. Claims by many, and by one, are raced about.
        for _ in 0..self.random.usize(1..5) {
            for pod in 0..DAEMONS {
                self.open(pod, index);
            }
        }
        if !self.sessions[index].is_certain() {
            return;
        }
        let name = self.sessions[index].name.clone();
        let tasks = self.tasks();
        let stopped = self.stopped();
        self.step(format!(
            "{name}: at the same time {tasks:?}, stopped {stopped:?}"
        ));
        let Ok(done) = self.all_at_once(&name, &tasks, stopped) else {
            return self.lose_sight(index);
        };
        let (clients, copies): (Vec<_>, Vec<_>) = done
            .into_iter()
            .map(|done| (done.operations, done.copies))
            .unzip();
        self.races += 1;
        self.overlapping += overlapping(&clients);
        let renamed = |tasks: &Vec<Task>| matches!(tasks.last(), Some(Task::Rename(_)));
        // A commit that came after the rename is told a version of a session that nobody can open by this name any more.
        let copies = if tasks.iter().any(renamed) {
            Vec::new()
        } else {
            copies.concat()
        };
        self.settle(index, &clients, &copies);
        self.take_new_name(index, &tasks);
        for pod in 0..DAEMONS {
            self.open(pod, index);
        }
        // Which of it was answered early nobody has kept apart.
        self.until_flushed();
    }

    /// For each pod.
    fn tasks(&mut self) -> Vec<Vec<Task>> {
        let last = match self.random.u32(..8) {
            0 => Some(Task::End),
            1 => Some(Task::Rename(format!("s{}", self.next()))),
            _ => None,
        };
        let by = self.random.usize(..DAEMONS);
        // One that answers before the store has it may find the session over later.
        let quiet = matches!(last, Some(Task::End)).then_some(ASYNC);
        let mut tasks: Vec<Vec<Task>> = Vec::new();
        for pod in 0..DAEMONS {
            let count = self.random.usize(1..5);
            tasks.push((0..count).map(|_| self.task(Some(pod) == quiet)).collect());
        }
        tasks[by].extend(last);
        tasks
    }

    fn task(&mut self, quiet: bool) -> Task {
        if self.random.bool() || quiet {
            return Task::Open;
        }
        let attribute = ["a", "b", "c", "d"][self.random.usize(..4)].to_owned();
        let changes = vec![(attribute, Some(self.value()))];
        if self.random.u32(..3) == 0 {
            Task::Alone(changes)
        } else {
            Task::Commit(changes)
        }
    }

    /// And for how long: for less than the patience with a store.
    fn stopped(&mut self) -> (Stopped, Duration) {
        let who = match self.random.u32(..8) {
            0 => Stopped::Store,
            1 | 2 => Stopped::Daemon(self.random.usize(..DAEMONS)),
            _ => Stopped::Nobody,
        };
        (who, Duration::from_millis(self.random.u64(1..200)))
    }

    fn all_at_once(
        &mut self,
        name: &str,
        tasks: &[Vec<Task>],
        (stopped, time): (Stopped, Duration),
    ) -> Result<Vec<Done>, Unknown> {
        let start = Barrier::new(DAEMONS);
        let zero = Instant::now();
        let store = &self.store;
        std::thread::scope(|scope| {
            let (agents, daemons): (Vec<_>, Vec<_>) = self
                .pods
                .iter_mut()
                .map(|pod| (&mut pod.agent, &pod.daemon))
                .unzip();
            match stopped {
                Stopped::Nobody => {}
                Stopped::Store => drop(scope.spawn(move || stop(|name| store.signal(name), time))),
                Stopped::Daemon(pod) => {
                    let process = &daemons[pod].process;
                    drop(scope.spawn(move || stop(|name| process.signal(name), time)));
                }
            }
            let pods = agents.into_iter().zip(tasks).enumerate();
            let running: Vec<_> = pods
                .map(|(pod, (agent, tasks))| {
                    let start = &start;
                    scope.spawn(move || {
                        start.wait();
                        work(agent, pod, name, tasks, zero)
                    })
                })
                .collect();
            let done = running.into_iter().map(|pod| pod.join().unwrap());
            done.collect()
        })
    }

    fn settle(&mut self, index: usize, clients: &[Vec<Operation>], copies: &[Copy]) {
        let session = &mut self.sessions[index];
        let possible: Vec<Content> = session.possible().into_iter().collect();
        let outcomes = outcomes(&possible, clients);
        assert!(
            !outcomes.is_empty(),
            "{} was one of {}, and there is no order for {}",
            session.name,
            short(&possible),
            short(&clients)
        );
        for copy in copies {
            session.note_version(copy.version, &copy.content);
        }
        // Who ended it is the one that the store can be told by.
        let ends = |operation: &Operation| matches!(operation.action, Action::End(true));
        match clients.iter().position(|all| all.iter().any(ends)) {
            Some(pod) => session.end(self.pods[pod].life),
            None => session.raced(outcomes.iter().filter_map(State::content)),
        }
    }

    fn take_new_name(&mut self, index: usize, tasks: &[Vec<Task>]) {
        let renamed = tasks
            .iter()
            .zip(&self.pods)
            .find_map(|(tasks, pod)| match tasks.last() {
                Some(Task::Rename(new)) => Some((new.clone(), pod.life)),
                _ => None,
            });
        if let Some((new, life)) = renamed {
            let session = &mut self.sessions[index];
            let old = std::mem::replace(&mut session.name, new);
            self.pods.iter_mut().for_each(|pod| pod.agent.forget(&old));
            session.old_names.push((old, life));
        }
    }
}

fn stop(signal: impl Fn(&str), time: Duration) {
    signal("STOP");
    // How long the fault lasts; nothing is waited for.
    std::thread::park_timeout(time);
    signal("CONT");
}

/// How many were under way while another was.
fn overlapping(clients: &[Vec<Operation>]) -> usize {
    let all = || clients.iter().flatten();
    let meets = |one: &Operation, other: &Operation| {
        // Each meets itself, and what was answered with it.
        one.asked != other.asked && other.asked < one.answered && one.asked < other.answered
    };
    all()
        .filter(|one| all().any(|other| meets(one, other)))
        .count()
}
