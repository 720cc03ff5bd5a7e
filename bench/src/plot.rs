//! Plots as SVG text: panels of curves with a logarithmic second axis, one legend for all.
//!
//! No plotting crate: the few shapes here are less than what one would bring along, and the file
//! that is recorded changes only where the numbers do.

use std::fmt::Write;

/// A plot of one quantity.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Title of the plot.
    pub title: String,
    /// Quantity on the first axis.
    pub x_label: String,
    /// The curves; the same names in all panels of a plot.
    pub series: Vec<Series>,
}

/// A curve.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// An SVG colour.
    pub colour: &'static str,
    /// How its line is drawn.
    pub stroke: Stroke,
    /// Its points, from left to right.
    pub points: Vec<Point>,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// With filled circles at its points.
    Solid,
    /// With hollow squares, so that it can be seen beside a solid line it coincides with.
    Dashed,
}

/// A point of a curve.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// On the first axis.
    pub x: u32,
    /// On the logarithmic axis; positive.
    pub y: f64,
    /// The value is only known to be at least `y`: drawn as an arrow upwards.
    pub at_least: bool,
}

/// Size of the drawing area of a panel, and the space around it.
const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 46.0;
const LEGEND: f64 = 64.0;

/// Panels in a row.
const COLUMNS: usize = 3;

/// The panels, three in a row, under their legend and a note.
pub fn svg(panels: &[Panel], note: &str) -> String {
    let (cell_width, cell_height) = (LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM);
    let width = COLUMNS as f64 * cell_width;
    let height = LEGEND + cell_height * panels.len().div_ceil(COLUMNS) as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" \
         font-family=\"DejaVu Sans, Verdana, sans-serif\" font-size=\"12\" fill=\"#1f2937\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    if let Some(first) = panels.first() {
        legend(&mut out, &first.series, note);
    }
    for (at, panel) in panels.iter().enumerate() {
        let x = cell_width * (at % COLUMNS) as f64 + LEFT;
        let y = LEGEND + cell_height * (at / COLUMNS) as f64 + TOP;
        let _ = writeln!(out, "<g transform=\"translate({x} {y})\">");
        draw(&mut out, panel);
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

fn legend(out: &mut String, series: &[Series], note: &str) {
    let each = 150.0;
    for (at, series) in series.iter().enumerate() {
        let x = LEFT + each * at as f64;
        line(out, series, &[(x, 22.0), (x + 36.0, 22.0)]);
        marker(out, series, (x + 18.0, 22.0));
        let _ = writeln!(out, "<text x=\"{}\" y=\"26\">{}</text>", x + 44.0, series.name);
    }
    let _ = writeln!(
        out,
        "<text x=\"{LEFT}\" y=\"48\" fill=\"#4b5563\" font-size=\"11\">{note}</text>"
    );
}

/// The powers of ten that enclose the points.
fn decades(panel: &Panel) -> (i32, i32) {
    let values = || panel.series.iter().flat_map(|series| &series.points).map(|point| point.y);
    let low = values().fold(f64::INFINITY, f64::min).max(1e-9).log10().floor();
    let high = values().fold(1e-9, f64::max).log10().ceil();
    (low.min(high) as i32, high.max(low + 1.0) as i32)
}

/// The first axis: logarithmic if the values on it are of different orders of magnitude.
struct Across {
    first: u32,
    last: u32,
}

impl Across {
    fn of(panel: &Panel) -> Across {
        let xs = || panel.series.iter().flat_map(|series| &series.points).map(|point| point.x);
        Across { first: xs().min().unwrap_or(0), last: xs().max().unwrap_or(1) }
    }

    fn is_logarithmic(&self) -> bool {
        self.first > 0 && self.last / self.first >= 10
    }

    fn place(&self, x: u32) -> f64 {
        let inset = 14.0;
        let scale = |x: u32| if self.is_logarithmic() { f64::from(x).ln() } else { f64::from(x) };
        let length = scale(self.last.max(self.first + 1)) - scale(self.first);
        inset + (scale(x) - scale(self.first)) / length * (WIDTH - 2.0 * inset)
    }

    /// Where it has numbers: everywhere, or, where that would be too many, at points that are far enough
    /// from each other.
    fn ticks(&self, panel: &Panel) -> Vec<u32> {
        if self.last - self.first <= 12 {
            return (self.first..=self.last).collect();
        }
        let all = panel.series.iter().flat_map(|series| &series.points).map(|point| point.x);
        let mut xs: Vec<u32> = all.collect();
        xs.sort_unstable();
        let mut apart: Vec<u32> = Vec::new();
        for x in xs {
            if apart.last().is_none_or(|&last| self.place(x) - self.place(last) > 26.0) {
                apart.push(x);
            }
        }
        apart
    }
}

fn draw(out: &mut String, panel: &Panel) {
    let across = Across::of(panel);
    let (low, high) = decades(panel);
    let x_of = |x: u32| across.place(x);
    let y_of = |y: f64| HEIGHT * (1.0 - (y.log10() - f64::from(low)) / f64::from(high - low));

    let _ = writeln!(
        out,
        "<text x=\"0\" y=\"-14\" font-size=\"14\" font-weight=\"bold\">{}</text>",
        panel.title
    );
    for decade in low..=high {
        let y = y_of(10f64.powi(decade));
        let _ = writeln!(
            out,
            "<line x1=\"0\" x2=\"{WIDTH}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#e5e7eb\"/>\
             <text x=\"-8\" y=\"{:.1}\" text-anchor=\"end\">10<tspan dy=\"-5\" \
             font-size=\"9\">{}</tspan></text>",
            y + 4.0,
            decade.to_string().replace('-', "\u{2212}")
        );
    }
    for x in across.ticks(panel) {
        let at = x_of(x);
        let _ = writeln!(
            out,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{HEIGHT}\" y2=\"{}\" stroke=\"#6b7280\"/>\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{x}</text>",
            HEIGHT + 5.0,
            HEIGHT + 19.0
        );
    }
    let _ = writeln!(
        out,
        "<path d=\"M0 0V{HEIGHT}H{WIDTH}\" fill=\"none\" stroke=\"#6b7280\"/>\n\
         <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
        WIDTH / 2.0,
        HEIGHT + 37.0,
        panel.x_label
    );
    // Solid lines first, so that a dashed one with the same points is seen on top.
    for stroke in [Stroke::Solid, Stroke::Dashed] {
        for series in panel.series.iter().filter(|series| series.stroke == stroke) {
            let places: Vec<(f64, f64)> =
                series.points.iter().map(|point| (x_of(point.x), y_of(point.y))).collect();
            // A point that is only a bound is not a part of the curve, which would seem to bend there.
            let known = series.points.iter().take_while(|point| !point.at_least).count();
            line(out, series, &places[..known]);
            for (point, &place) in series.points.iter().zip(&places) {
                if point.at_least {
                    arrow(out, series, place);
                } else {
                    marker(out, series, place);
                }
            }
        }
    }
}

fn line(out: &mut String, series: &Series, places: &[(f64, f64)]) {
    let points: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let style = match series.stroke {
        Stroke::Solid => "stroke-width=\"2\"",
        Stroke::Dashed => "stroke-width=\"2\" stroke-dasharray=\"6 4\"",
    };
    let _ = writeln!(
        out,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" {style}/>",
        points.join(" "),
        series.colour
    );
}

fn marker(out: &mut String, series: &Series, (x, y): (f64, f64)) {
    let colour = series.colour;
    let _ = match series.stroke {
        Stroke::Solid => {
            writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{colour}\"/>")
        }
        Stroke::Dashed => writeln!(
            out,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"8\" height=\"8\" fill=\"white\" \
             fill-opacity=\"0.6\" stroke=\"{colour}\" stroke-width=\"1.5\"/>",
            x - 4.0,
            y - 4.0
        ),
    };
}

