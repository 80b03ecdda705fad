"""Tests the registry of patches: its checks and the order of patches."""

import re
from types import SimpleNamespace

import pytest
import without_database  # noqa: F401

from cardlab.core.patch import Patch, Wrapper
from cardlab.server.otree_patches import registry
from cardlab.server.otree_patches.patches import PATCHES
from cardlab.server.otree_patches.registry import name_of


class Library:
    """A library to be patched."""

    def greet(self, name):
        return f"Hello {name}"

    @classmethod
    def kind(cls, name):
        return f"{cls.__name__} {name}"

    size = 3


GREET = registry.digest_of(Library.greet)


def politely(greet, self, name):
    return f"{greet(self, name)}, nice to meet you"


def loudly(greet, self, name):
    return greet(self, name).upper()


def patch(name, replacement, source, **options):
    return Patch(Library, name, replacement, "feature", source, "For the tests.", **options)


def wrapper(name, replacement, source, **options):
    return Wrapper(Library, name, replacement, "feature", source, "For the tests.", **options)


@pytest.fixture(autouse=True)
def library(monkeypatch):
    """Restores the library after the test."""
    monkeypatch.setattr(registry, "_applied", {**registry._applied})
    for name in ("greet", "kind", "size"):
        monkeypatch.setattr(Library, name, vars(Library)[name])


def test_sources_are_those_that_were_patched():
    found = registry.differences(PATCHES)
    assert not found, "\n".join(f"{name}: {installed}" for name, _declared, installed in found)


def test_speed_patches_say_what_they_gain():
    gain = re.compile(r"\d m?s\b|half a second|For its gain see")
    assert not [
        name_of(patch) for patch in PATCHES if patch.kind == "speed" and not gain.search(patch.reason)
    ]


def test_every_patch_declares_reason_and_source():
    """Only patches of Python itself lack a source, because it differs from version to version."""
    assert all(patch.reason for patch in PATCHES)
    missing = {name_of(patch) for patch in PATCHES if patch.source is None}
    assert missing == {"gettext.dgettext", "gettext.dngettext", "otree.models.Session._created.default.arg"}


def test_a_wrapper_gets_the_library_s_function():
    registry.apply([wrapper("greet", politely, GREET)])
    assert Library().greet("Ada") == "Hello Ada, nice to meet you"


def test_wrapped_class_method_stays_a_class_method():
    source = registry.digest_of(vars(Library)["kind"])
    registry.apply([wrapper("kind", lambda kind, cls, name: kind(cls, name) * 2, source)])
    assert Library.kind("a") == "Library aLibrary a"


def test_patches_are_applied_once():
    patches = [patch("size", 5, registry.digest_of(3))]
    registry.apply(patches)
    Library.size = 7
    registry.apply(patches)
    assert Library.size == 7
    assert registry.differences(patches) == []


def test_two_patches_of_one_attribute_need_an_order():
    first = wrapper("greet", politely, GREET)
    with pytest.raises(ValueError, match="Library.greet has several patches"):
        registry.apply([first, wrapper("greet", loudly, GREET)])
    second = wrapper("greet", loudly, GREET, after=first)
    with pytest.raises(ValueError, match="Library.greet has several patches"):
        registry.apply([second, first])
    registry.apply([first, second])
    assert Library().greet("Ada") == "HELLO ADA, NICE TO MEET YOU"
    assert registry.differences([first, second]) == []


def test_all_source_differences_are_found_before_patching():
    wrong = [patch("greet", loudly, "0" * 16), patch("size", 5, registry.digest_of(4)), patch("new", 1, "ab")]
    with pytest.raises(registry.SourcesDiffer) as differ:
        registry.apply([patch("kind", None, registry.digest_of(vars(Library)["kind"])), *wrong])
    assert [name.rpartition(".")[2] for name, *_digests in differ.value.differences] == [
        "greet",
        "size",
        "new",
    ]
    assert Library().kind("a") == "Library a"


def test_an_attribute_that_the_library_lacks_is_added():
    registry.apply([patch("added", 1, registry.ABSENT)])
    assert Library.added == 1
    del Library.added


def test_digests_ignore_object_addresses():
    assert registry.digest_of(SimpleNamespace(a=Library)) == registry.digest_of(SimpleNamespace(a=Library))
    assert registry.digest_of(object()) == registry.digest_of(object())
