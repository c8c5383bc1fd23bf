/** Creates a plan. */
import { useState } from "preact/hooks"
import { call } from "../../common/call.ts"
import { TextField } from "../../common/fields.tsx"
import { Form, Submit } from "../../common/form.tsx"
import type { PageProps } from "../../common/page.ts"
import { Page } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link, navigate } from "../../common/router.tsx"
import { MembersOnly } from "../../common/writers-only.tsx"
import { numberField, type OwnApi, pageOf, parentOf, readOwnApi } from "./own-api.ts"

const NewPlan = ({ api }: { readonly api: OwnApi }) => {
  const [name, setName] = useState("")
  const [perMinute, setPerMinute] = useState("")
  const [perMonth, setPerMonth] = useState("")
  return (
    <Form
      label={`Add a plan to ${api.name}`}
      class="form section"
      about={{ "Plan name is already taken": "name" }}
      onSubmit={async () => {
        await call("api-publishing.addPlan", {
          path: { apiId: api.id },
          body: {
            name,
            ...numberField("requestsPerMinute", perMinute),
            ...numberField("requestsPerMonth", perMonth)
          }
        })
        await navigate(pageOf(api.id), { replace: true })
      }}
    >
      <TextField name="name" label="Name" hint="Such as “Free” or “Pro”." value={name} onChange={setName} />
      <div class="fields">
        <TextField
          name="requestsPerMinute"
          label="Requests per minute"
          optional
          hint="Empty: unlimited."
          numeric
          value={perMinute}
          onChange={setPerMinute}
        />
        <TextField
          name="requestsPerMonth"
          label="Requests per month"
          optional
          hint="Empty: unlimited."
          numeric
          value={perMonth}
          onChange={setPerMonth}
        />
      </div>
      <div class="actions-row">
        <Submit>Add plan</Submit>
        <Link to={pageOf(api.id)} class="button quiet">
          Cancel
        </Link>
      </div>
    </Form>
  )
}

export const NewPlanPage = ({ parameters: { id = "" } }: PageProps) => {
  const loaded = useResource((signal) => readOwnApi(id, signal), [id])
  const known = loaded.state.kind === "ready" ? loaded.state.value : undefined
  return (
    <Page
      title="Add a plan"
      parent={parentOf(id, known)}
      intro="A plan cannot be changed later: who has subscribed to it can rely on it."
    >
      <MembersOnly>
        <Loaded of={loaded}>{(api) => <NewPlan api={api} />}</Loaded>
      </MembersOnly>
    </Page>
  )
}
