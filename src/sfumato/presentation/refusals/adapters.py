"""What engines, storage, vault and sandbox refuse."""

from __future__ import annotations

from sfumato.presentation.refusals.wording import Wording
from sfumato.presentation.wording.sandbox import MISSING

_NOT_A_TABLE = "{source} cannot be read as a table"
_SAME_COLUMNS = "the files of a folder must have the same columns; open the others by themselves."
_DATABASES = "it is sqlite:///PATH, or postgresql+psycopg://USER@HOST/NAME."
_TABLE_OF_LEDGER = "see that it is there, may be written to and has room; nothing was released."
_FROM_BACKUP = "nothing was computed; take the vault's files from a backup, or deliver the data again."
_VALUES = {  # at which a scan fails
    "text": "a text that is not UTF-8",
    "json": "a text that is not JSON",
    "moment": "a moment that is too far from now",
    "time": "a time of day that no day has",
    "other": "a value that is not read",
}
_ATTACKS = {
    "read-file": "reads a file of the machine",
    "list-processes": "sees processes",
    "write-file": "writes a file",
    "open-socket": "opens a socket",
    "fork": "forks",
    "start-program": "starts a program",
    "start-thread": "starts a thread",
    "trace": "traces itself",
    "take-memory": "takes more memory",
}


def _value_unreadable(column: str | None, kind: str, source: str) -> str:
    where = source if column is None else f"Column '{column}' of {source}"
    return f"{where} has {_VALUES[kind]}, or is damaged"


def _attacks_succeeded(attacks: list[str]) -> str:
    return f"The sandbox fails its self-test: a function in it {', '.join(_ATTACKS[attack] for attack in attacks)}."


def _format(number: int) -> str:
    return f"format {number}" if number else "no format number"


def _ledger_format(path: str, format: int, reads: int) -> str:
    return f"{path} is a ledger with {_format(format)}, and this version of sfumato reads format {reads}"


def _workspace_format(format: int, reads: int) -> str:
    return f"This workspace has {_format(format)}, and this version of sfumato reads format {reads}"


def _other_format(format: int, reads: int) -> str:
    if format > reads:
        return "install a newer sfumato, which reads it; nothing was changed."
    return "open it with the version of sfumato that wrote it, and keep it: what it records stays spent."


