//! Values in which interchangeable things are spoken of by number, and what becomes of them by an exchange.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

use crate::actor::Id;

/// A value in which things may be exchanged: what [`Symmetric::permute`](crate::Symmetric::permute) does to a state.
///
/// It is derived for structures and enumerations. A number is a number, and stays as it is, unless its field says that
/// it is the number of a thing:
///
/// | attribute of a field | the field is | and becomes |
/// |---|---|---|
/// | none | any value of types that implement this trait | the same with all things in it exchanged |
/// | `#[permute(indexed)]` | a list or an array with a member for each thing | that with its members in other places, and things exchanged in them |
/// | `#[permute(index)]` | the number of a thing, or a collection of such numbers; of a map, the keys | the numbers of other things |
/// | `#[permute(bits)]` | an unsigned number with a bit for each thing | that with its bits in other places |
/// | `#[permute(fixed)]` | anything that speaks of no thing | the same |
///
/// [`actor::Id`](crate::actor::Id) is always the number of a thing.
///
/// ```
/// use fairly::Permute;
///
/// #[derive(Clone, Debug, PartialEq, Permute)]
/// struct State {
///     /// What each thread does.
///     #[permute(indexed)]
///     threads: Vec<Thread>,
///     /// Who holds the lock.
///     #[permute(index)]
///     holder: Option<usize>,
///     /// Who waits for it.
///     #[permute(bits)]
///     waits: u8,
///     count: u32,
/// }
///
/// #[derive(Clone, Debug, PartialEq, Permute)]
/// enum Thread {
///     Rests,
///     Follows(#[permute(index)] usize),
/// }
/// use Thread::{Follows, Rests};
///
/// let state = State { threads: vec![Rests, Follows(0)], holder: Some(1), waits: 0b01, count: 1 };
/// let other = State { threads: vec![Follows(1), Rests], holder: Some(0), waits: 0b10, count: 1 };
/// assert_eq!(state.permute(&[1, 0]), other);
/// ```
///
/// A number that its field does not explain has to be one that speaks of no thing:
///
/// ```compile_fail
/// #[derive(fairly::Permute)]
/// struct State {
///     #[permute(thread)]
///     holder: usize,
/// }
/// ```
pub trait Permute {
    /// The value in which thing `i` is thing `places[i]`.
    #[must_use]
    fn permute(&self, places: &[usize]) -> Self;
}

/// The place of a thing; things that are not exchanged stay where they are.
fn place(thing: usize, places: &[usize]) -> usize {
    places.get(thing).copied().unwrap_or(thing)
}

/// A value that is the number of a thing, or speaks of things by number: `#[permute(index)]`.
#[doc(hidden)]
pub trait Index {
    fn moved(&self, places: &[usize]) -> Self;
}

/// A list with a member for each thing: `#[permute(indexed)]`.
#[doc(hidden)]
pub trait Indexed {
    fn reordered(&self, places: &[usize]) -> Self;
}

/// A number with a bit for each thing: `#[permute(bits)]`.
#[doc(hidden)]
pub trait Bits {
    fn scattered(&self, places: &[usize]) -> Self;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        /// A number that is only a number.
        impl Permute for $number {
            fn permute(&self, _: &[usize]) -> Self {
                *self
            }
        }
    )*};
}
numbers!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, bool, char, ());

macro_rules! indices {
    ($($number:ty),*) => {$(
        impl Index for $number {
            fn moved(&self, places: &[usize]) -> Self {
                let thing = usize::try_from(*self).ok().map(|thing| place(thing, places));
                thing.and_then(|thing| Self::try_from(thing).ok()).unwrap_or(*self)
            }
        }

        impl Bits for $number {
            fn scattered(&self, places: &[usize]) -> Self {
                let bits = (0..Self::BITS as usize).filter(|&bit| *self >> bit & 1 == 1);
                let bits = bits.map(|bit| place(bit, places));
                bits.fold(0, |all, bit| all | 1 << bit)
            }
        }
    )*};
}
indices!(u8, u16, u32, u64, u128, usize);

impl Permute for Id {
    fn permute(&self, places: &[usize]) -> Id {
        Id(place(self.0, places))
    }
}

impl Index for Id {
    fn moved(&self, places: &[usize]) -> Id {
        self.permute(places)
    }
}

impl Permute for String {
    fn permute(&self, _: &[usize]) -> String {
        self.clone()
    }
}

impl Permute for &'static str {
    fn permute(&self, _: &[usize]) -> &'static str {
        self
    }
}

impl<T> Permute for PhantomData<T> {
    fn permute(&self, _: &[usize]) -> Self {
        PhantomData
    }
}

/// What is in a collection is exchanged, and the collection put together again.
macro_rules! collections {
    ($($collection:ident $(: $bound:path)?),*) => {$(
        impl<T: Permute $(+ $bound)?> Permute for $collection<T> {
            fn permute(&self, places: &[usize]) -> Self {
                self.iter().map(|member| member.permute(places)).collect()
            }
        }

        impl<T: Index $(+ $bound)?> Index for $collection<T> {
            fn moved(&self, places: &[usize]) -> Self {
                self.iter().map(|member| member.moved(places)).collect()
            }
        }
    )*};
}
collections!(Vec, VecDeque, BTreeSet: Ord);