fn arrow(out: &mut String, series: &Series, (x, y): (f64, f64)) {
    let _ = writeln!(
        out,
        "<path d=\"M{x:.1} {y:.1}v-16m-5 6l5 -6l5 6\" fill=\"none\" stroke=\"{}\" \
         stroke-width=\"2\"/>",
        series.colour
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_is_well_formed() {
        let point = |x, y, at_least| Point { x, y, at_least };
        let panel = Panel {
            title: "nodes".to_owned(),
            x_label: "n".to_owned(),
            series: vec![Series {
                name: "one".to_owned(),
                colour: "black",
                stroke: Stroke::Dashed,
                points: vec![point(2, 0.5, false), point(3, 2000.0, true)],
            }],
        };
        assert_eq!(decades(&panel), (-1, 4));
        let text = svg(&[panel], "a note");
        assert_eq!(text.matches("<g ").count(), text.matches("</g>").count());
        assert_eq!(text.matches("<text").count(), text.matches("</text>").count());
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }

    #[test]
    fn numbers_on_a_long_axis_stay_apart() {
        let points = [10, 11, 100, 200, 400].map(|x| Point { x, y: 1.0, at_least: false });
        let series = Series {
            name: String::new(),
            colour: "black",
            stroke: Stroke::Solid,
            points: points.to_vec(),
        };
        let (title, x_label) = (String::new(), String::new());
        let panel = Panel { title, x_label, series: vec![series] };
        let across = Across::of(&panel);
        assert!(across.is_logarithmic());
        assert_eq!(across.ticks(&panel), [10, 100, 200, 400]);
    }
}
