/* What every page needs: elements, text that cannot act, the theme, explanations on hover, data as scripts. */
"use strict";

const calbench = {
  loaded: {},
  arrived: [],
  /* Data files call these. */
  game(name, data) {
    calbench.loaded[name] = data;
  },
  games(part) {
    calbench.arrived.push(part);
  },
  leaderboard(data) {
    calbench.board = data;
  },
};

/* An element with attributes and children. Text becomes a text node: nothing that data says is ever read as HTML. */
calbench.el = function (tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
};

/* Invisible characters that steer the direction of text, or nothing but a terminal: shown by their number. */
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
calbench.visible = (text) =>
  String(text).replace(STEERING, (c) => `[U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);

calbench.number = function (value, decimals) {
  if (value === null || value === undefined) return "–";
  const options = decimals === undefined ? {} : { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return value.toLocaleString("en-GB", options).replace("-", "−");
};
calbench.signed = (value, decimals) => (value > 0 ? "+" : "") + calbench.number(value, decimals);

/* 3, 4, 5 and 9 as "3–5, 9". */
calbench.ranges = function (slots) {
  const sorted = [...new Set(slots)].sort((a, b) => a - b);
  const runs = [];
  for (const slot of sorted) {
    const last = runs[runs.length - 1];
    if (last && slot === last[1] + 1) last[1] = slot;
    else runs.push([slot, slot]);
  }
  return runs
    .map(([from, to]) => (from === to ? `${from}` : to === from + 1 ? `${from}, ${to}` : `${from}–${to}`))
    .join(", ");
};

calbench.badge = (kind) => calbench.el("span", { class: `badge ${kind}` }, kind);

/* A page's name, as the builder makes them: anything else is no file of this site. */
calbench.isPage = (name) => /^[0-9a-z][0-9a-z-]{0,63}$/.test(name || "");

/* Run a script of this site; its promise is kept when it has run. */
calbench.load = (address) =>
  new Promise((done, failed) => {
    const script = calbench.el("script", { src: address });
    script.addEventListener("load", done);
    script.addEventListener("error", () => failed(new Error(address)));
    document.head.append(script);
  });

/* A labelled choice. options: [value, text] pairs. */
calbench.choice = function (label, options, value, changed) {
  const select = calbench.el(
    "select",
    { on: { change: () => changed(select.value) } },
    options.map(([name, text]) => calbench.el("option", { value: name, selected: name === value }, text)),
  );
  return calbench.el("label", { class: "choice" }, calbench.el("span", {}, label), select);
};
calbench.check = function (label, value, changed) {
  const box = calbench.el("input", { type: "checkbox", checked: value, on: { change: () => changed(box.checked) } });
  return calbench.el("label", { class: "check" }, box, calbench.el("span", {}, label));
};

/* Settings of a page in the part of its address after #: a link brings them back. */
calbench.settings = (defaults) => ({
  ...defaults,
  ...Object.fromEntries([...new URLSearchParams(location.hash.slice(1))].filter(([name]) => name in defaults)),
});
calbench.keep = function (settings, defaults) {
  const changed = Object.entries(settings).filter(([name, value]) => value !== defaults[name]);
  history.replaceState(null, "", `#${new URLSearchParams(changed)}`);
};

/* Theme: the system's until one is chosen. A disk may forbid remembering it. */
const remembered = (() => {
  try {
    return localStorage.getItem("calbench-theme");
  } catch {
    return null;
  }
})();
const dark = () =>
  (document.documentElement.dataset.theme ||
    (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
if (remembered === "dark" || remembered === "light") document.documentElement.dataset.theme = remembered;

function themeButton() {
  const button = document.getElementById("theme");
  const name = () => {
    button.textContent = dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to the ${dark() ? "light" : "dark"} theme`);
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    try {
      localStorage.setItem("calbench-theme", document.documentElement.dataset.theme);
    } catch {
      /* only for now, then */
    }
    name();
  });
  name();
}

/* Explanations: whatever has data-tip shows it on hover, focus or tap; Escape hides it. */
function explanations() {
  const tip = calbench.el("div", { id: "tip", role: "tooltip", hidden: true });
  document.body.append(tip);
  let of = null;
  const hide = () => {
    tip.hidden = true;
    if (of) of.removeAttribute("aria-describedby");
    of = null;
  };
  const show = (event) => {
    const target = event.target.closest && event.target.closest("[data-tip]");
    if (!target) return event.type === "focusin" || !tip.contains(event.target) ? hide() : null;
    if (of && of !== target) of.removeAttribute("aria-describedby");
    of = target;
    tip.textContent = target.dataset.tip;
    tip.hidden = false;
    target.setAttribute("aria-describedby", "tip");
    const box = target.getBoundingClientRect();
    const below = box.bottom + tip.offsetHeight + 12 < innerHeight;
    tip.style.setProperty("top", `${Math.max(4, below ? box.bottom + 6 : box.top - tip.offsetHeight - 6)}px`);
    tip.style.setProperty("left", `${Math.max(8, Math.min(box.left, innerWidth - tip.offsetWidth - 8))}px`);
    return null;
  };
  for (const event of ["mouseover", "focusin", "click"]) document.addEventListener(event, show);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
  document.addEventListener("scroll", hide, { passive: true, capture: true });
}

document.addEventListener("DOMContentLoaded", () => {
  themeButton();
  explanations();
});
