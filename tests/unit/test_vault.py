"""The vault: what it keeps comes back whole or not at all, and is nowhere on a disk in plain text."""

from __future__ import annotations

import fcntl
import importlib
import json
import mmap
import os
import re
import stat
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from sfumato.adapters import vault
from sfumato.adapters.vault import atomic_file
from sfumato.adapters.vault.files import HEADER, MAGIC, StoredFile, VaultFiles
from sfumato.adapters.vault.master_key import MasterKey
from sfumato.adapters.vault.passwords import digest_of
from sfumato.adapters.vault.stream_cipher import SIZE, TAG, chunks, decrypt, encrypt
from sfumato.adapters.vault.vault_file import Argon2Cost, create
from sfumato.errors import BadInput, EngineFailure, VaultBroken, VaultUnwritable
from tests.depth import depth

CHEAP = Argon2Cost(passes=1, memory_kib=8, lanes=1)
WORDS = "correct horse battery staple"
MARKER = b"Ada Lovelace, 36, London;"
KEY = bytes(range(32))


@pytest.fixture
def master() -> MasterKey:
    return MasterKey(os.urandom(32))


@pytest.fixture
def files(tmp_path: Path, master: MasterKey) -> VaultFiles:
    return VaultFiles(tmp_path / "data", master)


def read(files: VaultFiles, dataset: str, version: str) -> bytes:
    handle = files.opened(dataset, version)
    with os.fdopen(handle, "rb") as file:
        return file.read()


def handles() -> int:
    """How many files are open."""
    return len(list(Path("/proc/self/fd").iterdir()))


def only(folder: Path) -> Path:
    [path] = folder.iterdir()
    return path


def said(error: pytest.ExceptionInfo[BaseException]) -> str:
    """The sentence; nothing of another error hangs on it."""
    assert error.value.__cause__ is None
    assert error.value.__context__ is None
    return str(error.value)


@pytest.fixture
def read_only() -> Iterator[Path]:
    """A folder that we may read and not write; as root we become somebody else for that."""
    user = os.geteuid()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o555)
        os.seteuid(user or 65534)
        try:
            yield folder
        finally:
            os.seteuid(user)
            folder.chmod(0o755)


# Chunks


