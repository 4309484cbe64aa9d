"""Binding values to targets, and what of it is a write of the module's state."""

from __future__ import annotations

import pytest
from interpreting import events_in, returned, run, value_of

FILLED_D, FILLED_L = "data{self.d}@self.d[...]", "data{self.l}@self.l[...]"
"""What some method is expected to put into a collection that the constructor left empty."""

BINDINGS: dict[str, tuple[str, str]] = {
    "a name": ("a = 1\na", "1"),
    "several names": ("a = b = 1\n(a, b)", "(1, 1)"),
    "an annotated name": ("a: int = 1\na", "1"),
    "a declaration binds nothing": ("a = 1\na: int\na", "1"),
    "a pair": ("a, b = 1, 2\n(a, b)", "(1, 2)"),
    "a list of names": ("[a, b] = (1, 2)\n(a, b)", "(1, 2)"),
    "a pattern": ("a, (b, c) = 1, (2, 3)\n(a, b, c)", "(1, 2, 3)"),
    "a star at the end": ("a, *b = (1, 2, 3)\n(a, b)", "(1, [1 | 2 | 3...])"),
    "a star in the middle": ("a, *b, c = (1, 2, 3)\n(a, c)", "(1, 3)"),
    "a star of data": ("a, *b = state\nb", "[data{carry}@state[...]...]"),
    "the wrong number of names": ("a, b = (1, 2, 3)\n(a, b)", "(1, 2)"),
    "the parts of data": ("a, b = x + 1\n(a, b)", "(data{input}, data{input})"),
    "the parts of a place": ("a, b = state\nb", "data{carry}@state[...]"),
    "the parts of keys": ("a, b = self.key\n(a, b)", "(key@self.key, key@self.key)"),
    "a bag": ("a, b = [self.key for _ in x]\nb", "key@self.key"),
    "a record": ("a, b = P(1, 2)\nb", "2"),
    "either of two": ("a, b = (1, 2) if x else P(3, 4)\n(a, b)", "(1 | 3, 2 | 4)"),
    "a sum": ("a = (1,)\na += (2,)\na", "(1, 2)"),
    "an entry": ("d = {}\nd['a'] = 1\nd", "{'a': 1}"),
    "an unknown entry": ("d = {}\nd[x] = 1\nd", "{**1}"),
    "an entry under a tuple": ("d = {}\nd[0, x] = 1\nd", "{**1}"),
    "an item": ("a = [1, 2]\na[0] = 3\na", "(3, 2)"),
    "an item of an item": ("d = {'a': {'b': 1}}\nd['a']['b'] = 2\nd", "{'a': {'b': 2}}"),
    "a section": ("a = [1, 2]\na[1:] = 3\na", "[1 | 2 | 3...]"),
    "an entry of an attribute": ("self.d['b'] = 1\nself.d", f"{{'b': 1, **{FILLED_D}}}"),
    "an item of data": ("a = x + 1\na[0] = state\na", "data{carry, input}"),
    "an attribute": ("self.a = 1\nself.a", "1"),
    "an attribute of an object of the pass": ("c = C()\nc.a = 1\nc.a", "1"),
    "an entry, as an attribute": ("d = nnx.Dict(a=1)\nd.b = 2\nd.b", "2"),
    "an entry that has a method's name": ("d = nnx.Dict(get=1)\nd.get", "{'get': 1}.get"),
    "an attribute of a namespace": ("n = types.SimpleNamespace(a=1)\nn.a", "1"),
    "an attribute of two names of one object": ("c = d = C()\nc.a = 1\nd.a", "1"),
    "an item of a call binds nothing": ("f()[0] = 1\n2", "2"),
}

BEFORE = """
import types
from somewhere import f
class P(NamedTuple):
    a: int
    b: int
class C: pass
"""


@pytest.mark.parametrize(("code", "expected"), BINDINGS.values(), ids=BINDINGS.keys())
def test_assigning_to(code: str, expected: str) -> None:
    assert value_of(code, before=BEFORE, init="self.d = {}") == expected


