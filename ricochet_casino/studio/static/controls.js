// The left column: every number of the paytable, with a slider and its unit.

import { read, same, words } from "./state.js";

const NICE = [
  ...Array.from({ length: 21 }, (_, n) => n), 25, 30, 35, 40, 45, 50, 60, 70, 75, 80, 90, 100, 120,
  125, 150, 175, 200, 250, 300, 400, 500, 600, 750, 800, 1000, 1250, 1500, 2000, 2500, 5000, 10000,
];

const CHOICES = {
  last_hand: ["Last hand", { free: "wins, three cards free", may_play: "acts as always", none: "wins, no cards" }],
  when_equal: ["When equal", { play: "play", fold: "fold" }],
  bonus_on: ["Bonus paid on", { play_bet: "the play bet", ante: "the ante" }],
};
const TIES = { first_two: "first two cards decide", kicker_wins: "a kicker beats none" };

/** Make an element; `parts` are texts and elements. */
export function make(tag, attributes = {}, ...parts) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...parts);
  return element;
}

/** "5 to 1" is shown as 5; other odds as they are. */
const oddsText = (odds) => /^(\d+) to 1$/.exec(odds)?.[1] ?? odds;
const oddsValue = (text) => (/^\s*\d+\s*$/.test(text) ? `${Number(text)} to 1` : text.trim());
function oddsNumber(odds) {
  const found = /^(\d+)(?: to (\d+))?$/.exec(odds);
  return found ? Number(found[1]) / Number(found[2] ?? 1) : 0;
}
const nearest = (list, number) =>
  list.reduce((best, value, index) => (Math.abs(value - number) < Math.abs(list[best] - number) ? index : best), 0);

const gcd = (a, b) => (b ? gcd(b, a % b) : a);
function times(count, fraction) {
  const [top, bottom] = fraction.split("/").map(Number);
  const [n, d] = [count * top, bottom || 1];
  const shared = gcd(n, d) || 1;
  return d / shared === 1 ? String(n / shared) : `${n / shared}/${d / shared}`;
}
const amountNumber = (text) => {
  const [top, bottom] = String(text).split("/").map(Number);
  return top / (bottom || 1);
};

export class Controls {
  /**
   * @param root where they stand
   * @param paytable the paytable they change
   * @param start what the studio told: stops, lines, strategies
   * @param view the table that is looked at: players, strategy, and `look`, `follow` to change them
   */
  constructor(root, paytable, start, view) {
    Object.assign(this, { root, paytable, start, view });
    this.stopIndex = new Map(start.stops.map((stop, index) => [stop.hand, index]));
    this.syncs = [];
    this.shape = null;
    this.problems = [];
  }

  /** Show the paytable; elements are made anew only where lines came or went. */
  show() {
    const { now } = this.paytable;
    const shape = [Object.keys(now.kickout), Object.keys(now.bonus), Object.keys(now.side_bets ?? {}),
      Object.keys(now.side_bets?.cover?.pays ?? {})];
    if (!same(shape, this.shape)) {
      this.shape = shape;
      this.build();
    }
    for (const sync of this.syncs) sync();
  }

  /** Mark the inputs that the problems are about. */
  mark(problems) {
    for (const input of this.root.querySelectorAll("[data-path]")) {
      const about = problems.some((text) => text.startsWith(`${input.dataset.path}:`));
      if (about) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    }
  }

  build() {
    const focused = document.activeElement?.id;
    const open = new Map([...this.root.querySelectorAll("details")].map((d) => [d.id, d.open]));
    this.syncs = [];
    this.root.replaceChildren(
      this.group("kickout", "Kickout", "the dealer is out with this hand or better", this.kickouts()),
      this.group("bonus", "Bonus", "pays to one, win or lose", this.lines("bonus", this.paytable.now.bonus)),
      this.group("bets", "Bets", "in chips", this.bets()),
      this.group("side", "Side bets", "pays to one", this.sideBets()),
      this.group("house", "House rules", "", this.house()),
    );
    for (const details of this.root.querySelectorAll("details")) {
      if (open.has(details.id)) details.open = open.get(details.id);
    }
    if (focused) document.getElementById(focused)?.focus();
  }

  group(id, title, sub, rows) {
    const summary = make("summary", {}, title, " ", make("span", { class: "sub" }, sub));
    const wide = innerWidth > 900;
    return make("details", { id: `group-${id}`, class: "group", open: wide || id === "kickout" || id === "bonus" },
      summary, make("div", { class: "body" }, ...rows));
  }

