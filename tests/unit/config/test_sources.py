"""The kinds of sources: what each may say, what is refused, and what is built of it."""

import pytest

from stratawatch.adapters.sources import SourceSettings, postgres_table, spark_connect, spark_table
from stratawatch.config.loading import load_configuration
from stratawatch.errors import ConfigError
from stratawatch.settings.database_urls import host_and_database
from stratawatch.wiring import labelled_predictions, source

FILES = 'kind = "files"\npath = "predictions/*.parquet"\n'
DUCKDB = 'kind = "duckdb"\npath = "data/predictions.duckdb"\ntable = "daily"\n'
POSTGRES = 'kind = "postgres"\nurl = "postgresql://watch@db.example.org/ml"\ntable = "daily"\n'
KEPT = "${env:DB_PASSWORD}"
SPARK = 'kind = "spark"\ntable = "ml.daily"\n'


class TestKinds:
    @pytest.mark.parametrize(
        ("lines", "words", "built"),
        [
            (FILES, "files: predictions/*.parquet", "FilesSource"),
            (DUCKDB, "duckdb: daily of data/predictions.duckdb", "DuckDBTableSource"),
            (POSTGRES, "postgres: daily of ml at db.example.org:5432", "PostgresSource"),
            (
                POSTGRES + 'schema = "ml"\ntimeout = "10m"\n',
                "postgres: ml.daily of ml at db.example.org:5432",
                "PostgresSource",
            ),
            (SPARK, "spark: ml.daily", "SparkSource"),
            (SPARK + 'remote = "sc://spark.example.org:15002"\n', "spark: ml.daily", "SparkSource"),
            ('kind = "spark"\npath = "s3a://ml/daily"\nformat = "orc"\n', "spark: s3a://ml/daily", "SparkSource"),
        ],
    )
    def test_each_is_built_and_named_in_words(self, write, lines, words, built):
        configuration = load_configuration(write((FILES, lines)))
        assert configuration.panels["spam"].source == words
        assert type(source(configuration, "spam")).__name__ == built

    def test_without_a_kind_all_are_named(self, problem):
        found = problem((FILES, 'path = "x.parquet"\n'))
        known = " or ".join(SourceSettings.registry)
        assert found.endswith(f"'kind' is not known; expected {known}; got none")

    def test_a_key_of_another_kind_is_told(self, problem):
        assert "there is no key 'tabel'; did you mean 'table'?" in problem((FILES, SPARK + 'tabel = "x"\n'))

    def test_a_read_may_not_take_as_long_as_a_flow_run(self, problem):
        assert "'read_timeout' is out of its range" in problem((FILES, DUCKDB + 'read_timeout = "31m"\n'))

    @pytest.mark.parametrize("path", ["../predictions.duckdb", "/data/predictions.duckdb"])
    def test_a_database_file_lies_below_the_folder_unless_it_is_said(self, problem, write, path):
        lines = DUCKDB.replace("data/predictions.duckdb", path)
        assert "allow_outside = true lets a source do that" in problem((FILES, lines))
        load_configuration(write((FILES, lines + "allow_outside = true\n")))


class TestDelta:
    LINES = 'kind = "delta"\npath = "s3://ml/daily"\noptions = { AWS_SECRET_ACCESS_KEY = "VALUE" }\n'

    def test_it_is_built_with_its_secrets_looked_up(self, write, monkeypatch):
        monkeypatch.setenv("S3_SECRET", "hunter2")
        configuration = load_configuration(write((FILES, self.LINES.replace("VALUE", "${env:S3_SECRET}"))))
        assert configuration.panels["spam"].source == "delta: s3://ml/daily"
        assert "hunter2" not in repr(configuration)
        built = source(configuration, "spam")
        assert (built._path, built._options) == ("s3://ml/daily", {"AWS_SECRET_ACCESS_KEY": "hunter2"})

    def test_a_secret_in_the_file_is_refused(self, problem):
        assert "'AWS_SECRET_ACCESS_KEY', whose value is a secret" in problem((FILES, self.LINES))

    def test_a_folder_lies_below_that_of_the_configuration(self, problem):
        assert "allow_outside = true" in problem((FILES, 'kind = "delta"\npath = "../daily"\n'))


