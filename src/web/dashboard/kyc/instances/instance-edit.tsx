/** Edits an instance's documents, with a preview beside them. */
import { useState } from "preact/hooks"
import { isLocale, languages } from "../../../kyc/i18n/languages.ts"
import { Alert, Button } from "../../../ui/parts.tsx"
import { useMayWrite } from "../../common/account.ts"
import { ApiFailure, call } from "../../common/call.ts"
import type { Answer } from "../../common/contract.ts"
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

type Instance = Answer<"kyc-instances.get">["instance"]

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const editedOf = (value: Edited["value"]): Edited => ({ value, text: undefined })

interface EditorProps {
  readonly instance: Instance
}

const Editor = ({ instance }: EditorProps) => {
  const mayWrite = useMayWrite()
  const [saved, setSaved] = useState(instance)
  const [config, setConfig] = useState(() => editedOf(instance.config))
  const [workflow, setWorkflow] = useState(() => editedOf(instance.workflow))
  const [language, setLanguage] = useState<keyof typeof languages>("en")
  const [step, setStep] = useState<string>()
  const [done, setDone] = useState(false)

  const changed = (name: DocumentName, edited: Edited): boolean =>
    unreadable(name, edited) !== undefined || !same(edited.value, saved[name])
  const configChanged = changed("config", config)
  const workflowChanged = changed("workflow", workflow)
  const dirty = configChanged || workflowChanged

  const { question } = useUnsaved(dirty && mayWrite)

  /** Changes one of the documents; messages about the last save no longer apply. */
  const editing =
    (set: typeof setConfig) =>
    (next: (before: Edited) => Edited): void => {
      setDone(false)
      set(next)
    }

  const save = async () => {
    const problem = unreadable("config", config) ?? unreadable("workflow", workflow)
    if (problem !== undefined) throw new ApiFailure(400, problem)
    const { instance: stored } = await call("kyc-instances.update", {
      path: { id: instance.id },
      body: {
        ...(configChanged ? { config: config.value } : {}),
        ...(workflowChanged ? { workflow: workflow.value } : {})
      }
    })
    // The stored documents have their keys in another order.
    setSaved({ ...stored, config: config.value, workflow: workflow.value })
    setDone(true)
  }

  const discard = () => {
    setConfig(editedOf(saved.config))
    setWorkflow(editedOf(saved.workflow))
  }

  return (
    <div class="editor">
      <Form class="editor-form" label="Page and steps" onSubmit={save}>
        <p class="editor-language">
          <label>
            Texts in{" "}
            <select
              value={language}
              onChange={(event) => {
                if (isLocale(event.currentTarget.value)) setLanguage(event.currentTarget.value)
              }}
            >
              {Object.keys(languages).map((tag) => (
                <option key={tag} value={tag}>
                  {languageName(tag)}
                </option>
              ))}
            </select>
          </label>
        </p>
        <DocumentEditor
          root="workflow"
          title="Steps"
          intro="What the user does, in this order."
          language={language}
          edited={workflow}
          onChange={editing(setWorkflow)}
        >
          <WorkflowForm onStep={setStep} />
        </DocumentEditor>
        <DocumentEditor
          root="config"
          title="Page"
          intro="How the page looks and behaves. For empty settings, the preview shows the default."
          language={language}
          edited={config}
          onChange={editing(setConfig)}
        >
          <ConfigForm />
        </DocumentEditor>
        <div class="save-bar">
          <p role="status">
            {!mayWrite
              ? "You can try things out here, but your role does not let you save them."
              : dirty
                ? "Not saved yet."
                : done
                  ? "Saved. It applies to sessions created from now on."
                  : "Nothing has been changed."}
          </p>
          {dirty ? <Button onClick={discard}>Discard</Button> : null}
          {mayWrite ? <Submit>Save</Submit> : null}
        </div>
      </Form>
      <PreviewFrame draft={{ config: config.value, workflow: workflow.value }} step={step} />
      {question}
    </div>
  )
}

export const InstanceEditPage = ({ parameters: { id = "" } }: PageProps) => {
  const loaded = useResource((signal) => call("kyc-instances.get", { path: { id }, signal }), [id])
  const name = loaded.state.kind === "ready" ? loaded.state.value.instance.name : "Instance"
  return (
    <Page
      title="Page and steps"
      parent={{ to: `/dashboard/instances/${encodeURIComponent(id)}`, label: name }}
    >
      <Loaded of={loaded}>
        {({ instance }) => (
          <>
            {instance.disabled_at === null ? null : (
              <Alert tone="warning">
                <p>This instance is disabled: no session can be created with it.</p>
              </Alert>
            )}
            <Editor instance={instance} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
