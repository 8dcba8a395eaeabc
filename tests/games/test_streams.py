"""Every stream of random numbers of a game has a number of its own."""

import ast
from pathlib import Path

import pytest

import ricochet_casino
from ricochet_casino.games import game_names

ROOT = Path(ricochet_casino.__file__).parent


def streams_of(folder):
    """Number -> file and name of each constant that is called a stream and given as a number."""
    found = {}
    for path in sorted(folder.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.AnnAssign):
                targets, value = [node.target], node.value
            elif isinstance(node, ast.Assign):
                targets, value = node.targets, node.value
            else:
                continue
            names = targets[0].elts if isinstance(targets[0], ast.Tuple) else targets
            values = value.elts if isinstance(value, ast.Tuple) else [value]
            for name, number in zip(names, values, strict=False):
                if name.id.endswith("STREAM") and isinstance(number, ast.Constant):
                    found.setdefault(number.value, []).append(f"{path.name}: {name.id}")
    return found


@pytest.mark.parametrize("game", [*game_names(), "table"])
def test_no_two_streams_of_a_game_have_the_same_number(game):
    folder = ROOT / game if game == "table" else ROOT / "games" / game
    found = streams_of(folder)
    assert found
    assert {number: names for number, names in found.items() if len(names) > 1} == {}
