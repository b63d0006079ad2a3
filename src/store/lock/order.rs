//! The chain of locks: tokens that only move forward, guards that say what they allow.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use super::file::Held;
use super::rank::{After, Free, Rank, Record, Start, Turnstile};
use super::{Locks, Mode, Writing, private};
use crate::base::Result;

/// Marks a guard that others may share.
#[derive(Debug)]
pub enum Shared {}

/// Marks a guard that excludes everyone else.
#[derive(Debug)]
pub enum Exclusive {}

/// A held lock of rank `R`; released on drop. `'l` ties it to its [`Locks`], so that no second chain
/// can start meanwhile.
#[derive(Debug)]
#[must_use = "a lock is held only as long as its guard"]
pub struct Guard<'l, R, M> {
    held: Held,
    marks: PhantomData<(&'l mut Locks, R, M)>,
}

impl<R, M> Guard<'_, R, M> {
    /// The lock file.
    pub fn path(&self) -> &Path {
        self.held.path()
    }
}

impl<R> private::Sealed for Guard<'_, R, Exclusive> {}
impl<R> Writing for Guard<'_, R, Exclusive> {}

/// The right to take locks after `L`, outside the gate.
#[derive(Debug)]
#[must_use = "dropping the token ends the chain"]
pub struct Order<'l, L> {
    locks: &'l Locks,
    rank: PhantomData<(&'l mut Locks, L)>,
}

impl<'l> Order<'l, Start> {
    pub(super) fn start(locks: &'l mut Locks) -> Self {
        Order::at(locks)
    }
}

impl<'l, L> Order<'l, L> {
    fn at(locks: &'l Locks) -> Self {
        Order { locks, rank: PhantomData }
    }

    /// Takes `R` (reindex, state or trail), shared. ERR-295-09 after the time-out.
    pub fn shared<R: After<L> + Free>(self) -> Result<(Guard<'l, R, Shared>, Order<'l, R>)> {
        Ok((take(self.locks, Mode::Shared)?, Order::at(self.locks)))
    }

    /// Takes `R` (reindex, state or trail), exclusive. ERR-295-09 after the time-out.
    pub fn exclusive<R: After<L> + Free>(self) -> Result<(Guard<'l, R, Exclusive>, Order<'l, R>)> {
        Ok((take(self.locks, Mode::Exclusive)?, Order::at(self.locks)))
    }

    /// Enters the turnstile before the record locks. Do not work inside: take the locks and leave.
    pub fn gate(self) -> Result<Gate<'l, Turnstile>>
    where
        Turnstile: After<L>,
    {
        let held = Held::take(&file_of::<Turnstile>(self.locks), Mode::Exclusive, &self.locks.settings)?;
        Ok(Gate { held, locks: self.locks, rank: PhantomData })
    }
}

/// The right to take record locks after `L`; the turnstile stays closed to others until [`Gate::leave`].
#[derive(Debug)]
#[must_use = "dropping the gate ends the chain"]
pub struct Gate<'l, L> {
    held: Held,
    locks: &'l Locks,
    rank: PhantomData<(&'l mut Locks, L)>,
}

impl<'l, L> Gate<'l, L> {
    /// Takes the record lock `R`, shared. ERR-295-09 after the time-out.
    pub fn shared<R: After<L> + Record>(self) -> Result<(Guard<'l, R, Shared>, Gate<'l, R>)> {
        Ok((take(self.locks, Mode::Shared)?, self.step()))
    }

    /// Takes the record lock `R`, exclusive. ERR-295-09 after the time-out.
    pub fn exclusive<R: After<L> + Record>(self) -> Result<(Guard<'l, R, Exclusive>, Gate<'l, R>)> {
        Ok((take(self.locks, Mode::Exclusive)?, self.step()))
    }

    /// Opens the turnstile to others and goes on with the locks after the records.
    pub fn leave(self) -> Order<'l, L> {
        let Gate { held, locks, rank: _ } = self;
        drop(held);
        Order::at(locks)
    }

    fn step<R>(self) -> Gate<'l, R> {
        Gate { held: self.held, locks: self.locks, rank: PhantomData }
    }
}

fn file_of<R: Rank>(locks: &Locks) -> PathBuf {
    locks.workspace.data().join(R::FILE)
}

fn take<'l, R: Rank, M>(locks: &'l Locks, mode: Mode) -> Result<Guard<'l, R, M>> {
    let held = Held::take(&file_of::<R>(locks), mode, &locks.settings)?;
    Ok(Guard { held, marks: PhantomData })
}
