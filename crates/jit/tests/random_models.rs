//! Native code and the interpreter agree on random models: the same states, the same steps, the same
//! faults, the same propositions.

use fairly_model::{text, verify};
use fairly_modelkit::native::compare;
use fairly_modelkit::{cases, first_seed, lively_model};
use fairly_testkit::Rng;

#[test]
fn random_models_are_the_same_natively() {
    let (mut looked, mut made) = (0, 0);
    for seed in first_seed(1)..first_seed(1) + cases(1500) {
        let mut rng = Rng::new(seed);
        let model = lively_model(&mut rng);
        assert_eq!(verify(&model), Ok(()), "seed {seed}");
        match compare(&model) {
            Ok((all, native)) => {
                looked += all;
                made += native;
            }
            Err(difference) => {
                panic!(
                    "FAIRLY_SEED={seed} FAIRLY_RANDOM_CASES=1\n{}\n{difference}",
                    text::print(&model)
                )
            }
        }
    }
    println!("{made} of {looked} states by native code");
    assert!(made * 3 > looked, "{made} of {looked}");
}
