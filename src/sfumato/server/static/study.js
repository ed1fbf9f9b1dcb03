// The slider of a task: says what it stands at, marks that row, and lets an answer go once it was moved.
const slider = document.querySelector("#option");
const rows = [...document.querySelectorAll("#options tbody tr")];

function move() {
  rows.forEach((row, index) => row.toggleAttribute("aria-current", index === Number(slider.value)));
  document.querySelector("#chosen").textContent = rows[Number(slider.value)].dataset.label;
  slider.setAttribute("aria-valuetext", rows[Number(slider.value)].dataset.label);
  document.querySelector("#go-on").disabled = false;
}

for (const event of ["input", "change", "pointerup"]) slider.addEventListener(event, move);
slider.disabled = false; // it waits for this script
