"""A Sphinx directive that documents a command line from the commands themselves.

``.. commands:: mastgp.cli.main:app`` with the option ``:name: mast`` walks the tree of a typer
application. Each command becomes a section: its help, its usage, its arguments and its options,
in the words that ``--help`` prints. Nothing is copied by hand, so nothing can be out of date.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from typer.main import get_command


class Commands(SphinxDirective):
    """One section for each command of an application."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"name": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Build the sections."""
        module, _, name = self.arguments[0].partition(":")
        root = get_command(getattr(import_module(module), name))
        return [self._section(context) for context in contexts(root, self.options["name"])]

    def _section(self, context: Any) -> nodes.section:
        command, path = context.command, context.command_path
        section = nodes.section(ids=[nodes.make_id(path)], names=[path])
        section += nodes.title("", "", nodes.literal(path, path))
        section += [nodes.paragraph("", "", *worded(text)) for text in paragraphs(command.help)]
        usage = " ".join([path, *command.collect_usage_pieces(context)])
        section += nodes.literal_block(usage, usage, language="text")
        for title, kind in (("Arguments", "argument"), ("Options", "option")):
            section += self._parameters(context, title, kind)
        self.state.document.note_explicit_target(section)
        return section

    def _parameters(self, context: Any, title: str, kind: str) -> list[nodes.Node]:
        """The parameters of a command that are of one kind, if there are any."""
        items = [
            self._item(context.command_path, param, *record)
            for param in context.command.get_params(context)
            if param.param_type_name == kind and param.name != "help"
            if (record := param.get_help_record(context))
        ]
        if not items:
            return []
        return [nodes.rubric(text=title), nodes.definition_list("", *items, classes=["parameters"])]

    def _item(self, path: str, param: Any, names: str, text: str) -> nodes.definition_list_item:
        label = nodes.make_id(f"{path}-{param.name}")
        term = nodes.term("", "", nodes.literal(names, names), ids=[label])
        for option in (*param.opts, *param.secondary_opts):
            self.env.domains["std"].add_program_option(path, option, self.env.docname, label)
        help_text = nodes.paragraph("", "", *worded(" ".join(text.split())))
        return nodes.definition_list_item("", term, nodes.definition("", help_text))


def contexts(command: Any, name: str, parent: Any = None) -> Iterator[Any]:
    """The contexts of a command and of all commands below it, which know their full names."""
    if command.hidden:
        return
    context = command.context_class(command, info_name=name, parent=parent)
    yield context
    for child, below in getattr(command, "commands", {}).items():
        yield from contexts(below, child, context)


def paragraphs(text: str | None) -> list[str]:
    """Paragraphs of a help text, each on one line."""
    return [" ".join(part.split()) for part in (text or "").split("\n\n") if part.strip()]


def worded(text: str) -> list[nodes.Node]:
    """Text with what stands in single quotes as code: 'mast fit'."""
    parts = text.split("'")
    if len(parts) % 2 == 0:  # an apostrophe, no pair of quotes
        return [nodes.Text(text)]
    return [nodes.literal(p, p) if i % 2 else nodes.Text(p) for i, p in enumerate(parts)]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
