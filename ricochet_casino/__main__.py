"""`python -m ricochet_casino`: the same as the command `ricochet`."""

from ricochet_casino.cli import main

if __name__ == "__main__":
    main()
