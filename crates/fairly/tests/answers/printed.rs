// What `Run::as_test` prints, written by `printed_tests_compile`.

/// `five` is violated by this run, under no fairness.
#[test]
fn five_is_violated() {
    let model = FINE;
    let actions = [
        "\"up\"",
        "\"reset\"",
    ];
    let run = fairly::Run::of_actions(&model, 0, &actions, Some(0));
    let run = run.expect("a run of the model");
    // From here on it repeats for ever.
    assert_eq!(run.states()[0], run.states()[2]);
}

/// `G (up -> "X" {up})` is violated by this run, under no fairness.
#[test]
fn g_up_x_up_is_violated() {
    let model = FINE;
    let actions = [
        "\"up\"",
        "\"reset\"",
    ];
    let run = fairly::Run::of_actions(&model, 0, &actions, None);
    let run = run.expect("a run of the model");
    assert_eq!(run.states().len(), 3);
}

/// `été 2` is violated by this run, under no fairness.
#[test]
fn t_2_is_violated() {
    let model = FINE;
    let actions = [
        "\"up\"",
        "\"up\"",
        "\"up\"",
        "\"up\"",
        "\"up\"",
    ];
    let run = fairly::Run::of_actions(&model, 0, &actions, None);
    let run = run.expect("a run of the model");
    assert_eq!(run.states().len(), 6);
}

/// `begins twice` is violated by this run, under no fairness.
#[test]
fn begins_twice_is_violated() {
    let model = FINE;
    let actions = [
        "\"up\"",
        "\"up\"",
    ];
    let run = fairly::Run::of_actions(&model, 0, &actions, None);
    let run = run.expect("a run of the model");
    assert_eq!(run.states().len(), 3);
}

/// `no panic` is violated by this run, under no fairness.
#[test]
fn no_panic_is_violated() {
    let model = Counter { panics_at: 2, ..FINE };
    let actions = [
        "\"up\"",
        "\"up\"",
    ];
    let run = fairly::Run::of_actions(&model, 0, &actions, None);
    let run = run.expect("a run of the model");
    assert_eq!(run.states().len(), 3);
}