  /** Slider and text for one value. `scale` turns the slider's place into a value and back. */
  setting(path, name, unit, scale, options = {}) {
    const id = `set-${path.replaceAll(".", "-")}`;
    const { paytable } = this;
    const slider = make("input", {
      type: "range", id: `${id}-slider`, min: 0, max: scale.last(), step: 1, "aria-label": `${name}, slider`,
      oninput: () => paytable.set(path, scale.at(Number(slider.value)), id),
      onchange: () => paytable.endGesture(),
      onkeydown: (event) => this.page(event, slider),
    });
    const text = make("input", {
      type: "text", id, "data-path": path, autocomplete: "off", spellcheck: "false", "aria-label": `${name}, ${typeof unit === "string" ? unit : "a hand"}`,
      onchange: () => paytable.set(path, scale.read(text.value)),
      onfocus: () => text.select(),
    });
    const row = make("div", { class: `row ${options.class ?? ""}` }, options.name ?? make("label", { for: id }, name),
      slider, text, make("span", { class: "unit" }, unit, ...(options.after ?? [])));
    this.syncs.push(() => {
      const value = read(paytable.now, path);
      if (value === undefined) return;
      slider.max = scale.last();
      slider.value = scale.place(value);
      slider.setAttribute("aria-valuetext", scale.say?.(value) ?? `${scale.text(value)}`);
      if (document.activeElement !== text || oddsValue(text.value) === value) text.value = scale.text(value);
      row.classList.toggle("changed", !same(value, read(paytable.opened, path)));
      options.sync?.(row, value);
    });
    return row;
  }

  page(event, slider) {
    const step = { PageUp: 10, PageDown: -10 }[event.key];
    if (!step) return;
    event.preventDefault();
    slider.value = Number(slider.value) + step;
    slider.dispatchEvent(new Event("input"));
    slider.dispatchEvent(new Event("change"));
  }

  odds(path, name, options = {}) {
    return this.setting(path, name, "to 1", {
      last: () => NICE.length - 1,
      at: (index) => `${NICE[index]} to 1`,
      place: (value) => nearest(NICE, oddsNumber(value)),
      text: oddsText,
      read: oddsValue,
      say: (value) => value,
    }, options);
  }

  amount(path, name, least) {
    const unit = () => (this.paytable.now.coin === "fair" ? "1/2" : this.paytable.now.coin);
    return this.setting(path, name, "chips", {
      last: () => 20 - least,
      at: (index) => times(index + least, unit()),
      place: (value) => Math.round(amountNumber(value) / amountNumber(unit())) - least,
      text: String,
      read: (text) => text.trim(),
      say: (value) => `${value} chips`,
    });
  }

  kickouts() {
    const rows = [];
    for (let players = 1; players <= 7; players += 1) {
      rows.push(this.paytable.now.kickout[players] === undefined ? this.noTable(players) : this.kickout(players));
    }
    return rows;
  }

  kickout(players) {
    const path = `kickout.${players}`;
    const { stops } = this.start;
    const count = `${players} player${players > 1 ? "s" : ""}`;
    const share = make("output", { class: "share", for: `set-kickout-${players}` });
    const name = make("button", { type: "button", class: "name", title: `Look at ${count}`,
      onclick: () => this.view.look(players) }, count);
    const meaning = make("p", { class: "meaning" });
    const row = this.setting(path, `Kickout hand, ${count}`, share, {
      last: () => stops.length - 1,
      at: (index) => stops[index].hand,
      place: (value) => this.place(players, value),
      text: String,
      read: (text) => text.trim(),
      say: (value) => stops[this.stopIndex.get(value)]?.meaning ?? value,
    }, {
      class: "kick", name,
      after: Object.keys(this.paytable.now.kickout).length > 1 ? [this.off(path, `no table of ${count}`)] : [],
      sync: (element) => {
        const found = this.view.exact?.kickouts?.[players];
        const here = this.view.players === players;
        element.classList.toggle("now", here);
        share.textContent = found ? `${(Number(found.decimal) * 100).toFixed(2)} %` : "";
        share.title = "share of rounds with the dealer out, exact";
        meaning.textContent = found ? `${found.meaning}; out in ${found.text} of rounds` : "";
        meaning.hidden = !here;
      },
    });
    row.addEventListener("focusin", () => this.view.look(players));
    return make("div", {}, row, meaning);
  }

  /** The slider's place of a kickout hand, which may lie between two stops. */
  place(players, hand) {
    if (this.stopIndex.has(hand)) return this.stopIndex.get(hand);
    const found = this.view.exact?.kickouts?.[players];
    if (!found) return 0;
    return this.start.stops.findLastIndex((stop) => stop.class <= found.class);
  }

