// The page: joins the paytable, the controls, the figures and the studio.

import { get, Latest, listen, page, post, Refused } from "./api.js";
import { Controls, make } from "./controls.js";
import { drawCurve } from "./curve.js";
import { byId, Figures } from "./figures.js";
import { Paytable, same } from "./state.js";

const SAMPLE_AFTER = 250; // milliseconds of rest before tables are sampled
const CURVE_EVERY = 400; // milliseconds between curves while dragging
const paytable = new Paytable();
let start;
let controls;
let file; // name, digest and the like of the file on the disk
let figures;
let timer;

/** What is looked at, and what is known of it. */
const view = {
  players: 1,
  strategy: "collective",
  exact: null, // the last exact answer
  before: null, // the exact answer for the paytable as it was opened
  sampled: new Map(), // players -> { view, serial, finished, error }
  curve: null,
  curves: new Map(), // players -> { points, serial }
  serial: 0, // of the state that figures are wanted for
  problems: [],
  here: true,

  /** What is known of a table: its figures, and whether they are stale. */
  found(players) {
    if (paytable.now.kickout[players] === undefined) return null;
    if (players === 1) {
      if (!this.exact?.solo) return { view: null, waiting: this.note };
      return { view: this.exact.solo, serial: this.exact.serial, stale: this.exact.serial !== this.serial || !this.here };
    }
    const known = this.sampled.get(players);
    if (!known) return { view: null, waiting: this.note ?? "sampling…" };
    return { ...known, stale: known.serial !== this.serial || !this.here };
  },

  look(players) {
    if (players === this.players) return;
    this.players = players;
    prefer();
    show();
  },

  follow(strategy) {
    this.strategy = strategy;
    this.before = null;
    paytable.moved();
  },
};

async function ask(path, body) {
  try {
    return await post(`/api/${path}`, body);
  } catch (error) {
    trouble(error);
    return null;
  }
}

function trouble(error) {
  if (error instanceof Refused) {
    view.problems = error.problems;
  } else if (view.here) {
    view.here = false;
  }
  showNotices();
}

// --- figures -------------------------------------------------------------------------------------

const wantFigures = new Latest(async (state) => {
  try {
    const body = { serial: state.serial, paytable: state.paytable, strategy: state.strategy };
    const found = await post("/api/figures", body);
    if (found.serial !== view.serial && found.serial < (view.exact?.serial ?? 0)) return;
    view.exact = found;
    view.note = undefined;
    view.problems = [];
    view.warnings = found.warnings;
    if (found.serial === view.serial) {
      paytable.respell(found.paytable);
      if (!paytable.changes().length) view.before = found;
    }
    show();
    // While dragging, figures come first and the curve follows now and then.
    if (found.serial === view.serial || performance.now() - curveAsked > CURVE_EVERY) {
      curveAsked = performance.now();
      wantCurve.want(state);
    }
  } catch (error) {
    if (state.serial === view.serial) {
      trouble(error);
      show();
    }
  }
});

let curveAsked = 0;
let curveKey = "";
const wantCurve = new Latest(async (state) => {
  // The curve does not depend on the kickout hand of the table.
  const { paytable: content } = state;
  if (content.kickout[1] === undefined) return;
  const key = JSON.stringify([{ ...content, kickout: 0, players: 0, side_bets: 0, title: 0, notes: 0 }, state.strategy]);
  if (key !== curveKey) {
    try {
      view.curve = await post("/api/curve", { serial: state.serial, paytable: content, strategy: state.strategy });
      curveKey = key;
    } catch {
      return; // the figures tell what is wrong
    }
  }
  view.curve.serial = state.serial;
  showCurve();
});

/** The paytable has changed: figures are stale now, and new ones are asked for. */
function changed() {
  view.serial = paytable.serial;
  show();
  const state = { serial: paytable.serial, paytable: paytable.now, strategy: view.strategy };
  wantFigures.want(state);
  clearTimeout(timer);
  timer = setTimeout(sample, SAMPLE_AFTER);
}

/** The table that is looked at is sampled before the others. */
function prefer() {
  const { players, serial } = view;
  if (players > 1 && paytable.now.kickout[players] !== undefined) ask("prefer", { serial, players });
}

