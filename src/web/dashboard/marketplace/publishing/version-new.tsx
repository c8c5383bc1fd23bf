/** Adds a version: the upstream address and the callable operations. */
import { useState } from "preact/hooks"
import { ApiFailure, call } from "../../common/call.ts"
import { TextField } from "../../common/fields.tsx"
import { jsonError } from "../../common/json/json-text.ts"
import type { PageProps } from "../../common/page.ts"
import { PageForm } from "../page-form.tsx"
import { DocumentField } from "./document-field.tsx"
import { numberField, type OwnApi, pageOf } from "./own-api.ts"
import { OwnApiFormPage } from "./own-api-form.tsx"

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
  return (
    <PageForm
      label={`Add a version to ${api.name}`}
      act="Add version"
      back={pageOf(api.id)}
      dirty={[version, upstream, sandbox, timeout, document].join("") !== ""}
      about={{ "Version already exists": "version", "Request body is too large": "openapi" }}
      onSubmit={async (leave) => {
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
        await leave(pageOf(api.id))
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
    </PageForm>
  )
}

export const NewVersionPage = ({ parameters: { id = "" } }: PageProps) => (
  <OwnApiFormPage
    id={id}
    title="Add a version"
    intro="A version cannot be changed later, because its callers rely on it. Add another one instead."
  >
    {(api) => <NewVersion api={api} />}
  </OwnApiFormPage>
)
