"""The studio: a local web page on which a paytable is moved and its figures follow.

One process, loopback only; the page is plain files of this package and asks no other host for
anything. Figures of one player are exact (`games.ricochet_poker.spectrum`); those of two to seven
are sampled in the background. What a user is told: docs/studio.md.
"""