WRITES: dict[str, tuple[str, str]] = {
    "a held key": ("self.key = x", "self.key: key@self.key -> data{input}@x"),
    "a new attribute": ("self.new = 1", "self.new: data -> 1"),
    "the value of a key": ("self.key.value = x", "self.key: key@self.key -> data{input}@x"),
    "the raw value": ("self.key.raw_value = x", "self.key: key@self.key -> data{input}@x"),
    "the content of a key": ("self.key[...] = x", "self.key: key@self.key -> data{input}@x"),
    "a stream of streams": (
        "self.rngs.noise = x",
        "self.rngs.noise: rngs@self.rngs -> data{input}@x",
    ),
    "a stream's state": (
        "self.stream.key.value = x",
        "self.stream.key: key{self.stream}@self.stream.key -> data{input}@x",
    ),
    "an entry of a stream": ("self.rngs['a'] = x", "self.rngs: rngs@self.rngs -> data{input}@x"),
    "the value of something unknown": ("self.thing.value = 1", "self.thing: data@self.thing -> 1"),
    "within something unknown": ("self.thing.a = 1", "self.thing.a: data@self.thing -> 1"),
    "an item of something unknown": ("self.thing[0] = 1", "self.thing: data@self.thing -> 1"),
    "a held object": ("self.child.k = self.key", "self.child.k: data -> key@self.key"),
    "an entry of a held dict, as an attribute": (
        "self.rec.k = self.key",
        "self.rec[...]: data -> key@self.key",
    ),
    "an attribute of the class": ("M.K = self.key", "M.K: key@M.K -> key@self.key"),
}


@pytest.mark.parametrize(("code", "expected"), WRITES.values(), ids=WRITES.keys())
def test_a_held_place_is_written(code: str, expected: str) -> None:
    target = code.partition(" = ")[0]
    init = "self.child, self.rec = C(), {'a': thing}"
    told = events_in(code, before=BEFORE, init=init, members="K = nnx.RngKey(0)")
    assert told == [f"{target} writes {expected}"]


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("k = self.key", id="a variable"),
        pytest.param("local = C()\nlocal.k = self.key", id="an object of the pass"),
        pytest.param("k = jax.random.split(self.key)\nk[...] = x", id="a derived key"),
        pytest.param("r = nnx.Rngs(state) if x else 1\n(1).a = 2", id="a literal's attribute"),
        pytest.param("d = {}\nd['k'] = self.key", id="a dict of the pass"),
        pytest.param("(x + 1).a = self.key", id="data of no place"),
        pytest.param("k = 1\ndel k", id="a deleted variable"),
    ],
)
def test_what_the_pass_made_is_written_freely(code: str) -> None:
    events = events_in(code, before=BEFORE)
    assert [told for told in events if " writes " in told] == []


def test_every_alternative_is_written() -> None:
    told = events_in(
        "(self.a if x else self.b).k = 1", init="self.a, self.b = C(), C()", before=BEFORE
    )
    writes = "(self.a if x else self.b).k writes"
    assert told == [f"{writes} self.a.k: data -> 1", f"{writes} self.b.k: data -> 1"]


def test_what_an_alternative_held_before_may_be_there_still() -> None:
    init = "self.a, self.b = C(), C()\nself.a.k = self.b.k = key"
    code = "(self.a if x else self.b).k = state\nself.b.k"
    assert value_of(code, init=init, before=BEFORE) == "data{carry}@state | key@self.b.k"


def test_an_augmented_assignment_of_an_attribute_writes_it() -> None:
    assert events_in("self.n += 1", init="self.n = 0") == [
        "self.n writes self.n: data@self.n -> data{self.n}"
    ]


@pytest.mark.parametrize(
    "code",
    ["self.d['k'] = self.key", "self.d.update(k=self.key)", "self.l.append(self.key)"],
)
def test_an_entry_of_a_held_collection_is_written(code: str) -> None:
    told = events_in(code, init="self.d, self.l = {}, []")
    assert " writes self." in told[0]
    assert told[0].endswith("-> key@self.key")


THING_L = "data{self.thing}@self.thing.l"
MUTATIONS: dict[str, tuple[str, str]] = {
    "a variable": ("a = []\na.append(1)\na", "[1...]"),
    "an attribute": ("self.l.append(1)\nself.l", f"[1 | {FILLED_L}...]"),
    "an entry": ("d = {'a': []}\nd['a'].append(1)\nd", "{'a': [1...]}"),
    "an unknown entry": ("d = {'a': []}\nd[x].append(1)\nd", "{'a': [1...], **[1...]}"),
    "what is made in place": ("[].append(1)\n2", "2"),
    "the end of data": ("a = x + 1\na.append(state)\na", "data{carry, input}"),
    "a dict by names": ("d = {}\nd.update(a=1)\nd", "{'a': 1}"),
    "a deque": ("a = [1]\na.appendleft(2)\na", "[1 | 2...]"),
    "nothing by reading": ("d = {'a': 1}\nd.get('b')\nd", "{'a': 1}"),
    "what is unknown, and so nothing": ("self.thing.l.append(1)\nself.thing.l", THING_L),
    "a default": ("d = {}\nd.setdefault('a', 1)\nd['a']", "1"),
}


