/** Adds a version: the upstream address and the callable operations. */
import { useState } from "preact/hooks"
import { ApiFailure, call } from "../../common/call.ts"
import { TextField } from "../../common/fields.tsx"
import { Form, Submit } from "../../common/form.tsx"
import { jsonError } from "../../common/json/json-text.ts"
import type { PageProps } from "../../common/page.ts"
import { Page } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link, navigate } from "../../common/router.tsx"
import { useUnsaved } from "../../common/unsaved.tsx"
import { MembersOnly } from "../../common/writers-only.tsx"
import { DocumentField } from "./document-field.tsx"
import { numberField, type OwnApi, pageOf, parentOf, readOwnApi } from "./own-api.ts"

/** The document as entered, or undefined if there is none; invalid JSON is refused here. */
const documentOf = (text: string): Readonly<Record<string, unknown>> | undefined => {
  if (text.trim() === "") return undefined
  const wrong = jsonError(text)
  if (wrong !== undefined) throw new ApiFailure(400, `openapi must be JSON: here should be ${wrong.message}`)
  return JSON.parse(text)
}

const NewVersion = ({ api }: { readonly api: OwnApi }) => {
  const [version, setVersion] = useState("")
  const [upstream, setUpstream] = useState("")
  const [sandbox, setSandbox] = useState("")
  const [timeout, setTimeout] = useState("")
  const [document, setDocument] = useState("")
  const { question, saved } = useUnsaved([version, upstream, sandbox, timeout, document].join("") !== "")
  return (
    <>
      <Form
        label={`Add a version to ${api.name}`}
        class="form section"
        about={{ "Version already exists": "version", "Request body is too large": "openapi" }}
        onSubmit={async () => {
          const openapi = documentOf(document)
          await call("api-publishing.addVersion", {
            path: { apiId: api.id },
            body: {
              version,
              upstreamUrl: upstream,
              ...(sandbox.trim() === "" ? {} : { sandboxUpstreamUrl: sandbox }),
              ...numberField("timeoutSeconds", timeout),
              ...(openapi === undefined ? {} : { openapi })
            }
          })
          saved()
          await navigate(pageOf(api.id), { replace: true })
        }}
      >
        <TextField
          name="version"
          label="Version"
          hint="Such as 1, v2 or 2026-11-20. It is in the address that is called."
          code
          value={version}
          onChange={setVersion}
        />
        <TextField
          name="upstreamUrl"
          label="Upstream"
          hint="The base address that calls go to. Only your company sees it."
          type="url"
          code
          placeholder="https://api.example.com/v1"
          value={upstream}
          onChange={setUpstream}
        />
        <TextField
          name="sandboxUpstreamUrl"
          label="Sandbox"
          optional
          hint="Where calls with test keys go. Empty: to the upstream."
          type="url"
          code
          value={sandbox}
          onChange={setSandbox}
        />
        <TextField
          name="timeoutSeconds"
          label="Seconds to wait for an answer"
          optional
          hint="Empty: 30."
          numeric
          value={timeout}
          onChange={setTimeout}
        />
        <DocumentField value={document} onChange={setDocument} />
        <div class="actions-row">
          <Submit>Add version</Submit>
          <Link to={pageOf(api.id)} class="button quiet">
            Cancel
          </Link>
        </div>
      </Form>
      {question}
    </>
  )
}

export const NewVersionPage = ({ parameters: { id = "" } }: PageProps) => {
  const loaded = useResource((signal) => readOwnApi(id, signal), [id])
  const known = loaded.state.kind === "ready" ? loaded.state.value : undefined
  return (
    <Page
      title="Add a version"
      parent={parentOf(id, known)}
      intro="A version cannot be changed later: who calls it can rely on it. Add another one instead."
    >
      <MembersOnly>
        <Loaded of={loaded}>{(api) => <NewVersion api={api} />}</Loaded>
      </MembersOnly>
    </Page>
  )
}
