//! The codes of CSP#'s errors, each named once. `docs/book/errors.md` explains them, and a file
//! `corpus/csp/bad/E….csp` shows each.

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident $code:literal;)*) => {
        $($(#[$doc])* pub(super) const $name: &str = $code;)*

        /// All of them, in order.
        pub const ALL: &[&str] = &[$($code),*];
    };
}

codes! {
    // The text.
    SIZE "E1000";
    CHARACTER "E1001";
    COMMENT "E1002";
    QUOTE "E1003";
    NUMBER "E1004";
    NUMBER_WORD "E1005";
    // Its shape.
    EXPECTED "E1006";
    SEMICOLON "E1007";
    UNCLOSED "E1008";
    UNOPENED "E1009";
    DEPTH "E1010";
    DIRECTIVE "E1011";
    KEYWORD "E1012";
    ASSIGNMENT "E1013";
    ARROW "E1014";
    STATEMENT "E1015";
    // Features of PAT that Fairly lacks.
    IMPORT "E1020";
    INCLUDE "E1021";
    CALL "E1022";
    TYPE "E1023";
    METHOD "E1024";
    MACRO "E1025";
    UNBOUNDED "E1026";
    WILDCARD "E1027";
    LOCAL_ARRAY "E1028";
    COUNTER "E1029";
    // Names.
    TWICE "E1030";
    UNKNOWN "E1031";
    PROCESS "E1032";
    CHANNEL "E1033";
    ARGUMENTS "E1034";
    ARRAY "E1035";
    NO_ARRAY "E1036";
    INDICES "E1037";
    NO_VALUE "E1038";
    NO_CHANNEL "E1039";
    READ_ONLY "E1040";
    LATER "E1041";
    CHANNEL_INDEX "E1042";
    PATTERN "E1043";
    // Types.
    WANT_BOOL "E1050";
    WANT_INT "E1051";
    STORE "E1053";
    OBJECT "E1054";
    CHANGES "E1055";
    CAPACITY "E1056";
    // Values that are known.
    CONSTANT "E1060";
    ARRAY_SIZE "E1061";
    ELEMENTS "E1062";
    OUTSIDE "E1063";
    EMPTY "E1064";
    INDEX "E1065";
    ZERO "E1066";
    OVERFLOW "E1067";
    // Assertions.
    CLAIM "E1070";
    PROPOSITION "E1071";
}
