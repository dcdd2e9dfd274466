// Files of a build that the browser fetches by itself.
import { api, unwrap } from "@/lib/api";
import { notifyFailed } from "@/lib/notify";
import { paths } from "@/lib/paths";
import { saveFrom } from "@/lib/save-file";

export const downloadEvidence = (build: string) =>
  download(paths.bundle(build), `build-${build}.zip`);

export const downloadReport = (build: string) => download(paths.report(build), `build-${build}.md`);

async function download(path: string, name: string) {
  try {
    // A browser that saves a file renews no session; this does.
    await unwrap(api.GET("/api/session"));
    saveFrom(path, name);
  } catch (error) {
    notifyFailed("The file was not downloaded", error);
  }
}
