//! A processor that stands in for a card: kernels are compiled by the C compiler that is there, into a program of their
//! own, which keeps the buffers of the programs before it.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use fairly_gpu::{Buffer, Call, Card, CardError};

static NUMBER: AtomicU64 = AtomicU64::new(0);

/// The name of a C compiler, if there is one.
fn compiler() -> Option<&'static str> {
    ["cc", "gcc", "clang", "tcc"].into_iter().find(|name| {
        let mut version = Command::new(name);
        version.arg("-v").stdout(Stdio::null()).stderr(Stdio::null());
        version.status().is_ok_and(|status| status.success())
    })
}

struct Running {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    kernels: Vec<&'static str>,
}

/// The processor as a card.
pub(crate) struct Twin {
    compiler: &'static str,
    folder: PathBuf,
    running: Vec<Running>,
    lengths: Vec<Option<u64>>,
    pub(crate) bytes: u64,
    pub(crate) optimised: bool,
}

impl Twin {
    pub(crate) fn new() -> Option<Twin> {
        let compiler = compiler()?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("fairly-gpu-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a folder for kernels");
        let (running, lengths) = (Vec::new(), Vec::new());
        Some(Twin { compiler, folder, running, lengths, bytes: 1 << 30, optimised: false })
    }

    /// Tells one program, or all of them.
    fn tell(&mut self, words: &[u64]) {
        for running in &mut self.running {
            send(&mut running.input, words);
        }
    }
}

impl Drop for Twin {
    fn drop(&mut self) {
        for running in &mut self.running {
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn send(input: &mut ChildStdin, words: &[u64]) {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    input.write_all(&bytes).expect("a program that listens");
}

fn receive(running: &mut Running, buffer: u64, at: u64, words: &mut [u64]) {
    send(&mut running.input, &[3, buffer, at, words.len() as u64]);
    running.input.flush().expect("a program that listens");
    let mut bytes = vec![0; words.len() * 8];
    running.output.read_exact(&mut bytes).expect("a program that answers");
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = u64::from_le_bytes(bytes.try_into().expect("eight"));
    }
}

impl Card for Twin {
    fn name(&self) -> String {
        "a processor".to_owned()
    }

    fn free_bytes(&mut self) -> u64 {
        self.bytes
    }

    fn compile(&mut self, text: &str, kernels: &[&'static str]) -> Result<(), CardError> {
        let calls: String = kernels
            .iter()
            .enumerate()
            .map(|(at, name)| format!("if (what == {}) {name}(p);\n", at + 4))
            .collect();
        let main = include_str!("main.c").replace("@CALLS@", &calls);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let (source, program) =
            (self.folder.join(format!("{number}.c")), self.folder.join(format!("{number}.out")));
        std::fs::write(&source, format!("{text}\n{main}")).expect("room for a text");
        let mut command = Command::new(self.compiler);
        command.arg(if self.optimised { "-O1" } else { "-O0" }).args(["-std=c99", "-w", "-o"]);
        let done = command.arg(&program).arg(&source).output().expect("a compiler");
        if !done.status.success() {
            return Err(CardError::Failed(String::from_utf8_lossy(&done.stderr).into_owned()));
        }
        let mut child = Command::new(&program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a program that was just compiled");
        let (input, output) =
            (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        let mut next = Running { child, input, output, kernels: kernels.to_vec() };
        // What is in the buffers moves to the new program.
        for (at, length) in self.lengths.iter().enumerate() {
            let Some(length) = *length else { continue };
            send(&mut next.input, &[0, at as u64, 0, length]);
            if let Some(last) = self.running.last_mut() {
                let mut words = vec![0; usize::try_from(length).expect("small")];
                receive(last, at as u64, 0, &mut words);
                send(&mut next.input, &[2, at as u64, 0, length]);
                send(&mut next.input, &words);
            }
        }
        self.running.push(next);
        Ok(())
    }

    fn allocate(&mut self, words: u64) -> Result<Buffer, CardError> {
        self.lengths.push(Some(words.max(1)));
        let at = self.lengths.len() - 1;
        assert!(at < 4096, "few buffers");
        self.tell(&[0, at as u64, 0, words.max(1)]);
        Ok(Buffer(at))
    }

    fn free(&mut self, buffer: Buffer) {
        self.lengths[buffer.0] = None;
        self.tell(&[1, buffer.0 as u64, 0, 0]);
    }

    fn zero(&mut self, buffer: Buffer) -> Result<(), CardError> {
        let length = self.lengths[buffer.0].expect("a buffer");
        self.write(buffer, 0, &vec![0; usize::try_from(length).expect("small")])
    }

    fn copy(&mut self, from: Buffer, to: Buffer, words: u64) -> Result<(), CardError> {
        let mut copied = vec![0; usize::try_from(words).expect("small")];
        self.read(from, 0, &mut copied)?;
        self.write(to, 0, &copied)
    }

    fn write(&mut self, buffer: Buffer, at: u64, words: &[u64]) -> Result<(), CardError> {
        self.tell(&[2, buffer.0 as u64, at, words.len() as u64]);
        self.tell(words);
        Ok(())
    }

    fn read(&mut self, buffer: Buffer, at: u64, words: &mut [u64]) -> Result<(), CardError> {
        let last = self.running.last_mut().expect("a program");
        receive(last, buffer.0 as u64, at, words);
        Ok(())
    }

    fn launch(&mut self, kernel: &'static str, _: u64, call: &Call) -> Result<(), CardError> {
        let has = |running: &Running| running.kernels.contains(&kernel);
        let at = self.running.iter().rposition(has).expect("a kernel that was compiled");
        let number = self.running[at].kernels.iter().position(|it| *it == kernel).expect("it");
        let mut words = vec![number as u64 + 4, 0, 0, 0];
        words.extend(call.buffers.map(|buffer| buffer.map_or(0, |buffer| buffer.0 as u64 + 1)));
        words.extend(call.numbers);
        send(&mut self.running[at].input, &words);
        Ok(())
    }
}
