import { Alert, Button, Stack, TextInput } from "@mantine/core";
import { useState } from "react";

interface Props {
  onEnter: (code: string) => void;
  /** Why an earlier code was not accepted. */
  problem?: string | undefined;
}

export function DeviceCodeForm({ onEnter, problem }: Props) {
  const [code, setCode] = useState("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (code.trim()) onEnter(code.trim());
      }}
    >
      <Stack>
        {problem && (
          <Alert color="yellow" p="sm" role="alert">
            {problem}
          </Alert>
        )}
        <TextInput
          label="Code"
          description="As your terminal shows it"
          placeholder="WDJB-MJHT"
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={20}
          autoFocus
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        />
        <Button type="submit" fullWidth disabled={!code.trim()}>
          Continue
        </Button>
      </Stack>
    </form>
  );
}
