/** Adds an API, or changes its name and description. */
import { useState } from "preact/hooks"
import { call } from "../../common/call.ts"
import { TextField } from "../../common/fields.tsx"
import type { PageProps } from "../../common/page.ts"
import { Page } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { gatewayAddress } from "../../common/surroundings.ts"
import { MembersOnly } from "../../common/writers-only.tsx"
import { PageForm } from "../page-form.tsx"
import { type OwnApi, pageOf, slugOf } from "./own-api.ts"
import { OwnApiFormPage } from "./own-api-form.tsx"

interface DescriptionProps {
  readonly value: string
  readonly onChange: (description: string) => void
}

const Description = (control: DescriptionProps) => (
  <TextField
    name="description"
    label="Description"
    optional
    hint="What it does and for whom. Blank lines, lists, `code` and links are shown as such."
    rows={6}
    {...control}
  />
)

const NewApi = ({ publisher }: { readonly publisher: string }) => {
  const [name, setName] = useState("")
  const [chosen, setChosen] = useState<string>()
  const [description, setDescription] = useState("")
  const slug = chosen ?? slugOf(name)
  return (
    <PageForm
      label="Add an API"
      act="Add API"
      back="/dashboard/publishing"
      dirty={name !== "" || chosen !== undefined || description !== ""}
      about={{ "Slug is already taken": "slug" }}
      onSubmit={async (leave) => {
        const { api } = await call("api-publishing.addApi", { body: { slug, name, description } })
        await leave(pageOf(api.id))
      }}
    >
      <TextField name="name" label="Name" value={name} onChange={setName} />
      <TextField
        name="slug"
        label="Slug"
        hint={`In its addresses, and cannot be changed: ${gatewayAddress()}/${publisher}/${slug || "…"}/`}
        code
        value={slug}
        onChange={setChosen}
      />
      <Description value={description} onChange={setDescription} />
    </PageForm>
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
  return (
    <PageForm
      label={`Edit ${api.name}`}
      act="Save"
      back={pageOf(api.id)}
      dirty={name !== api.name || description !== api.description}
      onSubmit={async (leave) => {
        await call("api-publishing.changeApi", { path: { apiId: api.id }, body: { name, description } })
        await leave(pageOf(api.id))
      }}
    >
      <TextField name="name" label="Name" value={name} onChange={setName} />
      <Description value={description} onChange={setDescription} />
    </PageForm>
  )
}

export const EditApiPage = ({ parameters: { id = "" } }: PageProps) => (
  <OwnApiFormPage id={id} title="Edit the API">
    {(api) => <EditApi api={api} />}
  </OwnApiFormPage>
)