async function sample() {
  const offered = Object.keys(paytable.now.kickout).map(Number).filter((players) => players > 1);
  const players = [view.players, ...offered].filter((count, index, all) => offered.includes(count) && all.indexOf(count) === index);
  const serial = view.serial;
  const looked = view.players;
  try {
    await post("/api/sample", { serial, paytable: paytable.now, strategy: view.strategy, players });
    if (looked !== view.players) prefer(); // another table was chosen meanwhile
  } catch (error) {
    if (error instanceof Refused && serial === view.serial && !view.problems.length) {
      for (const count of players) view.sampled.set(count, { view: null, serial, error: error.problems.join("; ") });
      show();
    }
  }
}

// --- messages of the studio ----------------------------------------------------------------------

function heard(message) {
  if (message.event === "sampled") {
    if (message.serial !== view.serial) return;
    const known = view.sampled.get(message.players);
    if (message.error) view.sampled.set(message.players, { view: null, serial: message.serial, error: message.error });
    else if (message.figures) view.sampled.set(message.players, { view: message, serial: message.serial, finished: message.finished });
    else if (known) known.finished = message.finished;
    show();
  } else if (message.event === "curve") {
    if (message.serial !== view.serial) return;
    if (message.points) view.curves.set(message.players, { points: message.points, serial: message.serial });
    showCurve();
  } else if (message.event === "note") {
    view.note = message.text;
    show();
  } else if (message.event === "disk") {
    if (message.digest !== file.digest) file.elsewhere = message.digest;
    else delete file.elsewhere;
    showNotices();
  } else if (message.event === "report") {
    heardOfReport(message);
  }
}

function there(yes) {
  const back = yes && !view.here;
  view.here = yes;
  show();
  if (back) changed();
  else if (yes) sample();
}

// --- showing -------------------------------------------------------------------------------------

function show() {
  if (!controls || !paytable.now) return;
  controls.show();
  controls.mark(view.problems);
  const found = view.found(view.players);
  figures.tables(paytable.now, (players) => view.look(players));
  figures.headline(found, view.players === 1 ? view.before?.solo : null);
  figures.parts(found);
  figures.side(view.exact?.side_bets ?? [], view.before?.side_bets);
  showCurve();
  const changes = paytable.changes();
  figures.changes(changes, (path, old) => paytable.set(path, old));
  byId("undo").disabled = !paytable.past.length;
  byId("redo").disabled = !paytable.future.length;
  const { name } = file.copy ?? file;
  const still = file.copy ? `saved, from ${file.name}` : file.shipped ? "as shipped" : "as on the disk";
  byId("file-name").textContent = name;
  byId("file-state").textContent = changes.length ? "not saved" : still;
  document.title = `${changes.length ? "• " : ""}${name} – Ricochet studio`;
  showNotices();
}

function showCurve() {
  if (!start || !paytable.now) return;
  const { players } = view;
  const hand = paytable.now.kickout[players];
  const known = view.exact?.kickouts?.[players];
  const found = view.found(players);
  const rtp = found?.view?.figures.find((figure) => figure.key === "rtp_per_ante");
  const curve = players === 1 ? view.curve : view.curves.get(players);
  const stale = Boolean(curve) && (curve.serial !== view.serial || !view.here);
  const kickout = start.stops.find((stop) => stop.hand === hand)?.class ?? known?.class ?? 0;
  figures.tag("curve-method", curve ? { stale, method: players === 1 ? "exact" : "sampled" } : null);
  byId("curve-sub").textContent = players === 1
    ? "RTP (% of the ante) by the dealer’s kickout hand"
    : `RTP (% of the ante) by kickout hand, ${players} players, with 99 % intervals`;
  drawCurve(start.stops, (hand && curve?.points) || [], {
    class: kickout,
    rtp: rtp && !found.stale ? rtp.decimal : null,
    text: rtp ? `${hand}: ${rtp.text}` : hand ?? "",
  }, stale);
}