class TestIceberg:
    LINES = 'kind = "iceberg"\ntable = "ml.rows"\ncatalog = { type = "sql", uri = "URI", token = "TOKEN" }\n'

    def lines(self, uri="sqlite:///catalog.db", given="${env:TOKEN}"):
        return (FILES, self.LINES.replace("URI", uri).replace('"TOKEN"', f'"{given}"'))

    def test_it_is_built_with_its_secrets_looked_up(self, write, monkeypatch):
        monkeypatch.setenv("TOKEN", "hunter2")
        configuration = load_configuration(write(self.lines()))
        assert configuration.panels["spam"].source == "iceberg: ml.rows"
        assert "hunter2" not in repr(configuration)
        built = source(configuration, "spam")
        assert built._catalog["token"] == "hunter2"
        assert built._confined_to == configuration.folder

    def test_a_secret_in_the_file_is_refused(self, problem):
        assert "'token', whose value is a secret" in problem(self.lines(given="hunter2"))
        found = problem(self.lines(uri="postgresql://me:hunter2@db/catalog"))
        assert "'uri', whose value" in found
        assert "hunter2" not in found


class TestPostgres:
    @pytest.mark.parametrize("url", ["postgresql://me:hunter2@db/x", "postgresql://me@db/x?password=hunter2"])
    def test_a_password_in_the_file_is_refused_and_not_repeated(self, problem, url):
        found = problem((FILES, POSTGRES.replace("postgresql://watch@db.example.org/ml", url)))
        assert "has a password written into the file" in found
        assert "hunter2" not in found

    @pytest.mark.parametrize("url", ["postgresql://me:@/x?host=/run/pg", "postgresql://me@db/x?password="])
    def test_an_empty_password_is_none(self, write, url):
        configuration = load_configuration(
            write((FILES, POSTGRES.replace("postgresql://watch@db.example.org/ml", url)))
        )
        assert type(source(configuration, "spam")).__name__ == "PostgresSource"

    def test_its_password_is_looked_up_when_the_source_is_built(self, write, monkeypatch):
        configuration = load_configuration(write((FILES, POSTGRES + 'password = "${env:PREDICTIONS_PW}"\n')))
        with pytest.raises(ConfigError, match="the environment variable PREDICTIONS_PW is not set"):
            source(configuration, "spam")
        monkeypatch.setenv("PREDICTIONS_PW", "p@ss")
        urls = []
        monkeypatch.setattr(postgres_table, "PostgresSource", lambda url, *_, **__: urls.append(url))
        source(configuration, "spam")
        (url,) = urls
        assert url == "postgresql+psycopg://watch:p%40ss@db.example.org/ml"
        assert "p@ss" not in repr(configuration.settings)
        assert "p@ss" not in repr(configuration.panels["spam"])

    @pytest.mark.parametrize(
        ("url", "place"),
        [
            ("postgresql://me@db.example.org:6543/ml", "ml at db.example.org:6543"),
            ("postgresql://me:hunter2@[::1]/ml?sslmode=require", "ml at [::1]:5432"),
            ("postgresql://me:p%40ss@a:1,b:2/my%20db", "my db at a:1,b:2"),
            ("postgresql:///ml?host=/var/run/pg&port=5433&user=me&password=hunter2", "ml at /var/run/pg:5433"),
            ("postgresql:///ml?host=a&host=b", "ml at a, b:5432"),
            ("postgresql:///ml", "ml at the local socket"),
            ("${file:secrets/url}", "${file:secrets/url}"),
        ],
    )
    def test_where_it_is_is_told_without_user_and_password(self, url, place):
        assert host_and_database(url) == place

    def test_an_address_of_the_environment_is_told_without_its_password(self, write, monkeypatch):
        monkeypatch.setenv("STRATAWATCH_PANELS__SPAM__SOURCE__URL", "postgresql://me:hunter2@db/ml")
        panel = load_configuration(write((FILES, POSTGRES))).panels["spam"]
        assert panel.source == "postgres: daily of ml at db:5432"
        assert "hunter2" not in repr(panel)

    @pytest.mark.parametrize("url", ["mysql://x/y", "postgresql://host", "sqlite:///x.db", "http://["])
    def test_another_address_is_refused(self, problem, url):
        found = problem((FILES, POSTGRES.replace("postgresql://watch@db.example.org/ml", url)))
        assert 'is no address of PostgreSQL; write "postgresql://user@host/database"' in found


