import { SettingsPage } from "@/components/settings-page";
import { usePageTitle } from "@/domain/use-page-title";
import { InstallationSettings } from "@/features/installation/installation-settings";

export default function InstallationSettingsPage() {
  usePageTitle("Installation settings");
  return (
    <SettingsPage title="Installation settings" about="Limits and models for all projects.">
      <InstallationSettings />
    </SettingsPage>
  );
}
