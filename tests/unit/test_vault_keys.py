"""The keys of a vault: who unlocks a workspace, what is sealed and signed under them, and what people sign in with."""

from __future__ import annotations

import copy
import json
import os
import pickle
import re
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sfumato.adapters.vault import passwords
from sfumato.adapters.vault.master_key import MasterKey
from sfumato.adapters.vault.passwords import digest_of, matches, new_secret, password_hash
from sfumato.adapters.vault.sealed_text import seal, unseal
from sfumato.adapters.vault.signatures import new_pair, sign, verify
from sfumato.adapters.vault.vault_file import COST, Argon2Cost, create, unlock
from sfumato.errors import BadInput, VaultBroken
from tests.depth import depth
from tests.unit.test_vault import CHEAP, KEY, WORDS, only, said


@pytest.fixture
def master() -> MasterKey:
    return MasterKey(os.urandom(32))


# A workspace is locked, and unlocked


def test_a_passphrase_unlocks_what_it_locked(tmp_path: Path) -> None:
    made = create(tmp_path, passphrase=WORDS, cost=CHEAP)
    assert unlock(tmp_path, passphrase=WORDS).secret == made.secret
    assert stat.S_IMODE((tmp_path / "vault.json").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["vault.json"]


def test_a_key_file_is_made_and_unlocks(tmp_path: Path) -> None:
    key_file = tmp_path / "workspace.key"
    folder = tmp_path / "workspace"
    folder.mkdir()
    made = create(folder, key_file=key_file)
    assert len(key_file.read_bytes()) == 32
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    assert unlock(folder, key_file=key_file).secret == made.secret != key_file.read_bytes()


def test_a_key_file_that_is_there_is_used_as_it_is(tmp_path: Path) -> None:
    key_file = tmp_path / "workspace.key"
    key_file.write_bytes(KEY)
    made = create(tmp_path, key_file=key_file)
    assert key_file.read_bytes() == KEY
    assert unlock(tmp_path, key_file=key_file).secret == made.secret


def test_two_workspaces_with_one_passphrase_have_nothing_in_common(tmp_path: Path) -> None:
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    assert len({create(folder, passphrase=WORDS, cost=CHEAP).secret for folder in folders}) == 2
    told = [json.loads((folder / "vault.json").read_text()) for folder in folders]
    assert told[0]["salt"] != told[1]["salt"]


def test_a_guess_costs_at_least_what_rfc_9106_recommends(tmp_path: Path) -> None:
    create(tmp_path, passphrase=WORDS)
    stated = json.loads((tmp_path / "vault.json").read_text())["argon2id"]
    assert stated == {"passes": 3, "memory_kib": 4 * 65536, "lanes": 4}
    assert Argon2Cost(**stated) == COST


def test_the_same_words_from_another_keyboard(tmp_path: Path) -> None:
    made = create(tmp_path, passphrase="caf\u00e9 au lait", cost=CHEAP)
    assert unlock(tmp_path, passphrase="cafe\u0301 au lait").secret == made.secret


@pytest.mark.parametrize("wrong", ["correct horse battery stapl", f"{WORDS} ", WORDS.upper(), "\ud800", "\0"])
def test_a_wrong_passphrase(tmp_path: Path, wrong: str) -> None:
    create(tmp_path, passphrase=WORDS, cost=CHEAP)
    with pytest.raises(BadInput) as refused:
        unlock(tmp_path, passphrase=wrong)
    assert said(refused) == (
        "This is not the passphrase of this workspace. Hint: try again; if it is the right one, vault.json was "
        "altered: restore it from a backup."
    )
    assert refused.value.exit_status == 2


def test_a_wrong_key_file(tmp_path: Path) -> None:
    create(tmp_path, key_file=tmp_path / "right.key")
    (tmp_path / "wrong.key").write_bytes(KEY)
    with pytest.raises(BadInput, match="This is not the key file of this workspace"):
        unlock(tmp_path, key_file=tmp_path / "wrong.key")


@pytest.mark.parametrize("length", [0, 31, 33, 5000])
def test_what_is_no_key_file(tmp_path: Path, length: int) -> None:
    path = tmp_path / "poem.txt"
    path.write_bytes(b"x" * length)
    with pytest.raises(BadInput, match=r"poem\.txt is not a key file"):
        create(tmp_path, key_file=path)
    assert only(tmp_path) == path


def test_a_key_file_that_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "workspace.key"
    create(tmp_path, key_file=path)
    path.unlink()
    with pytest.raises(BadInput) as gone:
        unlock(tmp_path, key_file=path)
    assert said(gone) == f"The key file {path} cannot be read. Hint: check its path and permissions."
    assert not path.exists()


def test_a_passphrase_where_a_key_file_is_asked_for_and_the_other_way_round(tmp_path: Path) -> None:
    key_file = tmp_path / "workspace.key"
    folder = tmp_path / "by words"
    folder.mkdir()
    create(tmp_path, key_file=key_file)
    create(folder, passphrase=WORDS, cost=CHEAP)
    with pytest.raises(BadInput, match="locked by a key file, not by a passphrase"):
        unlock(tmp_path, passphrase=WORDS)
    with pytest.raises(BadInput, match="locked by a passphrase, not by a key file"):
        unlock(folder, key_file=key_file)


def test_one_of_the_two_and_not_an_empty_one(tmp_path: Path) -> None:
    one_of_two = "unlocked by either a passphrase or a key file. Hint: give one of the two."
    with pytest.raises(BadInput, match=re.escape(one_of_two)):
        create(tmp_path)
    with pytest.raises(BadInput, match=re.escape(one_of_two)):
        create(tmp_path, passphrase=WORDS, key_file=tmp_path / "workspace.key")
    with pytest.raises(BadInput, match="The passphrase is empty"):
        create(tmp_path, passphrase="")
    assert not list(tmp_path.iterdir())


def test_a_second_vault_in_one_folder(tmp_path: Path) -> None:
    made = create(tmp_path, passphrase=WORDS, cost=CHEAP)
    before = (tmp_path / "vault.json").read_bytes()
    for lock in ({"passphrase": "other"}, {"key_file": tmp_path / "workspace.key"}):
        with pytest.raises(BadInput, match="There is already a workspace in"):
            create(tmp_path, cost=CHEAP, **lock)
    assert (tmp_path / "vault.json").read_bytes() == before
    assert only(tmp_path).name == "vault.json", "the key file that was made for nothing is gone"
    assert unlock(tmp_path, passphrase=WORDS).secret == made.secret


def test_no_vault(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(BadInput) as nowhere:
            unlock(folder, passphrase=WORDS)
        assert said(nowhere) == f"There is no workspace in {folder}. Hint: create one there with `sfumato init`."


def test_a_workspace_of_a_newer_version(tmp_path: Path) -> None:
    create(tmp_path, passphrase=WORDS, cost=CHEAP)
    path = tmp_path / "vault.json"
    path.write_text(json.dumps({"version": 2, "locked_by": "something new"}))
    before = path.read_bytes()
    with pytest.raises(BadInput) as newer:
        unlock(tmp_path, passphrase=WORDS)
    assert (
        said(newer)
        == "This workspace was created by a newer version of sfumato. Hint: install that version; nothing was changed."
    )
    assert path.read_bytes() == before


BROKEN = {
    "no JSON": lambda _told: "{",
    "no object": lambda _told: "[]",
    "bytes": lambda _told: "\udcff",
    "nested without end": lambda _told: "[" * 100_000,
    "no version": lambda told: told | {"version": None},
    "no such version": lambda told: told | {"version": 0},
    "no such lock": lambda told: told | {"locked_by": "luck"},
    "no salt": lambda told: told | {"salt": None},
    "half a salt": lambda told: told | {"salt": told["salt"][:8]},
    "no cost": lambda told: told | {"argon2id": None},
    "another cost": lambda told: told | {"argon2id": {"passes": 1}},
    "half a pass": lambda told: told | {"argon2id": told["argon2id"] | {"passes": 1.5}},
    "too dear": lambda told: told | {"argon2id": told["argon2id"] | {"memory_kib": 1 << 40}},
}  # fmt: skip


@pytest.mark.parametrize("alter", BROKEN.values(), ids=BROKEN.keys())
def test_a_vault_json_that_cannot_be_read(tmp_path: Path, alter: Callable[[dict[str, object]], object]) -> None:
    create(tmp_path, passphrase=WORDS, cost=CHEAP)
    path = tmp_path / "vault.json"
    altered = alter(json.loads(path.read_text()))
    text = altered if isinstance(altered, str) else json.dumps(altered)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(VaultBroken) as broken:
        unlock(tmp_path, passphrase=WORDS)
    assert said(broken) == f"{path} is damaged and cannot be read. Hint: restore it from a backup."


@pytest.mark.parametrize("name", ["salt", "master", "argon2id"])
def test_what_was_altered_in_vault_json_unlocks_nothing(tmp_path: Path, name: str) -> None:
    create(tmp_path, passphrase=WORDS, cost=Argon2Cost(passes=2, memory_kib=64, lanes=1))
    path = tmp_path / "vault.json"
    told = json.loads(path.read_text())
    others = {
        "salt": "A" * 22 + "==",
        "master": seal(MasterKey(KEY), KEY, "the master key"),
        "argon2id": vars(CHEAP),
    }
    path.write_text(json.dumps(told | {name: others[name]}))
    with pytest.raises(BadInput, match="This is not the passphrase of this workspace"):
        unlock(tmp_path, passphrase=WORDS)


# A secret is a type


def test_a_master_key_is_not_shown_and_not_pickled(master: MasterKey) -> None:
    assert repr(master) == str(master) == "<MasterKey: confidential>"
    assert vars(master) == {}
    for work in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="confidential"):
            work(master)
    assert MasterKey(master.secret).key("tokens") == master.key("tokens")


def test_a_key_for_each_purpose(master: MasterKey) -> None:
    keys = {master.secret, master.key("a"), master.key("b"), MasterKey(KEY).key("a")}
    assert {len(key) for key in keys} == {32}
    assert len(keys) == 4


@pytest.mark.parametrize("length", [0, 16, 31, 33])
def test_a_master_key_has_32_bytes(length: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        MasterKey(bytes(length))


# Small texts


@settings(max_examples=depth("vault texts"))
@given(st.binary(max_size=200), st.text(max_size=20))
def test_what_was_sealed_is_unsealed(plain: bytes, about: str) -> None:
    master = MasterKey(KEY)
    sealed = seal(master, plain, about)
    assert unseal(master, sealed, about) == plain
    assert sealed != seal(master, plain, about), "alike texts do not look alike"


def test_a_sealed_text_in_another_place(master: MasterKey) -> None:
    sealed = seal(master, b"epsilon 3", "policy 1 of adult")
    with pytest.raises(VaultBroken) as elsewhere:
        unseal(master, sealed, "policy 2 of adult")
    assert said(elsewhere) == (
        "The encrypted record 'policy 2 of adult' was altered or replaced. Hint: restore it from a backup, or "
        "write it again."
    )
    assert elsewhere.value.exit_status == 3
    with pytest.raises(VaultBroken):
        unseal(MasterKey(KEY), sealed, "policy 1 of adult")


@settings(max_examples=depth("vault texts"))
@given(st.data())
def test_a_sealed_text_that_was_altered(data: st.DataObject) -> None:
    master = MasterKey(KEY)
    sealed = seal(master, b"epsilon 3!!!", "a policy")  # 40 bytes: 56 characters, the last of them padding
    place = data.draw(st.integers(0, len(sealed.rstrip("=")) - 2))
    other = data.draw(st.characters(codec="ascii"))
    assume(other != sealed[place])
    for altered in (sealed[:place] + other + sealed[place + 1 :], sealed[:place]):
        with pytest.raises(VaultBroken):
            unseal(master, altered, "a policy")


@pytest.mark.parametrize("nonsense", ["", "====", "ünïcode", "not base64 at all", "AAAA"])
def test_what_never_was_a_sealed_text(master: MasterKey, nonsense: str) -> None:
    with pytest.raises(VaultBroken):
        unseal(master, nonsense, "a policy")


# Signatures


def test_a_signature_holds_for_its_message_and_its_author() -> None:
    public, private = new_pair()
    other, _ = new_pair()
    signature = sign(private, b"policy 3")
    assert verify(public, b"policy 3", signature)
    assert not verify(public, b"policy 4", signature)
    assert not verify(other, b"policy 3", signature)
    assert (len(bytes.fromhex(public)), len(private), len(bytes.fromhex(signature))) == (32, 32, 64)


@pytest.mark.parametrize("nonsense", ["", "ab", "no hexadecimal", "00" * 64, "é"])
def test_what_is_no_signature_or_no_key_says_no(nonsense: str) -> None:
    public, private = new_pair()
    assert not verify(public, b"policy 3", nonsense)
    assert not verify(nonsense, b"policy 3", sign(private, b"policy 3"))


def test_signatures_are_those_of_rfc_8032() -> None:
    """Section 7.1, test 2."""
    private = bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
    public = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    signature = sign(private, bytes([0x72]))
    assert signature.startswith("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da")
    assert verify(public, bytes([0x72]), signature)


# Passwords


def test_a_password_is_kept_as_its_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the parameters that are stated, whatever other tests have put in their place."""
    monkeypatch.setattr(passwords, "_HASHER", PasswordHasher.from_parameters(passwords.PARAMETERS))
    stored = password_hash("café au lait")
    assert stored.startswith("$argon2id$v=19$m=65536,t=3,p=4$"), "the second choice of RFC 9106"
    assert matches(stored, "cafe\u0301 au lait")
    assert not matches(stored, "cafe au lait")
    assert not matches(stored, "\ud800")


@pytest.mark.parametrize(
    "stored", ["", "plain", "$argon2id$v=19$m=65536,t=3,p=4$", "$argon2id$v=19$m=1,t=0,p=4$c2FsdHNhbHQ$AA"]
)
def test_what_is_no_hash_says_no(stored: str) -> None:
    assert not matches(stored, "plain")


def test_nobody_has_no_password_and_that_takes_as_long() -> None:
    """CPU time of one thread; argon2's lanes are threads of their own, so all of them are counted."""
    stored = password_hash("a password")

    def fastest(kept: str | None) -> float:
        times = []
        for _ in range(3):
            before = time.process_time()
            assert not matches(kept, "another")
            times.append(time.process_time() - before)
        return min(times)

    assert 0.5 < fastest(None) / fastest(stored) < 2


def test_secrets_are_random_and_kept_as_their_hash() -> None:
    secrets = {new_secret() for _ in range(100)}
    assert len(secrets) == 100
    assert all(re.fullmatch(r"[\w-]{43}", secret) for secret in secrets)
    assert digest_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
