"""What a study leaves in its directory."""

import json

from collude.runtime.study.engine import Found
from collude.runtime.study.figure import png
from collude.runtime.study.kept import StudyDirectory
from collude.runtime.study.report import page


def write_study(found: Found, place: StudyDirectory) -> None:
    """Write study.json, the figure and report.html.

    Raises:
        RunDirectoryInvalid: the directory cannot be written.
    """
    text = json.dumps(found.document, indent=2, allow_nan=False)
    place.write("study.json", f"{text}\n".encode())
    picture = png(found.asked.study.figure(found.outcome.rows))
    if picture is not None:
        place.write(f"figures/{found.asked.study.name}.png", picture)
    place.write("report.html", page(found, picture).encode())
    place.status("disagrees" if found.disagreements else "finished")
