-- Makes and upgrades the store's tables (`stratawatch init`, `stratawatch init --upgrade`), and owns them. Run this as
-- the schema's owner.
GRANT CREATE ON SCHEMA {schema} TO {user};
-- The owner lets the others in.
GRANT USAGE ON SCHEMA {schema} TO {user} WITH GRANT OPTION;
