-- Reads the store: status, estimates, report, and the views of dashboards. Run this as the tables' owner.
GRANT USAGE ON SCHEMA {schema} TO {user};
GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {user};
ALTER DEFAULT PRIVILEGES IN SCHEMA {schema} GRANT SELECT ON TABLES TO {user};