function showNotices() {
  const notices = [];
  const notice = (kind, text, ...buttons) => notices.push(make("div", { class: `notice ${kind}` }, make("span", {}, text), ...buttons));
  const button = (id, text, onclick) => make("button", { type: "button", id, onclick }, text);
  if (!view.here) {
    notice("bad", "The studio has stopped or cannot be reached: figures are stale. Your changes are kept on this page; start `ricochet studio` again on the same port.");
  }
  for (const problem of view.problems) notice("bad", problem);
  for (const warning of view.warnings ?? []) if (!view.problems.length) notice("", `Check: ${warning}`);
  if (file?.elsewhere !== undefined) {
    notice("", file.elsewhere ? `${file.name} was changed on the disk.` : `${file.name} is gone from the disk.`,
      ...(file.elsewhere ? [button("disk-reload", "Reload", reload)] : []),
      button("disk-keep", "Keep mine", () => {
        file.digest = file.elsewhere;
        delete file.elsewhere;
        file.kept = true;
        showNotices();
      }));
  }
  if (view.said) notice("quiet", view.said);
  const box = byId("notices");
  const texts = (element) => [...element.children].map((child) => child.textContent);
  const fresh = make("div", {}, ...notices);
  if (!same(texts(box), texts(fresh))) box.replaceChildren(...fresh.children);
}

function say(text) {
  view.said = text;
  showNotices();
  setTimeout(() => {
    if (view.said === text) view.said = undefined;
    showNotices();
  }, 6000);
}

async function reload() {
  try {
    file = await get("/api/file");
    view.problems = [];
    paytable.load(file.paytable, true);
    view.before = null;
    say("Reloaded from the disk; undo brings your version back.");
  } catch (error) {
    trouble(error);
  }
}

// --- file, save, report --------------------------------------------------------------------------

async function showFile() {
  const found = await ask("yaml", { paytable: paytable.now });
  if (!found) return;
  const { path, text } = file.copy ?? file;
  const changed = paytable.changes().length;
  byId("file-path").textContent = changed ? `As it would be saved, with your changes. On the disk: ${path}` : path;
  byId("file-text").textContent = changed ? found.text : text;
  byId("file-dialog").showModal();
}

function download(name, text) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "application/yaml" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function showSave() {
  byId("save-folder").textContent = `In the folder ${file.folder}${file.shipped ? "; the shipped paytable itself stays as it is" : ""}`;
  const { title } = paytable.now;
  const mine = file.shipped && title === paytable.opened.title && paytable.changes().length;
  byId("save-paytable-title").value = mine ? `${title}, changed` : title;
  byId("save-name").value = file.save_as;
  byId("save-problem").textContent = "";
  byId("save-replace").hidden = true;
  byId("save-dialog").showModal();
  byId("save-name").select();
}

/** Save; `known` is the digest of what is known to stand there, empty for a new file. */
async function save(known) {
  const name = byId("save-name").value.trim();
  paytable.set("title", byId("save-paytable-title").value.trim());
  try {
    const saved = await post("/api/save", { paytable: paytable.now, name, known });
    if (saved.opened) {
      Object.assign(file, { digest: saved.digest, text: saved.text });
      delete file.elsewhere;
    }
    file.copy = saved.opened ? null : saved;
    file.saves = { ...file.saves, [name]: saved.digest };
    file.save_as = name;
    paytable.saved();
    if (view.exact?.serial === view.serial) view.before = view.exact;
    byId("save-dialog").close();
    say(`Saved as ${saved.path}`);
    show();
  } catch (error) {
    byId("save-problem").textContent = error.message;
    byId("save-replace").hidden = !(error instanceof Refused && error.status === 409);
  }
}

const knownDigest = (name) => file.saves?.[name] ?? (name === file.name && !file.shipped ? file.digest : "");

let report = null;

function showReport() {
  const which = byId("report-which");
  const offered = Object.keys(paytable.now.kickout).join(", ");
  which.replaceChildren(make("legend", {}, "Tables"),
    make("label", {}, make("input", { type: "radio", name: "which", value: "one", checked: true }), ` ${view.players} player${view.players > 1 ? "s" : ""}`),
    make("label", {}, make("input", { type: "radio", name: "which", value: "all" }), ` all that are offered (${offered})`));
  byId("report-note").textContent = "One player takes seconds; each sampled table up to half a minute, with an RTP to ± 0.2 % at 99 %.";
  byId("report-dialog").showModal();
}

async function startReport() {
  const all = byId("report-which").querySelector("[value=all]").checked;
  const players = all ? Object.keys(paytable.now.kickout).map(Number) : [view.players];
  const found = await ask("reports", { paytable: paytable.now, players, strategy: view.strategy });
  if (!found) {
    byId("report-status").textContent = view.problems.join("; ");
    return;
  }
  report = found.report;
  reportState({ running: true, text: "beginning…" });
}

function reportState({ running, text, links = [] }) {
  byId("report-start").hidden = running;
  byId("report-stop").hidden = !running;
  byId("report-progress").hidden = !running;
  byId("report-status").textContent = text;
  byId("report-links").replaceChildren(...links);
  byId("open-report").textContent = running ? "Report…" : "Report";
}

