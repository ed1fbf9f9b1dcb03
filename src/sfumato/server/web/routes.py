"""All the screens there are, in the order in which their addresses are tried."""

from __future__ import annotations

from sfumato.server.web import (
    account,
    audit_log_page,
    catalogue,
    certificate,
    compare,
    datasets,
    editor,
    explorer,
    glossary_page,
    inbox,
    introduction,
    ledger_page,
    noise_page,
    people,
    posthoc_page,
    public,
    register,
    requests_page,
    result,
    sharing,
    signing_in,
    worlds_page,
)
from sfumato.server.web.policy import page as policy
from sfumato.server.web.signals import decision as signal

_PAGES = (
    signing_in, register, account, audit_log_page, catalogue, certificate, compare, datasets, editor, explorer,
    glossary_page, inbox, introduction, ledger_page, noise_page, people, policy, posthoc_page, public,
    requests_page, result, sharing, signal, worlds_page,
)  # fmt: skip
ALL = tuple(page.screens for page in _PAGES)
