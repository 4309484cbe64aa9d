"""Trees of collections: their leaves and what changing them leaves alone."""

from __future__ import annotations

from flake8_nnx_rng.interpreter import trees
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Bag,
    Choice,
    Const,
    Items,
    Key,
    Opaque,
    Record,
    Table,
    Value,
)

KEY, DATA, ONE, TWO = Key(), Opaque(), Const(1), Const(2)
TREE = Items((Bag(KEY), Table((("k", ONE),), Record("R", (("f", TWO),))), Choice((DATA, NONE))))


def test_the_leaves_of_a_tree_are_what_is_in_its_collections() -> None:
    assert trees.leaves(TREE) == [KEY, ONE, TWO, DATA, NONE]
    assert trees.leaves(KEY) == [KEY]


def test_a_tree_is_rebuilt_with_every_leaf_changed() -> None:
    rebuilt = trees.rebuilt(TREE, lambda leaf: Const(str(leaf == ONE)))
    assert trees.leaves(rebuilt) == [Const(text) for text in ("False", "True", "False", "False")]


def test_a_tree_in_which_nothing_changes_stays_the_same_object() -> None:
    assert trees.rebuilt(TREE, lambda leaf: leaf) is TREE
    assert trees.substitute(TREE, Items(()), ONE) is TREE


def test_a_leaf_in_several_places_is_changed_once() -> None:
    seen: list[Value] = []

    def note(leaf: Value) -> Value:
        seen.append(leaf)
        return TWO

    assert trees.rebuilt(Items((KEY, Bag(KEY))), note) == Items((TWO, Bag(TWO)))
    assert seen == [KEY]


def test_an_object_is_substituted_by_its_identity_wherever_it_is() -> None:
    old, equal = Items((ONE,)), Items((ONE,))
    tree = Items((old, equal, Table((("k", Bag(old)),), old)))
    assert trees.substitute(tree, old, TWO) == Items((TWO, equal, Table((("k", Bag(TWO)),), TWO)))


def test_what_a_record_holds_is_not_substituted() -> None:
    old = Items((ONE,))
    record = Record("R", (("f", old),))
    assert trees.substitute(record, old, TWO) is record
