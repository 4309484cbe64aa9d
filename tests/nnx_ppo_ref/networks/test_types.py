"""The contract has the shape of nnx-ppo's, so that a module runs on either."""

from __future__ import annotations

import dataclasses
import inspect

import jax
import pytest

import nnx_ppo_ref

OUTPUTS = ("PPONetworkOutput", "StatefulModuleOutput")


@pytest.mark.parametrize("name", OUTPUTS)
def test_an_output_has_the_fields_of_nnx_ppos_in_the_same_order(name: str) -> None:
    theirs = getattr(pytest.importorskip("nnx_ppo.networks.types"), name)
    ours = getattr(nnx_ppo_ref, name)
    assert [(f.name, f.default) for f in dataclasses.fields(ours)] == [
        (f.name, f.default) for f in dataclasses.fields(theirs)
    ]


@pytest.mark.parametrize(
    "method", ["__call__", "initialize_state", "reset_state", "update_statistics"]
)
def test_a_method_takes_what_nnx_ppos_takes(method: str) -> None:
    theirs = pytest.importorskip("nnx_ppo.networks.types").StatefulModule
    ours = nnx_ppo_ref.StatefulModule

    def parameters(cls: type) -> list[tuple[str, object]]:
        signature = inspect.signature(getattr(cls, method))
        return [(p.name, p.default) for p in signature.parameters.values()]

    assert parameters(ours) == parameters(theirs)


def test_outputs_are_pytrees() -> None:
    output = nnx_ppo_ref.StatefulModuleOutput((), 1.0, 2.0, {"a": 3.0}, None)
    doubled = jax.tree.map(lambda leaf: 2 * leaf, output)
    assert doubled == nnx_ppo_ref.StatefulModuleOutput((), 2.0, 4.0, {"a": 6.0}, None)


def test_an_output_can_be_replaced_in_part() -> None:
    output = nnx_ppo_ref.StatefulModuleOutput((), 1.0, 2.0, {})
    assert output.replace(output=3.0) == nnx_ppo_ref.StatefulModuleOutput((), 3.0, 2.0, {})
    network = nnx_ppo_ref.PPONetworkOutput(1.0, 2.0, 3.0)
    assert network.replace(actions=4.0) == nnx_ppo_ref.PPONetworkOutput(4.0, 2.0, 3.0)


def test_a_module_without_state_carries_nothing() -> None:
    class Identity(nnx_ppo_ref.StatefulModule):
        def __call__(
            self, module_state: object, obs: object, rollout_extras: object = None
        ) -> nnx_ppo_ref.StatefulModuleOutput:
            return nnx_ppo_ref.StatefulModuleOutput(module_state, obs, 0.0, {})

    module = Identity()
    assert module.initialize_state(4) == ()
    assert module.reset_state(()) == ()
    assert module((), 1.0).output == 1.0


def test_a_step_must_be_defined() -> None:
    with pytest.raises(TypeError, match="__call__"):
        nnx_ppo_ref.StatefulModule()  # type: ignore[abstract]
