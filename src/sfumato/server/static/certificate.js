import { $ } from "./sfumato.js";

$("#print").addEventListener("click", () => print());
