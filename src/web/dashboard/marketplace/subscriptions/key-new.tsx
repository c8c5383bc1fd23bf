import { useState } from "preact/hooks"
import { Alert } from "../../../ui/parts.tsx"
import { type Answer, ApiFailure, doorlock } from "../../common/call.ts"
import { SelectField, TextField } from "../../common/fields.tsx"
import { useFields } from "../../common/form.tsx"
import type { PageProps } from "../../common/page.ts"
import { PageForm } from "../../common/page-form.tsx"
import { Page } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { SubscriptionKeyMade } from "./key-made.tsx"
import { subscriptionPath } from "./subscriptions.tsx"

type Made = Answer<"marketplaceKeys.create">

const parentOf = (id: string) => ({ to: subscriptionPath(id), label: "Subscription" })

const modes = [
  ["live", "Live: calls the API itself, and counts towards the plan"],
  ["test", "Test: calls its sandbox, and is never billed"]
] as const

export const NewKeyPage = ({ parameters: { id = "" } }: PageProps) => {
  const subscription = useResource((signal) => doorlock.subscriptions.get(id, { signal }), [id])
  const { field, values } = useFields({ name: "", mode: "live" as (typeof modes)[number][0] })
  const [made, setMade] = useState<Made>()
  const parent = parentOf(id)
  if (made !== undefined) {
    return (
      <SubscriptionKeyMade
        title="Your new key"
        intro={`“${made.apiKey.name}” is ready to use.`}
        made={made}
      />
    )
  }
  return (
    <Page title="Create a key" parent={parent}>
      <Loaded of={subscription}>
        {({ subscription: { api } }) => (
          <PageForm
            act="Create key"
            back={parent.to}
            onSubmit={async () => setMade(await doorlock.marketplaceKeys.create(id, values))}
          >
            <TextField {...field("name")} label="Name" hint={`What will use the key to call ${api.name}.`} />
            <SelectField
              {...field("mode")}
              label="Kind"
              hint="Test keys call a version’s sandbox. If it has none, they call the API itself, and count towards the plan."
              choices={modes}
            />
          </PageForm>
        )}
      </Loaded>
    </Page>
  )
}

const graces = [
  ["0", "It ends immediately"],
  ["3600", "For an hour"],
  ["86400", "For a day"],
  ["604800", "For a week"]
] as const

const readKey = async (id: string, keyId: string, signal: AbortSignal) => {
  const { apiKeys } = await doorlock.marketplaceKeys.list(id, { signal })
  const apiKey = apiKeys.find((known) => known.id === keyId)
  if (apiKey === undefined) throw new ApiFailure(404, "API key not found")
  return apiKey
}

export const RotateKeyPage = ({ parameters: { id = "", keyId = "" } }: PageProps) => {
  const key = useResource((signal) => readKey(id, keyId, signal), [id, keyId])
  const { field, values } = useFields({ graceSeconds: "86400" as (typeof graces)[number][0] })
  const [made, setMade] = useState<Made>()
  const parent = parentOf(id)
  if (made !== undefined) {
    return (
      <SubscriptionKeyMade
        title="Your replacement key"
        intro={
          values.graceSeconds === "0"
            ? "The old one no longer works."
            : "The old one still works for a while. Replace it on your servers before it ends."
        }
        made={made}
      />
    )
  }
  return (
    <Page
      title="Rotate a key"
      parent={parent}
      intro="Replaces a key without downtime: both keys work for a while."
    >
      <Loaded of={key}>
        {(apiKey) =>
          apiKey.activeNow && apiKey.rotated_to === null ? (
            <PageForm
              act="Rotate key"
              back={parent.to}
              onSubmit={async () => {
                const body = { graceSeconds: Number(values.graceSeconds) }
                setMade(await doorlock.marketplaceKeys.rotate(keyId, body))
              }}
            >
              <p>
                Replaces “{apiKey.name}” (<code>{apiKey.token_prefix}…</code>).
              </p>
              <SelectField
                {...field("graceSeconds")}
                label="How long the old key keeps working"
                choices={graces}
              />
            </PageForm>
          ) : (
            <Alert tone="info">
              <p>“{apiKey.name}” is revoked, replaced or expired, so it cannot be rotated.</p>
            </Alert>
          )
        }
      </Loaded>
    </Page>
  )
}
