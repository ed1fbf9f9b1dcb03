// What every page has: the way to the server, the parts that pages are put together with, and the frame around them.
// It is one file, so that a page is few requests.

// ---------------------------------------------------------------------------------------------- the server

// The one way a page talks to it: /api/v1, with the session's cookie and its CSRF token.

export class Problem extends Error {
  // RFC 9457 as the server writes it: detail, hint, where, code, status.
  constructor(said) {
    super(said.detail);
    Object.assign(this, said);
  }

  get sentence() {
    const detail = this.detail.replace(/\.$/, "");
    return `${detail}${this.where ? `: ${this.where}` : ""}.${this.hint ? ` ${upper(this.hint)}` : ""}`;
  }
}

const upper = (text) => text.charAt(0).toUpperCase() + text.slice(1);

const UNREACHED = { status: 0, code: "unreached", detail: "The server does not answer", hint: "your input is still here: try again in a moment.", where: "" };

export async function call(method, path, body, { headers = {}, signal } = {}) {
  const csrf = document.querySelector('meta[name="csrf"]')?.content;
  const raw = body instanceof Blob;
  const sent = {
    method,
    signal,
    credentials: "same-origin",
    headers: {
      ...(body !== undefined && !raw ? { "Content-Type": "application/json" } : {}),
      ...(csrf ? { "X-CSRF-Token": csrf } : {}),
      ...headers,
    },
    body: body === undefined ? undefined : raw ? body : JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(`/api/v1${path}`, sent);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(UNREACHED);
  }
  if (answer.status === 204) return null;
  const said = await answer.json().catch(() => ({ ...UNREACHED, status: answer.status }));
  if (answer.ok && answer.status !== 202) return said;
  if (answer.status === 401 && csrf) return signInAgain();
  throw new Problem(said);
}

// A file on its way to the server; `told` hears how much of it is sent, from 0 to 1. Fetch does not tell that.
export function upload(path, file, told) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const kind = /\.(parquet|pq)$/i.test(file.name) ? "application/vnd.apache.parquet" : /\.zip$/i.test(file.name) ? "application/zip" : "text/csv";
    request.open("PUT", `/api/v1${path}`);
    request.setRequestHeader("Content-Type", kind);
    request.setRequestHeader("X-CSRF-Token", document.querySelector('meta[name="csrf"]')?.content ?? "");
    request.upload.addEventListener("progress", (event) => told(event.total ? event.loaded / event.total : 1));
    request.addEventListener("error", () => reject(new Problem(UNREACHED)));
    request.addEventListener("load", () => {
      if (request.status === 401) return signInAgain();
      const said = parsed(request);
      return request.status === 200 ? resolve(said) : reject(new Problem(said));
    });
    request.send(file);
  });
}

function parsed(request) {
  try {
    return JSON.parse(request.responseText);
  } catch {
    return { ...UNREACHED, status: request.status };
  }
}

// The session is over: sign in, and come back to where one was. The promise stays open: the page is going away.
function signInAgain() {
  sessionStorage.setItem(typedHere(), JSON.stringify(typed().map((one) => [one.id, one.value])));
  location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
  return new Promise(() => {});
}

// This very page as the server has it now, for its parts to be put in place of the old ones; null where it is gone or the
// server does not answer. It is the server's own: what is escaped there stays escaped.
export async function pageNow() {
  const answer = await fetch(location.href, { credentials: "same-origin" }).catch(() => null);
  if (!answer?.ok || answer.redirected) return null;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  dressed(page);
  return page;
}

export const facts = () => JSON.parse(document.getElementById("facts").textContent);

export const at = (...parts) => parts.map((part) => `/${encodeURIComponent(part)}`).join("");

// ------------------------------------------------------------------------------------------------ the page

// Texts are always text nodes: no input is ever read as HTML.

export const $ = (selector, within = document) => within.querySelector(selector);
export const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

// h("td", {class: "number"}, "12", h("b", {}, "!")): an element, its attributes, its children. `on…` are listeners.
export function h(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

// A status message, also for screen readers.
export function say(text) {
  const said = document.getElementById("said");
  said.textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => (said.textContent = ""), 8000);
}

