// Keys, zoom, layers and the following of a live run. Every page works without it.
"use strict";

const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

// ---- keys
const help = $("#help");

function toggleHelp() {
  if (help.open) help.close();
  else help.showModal();
}

function step(by) {
  const link = $(`main a[rel=${by > 0 ? "next" : "prev"}]`);
  const rows = $$("a.open");
  if (!rows.length) {
    if (link) link.click();
    return;
  }
  const place = rows.indexOf(document.activeElement);
  const next = rows[place < 0 ? (by > 0 ? 0 : rows.length - 1) : place + by];
  if (next) {
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  } else if (link) {
    link.click();
  }
}

const keys = {
  j: () => step(1),
  k: () => step(-1),
  u: () => $("a[rel=up]")?.click(),
  "?": toggleHelp,
  "/": () => {
    const field = $("#text");
    field?.focus();
    field?.select();
  },
};

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input:not([type=checkbox]), select, textarea");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
  if (help.open && event.key !== "?") return;
  event.preventDefault();
  keys[event.key]();
});
$("#keys").addEventListener("click", toggleHelp);

// ---- pictures
for (const plate of $$(".plate")) {
  const sheet = $(".sheet", plate);
  let zoom = 1;
  const show = () => (sheet.style.width = `${100 * zoom}%`);
  const factors = { in: 1.5, out: 1 / 1.5 };
  for (const button of $$("[data-zoom]", plate)) {
    button.addEventListener("click", () => {
      const factor = factors[button.dataset.zoom];
      zoom = factor ? Math.min(16, Math.max(0.25, zoom * factor)) : 1;
      show();
    });
  }
  for (const box of $$("[data-layer]", plate)) {
    const layer = $(`.overlay .${box.dataset.layer}`, plate);
    box.addEventListener("change", () => layer.classList.toggle("off", !box.checked));
  }
}

// ---- choosing two runs
const choosing = $("#choosing");
if (choosing) {
  const button = $("#compare");
  const check = () => (button.disabled = $$("input[name=run]:checked", choosing).length !== 2);
  choosing.addEventListener("change", check);
  window.addEventListener("pageshow", check);
  check();
}

// empty fields only make addresses long
for (const form of $$("form.filter")) {
  form.addEventListener("submit", () => {
    for (const field of form.elements) if (field.name && !field.value) field.disabled = true;
  });
}
window.addEventListener("pageshow", () => {
  for (const field of $$("form.filter [name]")) field.disabled = false;
});

// ---- a run that is going on
async function follow(address, every, take) {
  for (;;) {
    await new Promise((done) => setTimeout(done, every));
    if (document.hidden) continue;
    try {
      const answer = await fetch(address, { headers: { Accept: "application/json" } });
      if (!answer.ok || !take(await answer.json())) return;
    } catch {
      // the server has gone, or is coming back
    }
  }
}

const list = $("table[data-live]");
if (list) {
  follow(list.dataset.live, 3000, (runs) => {
    for (const row of $$("tr[data-run]", list)) {
      const told = runs[row.dataset.run];
      if (!told || told.state !== row.dataset.state) {
        location.reload();
        return false;
      }
      $(".progress", row).textContent = told.text;
    }
    return true;
  });
}

function recentLine(one, base) {
  const item = document.createElement("li");
  item.className = one.kind;
  const link = document.createElement("a");
  link.className = "open";
  link.href = base + one.position;
  link.textContent = one.sample;
  const seconds = document.createElement("span");
  seconds.className = "soft";
  seconds.textContent = ` ${one.seconds}`;
  const said = document.createElement("span");
  said.className = "said";
  said.textContent = one.text;
  item.append(link, seconds, said);
  return item;
}

const live = $("section.live[data-live]");
if (live) {
  follow(live.dataset.live, 3000, (run) => {
    if (run.state !== "running") {
      location.reload();
      return false;
    }
    $(".progress", live).textContent = run.text;
    const recent = $(".recent", live);
    if (!recent.contains(document.activeElement)) {
      recent.replaceChildren(...run.recent.map((one) => recentLine(one, live.dataset.base)));
    }
    return true;
  });
}
