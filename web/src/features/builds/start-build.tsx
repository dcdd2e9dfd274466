import { Button, type ButtonProps } from "@mantine/core";
import { IconPlayerPlayFilled } from "@tabler/icons-react";
import { useNavigate } from "react-router";
import { useActions } from "@/lib/actions";
import { notifyFailed } from "@/lib/notify";
import { paths } from "@/lib/paths";
import { useMayChange } from "@/lib/project-role";
import { useStartBuild } from "./api";

interface StartBuildProps extends ButtonProps {
  projectId: string;
  label?: string;
}

export function StartBuild({ projectId, label = "Start build", ...button }: StartBuildProps) {
  const mayChange = useMayChange();
  const start = useStartBuild(projectId);
  const navigate = useNavigate();
  const begin = () =>
    start.mutate(undefined, {
      onSuccess: (build) => navigate(paths.build(projectId, build.id)),
      onError: (error) => notifyFailed("The build did not start", error),
    });
  useActions([mayChange && !start.isPending && { name: "startBuild", run: begin }]);
  if (!mayChange) return null;
  return (
    <Button
      {...button}
      leftSection={<IconPlayerPlayFilled size={14} aria-hidden />}
      loading={start.isPending}
      onClick={begin}
    >
      {label}
    </Button>
  );
}
