import { Icon } from "../../../brand/drawn.tsx"
import { Alert } from "../../../ui/parts.tsx"
import { type Answer, doorlock } from "../../common/call.ts"
import { TextField } from "../../common/fields.tsx"
import { useFields } from "../../common/form.tsx"
import { PageForm } from "../../common/page-form.tsx"
import { Badge, Empty, Page } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link } from "../../common/router.tsx"
import { LongTable } from "../../common/table.tsx"
import { Time } from "../../common/time.tsx"
import { WriteAccessLink } from "../../common/write-access.tsx"

export type Instance = Answer<"instances.list">["instances"][number]

export const InstanceState = ({ instance }: { readonly instance: Pick<Instance, "disabled_at"> }) =>
  instance.disabled_at === null ? <Badge tone="good">Active</Badge> : <Badge tone="problem">Disabled</Badge>

export const DisabledNotice = ({ instance: { disabled_at } }: { readonly instance: Instance }) =>
  disabled_at === null ? null : (
    <Alert tone="warning">
      <p>
        Disabled <Time at={disabled_at} />: no session can be created with it.
      </p>
    </Alert>
  )

export const instancePath = (id: string): string => `/dashboard/instances/${encodeURIComponent(id)}`

const newInstance = (
  <WriteAccessLink to="/dashboard/instances/new" class="button primary">
    <Icon name="add" /> Create instance
  </WriteAccessLink>
)

export const InstancesPage = () => {
  const loaded = useResource((signal) => doorlock.instances.list({ signal }), [])
  return (
    <Page
      title="Instances"
      intro="An instance is one verification flow: what your users are asked for, and how the page looks."
      actions={newInstance}
    >
      <Loaded of={loaded}>
        {({ instances }) => (
          <LongTable
            label="KYC instances, newest first"
            rows={instances}
            empty={
              <Empty icon="instances" title="No instances yet" action={newInstance}>
                Create an instance, try the verification yourself, then let your server send people to it.
              </Empty>
            }
            columns={[
              { label: "Name", cell: ({ id, name }) => <Link to={instancePath(id)}>{name}</Link> },
              { label: "State", cell: (instance) => <InstanceState instance={instance} /> },
              { label: "Public key", cell: ({ public_key }) => <code>{public_key}</code> },
              { label: "Created", cell: ({ created_at }) => <Time at={created_at} /> }
            ]}
          />
        )}
      </Loaded>
    </Page>
  )
}

export const NewInstancePage = () => {
  const { field, values } = useFields({ name: "" })
  return (
    <Page title="Create an instance" parent={{ to: "/dashboard/instances", label: "Instances" }}>
      <PageForm
        act="Create instance"
        back="/dashboard/instances"
        onSubmit={async (leave) => {
          const { instance } = await doorlock.instances.create(values)
          await leave(instancePath(instance.id))
        }}
      >
        <TextField
          {...field("name")}
          label="Name"
          hint="Such as “Customers” or “Drivers”. Your users do not see it."
        />
        <p class="faint">
          A new instance has the default steps: consent, an identity document and personal details. You can
          change them later.
        </p>
      </PageForm>
    </Page>
  )
}
