//! A message chart as a picture that a browser shows.
//!
//! Time runs down, and each process has a lane. A long run is cut into pieces of a height that a screen shows.
//! They stand side by side as long as the picture is not too wide, and then below each other. An arrow that
//! leaves its piece says where it goes on.

use std::fmt::Write;

use super::Mark;
use crate::look::clipped;
use crate::markup::xml;
use crate::trace::Saved;

/// Steps in a piece.
const STEPS: usize = 32;
/// How high a step is.
const STEP: usize = 26;
/// Height of the head of a piece: the names of the lanes.
const HEAD: usize = 44;
/// Free margin around pieces.
const MARGIN: usize = 16;
/// Room for the numbers of steps.
const NUMBERS: usize = 36;
/// The widest picture, unless a single piece is wider.
const WIDEST: usize = 1800;
/// From the left of its room to a lane: what happens there is written on the right.
const INSET: usize = 24;
/// How wide a letter is, about.
const LETTER: usize = 6;

/// Where everything is.
struct Drawing<'a> {
    trace: &'a Saved,
    lanes: Vec<usize>,
    /// From one lane to the next.
    spread: usize,
    /// How wide a piece is.
    width: usize,
    /// Pieces that stand side by side.
    beside: usize,
    /// Where the first row of pieces begins.
    top: usize,
}

impl Saved {
    /// The run as a message chart in SVG.
    pub fn svg(&self) -> String {
        let lanes = self.lanes();
        let spread = match lanes.len() {
            0..=2 => 280,
            3..=4 => 210,
            5..=8 => 150,
            _ => 110,
        };
        let width = NUMBERS + spread * lanes.len() + MARGIN;
        let pieces = self.run.steps.len().div_ceil(STEPS).max(1);
        let beside = ((WIDEST - MARGIN) / (width + MARGIN)).clamp(1, pieces);
        let drawing = Drawing { trace: self, lanes, spread, width, beside, top: 3 * MARGIN };
        drawing.draw(pieces)
    }
}

