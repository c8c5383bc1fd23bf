import { doorlock } from "../../common/call.ts"
import { TextField } from "../../common/fields.tsx"
import { useFields } from "../../common/form.tsx"
import type { PageProps } from "../../common/page.ts"
import { PageForm } from "../../common/page-form.tsx"
import { numberField, OwnApiFormPage, pageOf } from "./own-api.tsx"

const limit = { optional: true, hint: "Leave empty for no limit.", numeric: true }

export const NewPlanPage = ({ parameters: { id = "" } }: PageProps) => {
  const { field, values } = useFields({ name: "", requestsPerMinute: "", requestsPerMonth: "" })
  return (
    <OwnApiFormPage
      id={id}
      title="Add a plan"
      intro="A plan cannot be changed later, because its subscribers rely on it."
    >
      {() => (
        <PageForm
          act="Add plan"
          back={pageOf(id)}
          dirty={Object.values(values).join("") !== ""}
          about={{ "Plan name is already taken": "name" }}
          onSubmit={async (leave) => {
            await doorlock.publishing.createPlan(id, {
              name: values.name,
              ...numberField("requestsPerMinute", values.requestsPerMinute),
              ...numberField("requestsPerMonth", values.requestsPerMonth)
            })
            await leave(pageOf(id))
          }}
        >
          <TextField {...field("name")} label="Name" hint="Such as “Free” or “Pro”." />
          <div class="fields">
            <TextField {...field("requestsPerMinute")} label="Requests per minute" {...limit} />
            <TextField {...field("requestsPerMonth")} label="Requests per month" {...limit} />
          </div>
        </PageForm>
      )}
    </OwnApiFormPage>
  )
}
