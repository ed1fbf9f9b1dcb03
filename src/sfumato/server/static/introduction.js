import { $, $$, call, sent } from "./sfumato.js";

// One screen at a time; without this script they stand below each other.
const screens = $$(".screen");
let here = 0;

function turn(to, { focus = true } = {}) {
  here = Math.max(0, Math.min(to, screens.length - 1));
  screens.forEach((screen, i) => (screen.hidden = i !== here));
  $("#place").textContent = `${here + 1} of ${screens.length}`;
  $("#back").disabled = here === 0;
  $("#next").hidden = here === screens.length - 1;
  if (focus) $("h2", screens[here]).focus();
}

$("#place").hidden = $("#steps").hidden = false;
$("#back").addEventListener("click", () => turn(here - 1));
$("#next").addEventListener("click", () => turn(here + 1));
turn(0, { focus: false });

const form = $("#quiz");
sent(form, async (said) => {
  const questions = $$("fieldset", form);
  const outcome = await call("POST", "/introduction", { answers: questions.map((_, i) => Number(said[i])) });
  questions.forEach((question, i) => {
    const wrong = outcome.wrong.find((one) => one.question === i);
    const why = $(".why", question);
    why.textContent = wrong ? `✕ ${wrong.why}` : "✓ Right.";
    why.classList.toggle("right", !wrong);
    why.hidden = false;
  });
  const passed = outcome.wrong.length === 0;
  $("#passed").hidden = !passed;
  if (passed) $("#passed").focus();
  else $(`#question-${outcome.wrong[0].question}`).scrollIntoView({ block: "nearest" });
});
