//! What is asked of a card: memory, programs, and kernels that run.

/// Memory on a card, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer(pub usize);

/// What a kernel is called with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Call {
    /// Memory that it uses.
    pub buffers: [Option<Buffer>; 10],
    /// Numbers.
    pub numbers: [u64; 8],
}

/// A card failed, or there is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardError {
    /// There is no driver, no compiler or no card.
    #[error("there is no graphics card that can be used: {0}")]
    Missing(String),
    /// There is not so much memory.
    #[error("the card has no room for {0} bytes")]
    Memory(u64),
    /// Something went wrong on it.
    #[error("the graphics card failed: {0}")]
    Failed(String),
}

/// A card, or what stands in for one.
pub trait Card {
    /// Its name.
    fn name(&self) -> String;

    /// Bytes that are free.
    fn free_bytes(&mut self) -> u64;

    /// Compiles a program, whose kernels have these names. They stay until others of the same name come.
    ///
    /// # Errors
    /// When it is not accepted.
    fn compile(&mut self, text: &str, kernels: &[&'static str]) -> Result<(), CardError>;

    /// Memory for so many words, all zero.
    ///
    /// # Errors
    /// When there is not so much.
    fn allocate(&mut self, words: u64) -> Result<Buffer, CardError>;

    /// Gives memory back.
    fn free(&mut self, buffer: Buffer);

    /// Sets all words to zero.
    ///
    /// # Errors
    /// When the card fails; so for all that follow.
    fn zero(&mut self, buffer: Buffer) -> Result<(), CardError>;

    /// Copies so many words from one buffer to the beginning of another.
    ///
    /// # Errors
    /// When the card fails.
    fn copy(&mut self, from: Buffer, to: Buffer, words: u64) -> Result<(), CardError>;

    /// Writes words from a position on.
    ///
    /// # Errors
    /// When the card fails.
    fn write(&mut self, buffer: Buffer, at: u64, words: &[u64]) -> Result<(), CardError>;

    /// Reads words from a position on.
    ///
    /// # Errors
    /// When the card fails.
    fn read(&mut self, buffer: Buffer, at: u64, words: &mut [u64]) -> Result<(), CardError>;

    /// Runs a kernel for so many items.
    ///
    /// # Errors
    /// When the card fails.
    fn launch(&mut self, kernel: &'static str, items: u64, call: &Call) -> Result<(), CardError>;
}