// An error at its place: the first .problem of a form or section, or that very one.
export function show(error, within) {
  if (!(error instanceof Problem)) throw error;
  const place = within.matches(".problem") ? within : within.querySelector(".problem");
  place.textContent = error.sentence;
  place.hidden = false;
  return place;
}

export function quiet(within) {
  for (const place of within.querySelectorAll(".problem")) place.hidden = true;
}

// While something is done, its button waits: a second click does nothing.
export async function busy(button, work) {
  if (button.getAttribute("aria-busy") === "true") return undefined;
  button.setAttribute("aria-busy", "true");
  button.disabled = true;
  try {
    return await work();
  } finally {
    button.removeAttribute("aria-busy");
    button.disabled = false;
  }
}

// A form that is sent by script: fields are checked first, errors stand in the form, its button waits meanwhile.
export function sent(form, work) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    quiet(form);
    if (!form.reportValidity()) return;
    const button = event.submitter ?? form.querySelector("button:not([type=button])");
    await busy(button, async () => {
      try {
        await work(Object.fromEntries(new FormData(form)), form, button);
      } catch (error) {
        show(error, form).scrollIntoView({ block: "nearest" });
      }
    });
  });
}

// A dialog that says first what it costs; while it works its button waits, and errors stand in it.
export function asks(dialog, work, failed = (error, form) => show(error, form).scrollIntoView({ block: "nearest" })) {
  const form = $("form", dialog);
  $(".close", form).addEventListener("click", () => dialog.close());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    quiet(form);
    if (!form.reportValidity()) return;
    const button = event.submitter ?? $("button:not([type=button])", form);
    const said = Object.fromEntries(new FormData(form));
    busy(button, async () => {
      try {
        await work({ ...said, allow_no_guarantee: "allow_no_guarantee" in said });
        dialog.close();
      } catch (error) {
        failed(error, form);
      }
    });
  });
}

export function opened(dialog) {
  quiet(dialog);
  dialog.showModal();
}

// A table with a caption that scrolls by itself where the page is narrow.
export function table(name, heads, rows, { numbers = [] } = {}) {
  const kind = (i) => (numbers.includes(i) ? { class: "number" } : {});
  const head = h("tr", {}, heads.map((text, i) => h("th", { scope: "col", ...kind(i) }, text)));
  const body = rows.map((cells) =>
    h("tr", {}, cells.map((cell, i) => (i ? h("td", kind(i), cell) : h("th", { scope: "row", ...kind(i) }, cell)))),
  );
  return h("div", { class: "table", role: "region", "aria-label": name, tabindex: "0" }, h("table", {}, h("thead", {}, head), h("tbody", {}, body)));
}

// A number with as many digits as matter.
export function number(value, digits = 4) {
  if (value === null || value === undefined) return "";
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return value.toLocaleString("en");
  return Number(value.toPrecision(digits)).toLocaleString("en", { maximumSignificantDigits: digits });
}

// A figure and the ends of its noise range, to two digits of how far the noise goes; the range never the narrower for it.
export function rounded(value, ends) {
  const half = ends ? (ends[1] - ends[0]) / 2 : 0;
  if (!(half > 0) || !Number.isFinite(half)) return [signed(number(value, 6)), ...(ends ?? []).map((end) => signed(number(end, 6)))];
  const places = Number.isInteger(value) ? 0 : Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(half))));
  const unit = 10 ** places;
  const figures = [value, Math.floor(ends[0] * unit) / unit, Math.ceil(ends[1] * unit) / unit];
  return figures.map((one) => signed(one.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places })));
}

// Times as people say them, with the exact one on hover, in the browser's time zone or in the one that was chosen in the
// settings; without scripts and in print they stay in UTC.
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const ZONE = "time zone";
let formats = formatsIn(chosenZone());

