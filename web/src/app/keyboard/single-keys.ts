// Whether single letters are shortcuts. Speech input and accidental key presses make them a problem for some users.
const KEY = "forgeguard-single-keys";

export const singleKeysEnabled = () => localStorage.getItem(KEY) !== "off";

export function setSingleKeysEnabled(work: boolean) {
  if (work) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, "off");
}