@settings(max_examples=depth("vault texts"))
@given(st.lists(st.binary(max_size=40), max_size=8), st.integers(1, 16))
@example([], 4)
@example([b"abcd"], 4)
@example([b"abcd", b"efgh"], 4)
@example([b"abcde"], 4)
def test_any_pieces_in_chunks_of_any_size(pieces: list[bytes], size: int) -> None:
    plain = b"".join(pieces)
    sealed = list(encrypt(KEY, b"adult", pieces, size))
    assert b"".join(decrypt(KEY, b"adult", sealed, size)) == plain
    assert b"".join(decrypt(KEY, b"adult", [b"".join(sealed)], size)) == plain
    assert len(sealed) == max(1, -(-len(plain) // size))
    assert sum(map(len, sealed)) == len(plain) + TAG * len(sealed)
    assert [last for _number, _chunk, last in chunks(pieces, size)] == [False] * (len(sealed) - 1) + [True]


def test_each_chunk_is_bound_to_its_text_its_number_and_whether_it_is_the_last() -> None:
    """As it is written down: all of that is associated data, and the number is the nonce, too."""
    sealed = list(encrypt(KEY, b"adult", [b"aaaa" * 3], 4))
    assert len({chunk[:4] for chunk in sealed}) == 3, "alike chunks do not look alike: no nonce is used twice"
    for number, chunk in enumerate(sealed):
        place = b"adult" + number.to_bytes(8) + bytes([number == 2])
        assert AESGCM(KEY).decrypt(number.to_bytes(12), chunk, place) == b"aaaa"


def test_a_chunk_of_another_text_under_the_same_key() -> None:
    """Keys are different, and nobody relies on that alone."""
    with pytest.raises(InvalidTag):
        list(decrypt(KEY, b"adult", encrypt(KEY, b"stays", [MARKER])))


@settings(max_examples=depth("vault texts"))
@given(st.binary(max_size=40), st.integers(1, 8), st.data())
def test_chunks_that_are_not_where_they_were(plain: bytes, size: int, data: st.DataObject) -> None:
    """Any other row of the same chunks, and of those of another text, is refused: swapped, doubled, left out."""
    sealed = list(encrypt(KEY, b"adult", [plain], size))
    others = list(encrypt(KEY, b"stays", [plain], size))
    row = data.draw(st.lists(st.sampled_from(sealed + others), max_size=len(sealed) + 2))
    assume(row != sealed)
    with pytest.raises(InvalidTag):
        list(decrypt(KEY, b"adult", row, size))


@settings(max_examples=depth("vault texts"))
@given(st.binary(max_size=40), st.integers(1, 8), st.data())
def test_a_bit_flipped_or_an_end_cut_off(plain: bytes, size: int, data: st.DataObject) -> None:
    sealed = b"".join(encrypt(KEY, b"adult", [plain], size))
    place = data.draw(st.integers(0, len(sealed) - 1))
    flipped = bytearray(sealed)
    flipped[place] ^= 1 << data.draw(st.integers(0, 7))
    for altered in (bytes(flipped), sealed[:place], sealed + sealed[: place + 1]):
        with pytest.raises(InvalidTag):
            list(decrypt(KEY, b"adult", [altered], size))


# Data is kept


@pytest.mark.parametrize("length", [0, 1, SIZE - 1, SIZE, SIZE + 1, 2 * SIZE, 2 * SIZE + 7])
def test_what_is_kept_is_opened(files: VaultFiles, tmp_path: Path, length: int) -> None:
    plain = os.urandom(length)
    kept = files.keep("adult", "v1", [plain[:5], b"", plain[5:]])
    assert kept.bytes == length
    assert read(files, "adult", "v1") == plain
    chunks = max(1, -(-length // SIZE))
    path = only(tmp_path / "data")
    assert path.stat().st_size == HEADER + length + TAG * chunks
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_each_version_has_a_key_of_its_own_wrapped_for_it_alone(
    files: VaultFiles, tmp_path: Path, master: MasterKey
) -> None:
    keys = set()
    for version in ("v1", "v2"):
        files.keep("adult", version, [MARKER])
        header, [chunk] = chunks_of(only(tmp_path / "data"))
        magic, nonce, wrapped = header[: len(MAGIC)], header[len(MAGIC) : len(MAGIC) + 12], header[len(MAGIC) + 12 :]
        about = json.dumps(["adult", version]).encode()
        key = AESGCM(master.key("data keys")).decrypt(nonce, wrapped, magic + about)
        assert list(decrypt(key, about, [chunk])) == [MARKER]
        keys.add(key)
        files.forget("adult", version)
    assert len(keys) == 2
    assert {len(key) for key in keys} == {32}
    assert bytes(32) not in keys


def test_what_is_kept_or_forgotten_stays_so_after_a_power_failure(
    files: VaultFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bytes are synced before they get their name, and the folder afterwards."""
    done: list[str] = []
    sync, link = os.fsync, os.link

    def noted(handle: int) -> None:
        target = Path(f"/proc/self/fd/{handle}").readlink()
        done.append("folder synced" if target == tmp_path / "data" else "bytes synced")
        sync(handle)

    def named(source: Path, target: Path) -> None:
        done.append("named")
        link(source, target)

    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(os, "link", named)
    files.keep("adult", "v1", [MARKER])
    assert done == ["bytes synced", "named", "folder synced"]
    files.forget("adult", "v1")
    assert done[3:] == ["folder synced"]


def test_another_process_with_the_same_secret_opens_it(tmp_path: Path, master: MasterKey) -> None:
    VaultFiles(tmp_path / "data", master).keep("adult", "v1", [MARKER])
    assert read(VaultFiles(tmp_path / "data", MasterKey(master.secret)), "adult", "v1") == MARKER


def test_what_is_opened_is_at_its_beginning_in_memory_and_cannot_be_written(files: VaultFiles) -> None:
    files.keep("adult", "v1", [MARKER])
    handle = files.opened("adult", "v1")
    try:
        assert os.lseek(handle, 0, os.SEEK_CUR) == 0
        assert str(Path(f"/proc/self/fd/{handle}").readlink()) == "/memfd:sfumato (deleted)", "its name tells nothing"
        assert not os.get_inheritable(handle)
        assert Path(f"/proc/self/fd/{handle}").read_bytes() == MARKER
        for write in (
            lambda: os.write(handle, b"x"),
            lambda: os.ftruncate(handle, 0),
            lambda: os.ftruncate(handle, 10**6),
            lambda: mmap.mmap(handle, 0),
            lambda: fcntl.fcntl(handle, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SEAL),
        ):
            with pytest.raises(OSError, match="not permitted"):
                write()
    finally:
        os.close(handle)


def test_a_fingerprint_tells_the_same_file_from_another_within_one_vault(files: VaultFiles, tmp_path: Path) -> None:
    def mark(kept: StoredFile) -> str:
        return kept.fingerprint

    one = mark(files.keep("adult", "v1", [MARKER]))
    assert one == mark(files.keep("adult", "v2", [MARKER[:3], MARKER[3:]])) == mark(files.keep("stays", "v1", [MARKER]))
    assert one != mark(files.keep("adult", "v3", [MARKER, b" "]))
    assert one != mark(VaultFiles(tmp_path / "other", MasterKey(KEY)).keep("adult", "v1", [MARKER]))
    assert one != digest_of(MARKER.decode()), "whoever guesses the file cannot check the guess"


def test_names_that_are_no_names_of_files(files: VaultFiles, tmp_path: Path) -> None:
    names = ["../../etc/passwd", "a" * 5000, "", "\0", "\ud800", "Straße", "a\nb", ".", "/"]
    for name in names:
        files.keep(name, name, [name.encode("utf-8", "surrogatepass")])
    for name in names:
        assert read(files, name, name) == name.encode("utf-8", "surrogatepass")
    assert len(list((tmp_path / "data").iterdir())) == len(names)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]
    files.keep("ab", "c", [b"1"])
    files.keep("a", "bc", [b"2"])
    assert read(files, "ab", "c") == b"1", "where one name ends and the other begins is part of it"


def test_a_version_is_kept_once(files: VaultFiles, tmp_path: Path) -> None:
    files.keep("adult", "v1", [MARKER])
    with pytest.raises(VaultUnwritable) as taken:
        files.keep("adult", "v1", [b"another"])
    assert said(taken) == (
        "This version of 'adult' is already stored. Hint: deliver the data again, which makes a new version."
    )
    assert read(files, "adult", "v1") == MARKER
    assert len(list((tmp_path / "data").iterdir())) == 1


def test_forgotten_is_gone(files: VaultFiles, tmp_path: Path) -> None:
    files.forget("adult", "v1")
    files.keep("adult", "v1", [MARKER])
    files.keep("adult", "v2", [b"newer"])
    files.forget("adult", "v1")
    files.forget("adult", "v1")
    with pytest.raises(VaultBroken) as gone:
        files.opened("adult", "v1")
    assert said(gone) == (
        "The stored data of 'adult' cannot be read, and nothing was computed. Hint: restore the files from a "
        "backup, or deliver the data again."
    )
    assert read(files, "adult", "v2") == b"newer"
    assert len(list((tmp_path / "data").iterdir())) == 1


def test_one_chunk_is_in_memory_at_a_time(files: VaultFiles) -> None:
    piece = os.urandom(1 << 16)
    tracemalloc.start()
    try:
        files.keep("adult", "v1", (piece for _ in range(512)))  # 32 MiB
        os.close(files.opened("adult", "v1"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * SIZE


# Attacks: flipped, cut off, swapped, put back (security 18)


ALTERED = (
    "The stored data of 'adult' was altered or replaced, and nothing was computed. Hint: restore the files "
    "from a backup"
)


@pytest.fixture
def kept(files: VaultFiles, tmp_path: Path) -> Path:
    """The file of three chunks that an attacker may write to."""
    files.keep("adult", "v1", [os.urandom(SIZE), os.urandom(SIZE), MARKER])
    return only(tmp_path / "data")


def chunks_of(path: Path) -> tuple[bytes, list[bytes]]:
    held = path.read_bytes()
    places = [*range(HEADER, len(held), SIZE + TAG), len(held)]
    return held[:HEADER], [held[start:end] for start, end in pairwise(places)]


def refused(files: VaultFiles, dataset: str = "adult", version: str = "v1") -> None:
    before = handles()
    with pytest.raises(VaultBroken, match=re.escape(ALTERED.replace("adult", dataset))) as broken:
        files.opened(dataset, version)
    said(broken)
    assert broken.value.exit_status == 3
    del broken
    assert handles() == before, "nothing half opened is left"


@pytest.mark.parametrize(
    "place",
    [
        0,
        len(MAGIC) - 1,
        len(MAGIC),
        len(MAGIC) + 12,
        HEADER - 1,
        HEADER,
        HEADER + SIZE,
        HEADER + SIZE + TAG,
        -TAG - 1,
        -1,
    ],
)
def test_a_flipped_bit(files: VaultFiles, kept: Path, place: int) -> None:
    held = bytearray(kept.read_bytes())
    held[place] ^= 1
    kept.write_bytes(held)
    refused(files)


def test_a_file_cut_off(files: VaultFiles, kept: Path) -> None:
    held = kept.read_bytes()
    for length in (0, 1, HEADER - 1, HEADER, HEADER + 1, HEADER + SIZE + TAG, HEADER + 2 * (SIZE + TAG), len(held) - 1):
        kept.write_bytes(held[:length])
        refused(files)


def test_a_file_with_more_at_its_end(files: VaultFiles, kept: Path) -> None:
    held = kept.read_bytes()
    for more in (b"\0", held[-len(MARKER) - TAG :], held[HEADER:], held):
        kept.write_bytes(held + more)
        refused(files)


@pytest.mark.parametrize("order", [[1, 0, 2], [0, 2, 1], [0, 2], [1, 2], [2], [0, 0, 1, 2], [0, 1, 1, 2], [2, 1, 0]])
def test_chunks_in_another_order(files: VaultFiles, kept: Path, order: list[int]) -> None:
    header, chunks = chunks_of(kept)
    assert len(chunks) == 3
    kept.write_bytes(header + b"".join(chunks[number] for number in order))
    refused(files)


def test_a_chunk_of_another_dataset(files: VaultFiles, kept: Path, tmp_path: Path) -> None:
    files.keep("stays", "v1", [bytes(SIZE), bytes(SIZE), bytes(len(MARKER))])
    [other] = set((tmp_path / "data").iterdir()) - {kept}
    (header, mine), (their_header, theirs) = chunks_of(kept), chunks_of(other)
    for number in range(3):
        kept.write_bytes(header + b"".join([*mine[:number], theirs[number], *mine[number + 1 :]]))
        refused(files)
    for held in (their_header + b"".join(theirs), their_header + b"".join(mine), header + b"".join(theirs)):
        kept.write_bytes(held)
        refused(files)
    assert read(files, "stays", "v1") == bytes(2 * SIZE + len(MARKER))


def test_an_old_version_put_back(files: VaultFiles, kept: Path, tmp_path: Path) -> None:
    files.keep("adult", "v2", [b"newer"])
    [newer] = set((tmp_path / "data").iterdir()) - {kept}
    newer.write_bytes(kept.read_bytes())
    refused(files, version="v2")


def test_a_file_of_another_workspace(files: VaultFiles, kept: Path, tmp_path: Path) -> None:
    VaultFiles(tmp_path / "other", MasterKey(KEY)).keep("adult", "v1", [MARKER])
    kept.write_bytes(only(tmp_path / "other").read_bytes())
    refused(files)


def test_plain_data_put_in_place_of_a_kept_file(files: VaultFiles, kept: Path) -> None:
    kept.write_bytes(MARKER)
    refused(files)


# Nothing plain on the disk


def found(marker: bytes, *folders: Path) -> list[Path]:
    paths = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return [path for path in paths if marker in path.read_bytes() or marker.decode() in str(path)]


@pytest.mark.parametrize("encrypting", [True, False], ids=["encrypted", "control"])
def test_no_file_holds_plain_text_while_it_is_kept_or_afterwards(
    tmp_path: Path, master: MasterKey, monkeypatch: pytest.MonkeyPatch, encrypting: bool
) -> None:
    """Looked for at every piece, in the vault and the temporary folder; the control finds it."""
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", None)
    files = VaultFiles(tmp_path / "data", master, encrypted=encrypting)
    seen: set[bool] = set()

    def delivered() -> Iterator[bytes]:
        for _ in range(6):
            yield MARKER * (SIZE // len(MARKER) // 2)
            seen.add(bool(found(MARKER, tmp_path)))

    files.keep("adult", "v1", delivered())
    handle = files.opened("adult", "v1")
    after = found(MARKER, tmp_path)
    os.close(handle)
    assert (True in seen, bool(after)) == (not encrypting, not encrypting)
    assert not list(temporary.iterdir())
    assert not encrypting or not found(b"adult", tmp_path), "nor the name of the dataset"


# What fails leaves nothing half done


UNWRITABLE = (
    "The data of 'adult' cannot be stored. Hint: free some space on the disk, check its permissions, and "
    "deliver the data again; nothing was stored."
)


def test_a_disk_that_fills_up_half_way(files: VaultFiles, tmp_path: Path, fill_disk: Callable[[], None]) -> None:
    files.keep("adult", "v1", [MARKER])
    before = set((tmp_path / "data").iterdir())

    def delivered() -> Iterator[bytes]:
        yield bytes(3 * SIZE)
        fill_disk()
        yield bytes(3 * SIZE)

    with pytest.raises(VaultUnwritable) as full:
        files.keep("adult", "v2", delivered())
    assert said(full) == UNWRITABLE
    assert full.value.exit_status == 2
    assert set((tmp_path / "data").iterdir()) == before


def test_a_disk_that_is_full_when_a_workspace_is_made(tmp_path: Path, fill_disk: Callable[[], None]) -> None:
    key_file = tmp_path / "workspace.key"
    fill_disk()
    for lock in ({"passphrase": WORDS}, {"key_file": key_file}):
        with pytest.raises(VaultUnwritable, match="cannot be written") as full:
            create(tmp_path, cost=CHEAP, **lock)
        said(full)
        assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written(read_only: Path, master: MasterKey) -> None:
    for folder in (read_only, read_only / "data"):
        with pytest.raises(VaultUnwritable) as unwritable:
            VaultFiles(folder, master).keep("adult", "v1", [MARKER])
        assert said(unwritable) == UNWRITABLE
    with pytest.raises(VaultUnwritable) as unwritable:
        create(read_only, passphrase=WORDS, cost=CHEAP)
    assert said(unwritable) == (
        f"{read_only / 'vault.json'} cannot be written. Hint: free some space, or name another folder; nothing "
        "was created."
    )
    assert not list(read_only.iterdir())


def test_a_file_that_can_be_neither_read_nor_removed(files: VaultFiles, kept: Path) -> None:
    kept.unlink()
    kept.mkdir()
    with pytest.raises(VaultBroken, match="The stored data of 'adult' cannot be read, and nothing was computed"):
        files.opened("adult", "v1")
    with pytest.raises(VaultUnwritable) as stays:
        files.forget("adult", "v1")
    assert said(stays) == "The data of 'adult' cannot be deleted. Hint: check the permissions of its folder."


def test_a_key_file_that_was_made_for_a_workspace_that_was_not_is_gone(tmp_path: Path) -> None:
    with pytest.raises(VaultUnwritable):
        create(tmp_path / "nowhere", key_file=tmp_path / "workspace.key")
    assert not list(tmp_path.iterdir())


def test_a_delivery_that_breaks_off(files: VaultFiles, tmp_path: Path) -> None:
    """Its own error comes through, even one that looks like the disk's."""

    def delivered() -> Iterator[bytes]:
        yield bytes(3 * SIZE)
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        files.keep("adult", "v1", delivered())
    assert not list((tmp_path / "data").iterdir())
    files.keep("adult", "v1", [MARKER])
    assert read(files, "adult", "v1") == MARKER


def test_a_folder_that_cannot_be_synced(files: VaultFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that a power failure may take away again was not given."""

    def fails(_folder: Path) -> None:
        raise OSError

    monkeypatch.setattr(atomic_file, "sync_folder", fails)
    with pytest.raises(VaultUnwritable):
        files.keep("adult", "v1", [MARKER])
    assert not list((tmp_path / "data").iterdir())


def test_what_does_not_fit_into_memory_is_one_constant_error(files: VaultFiles, fill_disk: Callable[[], None]) -> None:
    files.keep("adult", "v1", [MARKER])
    fill_disk()  # a file in memory is one, too
    before = handles()
    with pytest.raises(EngineFailure) as failed:
        files.opened("adult", "v1")
    said(failed)
    assert handles() == before


def test_what_a_killed_program_left_is_removed_in_time(files: VaultFiles, tmp_path: Path) -> None:
    files.keep("adult", "v1", [MARKER])
    running, abandoned = (tmp_path / "data" / f"{name}{atomic_file.PART}" for name in ("running", "abandoned"))
    for part in (running, abandoned):
        part.write_bytes(b"ciphertext")
    old = time.time() - atomic_file.ABANDONED - 1
    os.utime(abandoned, (old, old))
    files.keep("adult", "v2", [MARKER])
    assert (running.exists(), abandoned.exists()) == (True, False)
    assert read(files, "adult", "v1") == MARKER


# What is missing is said


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "argon2" else object())
    with pytest.raises(BadInput) as missing:
        importlib.reload(vault)
    assert (
        said(missing)
        == "An encrypted workspace needs the packages cryptography and argon2, which are not installed. Hint: "
        "pip install 'sfumato[server]'."
    )


def test_without_files_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "memfd_create")
    with pytest.raises(BadInput, match="needs Linux"):
        importlib.reload(vault)
