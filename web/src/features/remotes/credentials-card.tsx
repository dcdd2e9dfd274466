import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconLock, IconPlus } from "@tabler/icons-react";
import { EmptyState } from "@/components/empty-state";
import { LimitedList } from "@/components/limited-list";
import { PlainList } from "@/components/plain-list";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import { type Credential, type CredentialOwner, useCredentials, useRemote } from "./api";
import { CredentialRow } from "./credential-row";
import { NewCredential } from "./new-credential";

const USERS = {
  user: "They are used for your own projects.",
  installation: "They can be used for the projects of all users.",
  project: "They are used for this project only.",
};

const belongsTo =
  (owner: CredentialOwner) =>
  ({ scope, project }: Credential) =>
    typeof owner === "string" ? scope === owner : project === owner.project;

/** Lists, adds and deletes tokens and keys for repositories on other servers. */
export function CredentialsCard({ owner }: { owner: CredentialOwner }) {
  const query = useCredentials();
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <SectionCard
      title="Repository credentials"
      description={`Access tokens and deploy keys for repositories on other servers. ${USERS[typeof owner === "string" ? owner : "project"]}`}
      action={
        <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
          Add credential
        </Button>
      }
    >
      {opened && <NewCredential owner={owner} onClose={close} />}
      <QueryView query={query} what="credentials">
        {(all) => {
          const items = all.filter(belongsTo(owner));
          return items.length === 0 ? (
            <EmptyState icon={<IconLock size={22} />} title="No credentials" order={3}>
              Public repositories need none. Add an access token or a deploy key for private ones,
              and to deliver builds.
            </EmptyState>
          ) : (
            <LimitedList items={items}>
              {(shown) => (
                <PlainList>
                  {shown.map((item) => (
                    <CredentialRow key={item.id} credential={item} />
                  ))}
                </PlainList>
              )}
            </LimitedList>
          );
        }}
      </QueryView>
    </SectionCard>
  );
}

/** The credentials of a project, which only a project with a connected repository needs. */
export function ProjectCredentialsCard({ projectId }: { projectId: string }) {
  const owner = { project: projectId };
  const isConnected = Boolean(useRemote(projectId).data);
  const hasSome = useCredentials().data?.some(belongsTo(owner));
  return isConnected || hasSome ? <CredentialsCard owner={owner} /> : null;
}
