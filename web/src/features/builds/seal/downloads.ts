// Downloads of a build's files.
import { api, unwrap } from "@/lib/api";
import { notifyFailed } from "@/lib/notify";
import { paths } from "@/lib/paths";
import { saveFrom } from "@/lib/save-file";

export const downloadEvidence = (build: string) =>
  download(paths.bundle(build), `build-${build}.zip`);

export const downloadReport = (build: string) => download(paths.report(build), `build-${build}.md`);

async function download(path: string, name: string) {
  try {
    // Downloads do not refresh an expired session; this request does.
    await unwrap(api.GET("/api/session"));
    saveFrom(path, name);
  } catch (error) {
    notifyFailed("Could not download the file", error);
  }
}
