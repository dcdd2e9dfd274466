import { useSearchParams } from "react-router";
import { usePageTitle } from "@/domain/use-page-title";
import { DeviceApproval } from "@/features/accounts/device/device-approval";
import { DeviceCodeForm } from "@/features/accounts/device/device-code-form";
import { CenteredPage } from "../centered-page";

export default function DevicePage() {
  const [query, setQuery] = useSearchParams();
  const code = query.get("code");
  const enter = (entered: string) => setQuery({ code: entered });
  usePageTitle("Sign in a device");
  return (
    <CenteredPage
      title="Sign in a device"
      text="Gives a forge key of your account to a device without a browser."
    >
      {code ? (
        <DeviceApproval key={code} code={code} onEnter={enter} />
      ) : (
        <DeviceCodeForm onEnter={enter} />
      )}
    </CenteredPage>
  );
}
