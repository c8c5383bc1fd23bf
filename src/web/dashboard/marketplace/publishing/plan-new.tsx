/** Creates a plan. */
import { useState } from "preact/hooks"
import { call } from "../../common/call.ts"
import { TextField } from "../../common/fields.tsx"
import type { PageProps } from "../../common/page.ts"
import { PageForm } from "../page-form.tsx"
import { numberField, type OwnApi, pageOf } from "./own-api.ts"
import { OwnApiFormPage } from "./own-api-form.tsx"

const limits = [
  { name: "requestsPerMinute", label: "Requests per minute" },
  { name: "requestsPerMonth", label: "Requests per month" }
] as const

const NewPlan = ({ api }: { readonly api: OwnApi }) => {
  const [name, setName] = useState("")
  const [given, setGiven] = useState({ requestsPerMinute: "", requestsPerMonth: "" })
  return (
    <PageForm
      label={`Add a plan to ${api.name}`}
      act="Add plan"
      back={pageOf(api.id)}
      about={{ "Plan name is already taken": "name" }}
      onSubmit={async (leave) => {
        await call("api-publishing.addPlan", {
          path: { apiId: api.id },
          body: {
            name,
            ...numberField("requestsPerMinute", given.requestsPerMinute),
            ...numberField("requestsPerMonth", given.requestsPerMonth)
          }
        })
        await leave(pageOf(api.id))
      }}
    >
      <TextField name="name" label="Name" hint="Such as “Free” or “Pro”." value={name} onChange={setName} />
      <div class="fields">
        {limits.map((limit) => (
          <TextField
            key={limit.name}
            {...limit}
            optional
            hint="Empty: unlimited."
            numeric
            value={given[limit.name]}
            onChange={(value) => setGiven({ ...given, [limit.name]: value })}
          />
        ))}
      </div>
    </PageForm>
  )
}

export const NewPlanPage = ({ parameters: { id = "" } }: PageProps) => (
  <OwnApiFormPage
    id={id}
    title="Add a plan"
    intro="A plan cannot be changed later, because its subscribers rely on it."
  >
    {(api) => <NewPlan api={api} />}
  </OwnApiFormPage>
)
