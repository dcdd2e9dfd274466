// Runs before the first paint, so that a dark page never flashes white.
(() => {
  let wanted = "auto";
  try {
    wanted = localStorage.getItem("forgeguard-color-scheme") ?? "auto";
  } catch {
    // Storage may be blocked; the system's preference is then right.
  }
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const scheme = wanted === "auto" ? (dark ? "dark" : "light") : wanted;
  document.documentElement.setAttribute("data-mantine-color-scheme", scheme);
})();
