import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconUserPlus } from "@tabler/icons-react";
import { useState } from "react";
import { LimitedList } from "@/components/limited-list";
import { PlainList } from "@/components/plain-list";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import type { Invitation } from "@/lib/api";
import { useUsers } from "./api";
import { InvitationLink } from "./invitation-link";
import { InviteUser } from "./invite-user";
import { UserRow } from "./user-row";

export function UserList({ ownId }: { ownId: string }) {
  const query = useUsers();
  const [inviting, { open, close }] = useDisclosure(false);
  const [made, setMade] = useState<{ name: string; invitation: Invitation } | null>(null);
  const onInvited = (name: string, invitation: Invitation) => setMade({ name, invitation });
  return (
    <SectionCard
      title="Users"
      description="Everyone who can sign in. Users see only their own projects and those shared with them."
      action={
        <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={open}>
          Invite user
        </Button>
      }
    >
      <InviteUser opened={inviting} onClose={close} onInvited={onInvited} />
      <InvitationLink
        invitation={made?.invitation ?? null}
        name={made?.name ?? ""}
        onClose={() => setMade(null)}
      />
      <QueryView query={query} what="users">
        {(users) => (
          <LimitedList items={users}>
            {(shown) => (
              <PlainList>
                {shown.map((user) => (
                  <UserRow
                    key={user.id}
                    user={user}
                    own={user.id === ownId}
                    onInvited={onInvited}
                  />
                ))}
              </PlainList>
            )}
          </LimitedList>
        )}
      </QueryView>
    </SectionCard>
  );
}
