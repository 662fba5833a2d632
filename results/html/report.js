"use strict";
/* The table of cells.  Whatever comes from the data becomes text of a node,
 * never markup. */
(function () {
  const PAGE = 100;
  const data = JSON.parse(document.getElementById("data").textContent);
  const n = data.shown;
  const by = new Map(data.columns.map(c => [c.name, c]));
  const $ = id => document.getElementById(id);

  /* --- columns are split when they are first looked at --- */

  const split = new Map();
  function values(name) {
    if (!split.has(name)) {
      const c = by.get(name), v = c && n ? c.values.split(",") : [];
      for (let i = 1; i < v.length; i++)
        if (v[i] === "=") v[i] = v[i - 1];
      split.set(name, v);
    }
    return split.get(name);
  }
  const typed = new Map();
  function numbers(name) { /* missing: NaN */
    if (!typed.has(name)) {
      const v = values(name), t = new Float64Array(n);
      for (let i = 0; i < n; i++) {
        const s = v[i];
        t[i] = s === "" || s === undefined ? NaN : s === "inf" ? Infinity : +s;
      }
      typed.set(name, t);
    }
    return typed.get(name);
  }
  const texts = dict => data.dict[dict] || [];
  function text(dict, row) {
    const id = numbers(dict + "_id")[row];
    return id >= 0 ? texts(dict)[id] || "" : "";
  }

  function duration(ns) {
    if (!(ns >= 0)) return "";
    const u = ns >= 1e9 ? [1e9, "s"] : ns >= 1e6 ? [1e6, "ms"] :
      ns >= 1e3 ? [1e3, "us"] : [1, "ns"];
    return (ns / u[0]).toPrecision(3) + " " + u[1];
  }
  const factor = x => isNaN(x) ? "" : (x >= 100 ? x.toFixed(0) : x.toPrecision(3)) + "x";

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
    { head: "rel. error", number: "max_rel_err",
      show: x => isNaN(x) ? "" : x === 0 ? "0" : x === Infinity ? "inf" : x.toExponential(1) },
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
      if (/^0x[0-9a-f]+$/.test(word)) {
        const key = values("cell_key"), part = word.slice(2);
        for (let i = 0; i < n; i++) if (key[i].startsWith(part)) hit[i] = 1;
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
    const keys = new Float64Array(n);
    for (const i of rows) {
      const v = rank(i);
      keys[i] = isNaN(v) ? Infinity : down ? -v : v;
    }
    rows = Uint32Array.from(rows).sort((a, b) =>
      keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : a - b);
  }

  /* --- the table --- */

  function cell(column, row) {
    if (column.dict === "status")
      return element("td", null,
        element("a", { href: "#cell=0x" + values("cell_key")[row], class: "state g" + group(row) },
          text("status", row)));
    if (column.dict) {
      const s = text(column.dict, row);
      const div = element("div", { title: s }, s);
      return element("td", { class: column.mono ? "case" : column.soft ? "reason" : "name" }, div);
    }
    const td = element("td", { class: "n" }, column.show(numbers(column.number)[row]));
    if (column.interval && numbers("speedup_lo")[row] > 0)
      td.title = factor(numbers("speedup_lo")[row]) + " to " + factor(numbers("speedup_hi")[row]);
    return td;
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
    if (c.dict) return texts(c.dict)[numbers(c.name)[row]] || "";
    const v = values(c.name)[row];
    if (c.name === "cell_key") return "0x" + v;
    if (c.units === "ns" && v !== "") return duration(+v);
    if (c.name === "t_start_ns" && v) return new Date(+v / 1e6).toISOString();
    return v + (c.units && v !== "" && c.units !== "B" ? " " + c.units : "");
  }

  function show_record(row) {
    const box = $("record"), key = "0x" + values("cell_key")[row];
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
      element("span", { class: "state g" + group(row) }, text("status", row)))];
    for (const dict of ["case", "reason", "output"])
      if (by.has(dict + "_id") && text(dict, row))
        parts.push(element("span", { class: "note" }, dict), element("pre", null, text(dict, row)));
    parts.push(element("span", { class: "note" }, "judge it again, where the campaign was started"),
      ...command("opsweep show " + quote(data.file) + " " + key + " --rerun"));
    if (data.rerun && text("impl", row))
      parts.push(element("div", { class: "note" }, "run it alone, without this file"),
        ...command(data.rerun + " --ops " + quote(text("op", row)) + " --impls " +
          quote(text("impl", row)) + " --case " + quote(text("case", row)) +
          (text("fill", row) ? " --fill " + quote(text("fill", row)) : "") + data.rerun_end));
    parts.push(list);
    if (data.left_out.length)
      parts.push(element("p", { class: "note" }, "In the file alone: " + data.left_out.join(", ") + "."));
    box.replaceChildren(...parts);
    box.hidden = false;
  }

  /* --- the address: #cell=0x..., #op=...&impl=..., #state=... --- */

  function follow() {
    const words = new URLSearchParams(location.hash.slice(1));
    const box = $("record");
    if (words.has("cell")) {
      const key = words.get("cell").replace(/^0x/, "");
      current = values("cell_key").indexOf(key);
      if (current < 0) {
        box.replaceChildren(element("p", null, "This cell is not in the page: opsweep show " +
          quote(data.file) + " 0x" + key.replace(/[^0-9a-f]/g, "")));
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
      box.scrollIntoView();
      box.focus({ preventScroll: true });
      return;
    }
    box.hidden = true;
    if (current >= 0) { current = -1; show(); }
    if (!FILTERS.some(f => words.has(f)) && !words.has("q")) return;
    for (const f of FILTERS)
      $("f-" + f).value = !words.has(f) ? "" : f === "state" && GROUPS.includes(words.get(f))
        ? words.get(f) : "=" + words.get(f);
    $("q").value = words.get("q") || "";
    filter();
    $("cells").scrollIntoView();
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
  $("controls").addEventListener("input", filter);
  $("controls").addEventListener("reset", () => setTimeout(filter, 0));
  $("controls").addEventListener("submit", e => e.preventDefault());
  $("prev").addEventListener("click", () => turn(-1));
  $("next").addEventListener("click", () => turn(1));
  window.addEventListener("hashchange", follow);

  fill_filters();
  head();
  filter();
  follow();
})();