_ACCOUNTING = {
    "dp-accounting-missing": Wording("Tight accounting needs dp-accounting", "pip install 'sfumato[accounting]'."),
}
_ENGINES = {
    "column-type": Wording(
        "Column '{column}' of {source} has type {type}, which is not read",
        "cast it to a double, to text or to columns of their own, or leave it out.",
    ),
    "column-damaged": Wording("Column '{column}' of {source} is not valid Arrow data", "write it anew."),
    "column-of-objects": Wording("Column '{column}' of the {kind} holds Python objects", "cast it to text or numbers."),
    "column-name-reserved": Wording(
        "Column '{column}' of {source} has a name as sfumato gives them to columns of its own", "rename it."
    ),
    "column-not-in-source": Wording(
        "Column '{column}' is in {schema} but not in {source}",
        "compare the two; the first line of a CSV must name its columns.",
    ),
    "column-in-folder-names": Wording(
        "Column '{column}' of folder {folder} is in its files and in the names of its folders", "leave one of the two."
    ),
    "columns-alike": Wording("The {kind} has two columns named '{column}'", "give each a name of its own."),
    "value-unreadable": Wording(
        _value_unreadable, "write it anew with NULL in place of such a value, or without the column."
    ),
    "header-missing": Wording("{source} has no header line with a name for each column", "add one."),
    "source-missing": Wording(_NOT_A_TABLE, "there is no such file."),
    "source-unreadable": Wording(
        _NOT_A_TABLE,
        "a CSV in UTF-8 with a header line, Parquet (a file or a folder), a pandas, polars or Arrow table will do.",
    ),
    "source-changed": Wording("{source} was changed after it was opened", "open it again."),
    "source-changed-meanwhile": Wording(
        "{source} was changed while it was read",
        "open it again; nothing was released, and what was charged stays charged.",
    ),
    "source-format": Wording("{source} is in no format that is read", "csv or parquet will do."),
    "population-unwritable": Wording("{path} cannot be written", "name a file in a folder that exists."),
    "not-a-table": Wording(
        "A {kind} is no table",
        "open a CSV or Parquet file, a folder of Parquet files, or a pandas, polars or Arrow table.",
    ),
    "table-unreadable": Wording("The {kind} cannot be read", "read it into a table first; that tells where it fails."),
    "parquet-missing": Wording("Folder {folder} has no Parquet file", "name a file, or a folder of .parquet files."),
    "parquet-file-unreadable": Wording("{file} cannot be read", "is it a complete Parquet file?"),
    "parquet-folder-unreadable": Wording("Folder {folder} cannot be read", "are its files complete Parquet files?"),
    "parquet-folders-differ": Wording("{file} lies in folders of other names than {first}", _SAME_COLUMNS),
    "parquet-columns-differ": Wording("{file} has other columns or types than {first}", _SAME_COLUMNS),
}
_SANDBOX = {
    "sandbox-limits": Wording(
        "These limits of a sandbox limit nothing",
        "seconds and memory_mb are above 0, decimals are 0 to 15, and low is below high.",
    ),
    "sandbox-bubblewrap-missing": Wording(MISSING, "bubblewrap is not installed: {install}."),
    "sandbox-packages-missing": Wording(MISSING, "Not installed: {packages}. {install}."),
    "sandbox-libseccomp-unusable": Wording(MISSING, "libseccomp cannot be used: {install}."),
    "sandbox-does-not-score": Wording(
        MISSING,
        "bubblewrap is here, but a plain function does not score in it: allow user namespaces (in a container, too), "
        "and give it more memory if it has little.",
    ),
    "sandbox-self-test-silent": Wording(MISSING, "The sandbox fails its self-test: it does not say what it stops."),
    "sandbox-attacks-succeeded": Wording(MISSING, _attacks_succeeded),
    "sandbox-endless": Wording(MISSING, "The sandbox fails its self-test: a function in it has no end."),
}
_STORAGE = {
    "database-busy": Wording("The database {database} is in use", "try again; nothing was changed."),
    "database-unreadable": Wording(
        "The database {database} holds something else than this asks for", "look at it with {step[check_workspace]}."
    ),
    "database-unusable": Wording(
        "The database {database} cannot be used", "see that it is there, may be written to and has room."
    ),
    "database-taken": Wording("The database {database} holds something else", "name one that is empty, or new."),
    "database-address": Wording("That is no address of a database", _DATABASES),
    "database-kind": Wording("The database is neither an SQLite file nor on PostgreSQL", _DATABASES),
    "workspace-format": Wording(_workspace_format, _other_format),
    "alembic-missing": Wording("A workspace needs Alembic", "pip install 'sfumato[server]'."),
    "psycopg-missing": Wording("PostgreSQL needs psycopg", "pip install 'sfumato[postgres]'."),
    "ledger-file-busy": Wording("The ledger {path} is in use", "try again; nothing was released."),
    "ledger-format": Wording(_ledger_format, _other_format),
    "ledger-file-unreadable": Wording(
        "{path} is not a ledger that can be read", "check the path; nothing was released."
    ),
    "ledger-file-unwritable": Wording(
        "The ledger {path} cannot be written", "name another with {option[ledger=PATH]}; nothing was released."
    ),
    "ledger-table-busy": Wording("The ledger in {database} is in use", "try again; nothing was released."),
    "ledger-table-unreadable": Wording("{database} has no ledger that can be read", _TABLE_OF_LEDGER),
    "ledger-table-unwritable": Wording("The ledger in {database} cannot be written", _TABLE_OF_LEDGER),
    "ledger-replaced": Wording(
        "The ledger is not the one it was at entry {entry}: an older copy was put back, or another one",
        "find the one that has every release; an older copy would count them as never made.",
    ),
    "page-unknown": Wording("That is no place to go on from", "take it from the page before."),
    "text-unkeepable": Wording("A text has characters that cannot be kept", "leave out NUL and halves of others."),
    "number-unkeepable": Wording("A number is too large to be kept", "it has to be less than 2^63."),
}
_VAULT = {
    "vault-packages-missing": Wording("A vault needs cryptography and argon2", "pip install 'sfumato[server]'."),
    "vault-needs-linux": Wording("A vault opens data in memory only, which needs Linux", "run the server on Linux."),
    "vault-missing": Wording("There is no vault in {folder}", "make a workspace there with {step[create_workspace]}."),
    "vault-taken": Wording("{folder} has a vault already", "name another folder; this one is left as it was."),
    "vault-newer": Wording("This workspace was made by a newer sfumato", "install that one; nothing was changed."),
    "vault-file-unwritable": Wording(
        "{path} cannot be written", "make room, or name another folder; nothing was made."
    ),
    "vault-file-unreadable": Wording("{path} is not one that can be read", "take it from a backup."),
    "data-unwritable": Wording(
        "The data of '{dataset}' cannot be written to the vault",
        "make room on its disk, check who may write there, and deliver again; nothing was kept.",
    ),
    "data-version-taken": Wording(
        "This version of '{dataset}' is in the vault already", "a delivery is a version of its own."
    ),
    "data-unremovable": Wording(
        "The data of '{dataset}' cannot be removed from the vault", "check who may write there."
    ),
    "data-altered": Wording("The data of '{dataset}' was altered, or put there from elsewhere", _FROM_BACKUP),
    "data-unreadable": Wording("The data of '{dataset}' cannot be read from the vault", _FROM_BACKUP),
    "sealed-text-altered": Wording(
        "What the vault keeps as {about} was altered, or put there from elsewhere",
        "take it from a backup, or write it anew.",
    ),
    "lock-not-one": Wording("A workspace is locked by a passphrase or by a key file", "give one of the two."),
    "lock-other": Wording("This workspace is locked by a {locked_by}, not by a {given}", "give its {locked_by}."),
    "lock-wrong": Wording(
        "That is not the {locked_by} of this workspace",
        "nothing was opened. If it is the right one, {file} was altered: take it from a backup.",
    ),
    "passphrase-empty": Wording("The passphrase is empty", "choose one of several words."),
    "unlocking-memory": Wording("Unlocking needs {mebibytes} MiB of memory", "make room; nothing was opened."),
    "key-file-unreadable": Wording("The key file {path} cannot be read", "check the path, and who may read it."),
    "key-file-size": Wording("{path} is not a key file", "a key file has {bytes} random bytes and nothing else."),
}
WORDINGS = {**_ACCOUNTING, **_ENGINES, **_SANDBOX, **_STORAGE, **_VAULT}