class TestSpark:
    @pytest.mark.parametrize("lines", ['kind = "spark"\n', SPARK + 'path = "/data/daily"\n'])
    def test_it_reads_a_table_or_a_path(self, problem, lines):
        assert problem((FILES, lines)).endswith("needs a `table` or a `path`, and not both")

    @pytest.mark.parametrize(
        ("lines", "sentence"),
        [
            ('remote = "spark://x:7077"', "'remote' is no address of a Spark Connect server"),
            ('remote = "sc://x/;token=hunter2"', "holds a token, which belongs into the key `token`"),
            ('remote = "sc://x"\ntoken = "hunter2"', "'token'"),
            ('remote = "sc://x"\nmaster = "local[1]"', "one of both"),
            ('token = "${env:HOME}"', "has a `token` and no `remote` that asks for it"),
        ],
    )
    def test_what_a_remote_may_be(self, problem, lines, sentence):
        found = problem((FILES, f"{SPARK}{lines}\n"))
        assert sentence in found
        assert "hunter2" not in found

    def test_the_token_is_put_into_the_address_and_nowhere_else(self, write, monkeypatch):
        monkeypatch.setenv("SPARK_TOKEN", "hunter2")
        lines = SPARK + 'remote = "sc://x:443/;use_ssl=true"\ntoken = "${env:SPARK_TOKEN}"\n'
        configuration = load_configuration(write((FILES, lines)))
        assert "hunter2" not in repr(configuration)
        built = source(configuration, "spam")
        assert spark_connect._address(built._remote, built._token) == "sc://x:443/;use_ssl=true;token=hunter2"
        assert spark_connect._address("sc://x/", "hunter2") == "sc://x/;token=hunter2"

    def test_a_relative_path_is_shown(self, problem):
        found = problem((FILES, 'kind = "spark"\npath = "data/daily"\n'))
        assert "source.path, line " in found
        assert found.endswith(
            '\'path\' is relative, so that Spark\'s workers cannot find it; write "s3a://..." or "/data/..."; '
            "got 'data/daily'"
        )

    def test_a_relative_path_is_refused(self, problem):
        assert "workers cannot find" in problem((FILES, 'kind = "spark"\npath = "daily"\n'))

    def test_secrets_in_its_settings_are_references(self, write, monkeypatch):
        monkeypatch.setenv("S3_SECRET", "hunter2")
        lines = SPARK + 'settings = { "spark.executor.memory" = "4g", "spark.hadoop.k" = "${env:S3_SECRET}" }\n'
        configuration = load_configuration(write((FILES, lines)))
        settings = configuration.settings.panels["spam"].source.settings
        assert configuration.context.resolved(settings) == {"spark.executor.memory": "4g", "spark.hadoop.k": "hunter2"}

    def test_secrets_of_both_tables_reach_the_source_and_are_not_shown(self, write, monkeypatch):
        monkeypatch.setenv("DB_PASSWORD", "hunter2")
        built = {}
        monkeypatch.setattr(spark_table, "SparkSource", lambda table, **given: built.update(given, table=table))
        lines = (
            SPARK + f'settings = {{ "spark.authenticate.secret" = "{KEPT}" }}\noptions = {{ password = "{KEPT}" }}\n'
        )
        configuration = load_configuration(write((FILES, lines)))
        source(configuration, "spam")
        assert built["options"] == {"password": "hunter2"}
        assert built["settings"] == {"spark.authenticate.secret": "hunter2"}
        assert "DB_PASSWORD" not in repr(configuration.settings)

    @pytest.mark.parametrize("table", ["options", "settings"])
    @pytest.mark.parametrize(
        ("key", "value"),
        [
            ("password", "hunter2"),
            ("sfPassword", "hunter2"),
            ("spark.hadoop.fs.s3a.secret.key", "hunter2"),
            ("spark.hadoop.fs.s3a.session.token", "hunter2"),
            ("fs.azure.account.key.ml.blob.core.windows.net", "hunter2"),
            ("url", "jdbc:postgresql://db/ml?user=me&password=hunter2"),
        ],
    )
    def test_a_secret_in_the_file_is_refused_and_not_repeated(self, problem, table, key, value):
        found = problem((FILES, SPARK + f'{table} = {{ "{key}" = "{value}" }}\n'))
        assert f"has the key '{key}', whose value is a secret written into the file" in found
        assert "hunter2" not in found

    @pytest.mark.parametrize(
        "key",
        ["spark.hadoop.fs.s3a.aws.credentials.provider", "spark.kubernetes.authenticate.oauthTokenFile", "header"],
    )
    def test_what_only_sounds_like_a_secret_may_stand_there(self, write, key):
        configuration = load_configuration(write((FILES, SPARK + f'settings = {{ "{key}" = "plain" }}\n')))
        assert configuration.settings.panels["spam"].source.settings == {key: "plain"}

    def test_the_environment_may_bring_a_secret_as_it_is(self, write, monkeypatch):
        monkeypatch.setenv("STRATAWATCH_PANELS__SPAM__SOURCE__OPTIONS", '{"password": "hunter2"}')
        found = load_configuration(write((FILES, SPARK)))
        assert found.settings.panels["spam"].source.options == {"password": "hunter2"}
        assert "hunter2" not in repr(found.settings)


