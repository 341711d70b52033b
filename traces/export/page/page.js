"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const ROW = 26, GUTTER = 58, MARGIN = 44, AHEAD = 12, BUCKET = 64;
  const FIELD = Object.fromEntries(data.fields.map((name, i) => [name, i]));
  const SVG = "http://www.w3.org/2000/svg";

  // A step, made readable once.
  const steps = data.events.map(([group, replica, action, stutter, args, ...state], i) => ({
    number: i + 1, group, replica, action, stutter, args, state,
    view: Number(state[FIELD.view]), status: state[FIELD.status], received: [], sent: [],
    words: (`${i + 1} r${replica} ${action} ${args} view=${state[FIELD.view]} ` +
      `status=${state[FIELD.status]} group=${data.groups[group]}`).toLowerCase(),
  }));
  const messages = data.messages.map(([from, to, sent, received, text]) => {
    const message = { from, to, sent, received, text };
    steps[received - 1].received.push(message);
    if (sent > 0) steps[sent - 1].sent.push(message);
    return message;
  });
  // What each step changes: the replica's previous step.
  const latest = new Map();
  for (const s of steps) {
    const key = s.group * data.replicas + s.replica;
    s.before = latest.get(key);
    latest.set(key, s);
  }

  const clients = messages.some((m) => m.from < 0);
  const shown = { group: 0, chosen: 0, terms: [], rows: [], rowOf: [], buckets: [], matches: [] };
  const hue = (view) => Math.round((205 + view * 137.508) % 360);

  function make(name, attributes, ...children) {
    const e = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    e.append(...children);
    return e;
  }
  function element(name, attributes, ...children) {
    const e = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "onclick") e.onclick = value; else e.setAttribute(key, value);
    }
    e.append(...children);
    return e;
  }

  // A word with = must be a word of the step, another one may be a part of it.
  function matches(s) {
    return shown.terms.every((term) => term.includes("=")
      ? (" " + s.words + " ").includes(" " + term + " ") : s.words.includes(term));
  }

  // arrange decides which steps have a row.
  function arrange() {
    shown.terms = at("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const searching = shown.terms.length > 0;
    const only = at("only").checked && searching, finer = at("finer").checked;
    shown.rows = [];
    shown.matches = [];
    shown.rowOf = new Int32Array(steps.length + 1).fill(-1);
    for (const s of steps) {
      if (s.group !== shown.group || s.stutter && !finer) continue;
      s.match = searching && matches(s);
      if (only && !s.match) continue;
      shown.rowOf[s.number] = shown.rows.length;
      if (s.match) shown.matches.push(s.number);
      shown.rows.push(s);
    }
    shown.buckets = [];
    for (const m of messages) {
      const last = shown.rowOf[m.received], first = m.sent > 0 ? shown.rowOf[m.sent] : last;
      if (first < 0 || last < 0) continue;
      for (let b = Math.floor(first / BUCKET); b <= Math.floor(last / BUCKET); b++) {
        (shown.buckets[b] ||= []).push(m);
      }
    }
    document.body.classList.toggle("searching", searching && !only);
    count();
    at("sheet").style.height = (shown.rows.length + 1) * ROW + "px";
    drawMap();
    draw();
  }

  function count() {
    const place = shown.matches.indexOf(shown.chosen) + 1;
    at("found").textContent = shown.terms.length === 0 ? ""
      : (place > 0 ? place + " of " : "") + shown.matches.length;
  }

  const lanes = () => data.replicas + (clients ? 1 : 0);
  const width = () => Math.max(200, at("scroll").clientWidth - GUTTER - MARGIN);
  const laneX = (replica) =>
    GUTTER + width() * (replica + (clients ? 1 : 0) + .5) / lanes();
  const rowY = (row) => row * ROW + ROW / 2 + 4;
  const chipWidth = () => Math.min(240, width() / lanes() - 16);

  // fit shortens a text to a width in pixels, by a rule of thumb for this font.
  const fit = (text, pixels) => {
    const length = Math.floor(pixels / 6.6);
    return text.length <= length ? text : length < 2 ? "" : text.slice(0, length - 1) + "\u2026";
  };
  const short = (args) => args.replace(/\b(checksum|incarnation)=\S+ ?/g, "");

  // brief keeps both ends of an identity: some differ in one of them only.
  const brief = (value) => value.replace(/^([0-9a-f]{4})[0-9a-f]{8,}([0-9a-f]{4})$/,
    "$1\u2026$2");

  // draw renders the rows in sight.
  function draw() {
    const scroll = at("scroll"), svg = at("lanes");
    const first = Math.max(0, Math.floor(scroll.scrollTop / ROW) - AHEAD);
    const last = Math.min(shown.rows.length - 1,
      Math.ceil((scroll.scrollTop + scroll.clientHeight) / ROW) + AHEAD);
    svg.setAttribute("width", scroll.clientWidth);
    svg.setAttribute("height", at("sheet").style.height);
    const parts = [tips()];
    const chosenRow = shown.chosen ? shown.rowOf[shown.chosen] : -1;
    if (chosenRow >= 0) {
      parts.push(make("rect", {
        class: "row", x: 0, y: chosenRow * ROW + 4, width: scroll.clientWidth, height: ROW,
      }));
    }
    parts.push(...drawLanes(first, last), ...drawMessages(first, last));
    for (let row = first; row <= last; row++) parts.push(drawStep(shown.rows[row], row));
    parts.push(...drawLabels());
    svg.replaceChildren(...parts);
    const heads = [];
    if (clients) heads.push(head("client", laneX(-1)));
    for (let r = 0; r < data.replicas; r++) heads.push(head("replica " + r, laneX(r)));
    at("heads").replaceChildren(...heads);
  }
  const head = (text, x) => element("span", { style: `left:${x}px` }, text);

  function tips() {
    const tip = (id) => make("marker", {
      id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7,
      markerUnits: "userSpaceOnUse", orient: "auto",
    }, make("path", { d: "M0 0L8 4L0 8z" }));
    return make("defs", {}, tip("tip"), tip("tipNear"));
  }

  // drawLanes draws each replica's line, in pieces of one view and status.
  function drawLanes(first, last) {
    const lines = [];
    const line = (replica, from, to, s) => lines.push(make("line", {
      class: "lane " + (s ? s.status : "unknown"), style: `--h:${s ? hue(s.view) : 0}`,
      x1: laneX(replica), x2: laneX(replica), y1: from, y2: to,
    }));
    if (clients) line(-1, first * ROW, (last + 1) * ROW, null);
    for (let r = 0; r < data.replicas; r++) {
      const from = shown.rows[first];
      let state = from ? stateAt(from.number - 1, r) : undefined, top = first * ROW;
      for (let row = first; row <= last; row++) {
        const s = shown.rows[row];
        if (s.replica !== r) continue;
        if (!state || state.view !== s.view || state.status !== s.status) {
          line(r, top, rowY(row), state);
          top = rowY(row);
        }
        state = s;
      }
      line(r, top, (last + 1) * ROW, state);
    }
    return lines;
  }

  // stateAt is the latest step of a replica of the shown group, up to a step.
  function stateAt(number, replica) {
    for (let i = number - 1; i >= 0; i--) {
      if (steps[i].group === shown.group && steps[i].replica === replica) return steps[i];
    }
    return undefined;
  }

  const near = (m) => shown.chosen > 0 && (m.sent === shown.chosen || m.received === shown.chosen);

  function messagePath(m) {
    const y2 = rowY(shown.rowOf[m.received]), y1 = m.sent > 0 ? rowY(shown.rowOf[m.sent]) : y2;
    const right = m.to > m.from, half = chipWidth() / 2;
    const x1 = m.from < 0 ? laneX(-1) : laneX(m.from) + (right ? half : -half);
    const x2 = laneX(m.to) + (right ? -half - 1 : half + 1);
    return { x1, y1, x2, y2 };
  }

  function drawMessages(first, last) {
    const seen = new Set();
    for (let b = Math.floor(first / BUCKET); b <= Math.floor(last / BUCKET); b++) {
      for (const m of shown.buckets[b] || []) seen.add(m);
    }
    return [...seen].sort((a, b) => near(a) - near(b)).map((m) => {
      const { x1, y1, x2, y2 } = messagePath(m);
      const is = near(m), hit = steps[m.received - 1].match;
      return make("path", {
        class: "message" + (is ? " near" : "") + (hit || is ? " match" : ""),
        d: `M${x1} ${y1}L${x2} ${y2}`, "marker-end": is ? "url(#tipNear)" : "url(#tip)",
      }, make("title", {}, m.text));
    });
  }

  function drawLabels() {
    if (!shown.chosen) return [];
    const s = steps[shown.chosen - 1];
    return [...s.received, ...s.sent].filter((m) => shown.rowOf[m.received] >= 0 &&
      (m.sent === 0 || shown.rowOf[m.sent] >= 0)).map((m) => {
      const { x1, y1, x2, y2 } = messagePath(m);
      return make("text", {
        class: "label", x: (x1 + x2) / 2, y: (y1 + y2) / 2 - 5, "text-anchor": "middle",
      }, m.text);
    });
  }

  function drawStep(s, row) {
    const w = chipWidth(), x = laneX(s.replica) - w / 2, y = rowY(row);
    const name = fit(s.action, w - 14);
    const text = make("text", { x: x + 8, y: y + 4 }, name);
    const rest = fit(short(s.args), w - 24 - name.length * 7);
    if (rest) text.append(make("tspan", { dx: 6 }, rest));
    const classes = ["event", s.status];
    if (s.stutter) classes.push("stutter");
    if (s.match) classes.push("match");
    if (s.number === shown.chosen) classes.push("chosen");
    if (s.number === data.refused_at) classes.push("refused");
    const e = make("g", {
      class: classes.join(" "), style: `--h:${hue(s.view)}`, "data-step": s.number,
    },
    make("text", { class: "step", x: GUTTER - 14, y: y + 4, "text-anchor": "end" },
      s.number),
    make("rect", { x, y: y - 10, width: w, height: 20, rx: 5 }), text,
    make("title", {}, `${s.number}. r${s.replica} ${s.action} ${s.args}`));
    e.addEventListener("click", () => choose(s.number));
    return e;
  }

  // drawMap paints the whole trace beside the scroll bar.
  function drawMap() {
    const map = at("map"), height = map.clientHeight || 1;
    map.height = height;
    const ink = map.getContext("2d");
    ink.clearRect(0, 0, 16, height);
    const h = Math.max(1, height / Math.max(1, shown.rows.length));
    shown.rows.forEach((s, row) => {
      const y = row * height / shown.rows.length;
      ink.fillStyle = s.status === "normal" ? `hsl(${hue(s.view)} 60% 60%)` : "#8886";
      ink.fillRect(0, y, 9, h);
      if (s.match) { ink.fillStyle = "#0b66c3"; ink.fillRect(10, y, 6, Math.max(2, h)); }
    });
  }

  // choose selects a step, brings it into sight and shows its states.
  function choose(number, quiet) {
    if (!(number >= 1 && number <= steps.length)) return;
    const s = steps[number - 1];
    if (s.group !== shown.group) { shown.group = s.group; at("group").value = s.group; arrange(); }
    shown.chosen = number;
    const row = shown.rowOf[number], scroll = at("scroll");
    if (row >= 0) {
      const y = row * ROW, top = scroll.scrollTop, bottom = top + scroll.clientHeight;
      if (y < top + 2 * ROW || y > bottom - 3 * ROW) scroll.scrollTop = y - scroll.clientHeight / 2;
    }
    if (!quiet) history.replaceState(null, "", "#" + number);
    count();
    draw();
    detail(s);
  }

  function detail(s) {
    const now = [], fields = [];
    for (let r = 0; r < data.replicas; r++) now.push(r === s.replica ? s : stateAt(s.number, r));
    data.fields.forEach((name, f) => {
      fields.push(element("tr", {}, element("th", {}, name), ...now.map((state, r) => {
        const actor = r === s.replica, value = state ? state.state[f] : "";
        const old = actor && s.before ? s.before.state[f] : value;
        const cell = element("td", { title: value });
        if (actor) cell.classList.add("actor");
        if (old === value) cell.append(value === '""' ? "" : brief(value));
        else {
          cell.classList.add("changed");
          cell.append(element("del", {}, brief(old)), " \u2192 ",
            element("ins", {}, brief(value)));
        }
        return cell;
      })));
    });
    const link = (m, number, text) => element("li", {},
      number > 0 ? element("button", { type: "button", onclick: () => choose(number) }, text) : text);
    const parts = [
      element("h2", {}, `${s.number}. ${s.action}`),
      element("div", { class: "hint" }, `replica ${s.replica}, view ${s.view}, ${s.status}` +
        (s.stutter ? ", finer than an action of the spec" : "") +
        (data.groups.length > 1 ? `, group ${data.groups[s.group]}` : "")),
    ];
    if (s.number === data.refused_at) {
      parts.push(element("div", { class: "refused" }, "A correct system must refuse this step."));
    }
    if (s.args) {
      parts.push(element("h3", {}, "Arguments"), element("p", { class: "args" }, s.args));
    }
    parts.push(element("h3", {}, "State of all replicas after this step"),
      element("table", {}, element("thead", {}, element("tr", {}, element("th", {}),
        ...now.map((_, r) => element("th", r === s.replica ? { class: "actor" } : {}, "r" + r)))),
      element("tbody", {}, ...fields)));
    if (s.received.length) {
      parts.push(element("h3", {}, "Received"), element("ul", {}, ...s.received.map((m) => link(m,
        m.sent, `${m.text} from ${m.from < 0 ? "a client" : `r${m.from}, step ${m.sent}`}`))));
    }
    if (s.sent.length) {
      parts.push(element("h3", {}, "Sent"), element("ul", {}, ...s.sent.map((m) => link(m,
        m.received, `${m.text} to r${m.to}, step ${m.received}`))));
    }
    at("detail").replaceChildren(...parts);
    at("detail").dataset.step = s.number;
  }

  function welcome() {
    at("detail").replaceChildren(element("h2", {}, "What happened"),
      element("p", { class: "hint" }, "Time goes down; a lane is a replica; colours are views. " +
        "Dashed: in a view change. Dotted: recovering. Pale: steps finer than the spec's."),
      element("p", { class: "hint" }, "Click a step for the states of all replicas, or go with " +
        "the arrow keys. Press / to search, Enter for the next match."));
  }

  function walk(by) {
    const row = shown.chosen ? shown.rowOf[shown.chosen] : -1;
    const next = shown.rows[Math.min(Math.max(row + by, 0), shown.rows.length - 1)];
    if (next) choose(next.number);
  }
  function jump(by) {
    const all = shown.matches;
    if (all.length === 0) return;
    const next = by > 0 ? all.find((n) => n > shown.chosen) ?? all[0]
      : all.findLast((n) => n < shown.chosen) ?? all[all.length - 1];
    choose(next);
  }

  // The views, each a way to its first step.
  const firstOf = new Map();
  for (const s of steps) {
    const known = firstOf.get(s.view);
    if (!known || known.status !== "normal" && s.status === "normal") firstOf.set(s.view, s);
  }
  at("views").replaceChildren(...[...firstOf].sort((a, b) => a[0] - b[0]).map(([view, s]) =>
    element("button", {
      type: "button", style: `--h:${hue(view)}`, title: `primary: replica ${view % data.replicas}`,
      onclick: () => choose(s.number),
    }, `view ${view}`)));
  at("group").replaceChildren(...data.groups.map((name, i) =>
    element("option", { value: i }, "group " + name)));
  at("group").hidden = data.groups.length < 2;
  at("finerLabel").hidden = !steps.some((s) => s.stutter);

  at("tools").onsubmit = (e) => { e.preventDefault(); jump(1); };
  at("search").oninput = arrange;
  at("only").onchange = arrange;
  at("finer").onchange = arrange;
  at("group").onchange = (e) => {
    shown.group = Number(e.target.value);
    shown.chosen = 0;
    welcome();
    arrange();
  };
  at("next").onclick = () => jump(1);
  at("previous").onclick = () => jump(-1);
  at("scroll").onscroll = () => requestAnimationFrame(draw);
  at("map").onclick = (e) => {
    const share = e.offsetY / at("map").clientHeight;
    at("scroll").scrollTop = share * at("scroll").scrollHeight - at("scroll").clientHeight / 2;
  };
  window.onresize = () => { drawMap(); draw(); };
  window.onhashchange = () => choose(Number(location.hash.slice(1)), true);
  document.onkeydown = (e) => {
    if (e.target.id === "search") { if (e.key === "Escape") e.target.blur(); return; }
    const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[e.key];
    if (by) { e.preventDefault(); walk(by); }
    if (e.key === "/") { e.preventDefault(); at("search").focus(); }
  };

  welcome();
  arrange();
  if (location.hash) choose(Number(location.hash.slice(1)), true);
  document.body.dataset.ready = steps.length;
})();
