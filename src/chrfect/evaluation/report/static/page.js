"use strict";
// The parts of a comparison's page that depend on the chosen pair, filter and order. The view is in the address.
(() => {
  const PAGE = 20;
  const SVG = "http://www.w3.org/2000/svg";
  const ORDERS = {
    influence: "most influence on the difference first",
    largest: "largest difference first",
    worse: "B loses most first",
    better: "B gains most first",
    lowest: "worst scores first",
    test: "order of the test set",
  };
  const byId = (id) => document.getElementById(id);

  function element(name, properties = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (value === undefined || value === null || value === false) continue;
      if (key in made && typeof value !== "string") made[key] = value;
      else made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== null));
    return made;
  }

  function drawn(name, properties) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(properties)) made.setAttribute(key, value);
    return made;
  }

  async function unpack(id) {
    const letters = atob(byId(`data-${id}`).textContent);
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i += 1) bytes[i] = letters.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  const number = (value) => value.toLocaleString("en-US");
  const score = (value) => (value / 100).toFixed(2);
  const signed = (value) => {
    const text = Math.abs(value).toFixed(2);
    return text === "0.00" ? text : (value < 0 ? "−" : "+") + text;
  };
  const pText = (p, name = "p") => (p < 0.0005 ? `${name} < 0.001` : `${name} = ${p.toFixed(3)}`);
  const percent = (share) => `${Number((100 * share).toFixed(1))} %`;
  const plural = (count, word) => `${number(count)} ${word}${count === 1 ? "" : "s"}`;

  let data;
  let view;
  let chosen = [];
  const blocks = new Map();
  const searched = new Map();

  const block = (place) => {
    if (!blocks.has(place)) blocks.set(place, unpack(`texts-${place}`));
    return blocks.get(place);
  };
  const texts = async (segment) => (await block(Math.floor(segment / data.block)))[segment % data.block];

  // The view, as it is in the address.

  function readView() {
    const given = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
    const unknown = new Set();
    const whole = (name, limit, what) => {
      const text = given.get(name);
      if (text === null) return null;
      if (/^\d+$/.test(text) && Number(text) < limit) return Number(text);
      unknown.add(what(Number(text)));
      return null;
    };
    const choice = (name, known, what) => {
      const text = given.get(name);
      if (text !== null && !Object.hasOwn(known, text)) unknown.add(what);
      return Object.hasOwn(known, text ?? "") ? text : null;
    };
    const metric = whole("metric", data.metrics.length, () => "a metric") ?? 0;
    const [a, b] = ["a", "b"].map((name) => whole(name, data.systems.length, () => "a system"));
    const named = findPair(metric, a, b);
    if (!named && a !== null && b !== null) unknown.add("a pair of systems");
    const pair = named ?? defaultPair(metric);
    const isReversed = pair.a === b && pair.b === a;
    const group = choice("group", data.groups, "a group");
    const label = group === null ? null : whole("label", data.groups[group].names.length, () => "a group");
    const segment = whole("segment", data.segments, (value) => (value >= 0 ? `segment ${number(value + 1)}` : "a segment"));
    const order = choice("order", ORDERS, "an order") ?? "influence";
    say("unknown", unknown.size && `The link names ${[...unknown].join(" and ")} that this page does not have: it has ` +
      `${plural(data.systems.length, "system")} and ${plural(data.segments, "segment")}.`);
    return {
      metric,
      a: isReversed ? pair.b : pair.a,
      b: isReversed ? pair.a : pair.b,
      order,
      group,
      label,
      query: given.get("query") ?? "",
      segment,
      page: whole("page", Infinity, () => "a page of segments") ?? 0,
    };
  }

  function address(changes = {}) {
    const next = { ...view, page: 0, ...changes };
    const parts = new URLSearchParams();
    for (const [name, value] of Object.entries(next)) {
      if (value !== null && value !== "" && !(name === "page" && value === 0)) parts.set(name, value);
    }
    return `#${parts}`;
  }

  function go(changes, focus) {
    history.replaceState(null, "", address(changes));
    show(focus);
  }

  const findPair = (metric, a, b) =>
    data.pairs.find((one) => one.metric === metric && ((one.a === a && one.b === b) || (one.a === b && one.b === a)));

  function defaultPair(metric) {
    const sign = data.metrics[metric].lower ? -1 : 1;
    const order = data.systems.map((_, i) => i).sort((i, j) => sign * (data.corpus[metric][j] - data.corpus[metric][i]));
    const best = findPair(metric, order[1], order[0]);
    return best ?? data.pairs.find((one) => one.metric === metric);
  }

  // The pair as seen from the view: b minus a, whichever way round it was compared.
  function current() {
    const pair = findPair(view.metric, view.a, view.b);
    if (pair.a === view.a) return pair;
    return {
      ...pair,
      a: pair.b,
      b: pair.a,
      difference: -pair.difference,
      interval: [-pair.interval[1], -pair.interval[0]],
      wins: pair.losses,
      losses: pair.wins,
      groups: Object.fromEntries(Object.entries(pair.groups).map(([name, { rows, total, few, ahead, behind }]) => [name, {
        rows: rows.map(([label, n, a, b, low, high, wins, losses]) => [label, n, b, a, -high, -low, losses, wins]),
        total, few, ahead: behind, behind: ahead,
      }])),
      ngrams: [pair.ngrams[1], pair.ngrams[0]],
    };
  }

  // A message above the parts that the script fills; it stays in sight, and replaces the one before.
  function say(id, text) {
    byId(id)?.remove();
    if (!text) return;
    const message = element("p", { role: "alert", id, class: "message" }, text);
    byId("difference").before(message);
    message.scrollIntoView({ block: "nearest" });
  }

  const nameOf = (system, side) =>
    element("b", { class: side ? `name-${side}` : undefined }, element("bdi", {}, data.systems[system]));

  function control(label, made) {
    return element("label", {}, label, element("br"), made);
  }

  function select(label, options, value, change, id) {
    const made = element("select", { id });
    for (const [key, text] of options) made.append(element("option", { value: String(key), selected: key === value }, text));
    made.addEventListener("change", () => change(made.value, id));
    return control(label, made);
  }

  // Where they differ.

  function showDifference() {
    const pair = current();
    const metric = data.metrics[view.metric];
    const better = metric.lower ? -pair.difference : pair.difference;
    const level = percent(data.level);
    const verdict = better === 0 ? " are equal: " : pair.significant ? (better > 0 ? " is better than " : " is worse than ") : null;
    const sentence = element("p", { id: "verdict" }, nameOf(view.b, "second"));
    if (verdict === null) sentence.append(" and ", nameOf(view.a, "first"), " may be equally good: ");
    else if (better === 0) sentence.append(" and ", nameOf(view.a, "first"), verdict);
    else sentence.append(verdict, nameOf(view.a, "first"), ": ");
    const raw = data.correction === "p" ? "" : `; without correction ${pText(pair.p)}`;
    sentence.append(
      `${data.corpus[view.metric][view.b].toFixed(2)} and ${data.corpus[view.metric][view.a].toFixed(2)} ${metric.name}, a difference ` +
        `of ${signed(pair.difference)} (${level} interval ${signed(pair.interval[0])} to ${signed(pair.interval[1])}; ` +
        `${pText(pair.corrected, data.correction)}${raw}).`,
    );
    const details = element("p", {},
      `It is better in ${plural(pair.wins, "segment")}, worse in ${number(pair.losses)}, and equal in ${number(pair.ties)}; ` +
        `in ${number(pair.identical)} both texts are the same.`);
    if (pair.humans !== null) {
      details.append(` Humans prefer the same system in ${pair.humans.toFixed(0)} % of pairs with such a difference.`);
    }
    byId("difference-body").replaceChildren(
      pairControls(),
      sentence,
      details,
      ...histogram(gained()),
      ...Object.entries(pair.groups).flatMap(([name, found]) => groupTable(name, found)),
      ...ngramTables(pair),
      ...errorTables(),
    );
  }

  function pairControls() {
    const systems = data.systems.map((name, i) => [i, name]);
    const partners = (one) => systems.filter(([i]) => i !== one && findPair(view.metric, one, i));
    const change = (name) => (value, id) => {
      const next = { [name]: Number(value), segment: null };
      const other = name === "a" ? view.b : view.a;
      const isPair = findPair(view.metric, next[name], other);
      if (!isPair) next[name === "a" ? "b" : "a"] = partners(next[name])[0][0];
      go(next, id);
    };
    const swap = element("button", { type: "button", id: "swap" }, "Swap A and B");
    swap.addEventListener("click", () => go({ a: view.b, b: view.a }, "swap"));
    const made = element("div", { class: "controls" },
      select("A ▲", systems.filter(([i]) => partners(i).length), view.a, change("a"), "choose-a"),
      select("B ●", systems.filter(([i]) => partners(i).length), view.b, change("b"), "choose-b"),
      swap);
    if (data.metrics.length > 1) {
      made.append(select("Metric", data.metrics.map((one, i) => [i, one.name]), view.metric,
        (value, id) => go({ metric: Number(value) }, id), "choose-metric"));
    }
    return made;
  }

  // What b gains over a in each segment, in points; positive is better.
  function gained() {
    const [a, b] = [data.scores[view.metric][view.a], data.scores[view.metric][view.b]];
    const sign = data.metrics[view.metric].lower ? -1 : 1;
    return a.map((value, i) => (sign * (b[i] - value)) / 100);
  }

  function histogram(gains) {
    const [width, height, step] = [640, 120, 5];
    let most = step;
    for (const gain of gains) most = Math.max(most, Math.abs(gain));
    const side = Math.ceil(Math.min(60, most) / step);
    const counts = new Array(2 * side + 1).fill(0);
    for (const gain of gains) counts[Math.max(0, Math.min(2 * side, Math.round(gain / step) + side))] += 1;
    const top = Math.max(...counts);
    const made = drawn("svg", { viewBox: `0 0 ${width} ${height + 22}`, width, height: height + 22, role: "img",
      "aria-label": `Segments by difference: ${counts.map((n, i) => `${(i - side) * step}: ${n}`).join(", ")}` });
    const wide = width / counts.length;
    counts.forEach((count, i) => {
      const tall = (height * count) / top;
      made.append(drawn("rect", { class: `bar ${i < side ? "first" : i > side ? "second" : ""}`,
        x: (i * wide + 1).toFixed(1), width: Math.max(wide - 2, 1).toFixed(1), y: (height - tall).toFixed(1), height: tall.toFixed(1) }));
    });
    made.append(drawn("line", { class: "zero", x1: 0, x2: width, y1: height, y2: height }));
    for (const tick of [-side, 0, side]) {
      const label = drawn("text", { x: ((tick + side + 0.5) * wide).toFixed(1), y: height + 16,
        "text-anchor": tick < 0 ? "start" : tick > 0 ? "end" : "middle" });
      const more = most > (side + 0.5) * step ? " or more" : "";
      label.textContent = tick === 0 ? "equal" : `${tick < 0 ? "A" : "B"} better by ${side * step}${more}`;
      made.append(label);
    }
    return [element("h3", {}, "Segments by difference"), element("figure", {}, made)];
  }

  function groupTable(name, { rows, total, few, ahead, behind }) {
    const title = `By ${name === "reference-length" ? "length of the reference, in characters" : name}`;
    const { names } = data.groups[name];
    const sign = data.metrics[view.metric].lower ? -1 : 1;
    const sure = ([, n, , , low, high]) => (n < data.few ? null : sign * low > 0 && sign * high > 0 ? 1 : sign * low < 0 && sign * high < 0 ? -1 : 0);
    const listed = (side, count) => (total > rows.length ? `${number(count)} of ${number(total)}`
      : rows.filter((row) => sure(row) === side).map(([label]) => names[label]).join(", "));
    const parts = [["better", 1, ahead], ["worse", -1, behind], ["not clearly different", 0, total - few - ahead - behind]]
      .filter(([, , count]) => count).map(([text, side, count]) => `${text} in ${listed(side, count)}`);
    const sentence = element("p");
    if (parts.length) sentence.append(nameOf(view.b, "second"), ` is ${parts.join("; ")}. `);
    if (few) sentence.append(`Too few segments to say: ${listed(null, few)}.`);
    const most = Math.max(...rows.map(([, , a, b, low, high]) => Math.max(Math.abs(low), Math.abs(high), Math.abs(b - a))), 1e-9);
    const table = dataTable(title, [name === "document" ? "document" : "group", "segments", "A ▲", "B ●", "difference",
      `${percent(data.level)} interval`, "B better", "B worse"]);
    for (const [label, count, a, b, low, high, wins, losses] of rows) {
      const filter = element("button", { type: "button", class: "plain", title: "Show these segments" }, element("bdi", {}, names[label]));
      filter.addEventListener("click", () => {
        go({ group: name, label, segment: null });
        byId("segments").scrollIntoView();
        byId("segment-status").focus();
      });
      table.add(filter, number(count), a.toFixed(2), b.toFixed(2), signed(b - a), intervalChart(b - a, sign, low, high, most), number(wins), number(losses));
    }
    const rest = total - rows.length;
    const note = rest ? [element("p", { class: "quiet" }, `${number(rest)} more, which differ less, are in the filter of the segments.`)] : [];
    return [element("h3", {}, title), sentence, table.made, ...note];
  }

  // The marker has the shape and colour of the system that is better, if any: sign is -1 where lower scores are better.
  function intervalChart(value, sign, low, high, most) {
    const at = (x) => (80 + (72 * x) / most).toFixed(1);
    const made = drawn("svg", { width: 160, height: 18, viewBox: "0 0 160 18", "aria-hidden": "true" });
    made.append(
      drawn("line", { class: "axis", x1: 0, x2: 160, y1: 9, y2: 9 }),
      drawn("line", { class: "zero", x1: 80, x2: 80, y1: 1, y2: 17 }),
      drawn("line", { class: "range", x1: at(low), x2: at(high), y1: 9, y2: 9 }),
      sign * value < 0 ? drawn("path", { class: "first", d: `M${at(value)} 4l5 9h-10z` })
        : drawn("circle", { class: value === 0 ? "bar" : "second", cx: at(value), cy: 9, r: value === 0 ? 2 : 4 }),
    );
    return element("div", {}, made, `${signed(low)} to ${signed(high)}`);
  }

  function dataTable(label, columns) {
    const body = element("tbody", { role: "rowgroup" });
    const head = element("tr", { role: "row" }, ...columns.map((text) => element("th", { role: "columnheader", scope: "col" }, text)));
    const made = element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": label },
      element("table", { role: "table", "aria-label": label }, element("thead", { role: "rowgroup" }, head), body));
    const add = (first, ...cells) => body.append(element("tr", { role: "row" },
      element("th", { role: "rowheader", scope: "row" }, first),
      ...cells.map((cell, i) => element("td", { role: "cell", "data-label": columns[i + 1], class: /^[−+]?[\d.,]+$/.test(cell) ? "count" : null }, element("div", {}, cell)))));
    return { made, add };
  }

  function ngramTables(pair) {
    const [missed, matched] = pair.ngrams;
    return [element("div", { class: "pair" },
      ngramTable("What A matches and B misses", "A", ["only A", "only B"], missed),
      ngramTable("What B matches and A misses", "B", ["only B", "only A"], matched)),
      element("p", { class: "quiet" },
        "How often an n-gram of the references is matched by one system where the other misses it. Those come first whose balance is least like that of all n-grams.")];
  }

  // What each system does wrong, whatever the other does.
  function errorTables() {
    const tables = [["A", view.a], ["B", view.b]].map(([side, system]) => {
      const [missed, invented] = data.errors[view.metric][system];
      return element("div", { class: "pair" },
        ngramTable(`What ${side} misses`, side, ["missed", "invented"], missed),
        ngramTable(`What ${side} invents`, side, ["invented", "missed"], invented));
    });
    return [...tables, element("p", { class: "quiet" },
      "How often an n-gram is in the reference and not in the output (missed), and in the output and not in the reference (invented). The order is the same.")];
  }

  function ngramTable(title, side, counts, entries) {
    const heading = element("h3", { class: `name-${side === "A" ? "first" : "second"}` }, title);
    if (!entries.length) return element("div", {}, heading, element("p", {}, "Nothing."));
    const table = dataTable(title, ["n-gram", ...counts, "segments"]);
    for (const [text, count, opposite, total, segments] of entries) {
      const links = segments.flatMap((segment, i) => [i ? ", " : "",
        element("a", { href: address({ segment, group: null, label: null, query: "" }), "aria-label": `Segment ${segment + 1}` }, String(segment + 1))]);
      const rest = total - segments.length;
      table.add(element("bdi", {}, text), number(count), number(opposite), element("span", {}, ...links, rest ? ` and ${number(rest)} more` : ""));
    }
    return element("div", {}, heading, table.made);
  }

  // The segments.

  async function choose() {
    if (view.segment !== null) return [view.segment];
    let found = [...Array(data.segments).keys()];
    if (view.group !== null && view.label !== null) {
      found = found.filter((segment) => data.groups[view.group].of[segment] === view.label);
    }
    const query = view.query.trim().normalize("NFC").toLowerCase();
    if (query) {
      const [first, second] = [await searchable(view.a), await searchable(view.b)];
      found = found.filter((segment) => first[segment].includes(query) || second[segment].includes(query) || String(segment + 1) === query);
    }
    const gains = gained();
    const [a, b] = [data.scores[view.metric][view.a], data.scores[view.metric][view.b]];
    const sign = data.metrics[view.metric].lower ? -1 : 1;
    const [without, within] = [data.influence[view.metric][view.a], data.influence[view.metric][view.b]];
    const keys = {
      influence: (i) => -Math.abs(within[i] - without[i]),
      largest: (i) => -Math.abs(gains[i]),
      worse: (i) => gains[i],
      better: (i) => -gains[i],
      lowest: (i) => sign * (a[i] + b[i]),
      test: (i) => i,
    };
    const key = keys[view.order];
    return found.sort((i, j) => key(i) - key(j) || i - j);
  }

  // What is shown of a system: for each segment the source, the reference and the output.
  function searchable(system) {
    if (!searched.has(system)) searched.set(system, lowered(system));
    return searched.get(system);
  }

  async function lowered(system) {
    const known = [];
    for (let place = 0; place * data.block < data.segments; place += 1) {
      for (const [source, references, systems] of await block(place)) {
        const [output, , reference] = systems[system];
        known.push([source ?? "", references[reference], output].join("\n").normalize("NFC").toLowerCase());
      }
    }
    return known;
  }

  function segmentControls() {
    const groups = Object.entries(data.groups).flatMap(([name, { names }]) =>
      names.map((label, i) => [`${name}\t${i}`, `${name}: ${label}`]));
    const query = element("input", { type: "search", id: "query", value: view.query, size: "28" });
    let waiting;
    query.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => go({ query: query.value, segment: null }), 250);
    });
    const chosenGroup = view.group === null || view.label === null ? "" : `${view.group}\t${view.label}`;
    const share = element("button", { type: "button", id: "share" }, "Copy a link to this view");
    share.addEventListener("click", async () => {
      let said = "The link is in the address bar.";
      try {
        await navigator.clipboard.writeText(location.href);
        said = "The link is copied.";
      } catch { /* without permission, the address bar has it */ }
      byId("shared").textContent = said;
    });
    return [
      control("Search these texts, or a number", query),
      select("Show", [["", "all segments"], ...groups], chosenGroup, (value, id) => {
        const [group, label] = value.split("\t");
        go({ group: value ? group : null, label: value ? Number(label) : null, segment: null }, id);
      }, "choose-group"),
      select("Order", Object.entries(ORDERS), view.order, (value, id) => go({ order: value, segment: null }, id), "choose-order"),
      share,
      element("span", { id: "shared", role: "status", class: "quiet" }),
    ];
  }

  function frame() {
    const shades = !hasNgrams() ? [] : [
      element("p", { class: "legend" }, "Reference: ",
        element("span", { class: "fa" }, "▲ A matches better"), " ", element("span", { class: "fb" }, "● B matches better"), " ",
        element("span", { class: "fn" }, "both miss")),
      element("p", { class: "legend" }, "A and B, how much of each character is covered by matched n-grams: ",
        ...["none", "under 1/3", "under 2/3", "more"].flatMap((text, i) => [element("span", { class: `s${i}` }, text), " "]), "all"),
    ];
    const legend = element("div", { class: "quiet" }, ...shades,
      element("p", {}, "Influence: what the segment adds to the difference of the scores of the whole test set; look at the largest first. " +
        `Of longer texts, the first ${number(data.limit)} characters are shown and searched.`));
    byId("segments-body").replaceChildren(
      element("div", { class: "controls", role: "search", "aria-label": "Segments", id: "segment-controls" }),
      legend,
      element("p", { id: "segment-status", role: "status", tabindex: "-1" }),
      element("ol", { class: "segments", id: "segment-list" }),
      element("div", { class: "controls", id: "segment-pages" }),
    );
  }

  async function showSegments() {
    const shownView = view;
    const controls = byId("segment-controls");
    if (document.activeElement?.id !== "query") controls.replaceChildren(...segmentControls());
    if (view.query && !(searched.has(view.a) && searched.has(view.b))) byId("segment-status").textContent = "Searching…";
    const found = await choose();
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    const page = Math.min(view.page, pages - 1);
    const shown = found.slice(page * PAGE, (page + 1) * PAGE);
    const items = await Promise.all(shown.map(async (segment) => segmentItem(segment, await texts(segment))));
    if (view !== shownView) return;
    chosen = found;
    byId("segment-list").replaceChildren(...items);
    const range = shown.length ? `, ${number(page * PAGE + 1)} to ${number(page * PAGE + shown.length)} shown` : "";
    byId("segment-status").textContent = view.segment !== null
      ? `Segment ${number(view.segment + 1)} alone.`
      : `${number(found.length)} of ${plural(data.segments, "segment")}${range}.`;
    byId("segment-pages").replaceChildren(...pageButtons(page, pages));
  }

  function pageButtons(page, pages) {
    if (view.segment !== null) {
      const all = element("button", { type: "button" }, "Show all segments");
      all.addEventListener("click", () => go({ segment: null }, "segment-status"));
      return [all];
    }
    const button = (text, to, isPossible) => {
      const made = element("button", { type: "button", disabled: !isPossible }, text);
      made.addEventListener("click", () => {
        go({ page: to }, "segment-status");
        byId("segments").scrollIntoView();
      });
      return made;
    };
    if (pages === 1) return [];
    return [button("Previous", page - 1, page > 0), element("span", {}, `Page ${number(page + 1)} of ${number(pages)}`),
      button("Next", page + 1, page + 1 < pages)];
  }

  function segmentItem(segment, [source, references, systems, cut]) {
    const [one, two] = [systems[view.a], systems[view.b]];
    const scores = data.scores[view.metric];
    const [a, b] = [scores[view.a][segment], scores[view.b][segment]];
    const rows = [];
    // Symbols of control characters make a text longer than it is.
    const row = (name, content, length) => rows.push(element("dt", {}, name), element("dd", {}, content,
      length ? element("p", { class: "quiet" }, `(the first ${number(Math.min(data.limit, [...content.textContent].length))} of ${number(length)} characters)`) : null));
    const length = (system) => cut?.[1 + system[2]];
    if (source !== null) row("Source", plain(source), cut?.[0]);
    if (one[2] === two[2]) row("Reference", compared(references[one[2]], one[3], two[3]), length(one));
    else {
      row("Reference for A", shaded(references[one[2]], one[3]), length(one));
      row("Reference for B", shaded(references[two[2]], two[3]), length(two));
    }
    row(nameOf(view.a, "first"), shaded(one[0], one[1]), one[7]);
    row(nameOf(view.b, "second"), shaded(two[0], two[1]), two[7]);
    const difference = (b - a) / 100;
    const influence = (data.influence[view.metric][view.b][segment] - data.influence[view.metric][view.a][segment]) / 100_000;
    const why = element("details", {}, element("summary", {}, `Why: segment ${segment + 1} explained`));
    why.addEventListener("toggle", () => {
      if (why.open && why.childElementCount === 1) why.append(...explained(references, one, two));
    });
    return element("li", { class: "segment", id: `segment-${segment + 1}` },
      element("div", { class: "scores" },
        element("h3", {}, element("a", { href: address({ segment }) }, `Segment ${segment + 1}`)),
        element("span", {}, `A ${score(a)}`), element("span", {}, `B ${score(b)}`), element("b", {}, signed(difference)),
        element("span", { class: "quiet" }, `influence ${influence < 0 ? "−" : "+"}${Math.abs(influence).toFixed(3)}`),
        ...Object.entries(data.groups).map(([, { names, of }]) => element("bdi", { class: "quiet" }, names[of[segment]]))),
      element("dl", {}, ...rows), why);
  }

  const plain = (text) => element("p", { class: "text", dir: "auto" }, text || element("i", { class: "quiet" }, "(empty)"));

  function* stretches(steps) {
    let at = 0;
    for (const [, letter, length] of steps.matchAll(/([a-f])(\d+)/g)) {
      yield [at, at + Number(length), letter];
      at += Number(length);
    }
  }

  // Whitespace between two stretches of one class is shaded with them.
  function marked(text, parts) {
    const made = element("p", { class: "text", dir: "auto" });
    let [run, last, gap] = ["", "", ""];
    const flush = () => { if (run) made.append(last ? element("span", { class: last }, run) : run); };
    for (const [start, end, name] of parts) {
      const piece = text.slice(start, end);
      if (name === null) gap += piece;
      else if (name === last) [run, gap] = [run + gap + piece, ""];
      else {
        flush();
        if (gap) made.append(gap);
        [run, last, gap] = [piece, name, ""];
      }
    }
    flush();
    if (gap) made.append(gap);
    return text ? made : plain("");
  }

  const CLASSES = { a: null, b: "s0", c: "s1", d: "s2", e: "s3", f: "" };
  const shaded = (text, steps) => marked(text, [...stretches(steps)].map(([start, end, letter]) => [start, end, CLASSES[letter]]));

  function compared(text, first, second) {
    const parts = [];
    const [one, two] = [[...stretches(first)], [...stretches(second)]];
    for (let i = 0, j = 0, at = 0; i < one.length && j < two.length;) {
      const end = Math.min(one[i][1], two[j][1]);
      parts.push([at, end, better(one[i][2], two[j][2])]);
      at = end;
      if (one[i][1] === end) i += 1;
      if (two[j][1] === end) j += 1;
    }
    return marked(text, parts);
  }

  function better(one, two) {
    if (one === "a" && two === "a") return null;
    const [a, b] = [one.charCodeAt(0), two.charCodeAt(0)];
    if (a - b >= 2) return "fa";
    if (b - a >= 2) return "fb";
    return Math.max(a, b) <= 99 ? "fn" : "";
  }

  const hasNgrams = () => data.columns.some((column) => column.endsWith(".matches"));

  // The explanation of a segment: the counts, and what would raise the scores of a metric of n-grams most.
  function explained(references, one, two) {
    if (!hasNgrams()) {
      const counts = dataTable("Counts", ["count", "A", "B"]);
      data.columns.forEach((column, i) => counts.add(column.replace(/\.\d+$/, "").replaceAll("_", " "), number(one[6][i]), number(two[6][i])));
      return [counts.made, element("p", { class: "quiet" }, `The counts are those of ${data.metrics[0].name}.`)];
    }
    const orders = new Map();
    data.columns.forEach((column, i) => {
      const [order, side] = column.includes(".") ? column.split(/\.(?=[^.]*$)/) : [column, "count"];
      if (!orders.has(order)) orders.set(order, {});
      orders.get(order)[side] = i;
    });
    const table = dataTable("Counts of n-grams", ["order", "A: matched", "of hypothesis", "of reference", "B: matched", "of hypothesis", "of reference"]);
    const cell = (counts, places, side) => (places[side] === undefined ? "–" : number(counts[places[side]]));
    for (const [order, places] of orders) {
      if (places.count !== undefined) table.add(order.replaceAll("_", " "), number(one[6][places.count]), "–", "–", number(two[6][places.count]), "–", "–");
      else table.add(order.replace("-", " "), ...[one, two].flatMap((system) => ["matches", "hypothesis", "reference"].map((side) => cell(system[6], places, side))));
    }
    const lists = [[one, "A", "first"], [two, "B", "second"]].map(([system, name, side]) => element("div", {},
      element("h4", { class: `name-${side}` }, `What would raise the score of ${name} most`),
      runs(references[system[2]], system[4], "add the missed", "Nothing was missed."),
      runs(system[0], system[5], "remove the invented", "Nothing was invented.")));
    return [element("div", { class: "pair" }, ...lists), table.made,
      element("p", { class: "quiet" }, `Gains and counts are those of ${data.metrics[0].name}. Gains do not add up.`)];
  }

  function runs(text, flat, what, none) {
    if (!flat.length) return element("p", {}, none);
    const list = element("ul");
    for (let i = 0; i < flat.length; i += 3) {
      const [start, end, gain] = flat.slice(i, i + 3);
      list.append(element("li", {}, `${signed(gain / 100)}: ${what} `, element("q", {}, element("bdi", {}, text.slice(start, end)))));
    }
    return list;
  }

  function show(focus) {
    say("failure", "");
    view = readView();
    for (const link of document.querySelectorAll(".matrix a")) {
      const given = new URLSearchParams(link.hash.slice(1));
      const isCurrent = Number(given.get("metric")) === view.metric && new Set([view.a, view.b, Number(given.get("a")), Number(given.get("b"))]).size === 2;
      if (isCurrent) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    showDifference();
    const done = showSegments();
    if (focus) byId(focus)?.focus();
    return done;
  }

  async function start() {
    data = await unpack("index");
    byId("unscripted").remove();
    frame();
    window.addEventListener("hashchange", async () => {
      if (!location.hash.includes("=")) return;
      const before = view;
      await show();
      const target = view.segment !== null ? "segments" : before.a !== view.a || before.b !== view.b || before.metric !== view.metric ? "difference" : null;
      if (target) byId(target).scrollIntoView();
    });
    await show();
    if (view.segment !== null) byId("segments").scrollIntoView();
    document.documentElement.dataset.ready = "true";
  }

  const failed = (error) =>
    say("failure", `A part of this page could not be shown: ${error?.message ?? error}. If the file is damaged, write it again.`);

  window.addEventListener("error", (event) => failed(event.error ?? event.message));
  window.addEventListener("unhandledrejection", (event) => failed(event.reason));
  start();
})();
