"""The people of an evening and their chips: who sits where, who deals, who is broke.

An `Evening` never changes: each method returns the next one. Chips are neither made nor lost: what
all have bought is on the table or has been taken home (`Evening.check`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from ricochet_casino.config import did_you_mean

MOST_CHIPS: Final = 1_000_000
"""Most chips that can be bought at once."""
LONGEST_NAME: Final = 16


@dataclass(frozen=True)
class Person:
    """Somebody who plays or has played.

    Attributes
    ----------
    name
        One word.
    policy
        Of a computer player, empty for a human being.
    chips
        On the table.
    bought, taken
        All chips bought, and all taken home.
    seated
        Whether the person is at the table.
    """

    name: str
    policy: str
    chips: int
    bought: int
    taken: int = 0
    seated: bool = True

    @property
    def ahead(self) -> int:
        """Chips won (negative: lost) this evening."""
        return self.chips + self.taken - self.bought


@dataclass(frozen=True)
class Evening:
    """Everybody who plays or has played, in the order in which they sit.

    Attributes
    ----------
    people
        Who has left keeps the place, and may come back.
    most
        Seats at the table.
    ante
        Chips that a hand takes at least: who has fewer is broke.
    dealer
        Who dealt last, empty before the first hand.
    hands
        Hands that are over.
    """

    people: tuple[Person, ...] = ()
    most: int = 8
    ante: int = 1
    dealer: str = ""
    hands: int = 0

    @property
    def seated(self) -> tuple[Person, ...]:
        """Who is at the table."""
        return tuple(person for person in self.people if person.seated)

    @property
    def able(self) -> tuple[Person, ...]:
        """Who is at the table and can pay the ante."""
        return tuple(person for person in self.seated if person.chips >= self.ante)

    def person(self, name: str) -> Person:
        """Somebody at the table, by name in any case.

        Raises
        ------
        ValueError
            If nobody there has this name; the message gives the nearest one.
        """
        for person in self.seated:
            if person.name.casefold() == name.casefold():
                return person
        names = [person.name for person in self.seated]
        there = f"; there are {', '.join(names)}" if names else ""
        raise ValueError(
            f"nobody at the table is called {name[:40]!r}{there}{did_you_mean(name, names)}"
        )

    def _with(self, person: Person) -> "Evening":
        people = tuple(person if p.name == person.name else p for p in self.people)
        return replace(self, people=people)

    def sit(self, name: str, number: int, policy: str = "") -> "Evening":
        """Somebody sits down, or comes back, and buys chips.

        Raises
        ------
        ValueError
            If the name is taken or no name, the table is full, or the chips are none or too many.
        """
        _check_name(name)
        check_chips(number)
        known = next((p for p in self.people if p.name.casefold() == name.casefold()), None)
        if known is not None and known.seated:
            raise ValueError(f"{known.name} is at the table already: expected another name")
        if len(self.seated) >= self.most:
            raise ValueError(f"the table is full: it has {self.most} seats")
        if known is None:
            return replace(self, people=(*self.people, Person(name, policy, number, number)))
        bought = known.bought + number
        return self._with(replace(known, policy=policy, chips=number, bought=bought, seated=True))

    def leave(self, name: str) -> "Evening":
        """Somebody takes all chips home; ValueError if there is no such person."""
        person = self.person(name)
        return self._with(replace(person, chips=0, taken=person.taken + person.chips, seated=False))

    def buy(self, name: str, number: int) -> "Evening":
        """Somebody at the table buys more chips; ValueError if not, or none or too many."""
        check_chips(number)
        person = self.person(name)
        return self._with(
            replace(person, chips=person.chips + number, bought=person.bought + number)
        )

    def next_dealer(self) -> str:
        """The next of those able, after who dealt last; the last one deals the first hand.

        So the first hand is dealt to the first person first.
        """
        able = self.able
        if not self.dealer:
            return able[-1].name
        names = [person.name for person in self.people]
        place = names.index(self.dealer)
        order = (*names[place + 1 :], *names[: place + 1])
        return next(name for name in order if any(p.name == name for p in able))

    def from_left_of(self, dealer: str) -> tuple[str, ...]:
        """Names of those able, beginning after the dealer, who comes last."""
        names = [person.name for person in self.able]
        place = names.index(dealer)
        return (*names[place + 1 :], *names[: place + 1])

    def after_hand(self, dealer: str, net: Mapping[str, int]) -> "Evening":
        """Chips change hands; who owes more than is there buys what is missing.

        Only the dealer of casino night can owe chips, for bonuses.
        """
        evening = replace(self, dealer=dealer, hands=self.hands + 1)
        for name, number in net.items():
            person = evening.person(name)
            missing = max(0, -(person.chips + number))
            evening = evening._with(
                replace(
                    person, chips=person.chips + number + missing, bought=person.bought + missing
                )
            )
        evening.check()
        return evening

    def check(self) -> None:
        """Chips bought are on the table or taken home: an error of ours if not."""
        for person in self.people:
            if person.chips < 0:
                raise AssertionError(f"{person.name} has {person.chips} chips")
        total = sum(person.ahead for person in self.people)
        if total:
            raise AssertionError(f"the evening does not sum to zero but to {total}")


def check_chips(number: int) -> int:
    """A number of chips to buy, checked.

    Raises
    ------
    ValueError
        If it is not 1 to `MOST_CHIPS`.
    """
    if isinstance(number, bool) or not isinstance(number, int):
        raise ValueError(f"chips are bought by whole numbers, got {number!r}")
    if not 1 <= number <= MOST_CHIPS:
        raise ValueError(f"1 to {MOST_CHIPS:,} chips can be bought at once, got {number:,}")
    return number


def _check_name(name: str) -> None:
    plain = all(letter.isalnum() or letter in "-_'." for letter in name)
    if not name or len(name) > LONGEST_NAME or not plain or not name[0].isalpha():
        raise ValueError(
            f"{name[:40]!r} cannot be a name at the table: expected one word of at most "
            f"{LONGEST_NAME} letters and digits, beginning with a letter"
        )
