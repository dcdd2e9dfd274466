import { Button, Code, CopyButton, Group, Select, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { SectionCard } from "@/components/section-card";
import { editorSnippets } from "./editor-snippets";

/** How to connect editors and agents over MCP. */
export function ConnectEditor() {
  const snippets = editorSnippets(window.location.origin);
  const [id, setId] = useState("claude");
  const snippet = snippets.find((one) => one.id === id) ?? snippets[0];
  if (!snippet) return null;
  return (
    <SectionCard
      title="Connect an editor"
      description="Editors and agents read contracts and control builds over MCP. Create a forge key, put it into the environment variable FORGEGUARD_KEY, and configure your client."
    >
      <Stack gap="xs">
        <Select
          label="Client"
          data={snippets.map(({ id: value, label }) => ({ value, label }))}
          value={snippet.id}
          onChange={(value) => value && setId(value)}
          allowDeselect={false}
          maw={260}
        />
        <Group justify="space-between">
          <Text fz="sm">{snippet.where}</Text>
          <CopyButton value={snippet.text}>
            {({ copied, copy }) => (
              <Button variant="default" size="xs" onClick={copy}>
                {copied ? "Copied" : `Copy configuration for ${snippet.label}`}
              </Button>
            )}
          </CopyButton>
        </Group>
        <Code
          block
          tabIndex={0}
          aria-label={`Configuration for ${snippet.label}`}
          role="region"
          style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}
        >
          {snippet.text}
        </Code>
        <Text fz="xs" c="dimmed">
          To test the connection, ask your client for its tools: the key then shows its last call.
        </Text>
      </Stack>
    </SectionCard>
  );
}
