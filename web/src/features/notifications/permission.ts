// Whether browser notifications are supported, permitted and enabled.
import { create } from "zustand";

/** `unasked`: no choice yet; `blocked`: only the browser's settings can change it. */
export type NotificationState = "unsupported" | "blocked" | "unasked" | "off" | "on";

interface Known {
  supported: boolean;
  permission: NotificationPermission;
  choice: string | null;
}

export function notificationState({ supported, permission, choice }: Known): NotificationState {
  if (!supported) return "unsupported";
  if (permission === "denied") return "blocked";
  if (choice === null) return "unasked";
  return choice === "on" && permission === "granted" ? "on" : "off";
}

const KEY = "forgeguard-notifications";

function currentStanding(): NotificationState {
  // Requires a secure context.
  const supported = "Notification" in window && window.isSecureContext;
  return notificationState({
    supported,
    permission: supported ? Notification.permission : "default",
    choice: localStorage.getItem(KEY),
  });
}

interface StandingStore {
  standing: NotificationState;
  /** Must be called from a click handler. */
  turnOn: () => Promise<void>;
  turnOff: () => void;
}

export const useNotificationState = create<StandingStore>((set) => {
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
