"use strict";

const byId = (id) => document.getElementById(id);

const MAX_TEXT = 262_144; // four times what fits; a browser lays out megabytes in a field for minutes

/** Make a button copy a text; browsers have a clipboard on loopback and over HTTPS alone. */
function copies(button, text) {
  const label = button.textContent;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text());
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = label; }, 2000);
  });
}

/** Put a button to copy before every block of code. */
function addCopyButtons(root) {
  for (const block of navigator.clipboard ? root.querySelectorAll("pre > code[class]") : []) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    copies(button, () => block.textContent);
    block.parentElement.before(button);
  }
}

/** Score the texts of the form while they are typed. */
function scoreWhileTyping(form) {
  const [result, status] = [byId("result"), byId("try-status")];
  const texts = [...form.querySelectorAll("textarea")];
  let timer, running = false, again = false, sortOfLink = "";

  const fields = () => {
    const given = new URLSearchParams(new FormData(form));
    for (const [name, value] of [...given]) {
      if (name === "other" && !value) given.delete(name);
    }
    if (sortOfLink && !form.elements.sort) given.set("sort", sortOfLink); // the result, which has the field, comes later
    return given;
  };

  /** Score what the form has now; one request at a time, and another one if the texts have changed since. */
  async function score() {
    clearTimeout(timer);
    if (running) {
      again = true;
      return;
    }
    running = true;
    result.setAttribute("aria-busy", "true");
    const body = fields();
    body.set("part", "result");
    try {
      const response = await fetch(form.action, { method: "POST", body });
      if (response.status === 503) {
        timer = setTimeout(score, 1000 * (Number(response.headers.get("Retry-After")) || 1));
        say("The server is busy; trying again…");
      } else if (response.ok) show(await response.text());
      else {
        mark(null);
        say((await response.json()).detail, true);
      }
    } catch (error) {
      say(`No answer: ${error.message}`, true);
    }
    result.removeAttribute("aria-busy");
    running = false;
    if (again) {
      again = false;
      score();
    }
  }

  function say(text, bad = false) {
    status.textContent = text;
    status.className = bad ? "bad" : "";
  }

  function show(html) {
    const [focused, open, sort] = [document.activeElement?.id, openCalls(), form.elements.sort?.value];
    result.innerHTML = html;
    for (const option of form.elements.sort?.options ?? []) {
      if (option.value === sort) option.selected = true; // it may have been chosen since the request
    }
    addCopyButtons(result);
    for (const name of open ?? []) {
      for (const call of result.querySelectorAll(".call")) {
        if (call.name + call.firstElementChild.textContent === name) call.open = true;
      }
    }
    if (focused && document.activeElement === document.body) byId(focused)?.focus();
    const problem = result.querySelector("#try-problem");
    mark(problem);
    const scores = [...result.querySelectorAll("[data-score]")].map((element) => element.dataset.score);
    say(problem ? problem.textContent.trim() : scores.length ? `Score: ${scores.join(" and ")}` : "", Boolean(problem));
    status.classList.add("hidden"); // the result shows it; this is for screen readers
  }

  const openCalls = () => {
    const calls = [...result.querySelectorAll(".call")];
    return calls.length ? calls.filter((call) => call.open).map((call) => call.name + call.firstElementChild.textContent) : null;
  };

  /** Show the problem at its field, and offer to go to its segment. */
  function mark(problem) {
    const before = form.querySelector("#try-problem");
    if (before !== problem) before?.remove();
    for (const field of form.querySelectorAll("[aria-invalid]")) {
      field.removeAttribute("aria-invalid");
      field.setAttribute("aria-describedby", "try-limits");
    }
    const field = problem?.dataset.field && form.elements[problem.dataset.field];
    if (!field) return;
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", "try-limits try-problem");
    (field.closest("label") ?? field).after(problem);
    if (!problem.dataset.segment) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "plain";
    button.textContent = `Go to segment ${Number(problem.dataset.segment) + 1}`;
    button.addEventListener("click", () => {
      const lines = field.value.split("\n");
      const start = lines.slice(0, problem.dataset.segment).join("\n").length + (problem.dataset.segment > 0 ? 1 : 0);
      field.focus();
      field.setSelectionRange(start, start + (lines[problem.dataset.segment] ?? "").length);
    });
    problem.append(" ", button);
  }

  function later() {
    clearTimeout(timer);
    timer = setTimeout(score, 300);
  }

  const tooLarge = (what) => say(`${what} is too large; at most 64 KiB of text fit here.`, true);

  for (const area of texts) {
    area.addEventListener("paste", (event) => {
      if (event.clipboardData.getData("text/plain").length <= MAX_TEXT) return;
      event.preventDefault();
      tooLarge("The pasted text");
    });
    area.addEventListener("dragover", (event) => { event.preventDefault(); area.classList.add("over"); });
    area.addEventListener("dragleave", () => area.classList.remove("over"));
    area.addEventListener("drop", async (event) => {
      area.classList.remove("over");
      const [file] = event.dataTransfer.files;
      if (!file) return;
      event.preventDefault();
      if (file.size > MAX_TEXT) return tooLarge(file.name);
      area.value = await file.text();
      later();
    });
  }

  form.addEventListener("input", later);
  document.addEventListener("change", (event) => { if (event.target.id === "try-sort") score(); });
  form.addEventListener("submit", (event) => {
    if (event.submitter?.name === "download") return;
    event.preventDefault();
    score();
  });

  const share = byId("try-share");
  if (navigator.clipboard) {
    share.hidden = false;
    copies(share, () => {
      history.replaceState(null, "", `${location.pathname === "/try" ? "/" : location.pathname}#${fields()}`);
      return location.href;
    });
  }

  /** Take the input from the fragment of the address, which browsers do not send. */
  function restore() {
    if (location.hash.length > 2 * MAX_TEXT) return tooLarge("The text of the link");
    const given = new URLSearchParams(location.hash.slice(1));
    if (!given.has("tool")) return;
    sortOfLink = given.get("sort");
    for (const field of form.elements) {
      const value = given.get(field.name);
      if (field.type === "checkbox") field.checked = value !== null;
      else if (value === null || field.type === "submit") continue;
      else if (!field.options || [...field.options].some((option) => option.value === value)) field.value = value;
    }
    form.elements.other.closest("details").open = given.has("other");
    score();
  }
  window.addEventListener("hashchange", restore);
  window.addEventListener("pageshow", () => { // by now a browser has restored texts that were entered before
    if (location.hash) restore();
    else if (!result.querySelector("[data-score]") && texts.some((area) => area.value)) score();
  });
}

/** Execute a tool with the JSON that stands in the form. */
function executeJson(form) {
  const [status, answer] = [byId("try-json-status"), byId("try-answer")];
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    status.className = "";
    status.textContent = "…";
    answer.textContent = "";
    try {
      const response = await fetch(form.dataset.url, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: byId("try-input").value,
      });
      const value = await response.json();
      status.className = response.ok ? "good" : "bad";
      status.textContent = response.ok ? "Done." : value.detail;
      answer.textContent = JSON.stringify(value, null, 2);
    } catch (error) {
      status.className = "bad";
      status.textContent = `No answer: ${error.message}`;
    }
  });
}

addCopyButtons(document);
if (byId("try")) scoreWhileTyping(byId("try"));
if (byId("try-it")) executeJson(byId("try-it"));
