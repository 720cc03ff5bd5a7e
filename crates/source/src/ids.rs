//! Identities that are no bare integers.

/// Makes id types: each is a position in a table, a type of its own, and printed as a number behind a prefix, if it
/// has one.
///
/// ```
/// fairly_source::ids! {
///     /// A line of a text.
///     LineId "line ";
///     /// A column of a text.
///     ColumnId;
/// }
/// assert_eq!(LineId::from_index(3).to_string(), "line 3");
/// assert_eq!(ColumnId(7).index(), 7);
/// ```
#[macro_export]
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $($prefix:literal)?;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The position, for tables indexed by it.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The one at this position.
            ///
            /// # Panics
            /// Past 2³² of them, which no limit in use allows.
            #[inline]
            pub fn from_index(index: usize) -> Self {
                $name(u32::try_from(index).expect("fewer than 2^32 of them"))
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($($prefix,)? "{}"), self.0)
            }
        }
    )*};
}
