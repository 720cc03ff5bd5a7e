//! The ids of the parts of a model: positions in its tables, printed as the text form writes them.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The position, for tables indexed by it.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The one at this position.
            ///
            /// # Panics
            /// Past 2³² of them.
            pub fn from_index(index: usize) -> Self {
                $name(u32::try_from(index).expect("fewer than 2^32 of them"))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

id! {
    /// A variable of the whole model: its position in [`crate::Model::variables`].
    VariableId, "g"
}
id! {
    /// A variable of one process: its position in [`crate::Template::locals`].
    LocalId, "l"
}
id! {
    /// A channel: its position in [`crate::Model::channels`], and its value in expressions.
    ChannelId, "c"
}
id! {
    /// A kind of process: its position in [`crate::Model::templates`].
    TemplateId, "t"
}
id! {
    /// A control location: its position in [`crate::Template::locations`].
    LocationId, "q"
}
id! {
    /// A place for a process: its position in [`crate::Model::slots`].
    SlotId, "p"
}
