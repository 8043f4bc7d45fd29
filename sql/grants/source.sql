-- Reads the predictions of a source, table by table. Run this as the table's owner.
GRANT USAGE ON SCHEMA {schema} TO {user};
GRANT SELECT ON {schema}.{table} TO {user};
