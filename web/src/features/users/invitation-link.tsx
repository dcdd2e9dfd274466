import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { CommandLineBlock } from "@/components/command-line-block";
import { TimeAgo } from "@/components/time-ago";
import type { Invitation } from "@/lib/api";

interface InvitationLinkProps {
  /** Null while there is none to show. */
  invitation: Invitation | null;
  name: string;
  onClose: () => void;
}

/** Shows a link this one time. */
export function InvitationLink({ invitation, name, onClose }: InvitationLinkProps) {
  return (
    <Modal
      opened={invitation !== null}
      onClose={onClose}
      title={`A link for ${name}`}
      centered
      closeOnClickOutside={false}
    >
      {invitation && (
        <Stack>
          <Text fz="sm">
            Whoever opens it sets the password of {name} and is signed in. It opens once and ends{" "}
            <TimeAgo at={invitation.expires_at} />.
          </Text>
          <CommandLineBlock
            command={`${window.location.origin}${invitation.path}`}
            what="invitation link"
          />
          <Alert color="yellow" p="sm" role="status">
            Copy it now and send it by a way that you trust. It is not shown again; you can always
            make another.
          </Alert>
          <Group justify="flex-end">
            <Button onClick={onClose}>I have copied it</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
