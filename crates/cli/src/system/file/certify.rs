//! Certificates of answers.

use std::time::Instant;

use fairly_check::proof::Proof;
use fairly_check::{Asked, Assumption, Claim, Question, Said, Verdict};

use super::File;
use crate::failure::{Bug, CliError};
use crate::files::Output;
use crate::system::arguments::Check;

impl File {
    /// Makes a certificate of an answer, has it verified if that is asked for, and says so in the verdict.
    pub(super) fn certify(
        &mut self,
        request: &Check,
        question: &mut Question,
        assumption: &Assumption,
        verdict: &mut Verdict,
    ) -> Result<(), CliError> {
        let started = Instant::now();
        let options = request.model.options()?;
        // A claim that something is reached is shown by a run, and its negation by all states; of everything else, a
        // "holds" is shown by all states, and a "violated" by a run.
        let proof = match (verdict.outcome, is_reach(question)) {
            (Said::Unknown, _) => return Ok(()),
            (Said::Violated, false) | (Said::Holds, true) => {
                self.systems.refutation(question, assumption, &options)
            }
            (Said::Holds, false) | (Said::Violated, true) => {
                self.systems.proof(question, assumption, options.bounds)
            }
        };
        let proof = match proof {
            Ok(proof) => proof,
            Err(why) => {
                verdict.notes.push(format!("no certificate: {why}"));
                return Ok(());
            }
        };
        let mut note = made(&proof, started, verdict);
        if request.certify {
            let started = Instant::now();
            match fairly_verify::verify(&proof.bytes) {
                Ok(_) => verdict.stamp.certified = true,
                Err(rejected) => {
                    let message =
                        format!("the certificate of an answer is not accepted: {rejected}");
                    return Err(CliError::Internal(Bug { message, run: None }));
                }
            }
            note.push_str(&format!("; verified in {:.2} s", started.elapsed().as_secs_f64()));
        }
        verdict.notes.push(note);
        self.certificates.extend(proof.bytes);
        Ok(())
    }

    /// Writes the certificates to the file that is asked for.
    pub(super) fn write_certificates(&mut self, request: &Check) -> Result<(), CliError> {
        let certificates = std::mem::take(&mut self.certificates);
        match &request.certificate {
            Some(path) if !certificates.is_empty() => {
                Output::open(path)?.write_bytes(&certificates)
            }
            _ => Ok(()),
        }
    }
}

/// Whether it is asked if something can be reached.
fn is_reach(question: &Question) -> bool {
    matches!(&question.asked, Asked::Claim(Claim::Reaches { .. }))
}

/// Says what was certified, and what it cost that a certificate is of the whole system.
fn made(proof: &Proof, started: Instant, verdict: &Verdict) -> String {
    let Proof { bytes, states, nodes } = proof;
    let size = bytes.len();
    let seconds = started.elapsed().as_secs_f64();
    let mut note =
        format!("certificate: {states} states, {nodes} nodes, {size} bytes, {seconds:.2} s");
    if !verdict.stamp.reductions.is_empty() {
        let searched = verdict.stamp.states.map_or(String::new(), |it| format!(" instead of {it}"));
        let used = verdict.stamp.reductions.join(", ");
        note.push_str(&format!("; of the whole system{searched}, without {used}"));
    }
    note
}
