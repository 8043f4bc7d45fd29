"""No population is ever in Python's memory."""

from benchmarks.apart import apart
from benchmarks.scan.passes import engine_of
from benchmarks.scan.population import Size, panel_of, write

ROWS = (250_000, 2_500_000)  # of the larger one a scan keeps candidates


def scan_of(folder, size):
    """Census and candidates as the product asks for them."""
    engine = engine_of("duckdb")
    engine.prepare()
    return engine.together(folder, panel_of(size))


def frame_of(folder, size):
    engine = engine_of("pandas")
    engine.prepare()
    return engine.read(folder, panel_of(size))


def test_ten_times_the_rows_take_hardly_more_memory(tmp_path):
    sizes = [Size(rows, 2) for rows in ROWS]
    for size in sizes:
        write(tmp_path / str(size.rows), size, 7)
    small, large = (apart(scan_of, tmp_path / str(size.rows), size).peak_mb for size in sizes)
    held, holding = (apart(frame_of, tmp_path / str(size.rows), size).peak_mb for size in sizes)
    assert holding - held > 100  # what a population of this size weighs in memory
    assert large - small < (holding - held) / 2
