import { Button, CloseButton, Text } from "@mantine/core";
import { IconBell } from "@tabler/icons-react";
import classes from "./notification-offer.module.css";
import { useStanding } from "./standing";

/** Made once, beside a question; whoever declines finds it on the account page. */
export function NotificationOffer() {
  const { standing, turnOn, turnOff } = useStanding();
  if (standing !== "unasked") return null;
  return (
    <section className={classes.offer} aria-label="Notifications">
      <IconBell size={16} aria-hidden />
      <Text fz="xs" className={classes.text}>
        A notification when a build asks or ends?
      </Text>
      <Button size="compact-xs" variant="default" onClick={() => void turnOn()}>
        Notify me
      </Button>
      <CloseButton size="sm" aria-label="No notifications" onClick={turnOff} />
    </section>
  );
}
