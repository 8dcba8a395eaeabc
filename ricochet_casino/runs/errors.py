"""What can go wrong with a run."""


class StoreError(ValueError):
    """A store that cannot be used as asked, or cannot be written; finished blocks are kept."""


class RunError(RuntimeError):
    """A block that failed every time it was tried, or workers that cannot work."""


class ClusterError(RunError):
    """A cluster whose scheduler is gone, or that has no workers: nothing more can be computed."""


def times(number: int) -> str:
    """``once``, ``3 times``: how often something was tried, for the text of an error."""
    return "once" if number == 1 else f"{number} times"
