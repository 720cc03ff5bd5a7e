//! Protocols that are checked. Each file is a model, and what is promised of it.

mod increment;
mod lock_free_stack;
mod paxos;
mod peterson;
mod raft;
mod rate_limiter;
mod registers;
mod ticket_lock;
mod token_ring;
mod two_phase_commit;
mod work_queue;