impl Drawing<'_> {
    /// Where a piece begins: left and top.
    fn corner(&self, piece: usize) -> (usize, usize) {
        let height = HEAD + STEPS * STEP + 2 * MARGIN;
        let (row, column) = (piece / self.beside, piece % self.beside);
        (MARGIN + column * (self.width + MARGIN), self.top + row * height)
    }

    /// The middle of a lane at a step.
    fn point(&self, lane: usize, step: usize) -> (usize, usize) {
        let (left, top) = self.corner(step / STEPS);
        let lane = self.lanes.iter().position(|&other| other == lane).unwrap_or(0);
        let x = left + NUMBERS + self.spread * lane + INSET;
        (x, top + HEAD + (step % STEPS) * STEP + STEP / 2)
    }

    fn steps_in(&self, piece: usize) -> usize {
        self.trace.run.steps.len().saturating_sub(piece * STEPS).min(STEPS)
    }

    fn draw(&self, pieces: usize) -> String {
        let last = self.corner(pieces - 1).1;
        let height = last + HEAD + self.steps_in(pieces - 1).max(1) * STEP + 4 * MARGIN;
        let height = if pieces > self.beside {
            height.max(self.corner(self.beside).1)
        } else {
            self.top + HEAD + self.steps_in(0).max(1) * STEP + 4 * MARGIN
        };
        let width = (MARGIN + self.beside * (self.width + MARGIN)).max(480);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
             <defs><marker id=\"to\" markerWidth=\"9\" markerHeight=\"8\" refX=\"8\" refY=\"4\" \
             orient=\"auto\"><path d=\"M0,0 L9,4 L0,8 z\"/></marker></defs>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
        );
        let title = clipped(&self.trace.title(), width / LETTER);
        let y = 2 * MARGIN - 6;
        let _ = writeln!(
            out,
            "<text x=\"{MARGIN}\" y=\"{y}\" font-size=\"13\" font-weight=\"bold\">{}</text>",
            xml(&title)
        );
        for piece in 0..pieces {
            self.piece(piece, &mut out);
        }
        for (at, mark) in self.trace.marks().iter().enumerate() {
            self.step(at, mark, &mut out);
        }
        let mut said: Vec<String> = Vec::new();
        if let Some(back) = self.trace.run.loops_to {
            let last = self.trace.run.steps.len();
            said.push(format!(
                "After step {last} the run goes on with step {} for ever.",
                back + 1
            ));
        }
        said.extend(self.trace.conclusion.clone());
        said.extend(self.trace.without_lane());
        let said = clipped(&said.join("   "), width / LETTER);
        let _ = writeln!(
            out,
            "<text x=\"{MARGIN}\" y=\"{}\" fill=\"#444\">{}</text>",
            height - MARGIN,
            xml(&said)
        );
        out + "</svg>\n"
    }

    /// The lanes of a piece, and what is behind the steps of a loop.
    fn piece(&self, piece: usize, out: &mut String) {
        let (left, top) = self.corner(piece);
        let steps = self.steps_in(piece);
        if let Some(back) = self.trace.run.loops_to {
            let from = back.max(piece * STEPS) - piece * STEPS;
            if from < steps {
                let (y, high) = (top + HEAD + from * STEP, (steps - from) * STEP);
                let _ = writeln!(
                    out,
                    "<rect x=\"{left}\" y=\"{y}\" width=\"{}\" height=\"{high}\" fill=\"#fdf6d8\"/>",
                    self.width
                );
            }
        }
        for (at, &lane) in self.lanes.iter().enumerate() {
            let x = left + NUMBERS + self.spread * at + INSET;
            let name = clipped(&self.trace.run.processes[lane], self.spread / (LETTER + 2));
            let (y, bottom) = (top + HEAD - 8, top + HEAD + steps * STEP + 4);
            let _ = writeln!(
                out,
                "<text x=\"{x}\" y=\"{}\" font-weight=\"bold\">{}</text>\n\
                 <line x1=\"{x}\" y1=\"{y}\" x2=\"{x}\" y2=\"{bottom}\" stroke=\"#999\"/>",
                y - 6,
                xml(&name)
            );
        }
    }

    fn step(&self, at: usize, mark: &Mark, out: &mut String) {
        let (left, _) = self.corner(at / STEPS);
        let first = self.lanes.first().copied().unwrap_or(0);
        let lane = match mark {
            Mark::Own(lane) | Mark::Meets(lane, _) | Mark::Sends(lane, ..) => *lane,
            Mark::SendsInVain(lane) => *lane,
            Mark::Together(all) => all.first().copied().unwrap_or(first),
            Mark::Nothing => first,
        };
        let (x, y) = self.point(lane, at);
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#888\">{}</text>",
            left + NUMBERS - 10,
            y + 4,
            at + 1
        );
        let arrow = |from: (usize, usize), to: (usize, usize), style: &str| {
            format!(
                "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"black\" {style}/>\n",
                from.0, from.1, to.0, to.1
            )
        };
        const TO: &str = "marker-end=\"url(#to)\"";
        match mark {
            Mark::Own(_) | Mark::Nothing => {}
            Mark::Meets(_, other) => out.push_str(&arrow((x, y), self.point(*other, at), TO)),
            Mark::Together(all) => {
                for &other in all.iter().skip(1) {
                    let there = self.point(other, at);
                    out.push_str(&arrow((x, y), there, ""));
                    let _ =
                        writeln!(out, "<circle cx=\"{}\" cy=\"{}\" r=\"3\"/>", there.0, there.1);
                }
            }
            Mark::Sends(_, other, step) if step / STEPS == at / STEPS => {
                out.push_str(&arrow((x, y), self.point(*other, *step), TO));
            }
            Mark::Sends(_, other, step) => {
                // Out of this piece, and into the other.
                let (there, _) = self.point(*other, at);
                let near = if there > x { x + 24 } else { x.saturating_sub(24) };
                out.push_str(&arrow((x, y), (near, y + 14), "stroke-dasharray=\"3 2\""));
                let (to_x, to_y) = self.point(*other, *step);
                let from = if there > x { to_x.saturating_sub(24) } else { to_x + 24 };
                let style = format!("stroke-dasharray=\"3 2\" {TO}");
                out.push_str(&arrow((from, to_y.saturating_sub(14)), (to_x, to_y), &style));
            }
            Mark::SendsInVain(_) => {
                let end = (x + 34, y + 10);
                out.push_str(&arrow((x, y), end, "stroke-dasharray=\"3 2\""));
                let _ = writeln!(
                    out,
                    "<circle cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"white\" stroke=\"black\"/>",
                    end.0, end.1
                );
            }
        }
        let _ = writeln!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"3.5\"/>");
        let said = match mark {
            Mark::Nothing => "nothing can happen".to_owned(),
            Mark::SendsInVain(_) => format!("{} (not received)", self.trace.run.steps[at].action),
            _ => self.trace.run.steps[at].action.clone(),
        };
        let room = self.spread.saturating_sub(INSET) / (LETTER + 1);
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\"><title>{}</title>{}</text>",
            x + 7,
            y - 4,
            xml(&format!("step {}, {}: {said}", at + 1, self.trace.run.steps[at].who)),
            xml(&clipped(&said, room))
        );
    }
}
