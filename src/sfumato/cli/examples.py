"""One example for each command, as its help shows it. Tests run those on files, and read those on a server."""

from __future__ import annotations

_TABLE = "adult.csv --schema adult.toml"
_COUNT = f'{_TABLE} --sql "SELECT COUNT(*) FROM adult"'
_AVERAGE = f'{_TABLE} --sql "SELECT AVG(age) FROM adult"'
_BY_SEX = '--sql "SELECT sex, COUNT(*) FROM adult GROUP BY sex"'

FILES = {  # on the files that `sfumato demo --files .` writes; each can be run after those above it
    "demo": "sfumato demo --files .",
    "schema draft": "sfumato schema draft adult.csv",
    "schema ask": "sfumato schema ask adult.csv --out answers.toml",
    "schema convert": "sfumato schema convert adult.toml",
    "worst-case": f"sfumato worst-case {_AVERAGE}",
    "noise": f"sfumato noise {_COUNT} --epsilon 0.01,0.1 --expected 30000",
    "sharing-risk": f"sfumato sharing-risk {_COUNT} --secret income --trust low --data-sensitivity high",
    "rehearse": f"sfumato rehearse {_AVERAGE} --gap 1.2 --worst-case",
    "compare": f"sfumato compare {_COUNT} --attack-chance 0.6 --within 100",
    "exposure-histogram": f"sfumato exposure-histogram {_AVERAGE} --epsilon 0.05",
    "suggest-bounds": f"sfumato suggest-bounds {_TABLE} --known 1=900,5=80,50=20 --for-epsilon 0.05",
    "choose": f"sfumato choose {_AVERAGE} --gap 1.2 --worst-case",
    "release": f"sfumato release {_AVERAGE} --gap 1.2 --worst-case",
    "histogram": f"sfumato histogram {_TABLE} --column age --by sex --epsilon 0.1",
    "batch": f'sfumato batch {_COUNT} --sql "SELECT SUM(age) FROM adult" --index 1,100 --epsilon 0.1',
    "run": "sfumato run adult-monthly.toml --dry-run",
    "study new": "sfumato study new study --tasks rdr --participants 60",
    "study export": "sfumato study export study",
    "ledger show": "sfumato ledger show adult.ledger",
    "ledger verify": "sfumato ledger verify adult.ledger",
    "ledger people": f"sfumato ledger people {_TABLE}",
    "ledger cause": 'sfumato ledger cause adult.ledger 3 "the disk was full"',
    "schema check": f"sfumato schema check {_TABLE}",
    "risk": f"sfumato risk {_AVERAGE}",
    "beliefs": f"sfumato beliefs {_COUNT} --candidates 0.1,1",
    "posthoc-risk": f'sfumato posthoc-risk {_TABLE} --between "age > 60"',
    "signal local": f"sfumato signal local {_COUNT}"
    """ --task '{"task": "histogram_distance", "column": "count(*)"}'""",
    "explain": 'sfumato explain "risk gap"',
    "reproduce": "sfumato reproduce lee-clifton",
    "engine check": "sfumato engine check duckdb",
    "audit-mechanism": "sfumato audit-mechanism --mechanism laplace --aggregate count --epsilon 1",
}
SERVER = {  # on the server that `sfumato demo --serve` starts
    "estimate": f"sfumato estimate adult {_BY_SEX} --as arthur",
    "submit": f'sfumato submit adult {_BY_SEX} --purpose "Yearly report" --as arthur',
    "result": "sfumato result 1 --as arthur",
    "withdraw": "sfumato withdraw 2 --as arthur",
    "signal tasks": "sfumato signal tasks --as arthur",
    "signal submit": "sfumato signal submit 1 --kind noisy_difference --epsilon 0.1"
    """ --task '{"task": "histogram_distance", "column": "people"}' --as arthur""",
    "signal list": "sfumato signal list --as arthur",
    "signal inspect": "sfumato signal inspect 1 --as clara",
    "signal approve": "sfumato signal approve 1 --as clara",
    "signal undo": "sfumato signal undo 1 --as clara",
    "signal assign": "sfumato signal assign 1 --to clara --as clara",
    "signal return": 'sfumato signal return 1 --note "Please state a smaller epsilon" --as clara',
    "signal refuse": 'sfumato signal refuse 1 --note "The budget is needed elsewhere" --as clara',
    "signal withdraw": "sfumato signal withdraw 1 --as arthur",
    "signal result": "sfumato signal result 1 --as arthur",
    "notifications": "sfumato notifications --unread --as arthur",
    "token": 'sfumato token --label "nightly report" --days 30 --as arthur',
    "inbox": "sfumato inbox --as clara",
    "inspect": "sfumato inspect 2 --as clara",
    "approve": "sfumato approve 2 --as clara",
    "undo": "sfumato undo 2 --as clara",
    "assign": "sfumato assign 2 --to clara --as clara",
    "return": 'sfumato return 2 --note "Please leave out the small groups" --as clara',
    "refuse": 'sfumato refuse 2 --note "The budget is needed elsewhere" --as clara',
    "cancel": "sfumato cancel 2 --as clara",
    "dataset deliver": "sfumato dataset deliver adult adult.csv --as clara",
    "dataset connect": "sfumato dataset connect stays --as clara",
    "dataset population": "sfumato dataset population adult town-2026 --as clara",
    "dataset list": "sfumato dataset list --as clara",
    "dataset show": "sfumato dataset show adult --as clara",
    "dataset cause": 'sfumato dataset cause adult 3 "the disk was full" --as clara',
    "dataset retire": "sfumato dataset retire adult --as clara",
    "policy show": "sfumato policy show adult --as clara",
    "user add": "sfumato user add dora --role auditor --as clara",
    "user change": "sfumato user change arthur --disable --as clara",
    "user list": "sfumato user list --as clara",
    "audit show": "sfumato audit show --as clara",
    "audit verify": "sfumato audit verify --as clara",
    "audit head": "sfumato audit head --out checkpoint.json --as clara",
}
WORKSPACE = {  # on a workspace of your own
    "init": "sfumato init escrow",
    "dataset add": "sfumato dataset add adult.csv --schema adult.toml --workspace escrow",
    "policy set": "sfumato policy set adult policy.toml --workspace escrow",
    "serve": "sfumato serve escrow",
    "study serve": "sfumato study serve study",
    "doctor": "sfumato doctor escrow",
}
EXAMPLES = FILES | SERVER | WORKSPACE


def on_demo(command: str) -> str:
    """What must be there for the example to work."""
    if command in SERVER:
        return " (`sfumato demo --serve`, and SFUMATO_SERVER=http://127.0.0.1:8765)"
    return " (files: `sfumato demo --files .`)" if "adult" in EXAMPLES[command] else ""
