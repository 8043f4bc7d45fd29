// Keys press buttons, and an answer brings the next item without loading the whole page anew. Without this file forms do it all.
"use strict";
const AT_ONCE = 100; // milliseconds in which a key is still meant for the item before
let isBusy = false;
let shownAt = -AT_ONCE;

document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLInputElement && event.target.type !== "hidden";
  if (isTyping || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  const control = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (!control) return;
  event.preventDefault();
  if (performance.now() - shownAt >= AT_ONCE) control.click();
});

// One form goes out at a time, once, however often its button is pressed.
document.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (isBusy) return;
  isBusy = true;
  try {
    const body = new URLSearchParams(new FormData(event.target, event.submitter));
    const answer = await fetch(event.target.action, { method: "POST", body });
    show(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch {
    document.getElementById("trouble").textContent = "Your answer was not received. Give it again.";
  }
  isBusy = false;
});

function show(page) {
  const main = page.querySelector("main");
  const guideline = document.getElementById("guideline");
  const next = main.querySelector("#guideline");
  if (next && guideline) next.open = guideline.open;
  document.querySelector("main").replaceWith(main);
  document.title = page.title;
  document.getElementById("trouble").textContent = "";
  scrollTo(0, 0);
  // Readers of the screen go on at what is new.
  (main.querySelector(".item") ?? main.querySelector("h1")).focus({ preventScroll: true });
  shownAt = performance.now();
}
