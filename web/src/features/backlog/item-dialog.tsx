import { Button, MultiSelect, SegmentedControl, Text, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { CenteredLoader } from "@/components/centered-loader";
import { DialogActions } from "@/components/dialog-actions";
import { Form } from "@/components/form";
import { FormModal } from "@/components/form-modal";
import { showFieldErrors } from "@/lib/show-field-errors";
import { type BacklogItem, useItemSpec, useSaveItem } from "./api";
import { itemName } from "./item-labels";

interface ItemDialogProps {
  projectId: string;
  /** Null adds an item. */
  item: BacklogItem | null;
  items: BacklogItem[];
  onClose: () => void;
}

/** Adds or changes an item. */
export function ItemDialog(props: ItemDialogProps) {
  const spec = useItemSpec(props.projectId, props.item);
  return (
    <FormModal
      opened
      onClose={props.onClose}
      title={props.item ? `Edit item ${props.item.number}` : "Add item"}
      size="lg"
    >
      {props.item?.has_spec && !spec.data ? (
        <CenteredLoader />
      ) : (
        <ItemForm {...props} spec={spec.data?.spec ?? ""} />
      )}
    </FormModal>
  );
}

function ItemForm({ projectId, item, items, onClose, spec }: ItemDialogProps & { spec: string }) {
  const save = useSaveItem(projectId, item?.id ?? null);
  const form = useForm({
    initialValues: {
      kind: item?.has_spec ? "spec" : "description",
      title: item?.title ?? "",
      description: item?.description ?? "",
      spec,
      scope: item?.scope.join("\n") ?? "",
      depends_on: item?.depends_on ?? [],
    },
    validate: {
      title: (value, { kind }) => (kind === "spec" || value.trim() ? null : "Enter a title"),
      spec: (value, { kind }) => (kind !== "spec" || value.trim() ? null : "Enter a spec"),
    },
  });
  const { kind } = form.values;
  const submit = form.onSubmit(({ title, description, spec, scope, depends_on }) =>
    save.mutate(
      {
        ...(title.trim() && { title }),
        description: kind === "spec" ? "" : description,
        ...(kind === "spec" && { spec }),
        scope: scope.split("\n").filter((line) => line.trim()),
        depends_on,
      },
      { onSuccess: onClose, onError: showFieldErrors(form) },
    ),
  );
  const others = items.filter(({ id }) => id !== item?.id);
  return (
    <Form onSubmit={submit} error={save.error}>
      <TextInput
        label="Title"
        description={kind === "spec" ? "The title of the spec if empty" : undefined}
        maxLength={120}
        data-autofocus
        attributes={{ input: { dir: "auto" } }}
        {...form.getInputProps("title")}
      />
      <SegmentedControl
        aria-label="What is built"
        data={[
          { value: "description", label: "Description" },
          { value: "spec", label: "Spec" },
        ]}
        {...form.getInputProps("kind")}
      />
      {kind === "spec" ? (
        <Textarea
          label="Spec"
          description="Markdown with requirements and pass criteria. When the item starts, it becomes the next spec of the project."
          autosize
          minRows={8}
          maxRows={16}
          maxLength={500_000}
          attributes={{ input: { dir: "auto", spellCheck: false } }}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
          {...form.getInputProps("spec")}
        />
      ) : (
        <Textarea
          label="Description"
          description="What to change, for the agents. The contracts of the project apply too."
          autosize
          minRows={4}
          maxRows={12}
          maxLength={20_000}
          attributes={{ input: { dir: "auto" } }}
          {...form.getInputProps("description")}
        />
      )}
      <MultiSelect
        label="Depends on"
        description="It starts after these are sealed as CERTIFIED or CONDITIONAL, from their work."
        data={others.map((other) => ({ value: other.id, label: itemName(other) }))}
        searchable
        nothingFoundMessage="No other items"
        {...form.getInputProps("depends_on")}
      />
      <Textarea
        label="Scope"
        description="Paths that may change, one pattern per line. Empty means any."
        placeholder="src/loans/**"
        autosize
        minRows={2}
        maxRows={8}
        attributes={{ input: { spellCheck: false } }}
        {...form.getInputProps("scope")}
      />
      {kind === "spec" && (
        <Text fz="xs" c="dimmed">
          The scope of a spec is the one of its phases; these paths are used for warnings only.
        </Text>
      )}
      <DialogActions onCancel={onClose}>
        <Button type="submit" loading={save.isPending}>
          {item ? "Save" : "Add item"}
        </Button>
      </DialogActions>
    </Form>
  );
}
