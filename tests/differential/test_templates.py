"""Texts with places for other texts."""

from __future__ import annotations

from .templates import fill, joined


def test_a_place_within_a_line_is_filled_with_an_expression() -> None:
    assert fill("y = $a + f($a, $b)", a="x") == "y = x + f(x, $b)"


def test_a_place_alone_in_its_line_is_filled_with_a_block_as_far_in_as_it_stands() -> None:
    text = fill("if x:\n    $block\n    y = 1", block="for z in x:\n    z()")
    assert text == "if x:\n    for z in x:\n        z()\n    y = 1"


def test_a_place_for_a_block_goes_with_its_line_if_the_block_is_empty() -> None:
    assert fill("if x:\n    $block\n    y = 1", block="") == "if x:\n    y = 1"


def test_blocks_are_joined_without_those_that_are_empty() -> None:
    assert joined("a = 1", "", "b = 2\n") == "a = 1\nb = 2"
