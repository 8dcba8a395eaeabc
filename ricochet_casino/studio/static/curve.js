// The kickout curve: RTP by the dealer's kickout hand.

import { byId, draw } from "./figures.js";

const MARGIN = { left: 44, right: 12, top: 14, bottom: 34 };

/** Round numbers that cut a range into about so many parts. */
function ticks(low, high, parts) {
  const rough = (high - low) / parts;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step / 1e6; at += step) found.push(at);
  return { found, places: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}

/**
 * Draw the curve.
 * @param stops all kickout hands of the slider, in order
 * @param points what is known: class, hand, rtp in decimals, and low, high where sampled
 * @param here the hand that is chosen: class, RTP in decimals or null, and its text
 */
export function drawCurve(stops, points, here, stale) {
  const svg = byId("curve");
  const box = svg.getBoundingClientRect();
  const [width, height] = [Math.max(280, box.width), Math.max(160, box.height)];
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.classList.toggle("is-stale", stale);
  svg.replaceChildren();
  if (!points.length) {
    svg.append(draw("text", { x: width / 2, y: height / 2, "text-anchor": "middle" }, "computing…"));
    return;
  }
  const place = new Map(stops.map((stop, index) => [stop.class, index]));
  const spot = (kickout) => place.get(kickout) ?? stops.findLastIndex((stop) => stop.class <= kickout) + 0.5;
  // The part where the hand lies: nobody puts the dealer out half of the time.
  const from = (hand) => stops.findIndex((stop) => stop.hand === hand);
  const first = spot(here.class) < from("22") ? 0 : spot(here.class) < from("TT") ? from("22") : from("99");
  const seen = points.filter((point) => spot(point.class) >= first);
  const values = seen.flatMap((point) => [Number(point.low ?? point.rtp), Number(point.high ?? point.rtp)]);
  if (here.rtp !== null) values.push(Number(here.rtp));
  let [low, high] = [Math.min(...values) * 100, Math.max(...values) * 100];
  const air = Math.max(0.2, (high - low) * 0.06);
  [low, high] = [low - air, high + air];
  const x = (index) => MARGIN.left + ((index - first) / (stops.length - 1 - first)) * (width - MARGIN.left - MARGIN.right);
  const y = (rtp) => height - MARGIN.bottom - ((rtp * 100 - low) / (high - low)) * (height - MARGIN.top - MARGIN.bottom);

  const { found, places } = ticks(low, high, 5);
  for (const at of found) {
    svg.append(draw("line", { class: Math.abs(at - 100) < 1e-9 ? "even" : "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: y(at / 100), y2: y(at / 100) }));
    svg.append(draw("text", { x: MARGIN.left - 6, y: y(at / 100) + 4, "text-anchor": "end" }, `${at.toFixed(places)} %`));
  }
  svg.append(draw("line", { class: "axis", x1: MARGIN.left, x2: width - MARGIN.right, y1: height - MARGIN.bottom, y2: height - MARGIN.bottom }));
  let last = -99;
  for (const hand of ["22", "66", "99", "JJ", "KK", "33xx", "TTxx", "222", "TTT", "75432s", "none"]) {
    const at = x(stops.findIndex((stop) => stop.hand === hand));
    const wide = hand.length * 6.4;
    if (!(at - wide / 2 > last) || stops.findIndex((stop) => stop.hand === hand) < first) continue;
    svg.append(draw("line", { class: "axis", x1: at, x2: at, y1: height - MARGIN.bottom, y2: height - MARGIN.bottom + 4 }));
    svg.append(draw("text", { x: Math.min(at, width - wide / 2), y: height - MARGIN.bottom + 16, "text-anchor": "middle" }, hand));
    last = at + wide / 2 + 4;
  }
  svg.append(draw("text", { x: (MARGIN.left + width) / 2, y: height - 4, "text-anchor": "middle" }, "kickout hand: this good or better, the dealer is out"));

  const at = x(spot(here.class));
  svg.append(draw("line", { class: "here", x1: at, x2: at, y1: MARGIN.top, y2: height - MARGIN.bottom }));
  if (seen.some((point) => point.low !== undefined)) {
    for (const point of seen) {
      const left = x(spot(point.class));
      svg.append(draw("line", { class: "bar-interval shape", x1: left, x2: left, y1: y(point.low), y2: y(point.high) }));
      svg.append(draw("circle", { class: "point shape", cx: left, cy: y(point.rtp), r: 3 }));
    }
  } else {
    // The chosen hand's own figure is exact too, and may lie between two points.
    const own = here.rtp !== null && !stale && !seen.some((point) => point.class === here.class) ? [{ class: here.class, rtp: here.rtp }] : [];
    const path = [...seen, ...own].sort((a, b) => a.class - b.class).map((point, index) => `${index ? "L" : "M"}${x(spot(point.class)).toFixed(1)} ${y(point.rtp).toFixed(1)}`).join("");
    svg.append(draw("path", { class: "shape", d: path }));
  }
  if (here.rtp !== null) svg.append(draw("circle", { class: "dot", cx: at, cy: y(here.rtp), r: 4 }));
  const right = at < width * 0.7;
  svg.append(draw("text", { class: "now", x: at + (right ? 7 : -7), y: MARGIN.top + 2, "text-anchor": right ? "start" : "end" }, here.text));
}
