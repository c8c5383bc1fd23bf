/** Adds an API, or changes its name and description. */
import { useState } from "preact/hooks"
import { call } from "../../common/call.ts"
import { TextField } from "../../common/fields.tsx"
import { Form, Submit } from "../../common/form.tsx"
import type { PageProps } from "../../common/page.ts"
import { Page } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link, navigate } from "../../common/router.tsx"
import { gatewayAddress } from "../../common/surroundings.ts"
import { useUnsaved } from "../../common/unsaved.tsx"
import { MembersOnly } from "../../common/writers-only.tsx"
import { type OwnApi, pageOf, parentOf, readOwnApi, slugOf } from "./own-api.ts"

interface WordsProps {
  readonly name: string
  readonly onName: (name: string) => void
  readonly description: string
  readonly onDescription: (description: string) => void
}

const Description = ({ description, onDescription }: Omit<WordsProps, "name" | "onName">) => (
  <TextField
    name="description"
    label="Description"
    optional
    hint="What it does and for whom. Blank lines, lists, `code` and links are shown as such."
    rows={6}
    value={description}
    onChange={onDescription}
  />
)

const NewApi = ({ publisher }: { readonly publisher: string }) => {
  const [name, setName] = useState("")
  const [slug, setSlug] = useState<string>()
  const [description, setDescription] = useState("")
  const { question, saved } = useUnsaved(name !== "" || slug !== undefined || description !== "")
  const chosen = slug ?? slugOf(name)
  return (
    <>
      <Form
        label="Add an API"
        class="form section"
        about={{ "Slug is already taken": "slug" }}
        onSubmit={async () => {
          const { api } = await call("api-publishing.addApi", {
            body: {
              slug: chosen,
              name,
              description
            }
          })
          saved()
          await navigate(pageOf(api.id), { replace: true })
        }}
      >
        <TextField name="name" label="Name" value={name} onChange={setName} />
        <TextField
          name="slug"
          label="Slug"
          hint={`In its addresses, and cannot be changed: ${gatewayAddress()}/${publisher}/${chosen || "…"}/`}
          code
          value={chosen}
          onChange={setSlug}
        />
        <Description description={description} onDescription={setDescription} />
        <div class="actions-row">
          <Submit>Add API</Submit>
          <Link to="/dashboard/publishing" class="button quiet">
            Cancel
          </Link>
        </div>
      </Form>
      {question}
    </>
  )
}

export const NewApiPage = () => {
  const loaded = useResource((signal) => call("api-publishing.publisher", { signal }), [])
  return (
    <Page
      title="Add an API"
      parent={{ to: "/dashboard/publishing", label: "Publishing" }}
      intro="It begins as a draft that nobody else sees."
    >
      <MembersOnly>
        <Loaded of={loaded}>{({ publisher }) => <NewApi publisher={publisher.slug} />}</Loaded>
      </MembersOnly>
    </Page>
  )
}

const EditApi = ({ api }: { readonly api: OwnApi }) => {
  const [name, setName] = useState(api.name)
  const [description, setDescription] = useState(api.description)
  const { question, saved } = useUnsaved(name !== api.name || description !== api.description)
  return (
    <>
      <Form
        label={`Edit ${api.name}`}
        class="form section"
        onSubmit={async () => {
          await call("api-publishing.changeApi", {
            path: { apiId: api.id },
            body: {
              name,
              description
            }
          })
          saved()
          await navigate(pageOf(api.id), { replace: true })
        }}
      >
        <TextField name="name" label="Name" value={name} onChange={setName} />
        <Description description={description} onDescription={setDescription} />
        <div class="actions-row">
          <Submit>Save</Submit>
          <Link to={pageOf(api.id)} class="button quiet">
            Cancel
          </Link>
        </div>
      </Form>
      {question}
    </>
  )
}

export const EditApiPage = ({ parameters: { id = "" } }: PageProps) => {
  const loaded = useResource((signal) => readOwnApi(id, signal), [id])
  const known = loaded.state.kind === "ready" ? loaded.state.value : undefined
  return (
    <Page title="Edit the API" parent={parentOf(id, known)}>
      <MembersOnly>
        <Loaded of={loaded}>{(api) => <EditApi api={api} />}</Loaded>
      </MembersOnly>
    </Page>
  )
}
