import { useState } from "preact/hooks"
import { languages } from "../../../kyc/i18n/languages.ts"
import { Button } from "../../../ui/parts.tsx"
import { useMayWrite } from "../../common/account.ts"
import { type Answer, ApiFailure, doorlock } from "../../common/call.ts"
import { Select } from "../../common/fields.tsx"
import { Form, Submit } from "../../common/form.tsx"
import type { DocumentName } from "../../common/json/editing.ts"
import type { PageProps } from "../../common/page.ts"
import { Page } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { useUnsaved } from "../../common/unsaved.tsx"
import { ConfigForm } from "./editor/config-form.tsx"
import { languageName } from "./editor/controls.tsx"
import { DocumentEditor, type Edited, unreadable } from "./editor/document-editor.tsx"
import { PreviewFrame } from "./editor/preview-frame.tsx"
import { WorkflowForm } from "./editor/workflow-form.tsx"
import { DisabledNotice, instancePath } from "./instances.tsx"

type Instance = Answer<"instances.get">["instance"]

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

type Documents = Readonly<Record<DocumentName, Edited>>

const documentsOf = ({ config, workflow }: Pick<Instance, DocumentName>): Documents => ({
  config: { value: config, text: undefined },
  workflow: { value: workflow, text: undefined }
})

const sections = [
  { root: "workflow", title: "Steps", intro: "What users do, in this order." },
  {
    root: "config",
    title: "Page",
    intro: "How the page looks and behaves. For empty settings, the preview shows the default."
  }
] as const

const Editor = ({ instance }: { readonly instance: Instance }) => {
  const mayWrite = useMayWrite()
  const [saved, setSaved] = useState<Pick<Instance, DocumentName>>(instance)
  const [documents, setDocuments] = useState(() => documentsOf(instance))
  const [language, setLanguage] = useState("en")
  const [step, setStep] = useState<string>()
  const [done, setDone] = useState(false)

  const draft = { config: documents.config.value, workflow: documents.workflow.value }
  const problem = unreadable("config", documents.config) ?? unreadable("workflow", documents.workflow)
  const configChanged = !same(draft.config, saved.config)
  const workflowChanged = !same(draft.workflow, saved.workflow)
  const dirty = problem !== undefined || configChanged || workflowChanged

  const question = useUnsaved(dirty && mayWrite)

  const save = async () => {
    if (problem !== undefined) throw new ApiFailure(400, problem)
    await doorlock.instances.update(instance.id, {
      ...(configChanged ? { config: draft.config } : {}),
      ...(workflowChanged ? { workflow: draft.workflow } : {})
    })
    // Not the stored documents, which have their keys in another order.
    setSaved(draft)
    setDone(true)
  }

  return (
    <div class="editor">
      <Form class="editor-form" label="Page and steps" onSubmit={save}>
        <p class="faint">
          <label>
            Texts in{" "}
            <Select
              value={language}
              choices={Object.keys(languages).map((tag) => [tag, languageName(tag)])}
              onChange={setLanguage}
            />
          </label>
        </p>
        {sections.map((section) => (
          <DocumentEditor
            key={section.root}
            {...section}
            language={language}
            edited={documents[section.root]}
            onChange={(change) => {
              setDone(false)
              setDocuments((before) => ({ ...before, [section.root]: change(before[section.root]) }))
            }}
          >
            {section.root === "config" ? <ConfigForm /> : <WorkflowForm onStep={setStep} />}
          </DocumentEditor>
        ))}
        <div class="save-bar">
          <p role="status">
            {!mayWrite
              ? "You can try things out here, but your role does not allow you to save changes."
              : dirty
                ? "Not saved yet."
                : done
                  ? "Saved. New sessions use these settings."
                  : "There are no changes to save."}
          </p>
          {dirty ? <Button onClick={() => setDocuments(documentsOf(saved))}>Discard</Button> : null}
          {mayWrite ? <Submit>Save</Submit> : null}
        </div>
      </Form>
      <PreviewFrame draft={draft} step={step} />
      {question}
    </div>
  )
}

export const InstanceEditPage = ({ parameters: { id = "" } }: PageProps) => {
  const loaded = useResource((signal) => doorlock.instances.get(id, { signal }), [id])
  return (
    <Page
      title="Page and steps"
      parent={{ to: instancePath(id), label: loaded.value?.instance.name ?? "Instance" }}
    >
      <Loaded of={loaded}>
        {({ instance }) => (
          <>
            <DisabledNotice instance={instance} />
            <Editor instance={instance} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
