"""What stands after a loop."""

from __future__ import annotations

import pytest
from interpreting import uses_in, value_of


@pytest.mark.parametrize("loop", ["while x:", "for i in x:"])
def test_the_else_of_a_loop_is_run(loop: str) -> None:
    assert value_of(f"y = 1\n{loop}\n    pass\nelse:\n    y = self.key\ny") == "key@self.key"


def test_a_comprehension_that_uses_a_key_up_uses_it_again_in_the_next_round() -> None:
    assert uses_in("[jax.random.normal(self.key) for _ in x]") != []
    assert uses_in("[[jax.random.normal(self.key) for _ in x] for _ in state]") != []
    assert uses_in("[jax.random.normal(k) for k in jax.random.split(self.key, x)]") == []
