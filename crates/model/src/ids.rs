//! The ids of the parts of a model: positions in its tables, printed as the text form writes them.

fairly_source::ids! {
    /// A variable of the whole model: its position in [`crate::Model::variables`].
    VariableId "g";
    /// A variable of one process: its position in [`crate::Template::locals`].
    LocalId "l";
    /// A channel: its position in [`crate::Model::channels`], and its value in expressions.
    ChannelId "c";
    /// A kind of process: its position in [`crate::Model::templates`].
    TemplateId "t";
    /// A control location: its position in [`crate::Template::locations`].
    LocationId "q";
    /// A place for a process: its position in [`crate::Model::slots`].
    SlotId "p";
}
