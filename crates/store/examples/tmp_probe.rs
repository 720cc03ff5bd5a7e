use fairly_store::*;
fn cpu() -> u64 {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap()
}
fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}
fn main() {
    let a: Vec<usize> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let (w, n) = (a[0], a[1]);
    for _ in 0..a[2] {
        let t = Table::new(Width::words(w), n * (w * 8 + 8) * 3 / 2).unwrap();
        let mut r = vec![0u64; w];
        let s = cpu();
        for i in 0..n as u64 {
            for (j, x) in r.iter_mut().enumerate() {
                *x = mix(i + 1).wrapping_mul(2 * j as u64 + 1);
            }
            t.insert_or_find(&r).unwrap();
        }
        let ins = (cpu() - s) as f64 / n as f64;
        let s = cpu();
        let mut k = 1u64;
        for _ in 0..n as u64 {
            k = mix(k) % (n as u64);
            for (j, x) in r.iter_mut().enumerate() {
                *x = mix(k + 1).wrapping_mul(2 * j as u64 + 1);
            }
            t.insert_or_find(&r).unwrap();
        }
        let f = (cpu() - s) as f64 / n as f64;
        let mut o = Vec::new();
        let mut rr = vec![0u64; 16 * w];
        let s = cpu();
        for _ in 0..n as u64 / 16 {
            for r in rr.chunks_mut(w) {
                k = mix(k) % (n as u64);
                for (j, x) in r.iter_mut().enumerate() {
                    *x = mix(k + 1).wrapping_mul(2 * j as u64 + 1);
                }
            }
            o.clear();
            t.insert_batch(&rr, &mut o).unwrap();
        }
        let b = (cpu() - s) as f64 / n as f64;
        let b_ = t.bytes() as f64 / t.len() as f64;
        drop(t);
        let t = Table::new(Width::words(w), n * (w * 8 + 8) * 3 / 2).unwrap();
        let s = cpu();
        let mut i = 0;
        for _ in 0..n as u64 / 16 {
            for r in rr.chunks_mut(w) {
                i += 1;
                for (j, x) in r.iter_mut().enumerate() {
                    *x = mix(i).wrapping_mul(2 * j as u64 + 1);
                }
            }
            o.clear();
            t.insert_batch(&rr, &mut o).unwrap();
        }
        let bi = (cpu() - s) as f64 / n as f64;
        println!(
            "w {w} n {n} insert {ins:.0} find {f:.0} batchins {bi:.0} batchfind {b:.0} bytes {b_:.2}"
        );
    }
}
