//! State tables that respect memory.
