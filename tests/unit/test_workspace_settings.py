"""The settings of a workspace: what is wrong in them is named with its remedy, and what they name is looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.composition.doctor import examine
from sfumato.composition.settings import FILE, WorkspaceSettings, load
from sfumato.errors import BadInput


@pytest.mark.parametrize(
    ("line", "sentence", "remedy"),
    [
        ("wrkers = 2", "There is no setting 'wrkers'", "did you mean 'workers'?"),
        ("qqq = 2", "There is no setting 'qqq'", "use database, "),
        ("workers = 'two'", "workers has the wrong type", "write workers = 2."),
        ("references = [1]", "references has the wrong type", "write references = []."),
        ("workers = 0", "workers must be between 1 and 64", "write workers = 2."),
        ("certificate = 'c.pem'", "certificate and certificate_key go together", "set both, or neither."),
        ("workers", f"{FILE} is not TOML: ", "correct that line."),
    ],
)
def test_a_setting_that_is_wrong_is_named_with_its_remedy(
    tmp_path: Path, line: str, sentence: str, remedy: str
) -> None:
    (tmp_path / FILE).write_text(f"format = 1\n{line}\n", "utf-8")
    with pytest.raises(BadInput) as wrong:
        load(tmp_path)
    assert wrong.value.message.startswith(sentence)
    assert wrong.value.hint.startswith(remedy)
    assert [(found.what, found.good) for found in examine(tmp_path, None)] == [("settings", False)]


def test_settings_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is not a workspace"):
        load(tmp_path)
    (tmp_path / FILE).write_bytes(b"\xff")
    with pytest.raises(BadInput, match="cannot be read"):
        load(tmp_path)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    settings = WorkspaceSettings(port=1234, behind_proxy=True, references=("/data", 'a "b"'))
    settings.write(tmp_path)
    assert load(tmp_path) == settings


def test_files_that_the_settings_name_are_looked_for(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (certificate := tmp_path / "certificate.pem").write_text("none")
    missing = str(tmp_path / "missing")
    WorkspaceSettings(
        certificate=str(certificate), certificate_key=missing, references=(str(tmp_path), missing + " too")
    ).write(tmp_path)
    wrong = {(found.what, found.said) for found in examine(tmp_path, None) if found.good is False}
    assert wrong == {
        ("access", "Other users can read the folder."),
        ("files", f"{missing} is missing."),
        ("certificate", "The certificate cannot be read."),
        ("references", f"{missing} too is missing."),
    }


def test_what_needs_the_keys_is_not_examined_without_them(tmp_path: Path) -> None:
    WorkspaceSettings(database="postgresql+psycopg://sfumato@/escrow").write(tmp_path)
    tmp_path.chmod(0o700)
    found = {one.what: one for one in examine(tmp_path, None)}
    assert found["keys"].good is None
    assert found["PostgreSQL"].good is True

    def unlock() -> None:
        raise BadInput("The passphrase is wrong", hint="type it again.")

    [locked] = [one for one in examine(tmp_path, unlock) if one.good is False]  # type: ignore[arg-type]
    assert (locked.what, locked.said, locked.do) == ("keys", "The passphrase is wrong", "type it again.")
