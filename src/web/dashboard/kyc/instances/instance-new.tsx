/** Creates a KYC instance. */
import { call } from "../../common/call.ts"
import { TextField } from "../../common/fields.tsx"
import { Form, Submit, useFields } from "../../common/form.tsx"
import { Page } from "../../common/parts.tsx"
import { Link, navigate } from "../../common/router.tsx"
import { MembersOnly } from "../../common/writers-only.tsx"
import { instancePath } from "./instances.tsx"

export const NewInstancePage = () => {
  const { field, values } = useFields({ name: "" })
  return (
    <Page title="Create an instance" parent={{ to: "/dashboard/instances", label: "Instances" }}>
      <MembersOnly>
        <Form
          label="Create an instance"
          class="form section"
          onSubmit={async () => {
            const { instance } = await call("kyc-instances.create", { body: values })
            await navigate(instancePath(instance.id), { replace: true })
          }}
        >
          <TextField
            {...field("name")}
            label="Name"
            hint="Such as “Customers” or “Drivers”. Your users do not see it."
          />
          <p class="faint">
            It starts with the default steps: consent, personal details, an identity document. You can change
            all of it afterwards.
          </p>
          <div class="actions-row">
            <Submit>Create instance</Submit>
            <Link to="/dashboard/instances" class="button quiet">
              Cancel
            </Link>
          </div>
        </Form>
      </MembersOnly>
    </Page>
  )
}
