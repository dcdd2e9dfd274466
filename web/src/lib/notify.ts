// Short messages in the corner, announced politely.
import { notifications } from "@mantine/notifications";
import { messageOf } from "./problem";

export const notifyDone = (message: string) =>
  notifications.show({ message, color: "teal", withBorder: true });

export const notifyFailed = (title: string, error: unknown) =>
  notifications.show({
    title,
    message: messageOf(error),
    color: "red",
    withBorder: true,
    autoClose: 8_000,
  });