class TestLongTables:
    COLUMNS = ('time = "at"', 'time = "at"\nclassifier = "model"')
    SAME = ('score = "score_rf"', 'score = "score_lr"')

    def test_classifiers_of_one_column_are_told_apart_by_their_names(self, write):
        configuration = load_configuration(
            write(self.COLUMNS, self.SAME, ("cut_off = 0.6", 'cut_off = 0.6\ncalled = "rf-2"'))
        )
        spec = configuration.panels["spam"]
        assert spec.columns.classifier == "model"
        assert [one.called for one in spec.classifiers] == [None, "rf-2"]

    def test_two_that_read_the_same_rows_are_one(self, problem):
        lines = '[panels.spam.classifiers.twin]\nscore = "score_rf"\ncut_off = 0.6\ncalled = "rf"\n'
        assert "classifier 'twin' is the same as 'rf'" in problem(self.COLUMNS, more=lines)

    def test_a_name_in_the_table_without_a_long_table_is_told(self, problem):
        found = problem(("cut_off = 0.6", 'cut_off = 0.6\ncalled = "rf-2"'))
        assert "'rf' is `called` something, but the table is not long" in found

    def test_the_latest_of_copies_is_not_offered(self, problem):
        found = problem(self.COLUMNS, ("budget = 120", 'budget = 120\nduplicates = "latest"'))
        assert "the latest of several rows is not found in a long table" in found

    def test_labelled_predictions_are_not_read_from_one(self, write):
        with pytest.raises(ConfigError, match="labelled predictions are read from wide ones"):
            labelled_predictions(load_configuration(write(self.COLUMNS)), "spam", "labels.csv")
