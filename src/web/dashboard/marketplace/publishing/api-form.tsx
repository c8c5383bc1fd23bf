import { useState } from "preact/hooks"
import { doorlock } from "../../common/call.ts"
import { TextField } from "../../common/fields.tsx"
import { useFields } from "../../common/form.tsx"
import type { PageProps } from "../../common/page.ts"
import { PageForm } from "../../common/page-form.tsx"
import { Page } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { gatewayAddress } from "../../common/surroundings.ts"
import { type OwnApi, OwnApiFormPage, pageOf, slugOf } from "./own-api.tsx"

const description = {
  label: "Description",
  optional: true,
  hint: "What the API does, and for whom. You can use paragraphs, lists, `code` and links.",
  rows: 6
}

export const NewApiPage = () => {
  const loaded = useResource((signal) => doorlock.publishing.getPublisher({ signal }), [])
  const { field, values } = useFields({ name: "", description: "" })
  const [chosen, setChosen] = useState<string>()
  const slug = chosen ?? slugOf(values.name)
  return (
    <Page
      title="Add an API"
      parent={{ to: "/dashboard/publishing", label: "Publishing" }}
      intro="A new API is a draft that only your company sees."
    >
      <Loaded of={loaded}>
        {({ publisher }) => (
          <PageForm
            act="Add API"
            back="/dashboard/publishing"
            dirty={values.name !== "" || chosen !== undefined || values.description !== ""}
            about={{ "Slug is already taken": "slug" }}
            onSubmit={async (leave) => {
              const { api } = await doorlock.publishing.createApi({ slug, ...values })
              await leave(pageOf(api.id))
            }}
          >
            <TextField {...field("name")} label="Name" />
            <TextField
              name="slug"
              label="Slug"
              hint={`Part of the API’s address. You cannot change it later: ${gatewayAddress()}/${publisher.slug}/${slug || "…"}/`}
              code
              value={slug}
              onChange={setChosen}
            />
            <TextField {...field("description")} {...description} />
          </PageForm>
        )}
      </Loaded>
    </Page>
  )
}

const EditApi = ({ api }: { readonly api: OwnApi }) => {
  const { field, values } = useFields({ name: api.name, description: api.description })
  return (
    <PageForm
      act="Save"
      back={pageOf(api.id)}
      dirty={values.name !== api.name || values.description !== api.description}
      onSubmit={async (leave) => {
        await doorlock.publishing.updateApi(api.id, values)
        await leave(pageOf(api.id))
      }}
    >
      <TextField {...field("name")} label="Name" />
      <TextField {...field("description")} {...description} />
    </PageForm>
  )
}

export const EditApiPage = ({ parameters: { id = "" } }: PageProps) => (
  <OwnApiFormPage id={id} title="Edit the API">
    {(api) => <EditApi api={api} />}
  </OwnApiFormPage>
)
