/** Creates a KYC instance. */
import { useState } from "preact/hooks"
import { call } from "../../common/call.ts"
import { TextField } from "../../common/fields.tsx"
import { Form, Submit } from "../../common/form.tsx"
import { Page } from "../../common/parts.tsx"
import { Link, navigate } from "../../common/router.tsx"
import { MembersOnly } from "../../common/writers-only.tsx"
import { instancePath } from "./instances.tsx"

export const NewInstancePage = () => {
  const [name, setName] = useState("")
  return (
    <Page title="Create an instance" parent={{ to: "/dashboard/instances", label: "Instances" }}>
      <MembersOnly>
        <Form
          label="Create an instance"
          class="form section"
          onSubmit={async () => {
            const { instance } = await call("kyc-instances.create", { body: { name } })
            await navigate(instancePath(instance.id), { replace: true })
          }}
        >
          <TextField
            name="name"
            label="Name"
            hint="For yourselves; your users do not see it. Such as “Customers” or “Drivers”."
            value={name}
            onChange={setName}
          />
          <p class="faint">
            It begins with the usual steps: consent, personal details, an identity document. All of it can be
            changed then.
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