impl<T: Permute> Permute for Option<T> {
    fn permute(&self, places: &[usize]) -> Self {
        self.as_ref().map(|inner| inner.permute(places))
    }
}

impl<T: Index> Index for Option<T> {
    fn moved(&self, places: &[usize]) -> Self {
        self.as_ref().map(|inner| inner.moved(places))
    }
}

impl<T: Permute, const N: usize> Permute for [T; N] {
    fn permute(&self, places: &[usize]) -> Self {
        std::array::from_fn(|at| self[at].permute(places))
    }
}

impl<T: Index, const N: usize> Index for [T; N] {
    fn moved(&self, places: &[usize]) -> Self {
        std::array::from_fn(|at| self[at].moved(places))
    }
}

macro_rules! pointers {
    ($($pointer:ident),*) => {$(
        impl<T: Permute> Permute for $pointer<T> {
            fn permute(&self, places: &[usize]) -> Self {
                $pointer::new((**self).permute(places))
            }
        }
    )*};
}
pointers!(Box, Rc, Arc);

impl<K: Permute + Ord, V: Permute> Permute for BTreeMap<K, V> {
    fn permute(&self, places: &[usize]) -> Self {
        self.iter().map(|(key, value)| (key.permute(places), value.permute(places))).collect()
    }
}

impl<K: Index + Ord, V: Permute> Index for BTreeMap<K, V> {
    fn moved(&self, places: &[usize]) -> Self {
        self.iter().map(|(key, value)| (key.moved(places), value.permute(places))).collect()
    }
}

macro_rules! tuples {
    ($(($($name:ident $at:tt),*)),*) => {$(
        impl<$($name: Permute),*> Permute for ($($name,)*) {
            fn permute(&self, places: &[usize]) -> Self {
                ($(self.$at.permute(places),)*)
            }
        }

        impl<$($name: Index),*> Index for ($($name,)*) {
            fn moved(&self, places: &[usize]) -> Self {
                ($(self.$at.moved(places),)*)
            }
        }
    )*};
}
tuples!((A 0), (A 0, B 1), (A 0, B 1, C 2), (A 0, B 1, C 2, D 3), (A 0, B 1, C 2, D 3, E 4));

/// The position that the member at each position comes from, in a list of so many.
///
/// # Panics
/// If the list has another length than there are things, since its members belong to none then.
fn sources(length: usize, places: &[usize]) -> Vec<usize> {
    assert_eq!(
        length,
        places.len(),
        "a field with `#[permute(indexed)]` has one member for each interchangeable thing"
    );
    let mut from = vec![0; length];
    places.iter().enumerate().for_each(|(thing, &to)| from[to] = thing);
    from
}

impl<T: Permute> Indexed for Vec<T> {
    fn reordered(&self, places: &[usize]) -> Self {
        let from = sources(self.len(), places);
        from.into_iter().map(|from| self[from].permute(places)).collect()
    }
}

impl<T: Permute, const N: usize> Indexed for [T; N] {
    fn reordered(&self, places: &[usize]) -> Self {
        let from = sources(N, places);
        std::array::from_fn(|at| self[from[at]].permute(places))
    }
}

impl<T: Permute> Indexed for Arc<[T]> {
    fn reordered(&self, places: &[usize]) -> Self {
        let from = sources(self.len(), places);
        from.into_iter().map(|from| self[from].permute(places)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exchanging back gives what was there; exchanging one after the other is one exchange.
    #[test]
    fn exchanges_are_a_group() {
        let value = (vec![Some(Id(0)), None, Some(Id(2))], BTreeSet::from([Id(1), Id(2)]), 7_u8);
        let turn = |it: &Vec<usize>, places: &[usize]| it.reordered(places);
        let (one, other): ([usize; 3], [usize; 3]) = ([1, 2, 0], [1, 0, 2]);
        let both = [0, 1, 2].map(|thing| other[one[thing]]);
        assert_eq!(value.permute(&one).permute(&other), value.permute(&both));
        assert_eq!(value.permute(&one).permute(&[2, 0, 1]), value);
        let list = vec![10, 11, 12];
        assert_eq!(turn(&turn(&list, &one), &other), turn(&list, &both));
        assert_eq!(turn(&list, &one), [12, 10, 11], "thing 0 is thing 1 now");
        assert_eq!(0b001_u8.scattered(&one).scattered(&other), 0b001_u8.scattered(&both));
    }

    #[test]
    fn numbers_move_only_where_they_are_things() {
        let places = [1, 0];
        assert_eq!(1_usize.permute(&places), 1);
        assert_eq!((1_usize.moved(&places), 5_u8.moved(&places)), (0, 5));
        assert_eq!(
            BTreeMap::from([(0_u8, 'a'), (1, 'b')]).moved(&places),
            BTreeMap::from([(0, 'b'), (1, 'a')])
        );
        assert_eq!(0b1101_u8.scattered(&places), 0b1110);
        assert_eq!([[0_usize, 1], [1, 1]].moved(&places), [[1, 0], [0, 0]]);
    }

    #[test]
    #[should_panic(expected = "one member for each interchangeable thing")]
    fn a_list_of_another_length_is_told() {
        let _ = vec![1, 2, 3].reordered(&[1, 0]);
    }
}
