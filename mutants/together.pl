#!/usr/bin/env perl
# Puts mutants into one tree, each asleep until FAIRLY_MUTANT names it, so that all of them are built at once:
# `together.pl TREE MUTANT...`. A function that mutants change gets the changed bodies beside its own. Prints the
# names of those that went in. A mutant stays out if it changes something outside the bodies of functions, or a
# function whose result has no name for its type.
use strict;
use warnings;

my ($tree, @mutants) = @ARGV;

sub slurp { my ($path) = @_; open(my $in, "<", $path) or die "$path: $!\n"; local $/; return scalar <$in>; }

# The text with everything blank that is no code: comments, strings, characters. Places stay the same.
sub code {
  my ($text) = @_;
  my $blank = sub { my ($it) = @_; $it =~ s/[^\n]/ /g; return $it; };
  $text =~ s~(//[^\n]*|/\*.*?\*/|\bb?r(\#*)".*?"\g{2}|\bb?"(?:[^"\\]|\\.)*"|"(?:[^"\\]|\\.)*"|b?'(?:[^'\\]|\\(?:u\{[^\}]*\}|x..|.))')~$blank->($1)~gse;
  return $text;
}

# The bodies of all functions: where each opens and closes, and where its signature begins.
sub functions {
  my ($code) = @_;
  my @functions;
  while ($code =~ /\bfn\s+[A-Za-z_]/g) {
    my ($begin, $depth, $at, $open) = ($-[0], 0, $-[0], undef);
    for (; $at < length $code; $at++) {
      my $letter = substr($code, $at, 1);
      if ($letter =~ /[(\[]/) { $depth++ }
      elsif ($letter =~ /[)\]]/) { $depth-- }
      elsif ($letter eq ';' && $depth == 0) { last }
      elsif ($letter eq '{' && $depth == 0) { $open = $at; last }
    }
    next unless defined $open;
    my ($braces, $close) = (0, $open);
    for (; $close < length $code; $close++) {
      my $letter = substr($code, $close, 1);
      if ($letter eq '{') { $braces++ }
      elsif ($letter eq '}' && --$braces == 0) { last }
    }
    push @functions, { begin => $begin, open => $open, close => $close };
  }
  return @functions;
}

sub fits {
  my ($code, $function) = @_;
  my $signature = substr($code, $function->{begin}, $function->{open} - $function->{begin});
  return 0 if $signature =~ /->\s*(?:\([^)]*)?impl\b/;
  my $line = substr($code, 0, $function->{begin});
  $line =~ s/.*\n//s;
  return $line !~ /\bconst\b/;
}

my (%files, @inside);
for my $mutant (@mutants) {
  my ($name) = $mutant =~ m{([^/]+)\.mutant$} or die "$mutant is no mutant\n";
  my ($head, @edits) = split /^--- find\n/m, slurp($mutant);
  next if $head =~ /^alone: /m;
  my ($file) = $head =~ /^file: (\S+)$/m or next;
  next unless -e "$tree/$file";
  unless ($files{$file}) {
    my $text = slurp("$tree/$file");
    my $code = code($text);
    $files{$file} = { text => $text, code => $code, functions => [functions($code)], changes => {} };
  }
  my $known = $files{$file};
  my (%own, $outside);
  for my $edit (@edits) {
    my ($find, $replace) = split /^\+\+\+ replace\n/m, $edit, -1;
    my $at = index($known->{text}, $find);
    if ($at < 0 || index($known->{text}, $find, $at + 1) >= 0) { $outside = 1; last; }
    # The innermost function: it opens last.
    my ($function) = sort { $b->{open} <=> $a->{open} }
      grep { $_->{open} < $at && $at + length($find) <= $_->{close} } @{$known->{functions}};
    if (!$function || !fits($known->{code}, $function)) { $outside = 1; last; }
    push @{$own{$function->{open}}}, [$function, $at, $find, $replace];
  }
  # Functions inside each other would be changed twice.
  my @opens = map { $own{$_}[0][0] } keys %own;
  for my $one (@opens) {
    my @around = map { $_->{function} } values %{$known->{changes}};
    for my $other (@around, @opens) {
      next if $one == $other;
      $outside = 1 if $one->{open} < $other->{close} && $other->{open} < $one->{close};
    }
  }
  next if $outside;
  push @inside, $name;
  for my $open (keys %own) {
    my $function = $own{$open}[0][0];
    my $body = substr($known->{text}, $open, $function->{close} + 1 - $open);
    for my $edit (sort { $b->[1] <=> $a->[1] } @{$own{$open}}) {
      substr($body, $edit->[1] - $open, length $edit->[2]) = $edit->[3];
    }
    $known->{changes}{$open}{function} = $function;
    push @{$known->{changes}{$open}{bodies}}, [$name, $body];
  }
}
for my $file (keys %files) {
  my $known = $files{$file};
  my $text = $known->{text};
  for my $open (sort { $b <=> $a } keys %{$known->{changes}}) {
    my $change = $known->{changes}{$open};
    my $length = $change->{function}{close} + 1 - $open;
    my $all = "{\n";
    for (@{$change->{bodies}}) {
      my ($name, $body) = @$_;
      $all .= "if { static IS: std::sync::OnceLock<bool> = std::sync::OnceLock::new(); *IS.get_or_init(|| "
        . "std::env::var(\"FAIRLY_MUTANT\").is_ok_and(|it| it == \"$name\")) } $body else ";
    }
    substr($text, $open, $length) = $all . substr($text, $open, $length) . "\n}";
  }
  next unless %{$known->{changes}};
  open(my $out, ">", "$tree/$file") or die "$file: $!\n";
  print $out $text;
}
print map { "$_\n" } @inside;
