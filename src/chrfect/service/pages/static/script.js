"use strict";

// Offer to copy what stands in a block of code; browsers have a clipboard on loopback and over HTTPS alone.
for (const block of navigator.clipboard ? document.querySelectorAll("main pre > code[class]") : []) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  block.parentElement.before(button);
}

// Execute the tool with the input that stands in the form.
const section = document.getElementById("try-it");
if (section) {
  const [status, answer] = ["try-status", "try-answer"].map((id) => document.getElementById(id));
  section.hidden = false;
  section.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    status.className = "";
    status.textContent = "…";
    answer.textContent = "";
    try {
      const response = await fetch(section.dataset.url, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: document.getElementById("try-input").value,
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
