// Whether letters alone are shortcuts. Who speaks to the computer, or rests a hand on it, switches them off.
const KEY = "forgeguard-single-keys";

export const singleKeysWork = () => localStorage.getItem(KEY) !== "off";

export function setSingleKeys(work: boolean) {
  if (work) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, "off");
}
