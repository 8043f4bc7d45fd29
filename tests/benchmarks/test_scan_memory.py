"""No population is ever in Python's memory."""

from benchmarks.apart import apart
from benchmarks.scan.passes import engine_of
from benchmarks.scan.population import Size, panel_of, write
from benchmarks.scan.rounds import one_round

ROWS = (500_000, 5_000_000)  # of the larger one a scan keeps candidates


def frame_of(folder, size):
    engine = engine_of("pandas")
    engine.prepare()
    return engine.read(folder, panel_of(size))


def test_ten_times_the_rows_take_hardly_more_memory(tmp_path):
    sizes = [Size(rows, 2) for rows in ROWS]
    for size in sizes:
        write(tmp_path / str(size.rows), size, 7)
    small, large = (one_round("duckdb", size, tmp_path / str(size.rows)).both.peak_mb for size in sizes)
    held, holding = (apart(frame_of, tmp_path / str(size.rows), size).peak_mb for size in sizes)
    assert holding - held > 100  # what a population of this size weighs in memory
    assert large - small < (holding - held) / 2
