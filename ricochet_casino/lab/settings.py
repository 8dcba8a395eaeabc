"""Settings of a paytable by name, as designers change them: ``bonus.flush=6``, ``kickout.1=AA``."""

from collections.abc import Iterable
from contextlib import contextmanager
from typing import Any, Final

from ricochet_casino.config import did_you_mean, yaml_text
from ricochet_casino.games.ricochet_poker.notation import line_names, parse_line
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.paytable import PaytableError

__all__ = ["apply_settings", "changed_paytable_yaml", "read_setting", "setting_place"]

SINGLE: Final = (
    "ante", "dealer_ante", "play_bet", "coin", "last_hand", "when_equal", "bonus_on",
)  # fmt: skip
QUICKDRAW: Final = ("pays", "tie")
GROUPS: Final = ("bonus", "kickout", "cover", "quickdraw")
NONE: Final = "none"
"""Value that takes a line off its table."""


def read_setting(text: str, option: str = "--set") -> tuple[str, str]:
    """Split ``KEY=VALUE``.

    Raises
    ------
    ValueError
        If there is no key or no value.
    """
    key, equals, value = text.partition("=")
    if not equals or not key.strip() or not value.strip():
        raise ValueError(f"{option} {text}: expected KEY=VALUE, such as bonus.flush=6")
    return key.strip(), value.strip()


def setting_place(paytable: RicochetPokerPaytable, key: str) -> tuple[str, ...]:
    """Where a setting stands in the paytable: ``bonus.flush`` is at ``bonus``, ``flush``.

    Parameters
    ----------
    paytable
        Tells which player counts and side bets there are.
    key
        ``bonus.LINE``, ``cover.LINE``, ``kickout.PLAYERS``, ``quickdraw.pays``, ``quickdraw.tie``,
        or one of `SINGLE`.

    Raises
    ------
    ValueError
        If there is no such setting, with the nearest name.
    """
    group, dot, name = key.partition(".")
    if not dot and group in SINGLE:
        return (group,)
    if not dot or group not in GROUPS:
        known = [*SINGLE, *_known_keys(paytable)]
        expected = "expected bonus.LINE, kickout.PLAYERS, quickdraw.pays, cover.LINE or one of "
        raise ValueError(
            f"unknown setting; {expected}{', '.join(SINGLE)}{did_you_mean(key, known)}"
        )
    if group == "bonus":
        return group, parse_line(name)
    if group == "kickout":
        counts = [str(players) for players in paytable.players]
        if name not in counts:
            have = " or ".join(counts)
            raise ValueError(f"the paytable does not cover {name} players; expected {have}")
        return group, name
    if paytable.side_bets is None or getattr(paytable.side_bets, group) is None:
        raise ValueError(f"the paytable does not offer the side bet {group}")
    if group == "cover":
        return "side_bets", group, "pays", parse_line(name)
    if name not in QUICKDRAW:
        hint = did_you_mean(name, QUICKDRAW)
        raise ValueError(f"unknown setting; expected quickdraw.pays or quickdraw.tie{hint}")
    return "side_bets", group, name


def _known_keys(paytable: RicochetPokerPaytable) -> Iterable[str]:
    yield from (f"bonus.{line}" for line in line_names())
    yield from (f"cover.{line}" for line in line_names())
    yield from (f"kickout.{players}" for players in paytable.players)
    yield from (f"quickdraw.{name}" for name in QUICKDRAW)


def apply_settings(
    paytable: RicochetPokerPaytable, settings: Iterable[str]
) -> RicochetPokerPaytable:
    """Change settings of a paytable.

    Parameters
    ----------
    paytable
        Stays as it is.
    settings
        Such as ``bonus.flush=6``, ``bonus.flush=6 to 1``, ``bonus.three_of_a_kind=1`` (a new line),
        ``bonus.flush=none`` (without the line), ``kickout.1=AA``, ``ante=2``, ``cover.flush=8``,
        ``quickdraw.pays=6``.

    Returns
    -------
    RicochetPokerPaytable
        Without the figures under ``expect``, which were those of the old one; the title says what
        was changed.

    Raises
    ------
    ValueError
        For an unknown setting, a setting given twice, or a paytable that cannot be used; the
        message begins with the setting where it is the setting that is wrong.
    """
    settings = list(settings)
    if not settings:
        return paytable
    content: dict[str, Any] = paytable.model_dump(mode="json")
    content.pop("expect", None)
    seen: dict[tuple[str, ...], str] = {}
    for setting in settings:
        key, value = read_setting(setting)
        with _said_of(setting):
            place = setting_place(paytable, key)
            if place in seen:
                raise ValueError(f"the same as {seen[place]}; expected each setting once")
            seen[place] = setting
            _put(content, place, value)
            if len(settings) > 1:
                _check_alone(paytable, place, value)
    content["title"] = f"{paytable.title}, with {', '.join(s.strip() for s in settings)}"
    with _said_of(settings[0]) if len(settings) == 1 else _said_of(", ".join(settings)):
        return RicochetPokerPaytable.read(content)


@contextmanager
def _said_of(setting: str) -> Any:
    """Begin messages with the setting that they are about."""
    try:
        yield
    except PaytableError as error:
        told = "; ".join(problem.text for problem in error.problems)
        raise ValueError(f"--set {setting}: {told}") from None
    except ValueError as error:
        raise ValueError(f"--set {setting}: {error}") from None


def _put(content: dict[str, Any], place: tuple[str, ...], value: str) -> None:
    inner = content
    for part in place[:-1]:
        inner = inner[part]
    if value == NONE and place[:-1] in (("bonus",), ("side_bets", "cover", "pays")):
        if place[-1] not in inner:
            raise ValueError("there is no such line to take away")
        del inner[place[-1]]
    else:
        inner[place[-1]] = value


def _check_alone(paytable: RicochetPokerPaytable, place: tuple[str, ...], value: str) -> None:
    """Find out which of several settings is written wrongly; amounts may fit only together."""
    content = paytable.model_dump(mode="json")
    content["coin"] = "fair"  # whether coins are whole is for all settings together
    if place != ("coin",):
        content.pop("expect", None)
        _put(content, place, value)
        RicochetPokerPaytable.read(content)


def changed_paytable_yaml(paytable: RicochetPokerPaytable) -> str:
    """A paytable as a YAML file that `ricochet paytable check` accepts."""
    return "# yaml-language-server: $schema=schema.json\n" + yaml_text(
        paytable.model_dump(mode="json")
    )
