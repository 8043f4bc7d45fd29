"""What a database knows of its tables."""

from sqlalchemy import create_engine, inspect

from stratawatch.adapters.store.schema import VERSION_TABLE


def where(index):
    return sorted((name, str(option)) for name, option in index["dialect_options"].items())


def shape(url: str) -> dict[str, dict]:
    """Everything the database knows of its tables, in comparable form."""
    engine = create_engine(url)
    found = {}
    look = inspect(engine)
    for table in look.get_table_names():
        if table == VERSION_TABLE:
            continue
        found[table] = {
            "columns": [(c["name"], str(c["type"]), c["nullable"], str(c["default"])) for c in look.get_columns(table)],
            "primary": look.get_pk_constraint(table),
            "foreign": sorted(map(str, look.get_foreign_keys(table))),
            "unique": sorted(map(str, look.get_unique_constraints(table))),
            "indexes": sorted(
                (i["name"], str(i["column_names"]), i["unique"], where(i)) for i in look.get_indexes(table)
            ),
            "checks": sorted((c["name"], c["sqltext"]) for c in look.get_check_constraints(table)),
        }
    engine.dispose()
    return found
