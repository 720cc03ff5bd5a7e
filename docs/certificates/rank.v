(* A rank certificate excludes every fair run: the induction of the theorem in `certificates-proof.md`, checked by Coq.

   A run gives an infinite path of listed nodes. `p i` are the classes that the `i`th node is inside of, from the largest
   on. `ok i f t` is what the verifier checks of the edge from the `i`th node to the next one: the target is in a lower
   class beside one of the source's, or the edge is inside and excused by a class, or it is inside and the parts
   of that class look at it. `fair` is what the reasons of classes and the fairness of the run give: a path that stays
   inside a class takes the edges that the class excuses only finitely often.

   coqc rank.v *)

Require Import List Arith Lia Classical.
Import ListNotations.

Section Rank.

Variable p : nat -> list nat.
Variable excused : nat -> nat -> Prop.

Inductive ok (i : nat) : list nat -> list nat -> Prop :=
| lower a b f t : b < a -> ok i (a :: f) (b :: t)
| excuse a f t : excused a i -> ok i (a :: f) (a :: t)
| deeper a f t : ok i f t -> ok i (a :: f) (a :: t).

Hypothesis edges : forall i, ok i (p i) (p (S i)).
Hypothesis fair : forall a d n,
  (forall i, n <= i -> nth_error (p i) d = Some a) -> exists m, forall i, m <= i -> ~ excused a i.
Variable depth : nat.
Hypothesis bounded : forall i, length (p i) <= depth.

(* A sequence of numbers that never grows is constant from some position on. *)
Lemma settles : forall (c : nat -> nat) k n,
  c n <= k -> (forall i, n <= i -> c (S i) <= c i) -> exists m v, n <= m /\ forall i, m <= i -> c i = v.
Proof.
  intros c k. induction k as [k IH] using lt_wf_ind. intros n Hk Hfall.
  destruct (classic (exists i, n <= i /\ c i < c n)) as [[i [Hi Hless]] | Hnone].
  - destruct (IH (c i) ltac:(lia) i (le_n _)) as [m [v [Hm Hv]]].
    + intros j Hj. apply Hfall. lia.
    + exists m, v. split; [lia | exact Hv].
  - exists n, (c n). split; [lia |]. intros i Hi.
    assert (c i <= c n).
    { induction Hi as [| j Hj IHj]; [lia |]. specialize (Hfall j Hj). lia. }
    destruct (Nat.lt_ge_cases (c i) (c n)); [| lia].
    exfalso. apply Hnone. exists i. auto.
Qed.

(* An edge that stays inside some classes, none of which excuses it, is looked at by what is inside them. *)
Lemma inside : forall i l f t,
  (forall a, In a l -> ~ excused a i) -> ok i (l ++ f) (l ++ t) -> ok i f t.
Proof.
  induction l as [| a l IH]; intros f t Hnot Hok; [exact Hok |].
  simpl in Hok. inversion Hok; subst.
  - lia.
  - exfalso. apply (Hnot a); [now left | assumption].
  - apply IH; [| assumption]. intros b Hb. apply Hnot. now right.
Qed.

(* At every depth, the path stays inside one class from some position on, and takes no edge that is excused there. *)
Lemma stays : forall d, exists n l,
  length l = d /\
  (forall i, n <= i -> exists r, p i = l ++ r) /\
  (forall i a, n <= i -> In a l -> ~ excused a i).
Proof.
  induction d as [| d [n [l [Hlen [Hin Hnot]]]]].
  - exists 0, []. repeat split; [| now intros]. intros i _. now exists (p i).
  - assert (Hnext : forall i, n <= i -> exists a f b t,
      p i = l ++ a :: f /\ p (S i) = l ++ b :: t /\ b <= a).
    { intros i Hi. destruct (Hin i Hi) as [f Hf]. destruct (Hin (S i) ltac:(lia)) as [t Ht].
      pose proof (edges i) as Hok. rewrite Hf, Ht in Hok.
      apply inside in Hok; [| intros a Ha; now apply Hnot].
      inversion Hok; subst.
      - exists a, f0, b, t0. repeat split; auto; lia.
      - exists a, f0, a, t0. repeat split; auto.
      - exists a, f0, a, t0. repeat split; auto. }
    set (c := fun i => nth d (p i) 0).
    assert (Hc : forall l' a r, length l' = d -> nth d (l' ++ a :: r) 0 = a).
    { intros l' a r Hl. rewrite app_nth2 by lia. now replace (d - length l') with 0 by lia. }
    destruct (settles c (c n) n (le_n _)) as [m [v [Hm Hv]]].
    { intros i Hi. destruct (Hnext i Hi) as [a [f [b [t [Ha [Hb Hle]]]]]].
      unfold c. rewrite Ha, Hb, !Hc by assumption. exact Hle. }
    assert (Hclass : forall i, m <= i -> exists r, p i = (l ++ [v]) ++ r).
    { intros i Hi. destruct (Hnext i ltac:(lia)) as [a [f [b [t [Ha _]]]]].
      specialize (Hv i Hi). unfold c in Hv. rewrite Ha, Hc in Hv by assumption. subst v.
      exists f. now rewrite <- app_assoc. }
    destruct (fair v d m) as [k Hk].
    { intros i Hi. destruct (Hclass i Hi) as [r Hr]. rewrite Hr, <- app_assoc.
      rewrite nth_error_app2 by lia. now replace (d - length l) with 0 by lia. }
    exists (max m k), (l ++ [v]). repeat split.
    + rewrite app_length. simpl. lia.
    + intros i Hi. apply Hclass. lia.
    + intros i a Hi Ha. apply in_app_or in Ha. destruct Ha as [Ha | [<- | []]].
      * apply Hnot; [lia | exact Ha].
      * apply Hk. lia.
Qed.

Theorem no_fair_run : False.
Proof.
  destruct (stays (S depth)) as [n [l [Hlen [Hin _]]]].
  destruct (Hin n (le_n _)) as [r Hr].
  pose proof (bounded n) as Hb. rewrite Hr, app_length in Hb. lia.
Qed.

End Rank.

Print Assumptions no_fair_run.
