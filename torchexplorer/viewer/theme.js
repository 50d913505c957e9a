/**
 * Light or dark: as the system says, or as the user chose with the button.
 *
 * In: the button, and who wants to know. Out: the class "dark" on the document. State: the choice, kept by the browser.
 */

const KEY = "torchexplorer-theme";
const CHOICES = ["auto", "light", "dark"];
const system = matchMedia("(prefers-color-scheme: dark)");

/** @returns {string} */
const stored = () => {
  try {
    return CHOICES.find((choice) => choice === localStorage.getItem(KEY)) ?? "auto";
  } catch {
    return "auto"; // storage can be forbidden
  }
};

const keep = (choice) => {
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // it then holds until the page is closed
  }
};

/** @param {HTMLButtonElement} button @param {(theme: "light" | "dark") => void} tell */
export const startTheme = (button, tell) => {
  let choice = stored();
  const apply = () => {
    const dark = choice === "dark" || (choice === "auto" && system.matches);
    document.documentElement.classList.toggle("dark", dark);
    button.textContent = { auto: "Auto", light: "Light", dark: "Dark" }[choice];
    button.title = `Theme: ${choice === "auto" ? "as the system" : choice}. Click to change.`;
    tell(dark ? "dark" : "light");
  };
  button.addEventListener("click", () => {
    choice = CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length];
    keep(choice);
    apply();
  });
  system.addEventListener("change", apply);
  apply();
};
