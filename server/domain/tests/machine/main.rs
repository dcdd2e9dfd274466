//! The build as a pure machine: whole lives of builds, played with every kind of luck.
//!
//! - [`samples`]: payloads with little in them
//! - [`choices`]: luck as data, so that a bad run can be shrunk
//! - [`rules`]: what must hold from one event to the next
//! - [`player`]: does what `decide` says, in a world without git, models or databases

#[cfg(test)]
mod agents;
#[cfg(test)]
mod assumptions;
#[cfg(test)]
mod bases;
#[cfg(test)]
mod before_seal;
#[cfg(test)]
mod choices;
#[cfg(test)]
mod clocks;
#[cfg(test)]
mod confirmations;
mod control;
#[cfg(test)]
mod dishonest;
#[cfg(test)]
mod fixes;
#[cfg(test)]
mod gate_changes;
#[cfg(test)]
mod legality;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod lives;
#[cfg(test)]
mod people;
#[cfg(test)]
mod plan_approval;
#[cfg(test)]
mod player;
#[cfg(test)]
mod progress;
#[cfg(test)]
mod requirements;
#[cfg(test)]
mod rules;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod seals;
#[cfg(test)]
mod worse_evidence;
