import { useQuery } from "@tanstack/react-query";
import { api, type Notepad, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

export const fetchNotepad = (project: string): Promise<Notepad> =>
  unwrap(api.GET("/api/projects/{project}/notepad", { params: { path: { project } } }));

export const saveNotepad = (project: string, content: string, version: number): Promise<Notepad> =>
  unwrap(
    api.PUT("/api/projects/{project}/notepad", {
      params: { path: { project } },
      body: { content, version },
    }),
  );

export function useNotepad(project: string) {
  return useQuery({
    queryKey: keys.notepad(project),
    queryFn: () => fetchNotepad(project),
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
}
