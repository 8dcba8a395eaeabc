// The right column: figures, contributions, side bets, and what changed.

import { make } from "./controls.js";
import { label, valueText, words } from "./state.js";

const BIG = ["rtp_per_ante", "house_edge", "sd_per_round"];
const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

export function draw(tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

/** "96.9475 %" as number and unit, so that the unit can be set smaller. */
function withUnit(text) {
  const [number, ...unit] = text.split(" ");
  return [number, unit.length ? make("small", {}, ` ${unit.join(" ")}`) : ""];
}

function signed(number, places) {
  const text = Math.abs(number).toFixed(places);
  if (Number(text) === 0) return "no change";
  return `${number < 0 ? "−" : "+"}${text}`;
}

/** How far a figure is from that of the paytable as it was opened. */
function difference(figure, before) {
  if (!before || figure.ends || before.ends) return "";
  const change = Number(figure.decimal) - Number(before.decimal);
  const percent = figure.text.endsWith("%");
  const text = signed(percent ? change * 100 : change, 4);
  return text === "no change" ? "as in the file" : `${text} ${percent ? "points" : figure.text.split(" ")[1] ?? ""} from the file`;
}

/** ± and level of a sampled figure. */
const interval = (figure) => (figure.ends ? `± ${figure.half} (${figure.level})` : "");

export class Figures {
  constructor(view) {
    this.view = view;
    this.gauges = "";
  }

  /** The row of tables, one to seven players, each with its RTP. */
  tables(paytable, look) {
    const { view } = this;
    const row = byId("tables");
    if (!row.children.length) {
      for (let players = 1; players <= 7; players += 1) {
        row.append(make("button", {
          type: "button", role: "tab", id: `table-${players}`, "data-players": players, "aria-controls": "headline",
          onclick: () => look(players),
        }, make("b", {}, String(players), make("span", {}, players > 1 ? " players" : " player")),
        make("small", {}, make("span", { class: "rtp" }), make("span", { class: "half" }))));
      }
    }
    for (const tab of row.children) {
      const players = Number(tab.dataset.players);
      const offered = paytable.kickout[players] !== undefined;
      const found = view.found(players);
      const [rtpText, halfText] = [tab.querySelector(".rtp"), tab.querySelector(".half")];
      tab.setAttribute("aria-selected", String(players === view.players));
      tab.tabIndex = players === view.players ? 0 : -1;
      tab.classList.toggle("stale", Boolean(found?.stale));
      halfText.textContent = "";
      if (!offered) rtpText.textContent = "none";
      else if (!found?.view) rtpText.textContent = found?.error ? "no figures" : "…";
      else {
        const rtp = found.view.figures.find((figure) => figure.key === "rtp_per_ante");
        rtpText.textContent = `${(Number(rtp.decimal) * 100).toFixed(2)} %`;
        if (rtp.ends) halfText.textContent = ` ±${Number.parseFloat(rtp.half).toFixed(2)}`;
        tab.title = `RTP ${rtp.text} ${interval(rtp)} (${found.view.method})${found.stale ? ", stale" : ""}`;
      }
    }
  }

  /** Headline figures of the table that is looked at. */
  headline(found, before) {
    const box = byId("headline");
    const tag = byId("method");
    const status = byId("status-text");
    const stale = Boolean(found?.stale);
    box.classList.toggle("is-stale", stale);
    box.dataset.serial = found?.view ? String(found.serial) : "";
    box.dataset.state = !found?.view ? "waiting" : stale ? "stale" : found.view.method;
    tag.className = `tag ${stale ? "stale" : found?.view?.method ?? ""}`;
    tag.textContent = stale ? "stale" : found?.view?.method ?? "";
    status.textContent = this.status(found);
    if (!found?.view) {
      byId("tiles").replaceChildren(...["RTP", "House edge", "SD"].map((name) => make("div", {}, make("dt", {}, name),
        make("dd", {}, make("span", { class: "value" }, "–"), make("span", { class: "about" })))));
      byId("rest").replaceChildren();
      return;
    }
    const { figures, top_award: top } = found.view;
    const old = new Map((before?.figures ?? []).map((figure) => [figure.key, figure]));
    byId("tiles").replaceChildren(...BIG.map((key) => figures.find((figure) => figure.key === key)).map((figure) =>
      make("div", { "data-key": figure.key },
        make("dt", {}, figure.label, " ", make("small", {}, figure.unit)),
        make("dd", { title: this.exactly(figure) }, make("span", { class: "value" }, ...withUnit(figure.text)),
          make("span", { class: "about" }, interval(figure) || difference(figure, old.get(figure.key)))))));
    const rest = figures.filter((figure) => !BIG.includes(figure.key)).map((figure) =>
      make("div", { "data-key": figure.key }, make("dt", {}, `${figure.label}, ${figure.unit}`),
        make("dd", { title: this.exactly(figure) }, figure.text,
          figure.ends ? make("span", { class: "about" }, `± ${figure.half}`) : "")));
    if (top) rest.push(make("div", { "data-key": "top_award" }, make("dt", {}, `Top award, ${top.line}`), make("dd", {}, top.text)));
    byId("rest").replaceChildren(...rest);
  }

  exactly(figure) {
    if (figure.ends) return `between ${figure.low} and ${figure.high}, level ${figure.level}`;
    return figure.exact ? `exactly ${figure.exact}` : `${figure.decimal} (a root, to 15 digits)`;
  }

  status(found) {
    if (!found) return "not offered: this table has no kickout hand";
    if (found.error) return found.error;
    const { view } = found;
    const parts = [];
    if (found.stale) parts.push("of the paytable before the last change");
    if (!view) parts.push(found.waiting ?? "computing…");
    else if (view.method === "exact") parts.push("every deal counted");
    else {
      parts.push(`${view.deals.toLocaleString("en")} deals`);
      if (!found.stale) parts.push(found.finished ? "done" : "sharpening…");
      if (found.finished && view.deals > 8192) parts.push(`certify --players ${view.players} --deals ${view.deals} gives the same`);
    }
    return parts.join("; ");
  }

  /** The table of contributions with its gauges. */
  parts(found) {
    const table = byId("parts");
    this.tag("parts-method", found);
    table.classList.toggle("is-stale", Boolean(found?.stale));
    if (!found?.view) return table.replaceChildren();
    const rows = found.view.contributions;
    const ends = rows.flatMap((row) => (row.ends ? row.ends.map(Number) : [Number(row.decimal)]));
    const range = [Math.min(0, ...ends), Math.max(0, ...ends, 1e-9)];
    const total = found.view.figures.find((figure) => figure.key === "house_edge");
    const line = (row) => make("tr", {},
      make("th", { scope: "row" }, row.part === "pot" ? "Pot, less bets" : words(row.part)),
      make("td", { title: this.exactly(row) }, row.text, row.ends ? make("small", {}, ` ± ${row.half.replace(" %", "")}`) : ""),
      make("td", { class: "gauge" }, this.gauge(row, range)));
    const minus = total.text.startsWith("-") ? total.text.slice(1) : Number(total.decimal) === 0 ? total.text : `-${total.text}`;
    table.replaceChildren(
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "part"),
        make("th", { scope: "col" }, "% of the ante"), make("td", {}))),
      make("tbody", {}, ...[...rows].reverse().map(line),
        make("tr", { class: "total" }, make("th", { scope: "row" }, "Player’s result"),
          make("td", {}, minus, total.ends ? make("small", {}, ` ± ${total.half.replace(" %", "")}`) : ""), make("td", {}))));
    return table;
  }

  /** A bar from zero: filled to the right, an outline to the left. */
  gauge(row, [low, high]) {
    const svg = draw("svg", { viewBox: "0 0 200 10", preserveAspectRatio: "none", "aria-hidden": "true" });
    const place = (value) => 1 + ((value - low) / (high - low)) * 198;
    const value = Number(row.decimal);
    const ends = [place(0), place(value)].sort((a, b) => a - b);
    svg.append(draw("rect", { class: value < 0 ? "minus" : "plus", x: ends[0], y: 1.5, width: Math.max(0.5, ends[1] - ends[0]), height: 7 }));
    svg.append(draw("line", { x1: place(0), x2: place(0), y1: 0, y2: 10 }));
    return svg;
  }

  tag(id, found) {
    const tag = byId(id);
    const method = found?.stale ? "stale" : found?.view?.method ?? found?.method ?? "";
    tag.className = `tag ${method}`;
    tag.textContent = method;
  }

  side(bets, before) {
    const old = new Map((before ?? []).map((bet) => [bet.name, bet]));
    const columns = bets[0]?.figures ?? [];
    byId("side").replaceChildren(
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, bets.length ? "bet" : "no side bets"),
        ...columns.map((figure) => make("th", { scope: "col", title: figure.unit }, figure.label)))),
      make("tbody", {}, ...bets.map((bet) => make("tr", { "data-bet": bet.name }, make("th", { scope: "row" }, bet.label),
        ...bet.figures.map((figure, index) => make("td", {
          title: [this.exactly(figure), difference(figure, old.get(bet.name)?.figures[index])].join("; "), "data-key": figure.key,
        }, figure.text))))));
  }

  changes(changes, restore) {
    byId("change-count").textContent = String(changes.length);
    byId("open-changes").lastChild.textContent = changes.length === 1 ? " change" : " changes";
    byId("changes-sub").textContent = changes.length
      ? "Since the file was opened or saved" : "Nothing: this is the paytable as it stands in the file";
    byId("changes").replaceChildren(...changes.map(({ path, old, now }) => make("li", {},
      make("span", {}, `${label(path)}: `, make("s", {}, valueText(path, old)), ` → ${valueText(path, now)}`),
      make("button", { type: "button", title: `Back to ${valueText(path, old)}`, onclick: () => restore(path, old) }, "Take back"))));
  }
}
