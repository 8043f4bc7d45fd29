"""Ten simulated weeks of production, from predictions to the page that fires: `python -m flows.demo`.

`--scene notebook` plays two of these weeks as one studies them in a notebook, in some twenty seconds.
"""

import argparse
import gc
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

from stratawatch.errors import StratawatchError
from stratawatch.extras import require

if TYPE_CHECKING:
    from flows.demo_output import DemoOutput
    from flows.demo_weeks import SimulatedProduction

SEED: Final = 20260105
MARKER: Final = ".stratawatch-demo"
"""The file that marks a folder of an earlier demo, which may be deleted."""
BEGUN: Final = Path(__file__).parents[1] / ".prefect" / "begun" / "prefect.db"
"""An empty database of Prefect's, which `make` makes once: a server takes seconds to make its own."""
# What the demo's server would write about events and single task runs, nobody reads, and it would be in its own way.
_UNREAD: Final = ("EVENT_PERSISTER", "TASK_RUN_RECORDER", "TRIGGERS")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo; 0 only when it kept its promises."""
    parser = argparse.ArgumentParser(
        prog="python -m flows.demo", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--out", type=Path, default=Path("demo-out"), help="made anew by each run (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=SEED, help="of the simulated world (default: %(default)s)")
    parser.add_argument(
        "--queue",
        choices=["folder", "page", "label_studio"],
        default="folder",
        help="where labels come from (default: %(default)s); label_studio is yours, at LABEL_STUDIO_URL",
    )
    parser.add_argument(
        "--scene",
        choices=["flows", "notebook"],
        default="flows",
        help="what is played: production with flows, or two of its weeks as one studies them in a notebook "
        "(default: %(default)s)",
    )
    chosen = parser.parse_args(arguments)
    start = monotonic()
    try:
        for extra in ("report", "baselines", *(["web"] if chosen.queue == "page" else [])):
            require(extra)
        make_fresh_folder(chosen.out)
        if chosen.scene == "notebook":
            from flows.demo_notebook import Notebook

            return Notebook(chosen.seed, chosen.out).play()
        set_environment(chosen.out)
        return _run(chosen.out, chosen.seed, chosen.queue, start)
    except StratawatchError as error:
        print(f"flows.demo: {error}", file=sys.stderr)  # noqa: T201 - a command's one sentence
        return 2


def make_fresh_folder(folder: Path) -> None:
    """Make the folder anew; refuses to delete anything but an earlier demo."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise StratawatchError(f"{folder} is not a folder", hint="choose another one with --out")
    if folder.exists() and any(folder.iterdir()) and not (folder / MARKER).exists():
        raise StratawatchError(f"{folder} holds something else", hint="choose another folder with --out")
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    (folder / MARKER).touch()


def set_environment(folder: Path) -> None:
    """A Prefect server of the demo's own, quiet while all is well; call it before Prefect is imported."""
    home = (folder / "prefect").resolve()
    home.mkdir(exist_ok=True)
    if BEGUN.is_file():
        shutil.copy(BEGUN, home)
    os.environ["PREFECT_HOME"] = str(home)
    for service in _UNREAD:
        os.environ.setdefault(f"PREFECT_SERVER_SERVICES_{service}_ENABLED", "false")
    os.environ.pop("PREFECT_API_URL", None)
    os.environ.pop("PREFECT_PROFILE", None)
    os.environ.setdefault("PREFECT_LOGGING_LEVEL", "WARNING")
    # Trees that wait for one another on a busy machine take ten times as long.
    os.environ.setdefault("OMP_NUM_THREADS", "1")


def _run(folder: Path, seed: int, queue: str, start: float) -> int:
    from flows.demo_output import DemoOutput

    output = DemoOutput()
    output.print_header(seed)
    with output.show_progress("training three classifiers, starting a Prefect server"):
        from flows.demo_weeks import SimulatedProduction

        production = SimulatedProduction.build(folder, seed, queue=queue)
    gc.freeze()  # what was imported stays until the end; looking through it again and again takes seconds
    try:
        return _play(production, output, start)
    finally:
        gc.unfreeze()  # DuckDB lists what is left when Python ends


def _play(production: "SimulatedProduction", output: "DemoOutput", start: float) -> int:
    """All weeks and what they come to; 0 only when all promises were kept."""
    from flows.local_runs import without_heartbeats

    output.print_world(production.world)
    for number in production.weeks:
        with without_heartbeats(), output.show_progress(f"week {number}") as say:
            week = production.run_week(number, say)
        output.print_week(week)
    result = production.result()
    broken = output.print_result(result, monotonic() - start)
    output.print_mistakes(production.config)
    if result.report:
        output.open_report(result.report)
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
