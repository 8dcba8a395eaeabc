"""Renderings of certificates. The JSON is the product; these are for reading."""

from ricochet_casino.certificate import Certificate

FORMATS = ("json", "md", "csv", "text")


def render(certificate: Certificate, form: str) -> str:
    """A certificate as text in one of `FORMATS`.

    Raises
    ------
    ValueError
        For another format.
    """
    if form == "json":
        return certificate.to_json()
    if form == "csv":
        from ricochet_casino.report.csv import to_csv

        return to_csv(certificate)
    if form == "md":
        from ricochet_casino.report.content import sections
        from ricochet_casino.report.markdown import to_markdown

        return to_markdown(sections(certificate))
    if form == "text":
        from ricochet_casino.report.content import sections
        from ricochet_casino.report.terminal import to_text

        return to_text(sections(certificate, brief=True))
    raise ValueError(f"unknown format {form!r}: expected one of {', '.join(FORMATS)}")
