/** The company's KYC instances. */
import { useMayWrite } from "../../common/account.ts"
import { call } from "../../common/call.ts"
import type { Answer } from "../../common/contract.ts"
import { Badge, Empty, Page } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link } from "../../common/router.tsx"
import { LongTable } from "../../common/table.tsx"
import { Time } from "../../common/time.tsx"

export type Instance = Answer<"kyc-instances.list">["instances"][number]

export const InstanceState = ({ instance }: { readonly instance: Pick<Instance, "disabled_at"> }) =>
  instance.disabled_at === null ? <Badge tone="good">Active</Badge> : <Badge tone="problem">Disabled</Badge>

export const instancePath = (id: string): string => `/dashboard/instances/${encodeURIComponent(id)}`

const newInstance = (
  <Link to="/dashboard/instances/new" class="button primary">
    Create instance
  </Link>
)

export const InstancesPage = () => {
  const mayWrite = useMayWrite()
  const loaded = useResource((signal) => call("kyc-instances.list", { signal }), [])
  return (
    <Page
      title="Instances"
      intro="An instance is one verification flow: what your users are asked for, and how the page looks."
      {...(mayWrite ? { actions: newInstance } : {})}
    >
      <Loaded of={loaded}>
        {({ instances }) =>
          instances.length === 0 ? (
            <Empty title="No instances yet" {...(mayWrite ? { action: newInstance } : {})}>
              Create one, try it yourself, and let your server send people to it.
            </Empty>
          ) : (
            <LongTable
              label="KYC instances, newest first"
              rows={instances}
              keyOf={({ id }) => id}
              columns={[
                { label: "Name", cell: ({ id, name }) => <Link to={instancePath(id)}>{name}</Link> },
                { label: "State", cell: (instance) => <InstanceState instance={instance} /> },
                { label: "Public key", cell: ({ public_key }) => <code>{public_key}</code> },
                { label: "Created", cell: ({ created_at }) => <Time at={created_at} /> }
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  )
}
