// The paytable on the page: its values by place, history, and what changed.

const copy = (value) => structuredClone(value);
export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** Names of lines as on a felt: "Four of a kind", "Pair of fives". */
export function words(name) {
  const text = name.replaceAll("_", " ");
  return text[0].toUpperCase() + text.slice(1);
}

const LABELS = {
  "title": "Title",
  "source": "Source",
  "notes": "Notes",
  "coin": "Coin",
  "ante": "Ante",
  "dealer_ante": "Dealer’s ante",
  "play_bet": "Play bet",
  "last_hand": "Last hand",
  "when_equal": "When equal",
  "bonus_on": "Bonus paid on",
  "side_bets.quickdraw.pays": "Quickdraw",
  "side_bets.quickdraw.tie": "Quickdraw tie",
};

/** What stands at a place, in words. */
export function label(path) {
  if (LABELS[path]) return LABELS[path];
  const parts = path.split(".");
  if (parts[0] === "kickout") return `Kickout, ${parts[1]} player${parts[1] === "1" ? "" : "s"}`;
  if (parts[0] === "bonus") return `Bonus, ${words(parts[1]).toLowerCase()}`;
  if (parts[1] === "cover" && parts[2] === "pays") return `Cover, ${words(parts[3]).toLowerCase()}`;
  return words(path.replaceAll(".", " "));
}

const UNITS = { ante: "chips", dealer_ante: "chips", play_bet: "chips", coin: "chips" };

/** A value with its unit, for the list of changes. */
export function valueText(path, value) {
  if (value === undefined) return "none";
  return UNITS[path] && value !== "fair" ? `${value} ${value === "1" ? "chip" : UNITS[path]}` : words(String(value));
}

/** All values of a paytable by place, such as "bonus.flush". */
export function leaves(value, prefix = "", found = {}) {
  for (const [key, inner] of Object.entries(value)) {
    const path = prefix ? `${prefix}.${key}` : key;
    if (inner !== null && typeof inner === "object" && !Array.isArray(inner)) leaves(inner, path, found);
    else found[path] = inner;
  }
  return found;
}

export function read(paytable, path) {
  return path.split(".").reduce((value, key) => value?.[key], paytable);
}

function put(paytable, path, value) {
  const keys = path.split(".");
  const last = keys.pop();
  let inner = paytable;
  for (const key of keys) inner = inner[key] ??= {};
  if (value === undefined) delete inner[last];
  else inner[last] = value;
  // Player counts follow the kickout hands; side bets without content are no side bets.
  if (keys[0] === "kickout") paytable.players = Object.keys(paytable.kickout).map(Number).sort();
  delete paytable.expect; // figures of another paytable
}

export class Paytable {
  constructor() {
    this.opened = null;
    this.now = null;
    this.past = [];
    this.future = [];
    this.serial = 0;
    this.gesture = null;
    this.onChange = () => {};
  }

  /** Begin with what stands in the file; with `undoable`, what was there before can be had back. */
  load(paytable, undoable = false) {
    if (undoable && this.now) this.past.push(this.now);
    else this.past = [];
    this.future = [];
    this.opened = copy(paytable);
    this.now = copy(paytable);
    this.moved();
  }

  /** The state now is what stands in the file. */
  saved() {
    this.opened = copy(this.now);
  }

  /** Set a value; steps of one gesture, such as a drag, are undone together. */
  set(path, value, gesture = null) {
    if (same(read(this.now, path), value)) return;
    if (gesture === null || gesture !== this.gesture) {
      this.past.push(this.now);
      if (this.past.length > 500) this.past.shift();
    }
    this.gesture = gesture;
    this.future = [];
    this.now = copy(this.now);
    put(this.now, path, value);
    this.moved();
  }

  /** A drag has ended: the next step is another one. */
  endGesture() {
    this.gesture = null;
  }

  /** Take over the studio's spelling of the same values. */
  respell(paytable) {
    this.now = copy(paytable);
  }

  undo() {
    if (!this.past.length) return;
    this.future.push(this.now);
    this.now = this.past.pop();
    this.gesture = null;
    this.moved();
  }

  redo() {
    if (!this.future.length) return;
    this.past.push(this.now);
    this.now = this.future.pop();
    this.gesture = null;
    this.moved();
  }

  moved() {
    this.serial += 1;
    this.onChange();
  }

  /** What differs from the file: place, old and new value. */
  changes() {
    const before = leaves({ ...this.opened, expect: {}, players: null });
    const after = leaves({ ...this.now, expect: {}, players: null });
    const places = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return places
      .filter((path) => !same(before[path], after[path]))
      .map((path) => ({ path, old: before[path], now: after[path] }));
  }
}
