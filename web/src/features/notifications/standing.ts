// Whether this browser may notify a person, and whether they want it.
import { create } from "zustand";

/** `unasked` until someone says yes or no; `blocked` where only the browser's settings can change it. */
export type Standing = "unsupported" | "blocked" | "unasked" | "off" | "on";

interface Known {
  supported: boolean;
  permission: NotificationPermission;
  choice: string | null;
}

export function standingOf({ supported, permission, choice }: Known): Standing {
  if (!supported) return "unsupported";
  if (permission === "denied") return "blocked";
  if (choice === null) return "unasked";
  return choice === "on" && permission === "granted" ? "on" : "off";
}

const KEY = "forgeguard-notifications";

function currentStanding(): Standing {
  // Browsers ask for the permission on secure pages only.
  const supported = "Notification" in window && window.isSecureContext;
  return standingOf({
    supported,
    permission: supported ? Notification.permission : "default",
    choice: localStorage.getItem(KEY),
  });
}

interface StandingStore {
  standing: Standing;
  /** Call it from a click: browsers show their question only then. */
  turnOn: () => Promise<void>;
  turnOff: () => void;
}

export const useStanding = create<StandingStore>((set) => {
  const renew = () => set({ standing: currentStanding() });
  window.addEventListener("storage", ({ key }) => key === KEY && renew());
  return {
    standing: currentStanding(),
    async turnOn() {
      if ((await Notification.requestPermission()) === "granted") localStorage.setItem(KEY, "on");
      renew();
    },
    turnOff() {
      localStorage.setItem(KEY, "off");
      renew();
    },
  };
});
