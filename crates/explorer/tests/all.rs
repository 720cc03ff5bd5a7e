//! The tests of the explorer as a library. What a person sees is tested where the command is, in `fairly-cli`.

mod served;
