"""One table: flags, environment, file and docs agree; who wins; what a typo is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sightline.core.config import RunConfig, all_settings, mask_config, resolve
from sightline.core.errors import ConfigError, UnknownNameError
from sightline.core.registry import find, load_suite, names
from sightline.core.settings import table

SUITE = "simulation"


def test_flags_win_over_environment_over_file_over_defaults(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text('model = "file"\nseed = 1\nlimit = 1\nconcurrency = 7\n')
    environment = {"SIGHTLINE_SEED": "2", "SIGHTLINE_LIMIT": "2"}
    config, _ = resolve(SUITE, file=file, environment=environment, flags={"limit": 3})
    assert (config.model, config.seed, config.limit, config.concurrency, config.timeout) == ("file", 2, 3, 7, 180.0)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.toml", 'modality = ["text"]\nblind = true\nmodel-args = {top_k = 5}\n'),
        ("s.json", '{"modality": ["text"], "blind": true, "model_args": {"top_k": 5}}'),
        ("s.yaml", "modality: [text]\nblind: true\nmodel_args: {top_k: 5}\n"),
        ("s.yml", "modality: text\nblind: yes\nmodel_args:\n  top_k: 5\n"),
    ],
)
def test_three_kinds_of_file_say_the_same(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    config, options = resolve(SUITE, file=tmp_path / name)
    assert config.blind is True
    assert config.model_args == {"top_k": 5}
    assert options.modality == ("text",)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("s.toml", "modle = 'x'", "Did you mean 'model'"),
        ("s.json", '{"modalty": "text"}', "Did you mean 'modality'"),
        ("s.toml", "seed = 'many'", "seed in"),
        ("s.toml", "concurrency = 0", "concurrency in"),
        ("s.toml", "modality = 'txt'", "Did you mean 'text'"),
        ("s.toml", "seed = ", "Cannot read"),
        ("s.yaml", "a: [", "Cannot read"),
        ("s.json", "[1]", "must contain a mapping"),
        ("s.ini", "", "ends in .toml"),
    ],
)
def test_a_bad_file_is_told_with_its_name(tmp_path: Path, name: str, text: str, told: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigError, match=told) as error:
        resolve(SUITE, file=tmp_path / name)
    assert name in str(error.value)


def test_a_misspelt_variable_is_an_error_and_a_foreign_one_is_not() -> None:
    resolve(SUITE, environment={"HOME": "/", "SIGHTLINE_MODEL": "m"})
    with pytest.raises(ConfigError, match="Did you mean 'SIGHTLINE_MODEL'"):
        resolve(SUITE, environment={"SIGHTLINE_MODLE": "m"})


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ({"repeats": "two"}, "Invalid value 'two' for --repeats: an integer is expected"),
        ({"repeats": 0}, "Invalid value 0 for --repeats: must be at least 1"),
        ({"temperature": "hot"}, "Invalid value 'hot' for --temperature: a number or none is expected"),
        ({"blind": "maybe"}, "Invalid value 'maybe' for --blind: true or false is expected"),
    ],
)
def test_a_value_of_the_wrong_type_names_the_flag_and_what_is_expected(flags: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(words)):
        resolve(SUITE, flags=flags)
    name, value = next(iter(flags.items()))
    with pytest.raises(ConfigError, match=f"^Invalid value .* for SIGHTLINE_{name.upper()}"):
        resolve(SUITE, environment={f"SIGHTLINE_{name.upper()}": str(value)})


def test_values_in_the_environment_take_their_own_types() -> None:
    environment = {
        "SIGHTLINE_LIMIT": "none",
        "SIGHTLINE_BLIND": "yes",
        "SIGHTLINE_MODEL_ARGS": 'top_k=5,user="a"',
        "SIGHTLINE_FILES": "File_1, File_7",
        "SIGHTLINE_TEMPERATURE": "none",
    }
    config, options = resolve(SUITE, environment=environment)
    assert (config.limit, config.blind, config.temperature) == (None, True, None)
    assert config.model_args == {"top_k": 5, "user": "a"}
    assert options.files == ("File_1", "File_7")  # type: ignore[attr-defined]


def test_no_two_settings_share_a_name_and_all_have_help() -> None:
    rows = all_settings()
    run = [row.name for row in table(RunConfig)]
    for suite in names("suites"):
        own = [row.name for row in table(find("suites", suite).options_type)]
        assert not set(own) & set(run)
    assert all(row.help for row in rows)


@pytest.mark.parametrize(
    ("kind", "typo", "meant"),
    [
        ("suites", "simulatoin", "simulation"),
        ("metrics", "acuracy", "accuracy"),
        ("parsers", "true-fals", "true_false"),
    ],
)
def test_a_typo_gets_the_nearest_name(kind: str, typo: str, meant: str) -> None:
    with pytest.raises(UnknownNameError, match=f"Did you mean '{meant}'"):
        find(kind, typo)  # type: ignore[arg-type]


def test_a_metric_can_be_named_by_its_place() -> None:
    assert find("metrics", "sightline.scoring.metrics.state:ACCURACY") is find("metrics", "accuracy")


def test_a_broken_plug_in_is_told() -> None:
    with pytest.raises(Exception, match="could not be loaded"):
        find("metrics", "sightline.nowhere:Thing")


def test_options_are_checked_where_a_suite_is_made() -> None:
    assert load_suite(SUITE, modality="text").options.modality == ("text",)  # type: ignore[attr-defined]
    with pytest.raises(ConfigError, match="Unknown setting 'modality_'"):
        load_suite(SUITE, modality_="text")


def test_what_the_manifest_shows_holds_no_secret() -> None:
    config = RunConfig(
        api_key="sk-secret",
        api_base="https://user:secret@host/v1?key=secret",
        model_args={"auth_token": "secret", "max_tokens": 5},
    )
    assert "secret" not in str(mask_config(config))
    assert mask_config(config)["model_args"]["max_tokens"] == 5


def test_a_path_is_a_text(tmp_path: Path) -> None:
    config, _ = resolve("simulation", flags={"data": tmp_path, "output_dir": tmp_path / "runs"})
    assert (config.data, config.output_dir) == (str(tmp_path), str(tmp_path / "runs"))
