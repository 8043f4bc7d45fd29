-- Runs open, advance and all that changes cycles. Run this as the tables' owner.
GRANT USAGE ON SCHEMA {schema} TO {user};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {user};
GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {user};
-- Tables of later upgrades.
ALTER DEFAULT PRIVILEGES IN SCHEMA {schema} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {user};
ALTER DEFAULT PRIVILEGES IN SCHEMA {schema} GRANT USAGE ON SEQUENCES TO {user};