function formatsIn(timeZone) {
  const format = (style) => new Intl.DateTimeFormat("en-GB", timeZone ? { ...style, timeZone } : style);
  try {
    return { day: format({ dateStyle: "medium" }), exact: format({ dateStyle: "long", timeStyle: "long" }) };
  } catch {
    return formatsIn(""); // a zone that this browser does not know
  }
}

// The time zone that was chosen in this browser; empty: the browser's own.
export function chosenZone() {
  return localStorage.getItem(ZONE) ?? "";
}

export function chooseZone(zone) {
  if (zone) localStorage.setItem(ZONE, zone);
  else localStorage.removeItem(ZONE);
  formats = formatsIn(zone);
  times();
}

export const exactTime = (at) => formats.exact.format(at);

export function ago(at, now = Date.now()) {
  const seconds = Math.round((at - now) / 1000);
  if (Math.abs(seconds) < 45) return "just now";
  for (const [unit, size, below] of [["minute", 60, 60], ["hour", 3600, 24], ["day", 86400, 7]]) {
    const many = Math.round(seconds / size);
    if (Math.abs(many) < below) return RELATIVE.format(many, unit);
  }
  return formats.day.format(at);
}

// A day is the same one everywhere: no time zone moves it.
const DAYS = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });

function dayWord(day, now = new Date()) {
  const days = Math.round((Date.parse(day) - Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())) / 86400000);
  return { "-1": "yesterday", 0: "today", 1: "tomorrow" }[days] ?? DAYS.format(new Date(day));
}

export function times(within = document) {
  for (const one of $$("time.day", within)) {
    one.title = DAYS.format(new Date(one.dateTime));
    one.textContent = dayWord(one.dateTime);
  }
  for (const one of $$("time[datetime]:not(.day, :has(time))", within)) {
    const at = new Date(one.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    one.dataset.utc ??= one.textContent;
    one.title = exactTime(at);
    one.textContent = ago(at);
  }
}

// On a telephone a row of a table with .cards is a block: each cell has the name of its column.
function dressed(within) {
  times(within);
  for (const one of $$("table.cards", within)) {
    const heads = $$("thead th", one).map((head) => (head.querySelector(".unseen, .vh") ? "" : head.textContent.trim()));
    for (const cell of $$("tbody td", one)) {
      if (!cell.textContent.trim() && !cell.firstElementChild) cell.dataset.l = "";
      else cell.dataset.l ??= heads[cell.cellIndex] ?? "";
    }
  }
}

const signed = (text) => text.replace(/^-/, "−");

export const dark = () => {
  const stated = document.documentElement.dataset.theme;
  return stated ? stated === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

// The colours of the page, by their names in the palette.
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// The typeface of the page, for pictures: they do not inherit it.
export const typeface = () => getComputedStyle(document.body).fontFamily;

// A figure that the server drew, in the colours and the typeface of the page.
export function placed(plot, { data, layout }, plotly = window.Plotly) {
  const painted = (part) => JSON.parse(JSON.stringify(part), (_, value) => (typeof value === "string" ? value.replace(/^var\(--(\w+)\)$/, (_all, name) => colour(name)) : value));
  const font = { ...layout.font, color: colour("ink"), family: typeface(), size: 13 };
  const xaxis = layout.xaxis && { ticks: "outside", ticklen: 6, tickcolor: "rgba(0,0,0,0)", ...apart(layout.xaxis, plot.clientWidth - 100) };
  const width = plot.clientWidth || undefined;
  drawnAt.set(plot, [width, () => placed(plot, { data, layout }, plotly)]);
  // Plotly's own way of following the window would forget the height of a figure.
  return plotly?.react(plot, painted(data), painted({ ...layout, ...(xaxis ? { xaxis } : {}), width, font }), { displayModeBar: false });
}

// An axis with the ticks whose numbers have room beside each other.
function apart(axis, width) {
  if (!axis.range || !axis.tickvals || !axis.ticktext) return axis;
  const bend = axis.type === "log" ? Math.log10 : Number;
  const place = (value) => ((bend(value) - axis.range[0]) / (axis.range[1] - axis.range[0])) * width;
  let end = -Infinity;
  const kept = axis.tickvals.map((value, i) => {
    const half = axis.ticktext[i].length * 4 + 4;
    if (place(value) - half < end) return false;
    end = place(value) + half;
    return true;
  });
  return { ...axis, tickvals: axis.tickvals.filter((_, i) => kept[i]), ticktext: axis.ticktext.filter((_, i) => kept[i]) };
}

const drawnAt = new Map();
addEventListener("resize", () => {
  clearTimeout(drawnAt.timer);
  drawnAt.timer = setTimeout(() => {
    for (const [plot, [width, again]] of drawnAt) if (plot.isConnected && plot.clientWidth && plot.clientWidth !== width) again();
  }, 100);
});

// Done now, and again whenever the page turns from light to dark or back.
export function onTheme(work) {
  work();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", work);
  document.addEventListener("theme", work);
}

// ------------------------------------------------------------------------------------------------ the frame

// Light or dark; empty: as the system has it.
export function chooseTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  document.cookie = `theme=${theme}; path=/; max-age=${theme ? 31536000 : 0}; samesite=strict`;
  document.dispatchEvent(new Event("theme"));
}

$("#theme").addEventListener("click", () => chooseTheme(dark() ? "light" : "dark"));

dressed(document);
setInterval(times, 60000);
addEventListener("beforeprint", () => $$("time[data-utc]").forEach((one) => (one.textContent = one.dataset.utc)));
addEventListener("afterprint", () => times());

// The account menu closes by itself; ? lists the keys, but not while something is typed.
const account = $("#account");
document.addEventListener("click", (event) => {
  if (account?.open && !account.contains(event.target)) account.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && account?.open) {
    account.open = false;
    $("summary", account).focus();
  }
  const where = event.composedPath()[0];
  if (event.key !== "?" || event.ctrlKey || event.metaKey || $("dialog[open]")) return;
  if (where.isContentEditable || where.closest?.("input:not([type=range], [type=radio], [type=checkbox]), textarea, select")) return;
  event.preventDefault();
  $("#keys-help")?.showModal();
});
for (const button of $$("#show-keys, #open-keys")) {
  button.addEventListener("click", () => {
    account.open = false;
    $("#keys-help").showModal();
  });
}