@pytest.mark.parametrize(("code", "expected"), MUTATIONS.values(), ids=MUTATIONS.keys())
def test_a_method_changes(code: str, expected: str) -> None:
    assert value_of(code, init="self.l = []") == expected


ALIASED = {
    "through another name": "a = b = []\na.append(self.rngs)\nb[0]()",
    "in a function that is given it": "b = []\ndef f(a): a.append(self.rngs)\nf(b)\nb[0]()",
    "in a function that sees it": "b = []\ndef f(): b.append(self.rngs)\nf()\nb[0]()",
    "in an attribute": "c = C()\nc.b = b = []\nb.append(self.rngs)\nc.b[0]()",
    "by an index": "b = [0]\na = b\na[0] = self.rngs\nb[0]()",
    "in another collection": "b = []\nd = {'a': b}\nd['a'].append(self.rngs)\nd['a'][0]()",
    "on one path alone": "a = b = []\nif x: a.append(self.rngs)\nb[0]()",
    "after the paths have met": "a = b = []\nif x: pass\na.append(self.rngs)\nb[0]()",
    "in a loop": "a = b = []\nfor i in x: a.append(self.rngs)\nb[0]()",
}


@pytest.mark.parametrize("code", ALIASED.values(), ids=ALIASED.keys())
def test_a_collection_is_changed(code: str) -> None:
    drawn = code.rpartition("\n")[2]
    assert events_in(code, before=BEFORE) == [f"{drawn} draws from self.rngs"]


def test_collections_of_equal_content_are_not_one() -> None:
    assert value_of("a, b = [self.key], [self.key]\na.append(1)\nb") == "(key@self.key)"


def test_a_method_changes_either_of_two() -> None:
    assert "self.thing" in value_of("d = self.thing if x else {}\nd.update(a=1)\nd['b']")


@pytest.mark.parametrize(
    "code",
    [
        "b = []\nd = {'a': b}\nb.append(self.rngs)\nd['a'][0]()",
    ],
    ids=["of another collection"],
)
def test_a_collection_is_changed_that_is_a_part(code: str) -> None:
    assert events_in(code) != []


def test_a_list_is_extended_under_every_name() -> None:
    assert events_in("a = b = []\na += [self.rngs]\nb[0]()") == ["b[0]() draws from self.rngs"]


def test_a_new_item_of_a_held_mapping_is_written_with_its_value() -> None:
    (told,) = events_in("self.d['new'] = state", init="self.d = {}")
    assert told.endswith("-> data{carry}@state")


def test_an_item_that_is_written_is_seen_by_the_next_read() -> None:
    code = "self.d[0] = state\nself.d"
    assert value_of(code, init="self.d = [1, 2]") == "(data{carry}@state, data@self.d[1])"


def test_unpacking_tells_the_parts_of_what_is_fed_back_apart_and_no_others() -> None:
    replay = run("a, b = rollout_extras\nreturn b").replay
    assert returned(replay) == "data{extras, taken rollout_extras[1]}@rollout_extras[1]"
    assert returned(run("a, b = x\nreturn b").replay) == "data{input}@x[...]"


def test_an_item_of_a_collection_that_the_pass_made_is_written_with_its_value() -> None:
    told = events_in("self.d = [1, x]\nself.d[0] = state")
    assert told == [
        "self.d writes self.d: data -> (1, data{input}@x)",
        "self.d[0] writes self.d[...]: data -> data{carry}@state",
    ]


def test_unpacking_what_is_known_tells_its_items_apart_unless_there_is_a_star() -> None:
    assert value_of("a, b = (state, x)\n(a, b)") == "(data{carry}@state, data{input}@x)"
    rest = "[1 | data{carry}@state | data{input}@x...]"
    assert value_of("a, *b = (state, x, 1)\n(a, b)") == f"(data{{carry}}@state, {rest})"
    assert value_of("*a, b = (state, x, 1)\n(a, b)") == f"({rest}, 1)"
