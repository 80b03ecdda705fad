"""Tests that the objects of a page are freed without garbage collection."""

import gc
import weakref

import pytest
import without_database  # noqa: F401
from otree.database import db
from otree.templating.template import Template


@pytest.fixture(autouse=True)
def without_garbage_collection():
    gc.disable()
    yield
    gc.enable()


class Page:
    """An object among a template's variables."""


def test_a_database_session_is_freed_at_once():
    db.new_session()
    looked_up = weakref.ref(db._db)
    assert looked_up().transaction.session is looked_up()
    db.close()
    db._db = None
    assert looked_up() is None


def test_a_template_context_is_freed_at_once():
    page = Page()
    reference = weakref.ref(page)
    template = Template("{{ if is_defined('page') }}there{{ endif }}", "a page")
    assert template.render({"page": page}) == "there"
    assert template.render(page=page) == "there"
    del page
    assert reference() is None
