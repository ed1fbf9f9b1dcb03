"""The last results as the tables of docs/performance.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.closed import FIRST, FIXED
from bench.escrow import ENCRYPTED, RATIOS, SIDES
from bench.growth import short
from bench.target import RATIO

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
BEGIN, END = "<!-- Written by make bench: from here -->", "<!-- to here -->"
AGGREGATES = {"Q1": "COUNT", "Q2": "COUNT by group", "Q3": "COUNT", "Q4": "AVG", "Q5": "SUM"}


def refresh(results: Mapping[str, Any], page: Path = PAGE) -> None:
    """Replace the tables; the text around them stays."""
    text = page.read_text("utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    page.write_text(f"{before}{BEGIN}\n\n{tables(results)}\n\n{END}{after}", "utf-8")


def tables(results: Mapping[str, Any]) -> str:
    parts = (
        _prices(results),
        _contributions(results),
        _join(results),
        _keys(results),
        _growth(results),
        _speeds(results),
        _closed(results),
        _escrow(results),
        _web(results),
        _verdict(results),
    )
    return "\n\n".join(text for lines in parts if (text := "\n".join(lines)))


def _prices(results: Mapping[str, Any]) -> Iterator[str]:
    versions = results["versions"]
    people = short(results["rows"])
    yield (
        f"{people} people, medians of {results['rounds']} rounds, Python {versions['python']}, "
        f"DuckDB {versions['duckdb']}. A ratio is the CPU time of the verb divided by that of the plain query, without "
        "planning (for a release also without its ledger). The ratio including these is in brackets."
    )
    yield ""
    yield "| query | " + " | ".join(RATIO) + " | parse + plan | added memory |"
    yield "|---|" + "---|" * (len(RATIO) + 2)
    for name, verbs in results["queries"].items():
        ratios = [
            f"{v['ratio_without_planning']:.2f} ({v['ratio']:.2f})" if (v := verbs.get(verb)) else "–" for verb in RATIO
        ]
        planning = verbs["choose"]["parse_ms"] + verbs["choose"]["planning_ms"]
        mib = max((v["added_mib"] for v in verbs.values() if "added_mib" in v), default=None)
        memory = "–" if mib is None else f"{mib:.1f} MiB"
        yield f"| {name}, {AGGREGATES[name]} | " + " | ".join(ratios) + f" | {planning:.1f} ms | {memory} |"


def _contributions(results: Mapping[str, Any]) -> Iterator[str]:
    if not (found := results.get("contribution")):
        return
    yield "| several rows a person, ms of CPU time | plain, sampled | plain, first rows | release | release / sampled |"
    yield "|---|---|---|---|---|"
    for each in found:
        said = f"most {each['people']} `max_rows = {each['max_rows']}`, {short(each['rows'])} rows"
        sides = [each["plain_ms"], each["first_rows_ms"], each["release_ms"]]
        yield f"| {said} | " + " | ".join(f"{ms:,.0f}" for ms in sides) + f" | {sides[2] / sides[0]:.2f} |"


def _join(results: Mapping[str, Any]) -> Iterator[str]:
    if not (join := results.get("join")):
        return
    plain, bounded, release, moments = (join[f"{side}_ms"] for side in ("plain", "bounded", "release", "moments"))
    yield (
        "| a join, ms of CPU time | plain | plain, with the same bound | release | ratio to that | moments | "
        "ratio to that |"
    )
    yield "|---|---|---|---|---|---|---|"
    yield (
        f"| {short(join['orders'])} orders, {join['customers'] / 1e6:g}M customers | {plain:,.0f} | {bounded:,.0f} | "
        f"{release:,.0f} | {release / bounded:.2f} | {moments:,.0f} | {moments / bounded:.2f} |"
    )


def _keys(results: Mapping[str, Any]) -> Iterator[str]:
    if not (keys := results.get("keys")):
        return
    yield "| computed groups, ms of CPU time | plain | engine pass | parse + plan | release | us a group besides |"
    yield "|---|---|---|---|---|---|"
    sides = " | ".join(f"{keys[f'{side}_ms']:,.0f}" for side in ("plain", "pass", "planning", "release"))
    yield f"| {keys['groups']:,} groups, {short(keys['rows'])} rows | {sides} | {keys['us_each']:.1f} |"


def _growth(results: Mapping[str, Any]) -> Iterator[str]:
    growth = results["growth"]
    steps = [step for step in growth[0] if " to " in step]
    yield "| growth of CPU time with the number of people | " + " | ".join(steps) + " |"
    yield "|---|" + "---|" * len(steps)
    for each in growth:
        factors = " | ".join(f"{each[step]:.1f} times" for step in steps)
        yield f"| {each['query']}, {each['side']} | {factors} |"


def _speeds(results: Mapping[str, Any]) -> Iterator[str]:
    people = short(results["baseline"]["rows"])
    yield f"| {people} people | queries of the authors' method | its CPU time | choose is faster by |"
    yield "|---|---|---|---|"
    for name, each in results["baseline"].items():
        if name != "rows":
            times = f"{each['times_without_planning']:,.0f} times ({each['times']:,.0f})"
            yield f"| {name} | {each['runs']:,} | {each['baseline_s']:.1f} s | {times} |"


def _closed(results: Mapping[str, Any]) -> Iterator[str]:
    if not (found := results.get("closed")):
        return
    yield f"| from a closed file, {short(found['rows'])} people, ms of CPU time | plain | sfumato | ratio | " + (
        " | ".join(f"thereof: {part}" for part in FIXED) + f" | {FIRST} |"
    )
    yield "|---|" + "---|" * (len(FIXED) + 4)
    for name, ms in found["ms"].items():
        fixed = " | ".join(f"{ms[part]:.1f}" for part in (*FIXED, FIRST))
        yield f"| {name} | {ms['plain']:.1f} | {ms['sfumato']:.1f} | {ms['sfumato'] / ms['plain']:.2f} | {fixed} |"


def _escrow(results: Mapping[str, Any]) -> Iterator[str]:
    """Milliseconds of CPU time, with wall time in brackets."""
    asked = results["escrow"]["queries"]
    yield "| four columns of 32,561 people, ms of CPU time (wall time) | " + " | ".join(asked) + " |"
    yield "|---|" + "---|" * len(asked)
    for side in SIDES:
        yield (
            f"| {side} | " + " | ".join("{cpu_ms:.1f} ({wall_ms:.1f})".format(**q[side]) for q in asked.values()) + " |"
        )
    for name, said in RATIOS.items():
        yield f"| {said} | " + " | ".join(f"{q[name]:.2f} ({q[f'{name}_wall']:.2f})" for q in asked.values()) + " |"
    kept = results["escrow"]["encryption"]
    told = ", ".join(f"{how} {kept[f'{how}_ms']:.1f} ms" for how in ENCRYPTED)
    yield ""
    yield f"The file of {kept['bytes'] / 1000:,.0f} kB, written and synced: {told} (the paper: 15 ms)."


def _web(results: Mapping[str, Any]) -> Iterator[str]:
    if not (web := results.get("web")):
        return
    yield f"| the risk explorer, {short(web['people'])} people | |"
    yield "|---|---|"
    yield f"| sent at a first visit | {web['sent_kb']:.0f} kB in {web['requests']} requests |"
    if "sent_again_kb" in web:
        yield f"| sent at a second visit | {web['sent_again_kb']:.0f} kB |"
    yield f"| first paint | {web['first_paint_ms']:.0f} ms |"
    yield f"| slider to repaint | {web['slider_ms']:.0f} ms |"


def _verdict(results: Mapping[str, Any]) -> Iterator[str]:
    missed = [target for target in results["targets"] if not target["met"]]
    yield "Targets that were missed:" if missed else "Every target is met."
    if missed:
        yield ""
    for target in missed:
        yield f"- {target['what']}: {target['measured']:,.4g}, target {target['promised']}"
