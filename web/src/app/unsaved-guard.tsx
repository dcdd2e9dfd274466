import { Button, Group, Modal, Text } from "@mantine/core";
import { useEffect } from "react";
import { useBlocker } from "react-router";
import { discardUnsavedChanges, hasUnsavedChanges } from "@/lib/unsaved-changes";

/** Asks before a page with unsaved changes is left. */
export function UnsavedGuard() {
  const blocker = useBlocker(
    ({ currentLocation: from, nextLocation: to }) =>
      from.pathname !== to.pathname && hasUnsavedChanges(),
  );
  useEffect(() => {
    // The browser asks in its own words.
    const onUnload = (event: BeforeUnloadEvent) => {
      if (hasUnsavedChanges()) event.preventDefault();
    };
    window.addEventListener("beforeunload", onUnload);
    return () => window.removeEventListener("beforeunload", onUnload);
  }, []);
  const stay = () => blocker.reset?.();
  return (
    <Modal
      opened={blocker.state === "blocked"}
      onClose={stay}
      title="Discard unsaved changes?"
      centered
      size="sm"
      zIndex={320}
    >
      <Text fz="sm">This page has changes that are not saved.</Text>
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={stay} data-autofocus>
          Stay on page
        </Button>
        <Button
          color="red"
          onClick={() => {
            discardUnsavedChanges();
            blocker.proceed?.();
          }}
        >
          Discard changes
        </Button>
      </Group>
    </Modal>
  );
}
