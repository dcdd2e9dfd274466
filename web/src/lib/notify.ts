// Toast notifications, announced politely.
import { notifications } from "@mantine/notifications";
import { messageOf } from "./api-error";

const shown = { withBorder: true, closeButtonProps: { "aria-label": "Dismiss" } };

export const notifyDone = (message: string) =>
  notifications.show({ ...shown, message, color: "teal" });

export const notifyFailed = (title: string, error: unknown) =>
  notifications.show({
    title,
    message: messageOf(error),
    color: "red",
    ...shown,
    autoClose: 8_000,
  });