function heardOfReport(message) {
  if (message.report !== report) return;
  if (message.ready) {
    const links = Object.entries(start.formats).map(([form, name]) =>
      make("a", { href: `/api/reports/${report}.${form}`, download: true, "data-form": form }, name));
    reportState({ running: false, text: `Done. Digest ${message.digest.slice(0, 16)}…`, links });
    if (!byId("report-dialog").open) say("The report is ready: press Report to download it.");
  } else if (message.error || message.stopped) {
    reportState({ running: false, text: message.error ?? "Stopped." });
  } else {
    byId("report-progress").value = message.total ? message.done / message.total : 0;
    byId("report-status").textContent = `${message.stage}: ${message.done} of ${message.total}`;
  }
}

// --- keys and buttons ----------------------------------------------------------------------------

function showChanges() {
  byId("changes-card").scrollIntoView({ block: "nearest" });
  byId("changes-card").focus();
}

function pressed(event) {
  const letter = event.key.toLowerCase();
  const dialog = document.querySelector("dialog[open]");
  if ((event.ctrlKey || event.metaKey) && !event.altKey) {
    const typing = event.target.matches("input[type=text]") && event.target.value !== event.target.defaultValue;
    const action = { z: event.shiftKey ? "redo" : "undo", y: "redo" }[letter];
    if (action && !dialog && !typing) {
      event.preventDefault();
      if (event.target.matches("input[type=text]")) event.target.blur();
      paytable[action]();
    } else if (letter === "s") {
      event.preventDefault();
      if (!dialog) showSave();
    }
    return;
  }
  if (dialog || event.altKey || event.target.matches("input[type=text], select")) return;
  if (/^[1-7]$/.test(event.key)) view.look(Number(event.key));
  else if (event.target.closest("#tables") && /^Arrow(Left|Right)$/.test(event.key)) {
    view.look(Math.min(7, Math.max(1, view.players + (event.key === "ArrowLeft" ? -1 : 1))));
    byId(`table-${view.players}`).focus();
  } else {
    const action = { f: showFile, r: showReport, c: showChanges, "?": () => byId("help-dialog").showModal() }[letter];
    if (!action) return;
    event.preventDefault();
    action();
  }
}

function wire() {
  document.addEventListener("keydown", pressed);
  byId("undo").addEventListener("click", () => paytable.undo());
  byId("redo").addEventListener("click", () => paytable.redo());
  byId("open-file").addEventListener("click", showFile);
  byId("open-changes").addEventListener("click", showChanges);
  byId("open-report").addEventListener("click", showReport);
  byId("open-save").addEventListener("click", showSave);
  byId("open-help").addEventListener("click", () => byId("help-dialog").showModal());
  byId("copy-file").addEventListener("click", () => navigator.clipboard.writeText(byId("file-text").textContent));
  byId("download-file").addEventListener("click", () => download(file.save_as, byId("file-text").textContent));
  byId("save-form").addEventListener("submit", (event) => {
    event.preventDefault();
    save(knownDigest(byId("save-name").value.trim()));
  });
  byId("save-replace").addEventListener("click", replace);
  byId("report-start").addEventListener("click", startReport);
  byId("report-stop").addEventListener("click", () => ask("reports/stop", { report }));
  for (const button of document.querySelectorAll("[data-close]")) {
    button.addEventListener("click", () => button.closest("dialog").close());
  }
  addEventListener("resize", showCurve);
  addEventListener("beforeunload", (event) => {
    if (paytable.now && paytable.changes().length) event.preventDefault();
  });
}

/** Replace a file that stands there, after it was said that it does. */
async function replace() {
  const name = byId("save-name").value.trim();
  const there = await ask("look", { name });
  if (there) await save(there.digest);
}

async function begin() {
  wire();
  try {
    start = await get("/api/start");
  } catch (error) {
    trouble(error);
    return;
  }
  file = start.file;
  const offered = Object.keys(file.paytable.kickout).map(Number);
  view.players = offered.includes(1) ? 1 : offered[0];
  figures = new Figures(view);
  controls = new Controls(byId("controls"), paytable, start, view);
  paytable.onChange = changed;
  paytable.load(file.paytable);
  listen(heard, there);
  document.documentElement.dataset.page = page;
}

begin();