  noTable(players) {
    const add = () => {
      const have = Object.keys(this.paytable.now.kickout).map(Number);
      const near = have.reduce((a, b) => (Math.abs(b - players) < Math.abs(a - players) ? b : a));
      this.paytable.set(`kickout.${players}`, this.paytable.now.kickout[near]);
      this.view.look(players);
    };
    return make("div", { class: "row kick" }, make("span", { class: "name" }, `${players} players`),
      make("button", { type: "button", id: `offer-${players}`, onclick: add }, "Offer this table"));
  }

  off(path, title) {
    return make("button", { type: "button", class: "off", title: `Take away: ${title}`, "aria-label": `Take away: ${title}`,
      onclick: () => this.paytable.set(path, undefined) }, "×");
  }

  /** The lines of a table of odds, strongest first as on a felt, and how to add one. */
  lines(path, pays) {
    const order = this.start.lines;
    const there = Object.keys(pays).sort((a, b) => order.indexOf(b) - order.indexOf(a));
    const rows = there.map((line) => this.odds(`${path}.${line}`, words(line), {
      after: path !== "bonus" && there.length === 1 ? [] : [this.off(`${path}.${line}`, words(line))],
    }));
    const choice = make("select", { "aria-label": "Line to add", id: `line-${path.replaceAll(".", "-")}` },
      ...order.filter((line) => !there.includes(line)).reverse().map((line) => make("option", { value: line }, words(line))));
    const add = () => {
      const above = there.filter((line) => order.indexOf(line) > order.indexOf(choice.value)).map((line) => oddsNumber(pays[line]));
      const below = there.filter((line) => order.indexOf(line) < order.indexOf(choice.value)).map((line) => oddsNumber(pays[line]));
      const first = Math.max(0, ...below) + 1;
      this.paytable.set(`${path}.${choice.value}`, `${Math.min(first, ...above.map((n) => Math.max(1, Math.ceil(n - 1))))} to 1`);
    };
    rows.push(make("div", { class: "add" }, choice, make("button", { type: "button", onclick: add }, "Add line")));
    return rows;
  }

  bets() {
    return [
      this.amount("ante", "Ante", 1),
      this.amount("dealer_ante", "Dealer’s ante", 0),
      this.amount("play_bet", "Play bet", 1),
    ];
  }

  choice(path, name, choices) {
    const id = `set-${path.replaceAll(".", "-")}`;
    const select = make("select", { id, "data-path": path, onchange: () => this.paytable.set(path, select.value) },
      ...Object.entries(choices).map(([value, text]) => make("option", { value }, text)));
    const row = make("div", { class: "row select" }, make("label", { for: id }, name), select);
    this.syncs.push(() => {
      select.value = read(this.paytable.now, path);
      row.classList.toggle("changed", !same(select.value, read(this.paytable.opened, path)));
    });
    return row;
  }

  sideBets() {
    const bets = this.paytable.now.side_bets ?? {};
    const head = (name, path, usual) => make("div", { class: "sub-head" }, name,
      make("button", { type: "button", id: `offer-${name}`,
        onclick: () => this.paytable.set(path, read(this.paytable.now, path) ? undefined : usual) },
      read(this.paytable.now, path) ? "Take away" : "Offer"));
    const rows = [head("Quickdraw", "side_bets.quickdraw", { pays: "5 to 1", tie: "first_two", label: "Quickdraw" })];
    if (bets.quickdraw) {
      rows.push(this.odds("side_bets.quickdraw.pays", "Two cards higher"),
        this.choice("side_bets.quickdraw.tie", "A tie", TIES));
    }
    rows.push(head("Cover", "side_bets.cover", { pays: { pair_of_fives: "1 to 1" }, label: "Cover" }));
    if (bets.cover) rows.push(...this.lines("side_bets.cover.pays", bets.cover.pays));
    return rows;
  }

  house() {
    const coin = make("input", { type: "text", id: "set-coin", "data-path": "coin", autocomplete: "off",
      onchange: () => this.paytable.set("coin", coin.value.trim()) });
    const row = make("div", { class: "row select" }, make("label", { for: "set-coin" }, "Coin, in chips"), coin);
    this.syncs.push(() => {
      if (document.activeElement !== coin) coin.value = this.paytable.now.coin;
      row.classList.toggle("changed", !same(this.paytable.now.coin, this.paytable.opened.coin));
    });
    const strategy = make("select", { id: "strategy", onchange: () => this.view.follow(strategy.value) },
      ...this.start.strategies.map((name) => make("option", { value: name }, words(name))));
    this.syncs.push(() => { strategy.value = this.view.strategy; });
    return [
      row,
      ...Object.entries(CHOICES).map(([path, [name, choices]]) => this.choice(path, name, choices)),
      make("div", { class: "row select" }, make("label", { for: "strategy" }, "Players follow"), strategy),
    ];
  }
}
