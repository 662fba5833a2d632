"use strict";
/* The table of cells.  Whatever comes from the data becomes text of a node,
 * never markup. */
(function () {
  const PAGE = 100;
  const data = JSON.parse(document.getElementById("data").textContent);
  const n = data.shown;
  const by = new Map(data.columns.map(c => [c.name, c]));
  const $ = id => document.getElementById(id);

  /* --- columns are unpacked when they are first looked at --- */

  /* Tokens: digits with a point or an exponent, "inf", nothing; "*12" after
   * one says that 12 rows have it. */
  function unpack(c) {
    const s = c.values, out = new Float64Array(n), grows = "base" in c;
    let at = 0, sum = grows ? c.base : 0;
    for (let i = 0; i < n; at++) {
      let ch = s.charCodeAt(at), v = 0, decimals = -1, power = 0, times = 1;
      const from = at, minus = ch === 45;
      if (minus) ch = s.charCodeAt(++at);
      if (ch === 105) { v = Infinity; at += 3; }
      for (; (ch = s.charCodeAt(at)) >= 46 && ch <= 57; at++)
        if (ch === 46) decimals = 0;
        else { v = v * 10 + ch - 48; if (decimals >= 0) decimals++; }
      const missing = at === from;
      if (ch === 101) { /* e */
        const down = s.charCodeAt(++at) === 45;
        if (down) at++;
        for (; (ch = s.charCodeAt(at)) >= 48 && ch <= 57; at++) power = power * 10 + ch - 48;
        if (down) power = -power;
      }
      if (ch === 42) /* * */
        for (times = 0, at++; (ch = s.charCodeAt(at)) >= 48 && ch <= 57; at++)
          times = times * 10 + ch - 48;
      if (decimals > 0) power -= decimals;
      if (power) v = power > 0 ? v * 10 ** power : v / 10 ** -power;
      if (minus) v = -v;
      for (; times > 0 && i < n; times--)
        out[i++] = missing ? NaN : grows ? sum += v : v;
    }
    return out;
  }
  const unpacked = new Map();
  function numbers(name) { /* [n], missing: NaN */
    if (!unpacked.has(name))
      unpacked.set(name, by.has(name) ? unpack(by.get(name)) : new Float64Array(n).fill(NaN));
    return unpacked.get(name);
  }
  const keys = by.get("cell_key").values; /* 16 digits each */
  const key = row => keys.slice(row * 16, row * 16 + 16);
  function rows_of(digits) {
    const found = [];
    for (let at = keys.indexOf(digits); at >= 0; at = keys.indexOf(digits, at + 1))
      if (at % 16 === 0) found.push(at / 16);
    return found;
  }
  const texts = dict => data.dict[dict] || [];
  function text(dict, row) {
    const id = numbers(dict + "_id")[row];
    return id >= 0 ? texts(dict)[id] || "" : "";
  }

  function duration(ns) {
    if (!(ns > 0)) return ns === 0 ? "0" : "";
    const u = ns >= 1e9 ? [1e9, "s"] : ns >= 1e6 ? [1e6, "ms"] :
      ns >= 1e3 ? [1e3, "us"] : [1, "ns"];
    return (ns / u[0]).toPrecision(3) + " " + u[1];
  }
  const factor = x => isNaN(x) ? "" : (x >= 100 ? x.toFixed(0) : x.toPrecision(3)) + "x";

  /* What is allowed is never shown as more, nor what is not as 1. */
  const allowed = x => isNaN(x) ? "" : x === 0 ? "exact" : x === Infinity ? "inf"
    : x < 0.01 ? "<0.01" : x <= 1 ? x.toFixed(x < 0.095 ? 2 : 1)
    : x < 100 ? Math.max(x, 1.001).toFixed(x < 1.095 ? 3 : 1) : x < 1000 ? x.toFixed(0) : ">999";

  /* --- what the table shows --- */

  const group = row => data.groups[text("status", row)];
  const COLUMNS = [
    { head: "state", dict: "status" },
    { head: "op", dict: "op" },
    { head: "implementation", dict: "impl" },
    { head: "case", dict: "case", mono: true },
    { head: "type", dict: "dtype" },
    { head: "node", dict: "host" },
    { head: "median", number: "t_median_ns", show: duration },
    { head: "speed-up", number: "speedup", show: factor, interval: true },
    { head: "of allowed", number: "err_of_allowed", show: allowed },
    { head: "reason", dict: "reason", soft: true },
  ];
  const FILTERS = ["state", "op", "impl", "dtype", "device", "host"];
  const GROUPS = ["pass", "fail", "error", "unjudged", "infra"];
  const WORDS = ["pass", "fail", "error", "not judged", "infra"];
  let rows = new Uint32Array(0); /* those that match, in order */
  let page = 0, sort = null, down = false, current = -1;

  function element(name, attributes, ...children) {
    const e = document.createElement(name);
    for (const k in attributes || {}) e.setAttribute(k, attributes[k]);
    e.append(...children);
    return e;
  }

  /* --- filters: a word is looked up in each dictionary once --- */

  function fill_filters() {
    for (const f of FILTERS) {
      const select = $("f-" + f);
      select.append(new Option("all", ""));
      if (f === "state") {
        GROUPS.forEach((g, i) => select.append(new Option("any " + WORDS[i], g)));
        for (const s of [...texts("status")].sort()) select.append(new Option(s, "=" + s));
      } else {
        const all = [...texts(f)].sort();
        for (const s of all) select.append(new Option(s === "" ? "(none)" : s, "=" + s));
        select.parentNode.hidden = all.length < 2;
        if (all.length < 2) select.parentNode.style.display = "none";
      }
    }
  }

  function matching() {
    let left = new Uint8Array(n).fill(1);
    for (const f of FILTERS) {
      const want = $("f-" + f).value, dict = f === "state" ? "status" : f;
      if (!want) continue;
      const ok = texts(dict).map(s => want[0] === "=" ? s === want.slice(1)
        : GROUPS[data.groups[s]] === want);
      const id = numbers(dict + "_id");
      for (let i = 0; i < n; i++) if (!ok[id[i]]) left[i] = 0;
    }
    for (const word of $("q").value.toLowerCase().split(/\s+/)) {
      if (!word) continue;
      const hit = new Uint8Array(n);
      for (const dict of ["op", "impl", "case", "reason", "status", "dtype", "host", "device"]) {
        const ok = texts(dict).map(s => s.toLowerCase().includes(word));
        if (!ok.includes(true)) continue;
        const id = numbers(dict + "_id");
        for (let i = 0; i < n; i++) if (ok[id[i]]) hit[i] = 1;
      }
      if (/^0x[0-9a-f]{1,16}$/.test(word)) {
        const part = word.slice(2);
        for (let i = 0; i < n; i++) if (keys.startsWith(part, i * 16)) hit[i] = 1;
      }
      for (let i = 0; i < n; i++) left[i] &= hit[i];
    }
    const out = new Uint32Array(n);
    let k = 0;
    for (let i = 0; i < n; i++) if (left[i]) out[k++] = i;
    return out.subarray(0, k);
  }

  /* Missing values are last in both directions. */
  function order() {
    if (!sort) return;
    let rank;
    if (sort.dict) {
      const all = texts(sort.dict), place = new Float64Array(all.length);
      all.map((s, i) => i).sort((a, b) => all[a] < all[b] ? -1 : all[a] > all[b] ? 1 : 0)
        .forEach((id, i) => { place[id] = all[id] === "" ? NaN : i; });
      const id = numbers(sort.dict + "_id");
      rank = i => place[id[i]];
    } else {
      const v = numbers(sort.number);
      rank = i => v[i];
    }
    const weight = new Float64Array(n);
    for (const i of rows) {
      const v = rank(i);
      weight[i] = isNaN(v) ? Infinity : down ? -v : v;
    }
    rows = Uint32Array.from(rows).sort((a, b) =>
      weight[a] < weight[b] ? -1 : weight[a] > weight[b] ? 1 : a - b);
  }

  /* --- the table --- */

  function cell(column, row) {
    if (column.dict === "status")
      return element("td", null,
        element("a", { href: "#cell=0x" + key(row), class: "state g" + group(row) },
          text("status", row)));
    if (column.dict) {
      const s = text(column.dict, row);
      const div = element("div", { title: s }, s);
      return element("td", { class: column.mono ? "case" : column.soft ? "reason" : "name" }, div);
    }
    const value = numbers(column.number)[row];
    const td = element("td", { class: "n" }, column.show(value));
    if (column.interval && !isNaN(value)) versus(td, row);
    return td;
  }

  /* A speed-up is nothing without its baseline. */
  function versus(td, row) {
    const baseline = text("baseline", row);
    const lo = numbers("speedup_lo")[row], hi = numbers("speedup_hi")[row];
    if (baseline === text("impl", row)) {
      td.textContent = "the baseline";
      return;
    }
    td.append(" vs " + (baseline || "?"));
    if (baseline === "reference") td.title = "an oracle, no baseline";
    else if (lo > 0) td.title = factor(lo) + " to " + factor(hi);
  }

  function show() {
    const body = $("table").tBodies[0], last = Math.max(0, Math.ceil(rows.length / PAGE) - 1);
    page = Math.min(Math.max(page, 0), last);
    const from = page * PAGE, to = Math.min(from + PAGE, rows.length);
    const list = [];
    for (let k = from; k < to; k++) {
      const tr = element("tr", null, ...COLUMNS.map(c => cell(c, rows[k])));
      if (rows[k] === current) tr.className = "current";
      list.push(tr);
    }
    body.replaceChildren(...list);
    $("count").textContent = rows.length === 0 ? "no cell matches"
      : (from + 1) + " to " + to + " of " + rows.length.toLocaleString("en") + " cells";
    $("prev").disabled = page === 0;
    $("next").disabled = page === last;
  }

  function head() {
    const tr = $("table").tHead.rows[0];
    for (const c of COLUMNS) {
      const button = element("button", { type: "button" }, c.head);
      const th = element("th", { scope: "col", class: c.number ? "n" : "" }, button);
      button.addEventListener("click", () => {
        down = sort === c ? !down : false;
        sort = c;
        for (const other of tr.cells) other.removeAttribute("aria-sort");
        th.setAttribute("aria-sort", down ? "descending" : "ascending");
        order();
        page = 0;
        show();
      });
      tr.append(th);
    }
  }

  function filter() {
    rows = matching();
    order();
    page = 0;
    show();
  }

  /* --- one cell --- */

  const quote = s => /^[\w@%+=:,.\/-]+$/.test(s) ? s : "'" + s.replace(/'/g, "'\\''") + "'";

  function command(words) {
    const pre = element("pre", { tabindex: "0" }, words);
    const button = element("button", { type: "button" }, "copy");
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(words);
        button.textContent = "copied";
      } catch (e) { /* no permission: it is selected instead */
        getSelection().selectAllChildren(pre);
      }
    });
    return [pre, button];
  }

  function shown_value(c, row) {
    if (c.name === "cell_key") return "0x" + key(row);
    const v = numbers(c.name)[row];
    if (isNaN(v)) return "";
    if (c.dict) return texts(c.dict)[v] || "";
    if (c.name === "t_start_ns") return new Date(v / 1e6).toISOString();
    if (c.units === "ns") return duration(v);
    return v + (c.units && c.units !== "B" ? " " + c.units : "");
  }

  /* Of a collective op: the workers that the cell needs, and its number of ranks by its key. */
  function ranks(row) {
    const world = by.has("world") ? numbers("world")[row] : 1;
    return world > 1 ? " -n " + (world + 1) + " --cells 0x" + key(row) : "";
  }

  /* The command that runs the cell alone, "" where the page cannot know it. */
  function again(row) {
    const ends = data.runs[numbers("run")[row]];
    const words = ["op", "impl", "case", "fill"].map(dict => text(dict, row));
    if (!ends || !words[1] || words.some(w => w.endsWith("\u2026"))) return "";
    return ends[0] + ["ops", "impls", "case", "fill"].map((option, i) =>
      words[i] || i < 3 ? " --" + option + " " + quote(words[i]) : "").join("") + ranks(row) + ends[1];
  }

  function show_record(row) {
    const box = $("record"), same = rows_of(key(row)).filter(r => r !== row);
    const in_file = r => numbers("row")[r];
    const name = same.length ? String(in_file(row)) : "0x" + key(row);
    const close = element("button", { type: "button", class: "close" }, "close");
    close.addEventListener("click", () => { location.hash = "#cells"; });
    const list = element("div", { class: "columns" });
    const long = ["case_id", "reason_id", "output_id"];
    for (const c of data.columns) {
      const v = shown_value(c, row);
      if (v === "" || long.includes(c.name)) continue;
      list.append(element("div", { title: c.text }, element("span", null, c.name.replace(/_id$/, "")),
        element("b", null, v)));
    }
    const parts = [close, element("h3", null, text("op", row) + " / " + text("impl", row) + ": ",
      element("span", { class: "state g" + group(row) }, text("status", row)), " ",
      element("a", { href: "#cell=" + name, class: "permalink" }, "link"))];
    for (const r of same)
      parts.push(element("p", { class: "note" }, "the same cell again: ",
        element("a", { href: "#cell=" + in_file(r) }, "row " + in_file(r))));
    for (const dict of ["case", "reason", "output"])
      if (by.has(dict + "_id") && text(dict, row))
        parts.push(element("span", { class: "note" }, dict), element("pre", null, text(dict, row)));
    const alone = again(row);
    if (alone)
      parts.push(element("div", { class: "note" }, "run it again, alone, where the campaign was started"),
        ...command(alone));
    parts.push(element("div", { class: "note" }, "all about it, and judge it again"),
      ...command("opsweep show " + quote(data.file) + " " + name + (text("impl", row) ? " --rerun" : "")));
    parts.push(list);
    if (data.left_out.length)
      parts.push(element("p", { class: "note" }, "In the file alone: " + data.left_out.join(", ") + "."));
    box.replaceChildren(...parts);
    box.hidden = false;
  }

  /* --- the address: #cell=0x... or a row, #op=...&impl=..., #state=... --- */

  const find = name => /^0x[0-9a-f]{16}$/.test(name) ? rows_of(name.slice(2))[0] ?? -1
    : /^[0-9]+$/.test(name) ? numbers("row").indexOf(+name) : -1;

  /* The filters as an address, so that a selection can be sent. */
  function tell() {
    const words = new URLSearchParams();
    if ($("q").value) words.set("q", $("q").value);
    for (const f of FILTERS)
      if ($("f-" + f).value) words.set(f, $("f-" + f).value.replace(/^=/, ""));
    history.replaceState(null, "", "#" + (words.toString() || "cells"));
  }

  /* Sections that were never seen have heights that are guessed, until the
   * first frame that comes near them. */
  function scroll_to(target, frames = 3) {
    target.scrollIntoView();
    if (frames > 0) requestAnimationFrame(() => scroll_to(target, frames - 1));
  }

  function follow() {
    const words = new URLSearchParams(location.hash.slice(1));
    const box = $("record");
    if (words.has("cell")) {
      const name = words.get("cell");
      current = find(name);
      if (current < 0) {
        box.replaceChildren(element("p", null, "This cell is not in the page: opsweep show " +
          quote(data.file) + " " + quote(name)));
        box.hidden = false;
      } else {
        let at = rows.indexOf(current);
        if (at < 0) { /* the filters hide it */
          $("controls").reset();
          rows = matching();
          order();
          at = rows.indexOf(current);
        }
        page = Math.floor(at / PAGE);
        show_record(current);
        show();
      }
      scroll_to(box);
      box.focus({ preventScroll: true });
      return;
    }
    box.hidden = true;
    if (current >= 0) { current = -1; show(); }
    if (!FILTERS.some(f => words.has(f)) && !words.has("q")) {
      const target = $(location.hash.slice(1));
      if (target) scroll_to(target);
      return;
    }
    for (const f of FILTERS)
      $("f-" + f).value = !words.has(f) ? "" : f === "state" && GROUPS.includes(words.get(f))
        ? words.get(f) : "=" + words.get(f);
    $("q").value = words.get("q") || "";
    filter();
    scroll_to($("cells"));
  }

  function turn(by_pages) { page += by_pages; show(); }

  document.addEventListener("keydown", e => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "Escape" && !$("record").hidden) location.hash = "#cells";
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
    if (e.key === "/") { e.preventDefault(); $("q").focus(); }
    if (e.key === "n" && !$("next").disabled) turn(1);
    if (e.key === "p" && !$("prev").disabled) turn(-1);
  });
  const narrow = () => { filter(); tell(); };
  $("controls").addEventListener("input", narrow);
  $("controls").addEventListener("reset", () => setTimeout(narrow, 0));
  $("controls").addEventListener("submit", e => e.preventDefault());
  $("prev").addEventListener("click", () => turn(-1));
  $("next").addEventListener("click", () => turn(1));
  window.addEventListener("hashchange", follow);

  fill_filters();
  head();
  filter();
  follow();
})();
