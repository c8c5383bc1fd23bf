/** Adds a version: its upstream address and its operations. */
import { doorlock } from "../../common/call.ts"
import { TextField } from "../../common/fields.tsx"
import { useFields } from "../../common/form.tsx"
import type { PageProps } from "../../common/page.ts"
import { PageForm } from "../../common/page-form.tsx"
import { DocumentField } from "./document-field.tsx"
import { documentOf } from "./document-syntax.ts"
import { numberField, OwnApiFormPage, pageOf } from "./own-api.tsx"

export const NewVersionPage = ({ parameters: { id = "" } }: PageProps) => {
  const { field, values } = useFields({
    version: "",
    upstreamUrl: "",
    sandboxUpstreamUrl: "",
    timeoutSeconds: "",
    openapi: ""
  })
  return (
    <OwnApiFormPage
      id={id}
      title="Add a version"
      intro="If the API is published, subscribers can call the version at once. Earlier versions go on. A version cannot be changed later, because its callers rely on it."
    >
      {() => (
        <PageForm
          act="Add version"
          back={pageOf(id)}
          dirty={Object.values(values).join("") !== ""}
          about={{ "Version already exists": "version", "Request body is too large": "openapi" }}
          onSubmit={async (leave) => {
            const { sandboxUpstreamUrl, timeoutSeconds, upstreamUrl, version } = values
            const openapi = await documentOf(values.openapi)
            await doorlock.publishing.createVersion(id, {
              version,
              upstreamUrl,
              ...(sandboxUpstreamUrl.trim() === "" ? {} : { sandboxUpstreamUrl }),
              ...numberField("timeoutSeconds", timeoutSeconds),
              ...(openapi === undefined ? {} : { openapi })
            })
            await leave(pageOf(id))
          }}
        >
          <TextField
            {...field("version")}
            label="Version"
            hint="Such as 1, v2 or 2026-11-20. Callers see it in the address."
            code
          />
          <TextField
            {...field("upstreamUrl")}
            label="Upstream"
            hint="The base address to forward calls to. Only your company sees it."
            type="url"
            code
            placeholder="https://api.example.com/v1"
          />
          <TextField
            {...field("sandboxUpstreamUrl")}
            label="Sandbox"
            optional
            hint="The base address for calls with test keys. If empty, they go to the upstream."
            type="url"
            code
          />
          <TextField
            {...field("timeoutSeconds")}
            label="Timeout in seconds"
            optional
            hint="If empty, 30 seconds."
            numeric
          />
          <DocumentField {...field("openapi")} />
        </PageForm>
      )}
    </OwnApiFormPage>
  )
}
