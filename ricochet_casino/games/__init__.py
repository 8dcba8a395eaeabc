"""The games, found by name: one package or module each, nothing registered by hand.

A game offers ``EXPERIMENTS`` in its ``__init__`` and, if it has paytables, their model under the
name ``PAYTABLE`` in its file paytable.py.
"""

import importlib
import os
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from ricochet_casino.config import Document, Problem, did_you_mean, read_yaml

if TYPE_CHECKING:
    from ricochet_casino.experiment import Experiment
    from ricochet_casino.paytable import PaytableBase


@dataclass(frozen=True)
class LoadedPaytable:
    """A paytable and how it was read.

    Attributes
    ----------
    model
        The paytable.
    file
        Where it was read.
    warnings
        What is allowed but looks like a mistake, with file and line.
    """

    model: "PaytableBase"
    file: Path
    warnings: tuple[Problem, ...]


def game_names() -> tuple[str, ...]:
    """Names of all games in this package, sorted."""
    found = (module.name for module in pkgutil.iter_modules(__path__))
    return tuple(sorted(name for name in found if not name.startswith("_")))


def load_game(name: str) -> ModuleType:
    """Import the module of a game.

    Raises
    ------
    ValueError
        If there is no game of that name, with the nearest one and all.
    """
    if name not in game_names():
        expected = ", ".join(game_names())
        hint = did_you_mean(name, game_names())
        raise ValueError(f"unknown game {name}; expected one of {expected}{hint}")
    return importlib.import_module(f"{__name__}.{name}")


def build(spec: Mapping[str, Any]) -> "Experiment":
    """Make an experiment again from its specification.

    Only what a game offers under ``EXPERIMENTS`` (name -> ``module:Class`` of that game) is made.

    Parameters
    ----------
    spec
        ``game``, ``experiment`` and ``parameters``, as `Experiment.spec` gives them.

    Raises
    ------
    ValueError
        If there is no such game or experiment, with the nearest name, or no parameters.
    """
    game = load_game(str(spec.get("game")))
    offered: Mapping[str, str] = getattr(game, "EXPERIMENTS", {})
    name = str(spec.get("experiment"))
    if name not in offered:
        hint = did_you_mean(name, offered)
        raise ValueError(f"unknown experiment {name}; expected one of {', '.join(offered)}{hint}")
    parameters = spec.get("parameters")
    if not isinstance(parameters, Mapping):
        raise ValueError(f"the experiment {name} has no parameters; expected a mapping of them")
    module, _, kind = offered[name].partition(":")
    maker = getattr(importlib.import_module(f"{game.__name__}.{module}"), kind)
    return cast("Experiment", maker.from_parameters(parameters))


def paytable_model(game: str) -> "type[PaytableBase]":
    """Model of a game's paytables: ``PAYTABLE`` of its module, or of its file paytable.py.

    Raises
    ------
    ValueError
        If there is no such game, or it has no paytables.
    """
    module = load_game(game)
    if not hasattr(module, "PAYTABLE"):
        parts = {part.name for part in pkgutil.iter_modules(getattr(module, "__path__", []))}
        if "paytable" not in parts:
            raise ValueError(f"the game {game} has no paytables")
        module = importlib.import_module(f"{module.__name__}.paytable")
    return cast("type[PaytableBase]", module.PAYTABLE)


def read_paytable(path_or_name: str | os.PathLike[str]) -> LoadedPaytable:
    """Read a paytable, with the warnings about it.

    Parameters
    ----------
    path_or_name
        A YAML file, or the name of a shipped one: ``rulebook``, ``ricochet_poker/rulebook``.

    Raises
    ------
    ConfigError
        If it cannot be found or used; all problems are listed with file and line.
    """
    from ricochet_casino.paytable import find_paytable

    file = find_paytable(path_or_name)
    document = read_yaml(file)
    model = _model_for(document.data, document).read(document.data, document)
    warnings = tuple(document.problem(path, text) for path, text in model.warnings())
    return LoadedPaytable(model, file, warnings)


def load_paytable(path_or_name: str | os.PathLike[str]) -> "PaytableBase":
    """As `read_paytable`, for those who want only the paytable."""
    return read_paytable(path_or_name).model


def paytable_from_dict(content: Mapping[str, Any]) -> "PaytableBase":
    """Build a paytable from its normalised dump, as embedded in a certificate.

    Raises
    ------
    PaytableError
        If it cannot be used; all problems are listed.
    """
    return _model_for(content, None).read(content)


def json_schema(game: str) -> dict[str, Any]:
    """JSON Schema of a game's paytables.

    Raises
    ------
    ValueError
        If there is no such game, or it has no paytables.
    """
    from ricochet_casino.paytable import schema_of

    return schema_of(paytable_model(game))


def _model_for(content: Mapping[str, Any], document: Document | None) -> "type[PaytableBase]":
    """Model that the key ``game`` asks for."""
    from ricochet_casino.paytable import PaytableError, describe

    game = content.get("game")
    try:
        if game in (None, ""):
            hint = did_you_mean("game", content)
            expected = ", ".join(game_names())
            raise ValueError(f"the key game is missing; expected one of {expected}{hint}")
        return paytable_model(game if isinstance(game, str) else describe(game))
    except ValueError as error:
        problem = document.problem(("game",), f"{error}") if document else Problem(f"{error}")
        raise PaytableError(problem) from None