$("#sign-out")?.addEventListener("click", (event) =>
  busy(event.currentTarget, async () => {
    await call("DELETE", "/session");
    location.assign("/sign-in");
  }),
);

// What was typed when a session was over is there again, once the same person is back; what was ticked is not.
const typedHere = () => `typed ${$(".who .name")?.textContent} ${location.pathname}${location.search}`;
const typed = () => $$("input[id]:is(:not([type]), [type=text], [type=number]), textarea[id]").filter((one) => one.value !== one.defaultValue);

addEventListener("DOMContentLoaded", () => {
  const kept = JSON.parse(sessionStorage.getItem(typedHere()) ?? "[]");
  sessionStorage.removeItem(typedHere());
  for (const [id, value] of kept) {
    const one = document.getElementById(id);
    if (!one) continue;
    one.value = value;
    one.dispatchEvent(new Event("input", { bubbles: true }));
  }
});

// A page that comes back from the browser's memory may show what is no longer so.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// ------------------------------------------------------------------------------------------------ lists

// A filter applies when it is chosen; / goes to the search. On a telephone a button shows the filters, where there are many.
for (const select of $$("form.filters select")) select.addEventListener("change", () => select.form.requestSubmit());
for (const form of $$("form.filters")) {
  const filters = $$("select:not([name=order])", form);
  if (filters.length < 3) continue;
  const show = h("button", { type: "button", class: "btn more", "aria-expanded": String(filters.some((one) => one.value)) }, "Filters");
  show.addEventListener("click", () => show.setAttribute("aria-expanded", String(show.getAttribute("aria-expanded") === "false")));
  $(".search", form).after(show);
}
document.addEventListener("keydown", (event) => {
  const search = $("form.filters #search");
  if (event.key !== "/" || !search || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select, dialog")) return;
  event.preventDefault();
  search.focus();
});
