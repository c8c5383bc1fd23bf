import { useState } from "preact/hooks"
import { Alert } from "../../../ui/parts.tsx"
import { ApiFailure, call } from "../../common/call.ts"
import type { Answer } from "../../common/contract.ts"
import { SelectField, TextField } from "../../common/fields.tsx"
import { MembersOnly } from "../../common/members-only.tsx"
import type { PageProps } from "../../common/page.ts"
import { PageForm } from "../../common/page-form.tsx"
import { Page } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { KeyMade } from "./key-made.tsx"

type Made = Answer<"marketplace-keys.create">

const readSubscription = async (id: string, signal: AbortSignal) =>
  (await call("marketplace-subscriptions.get", { path: { id }, signal })).subscription

const parentOf = (id: string) => ({
  to: `/dashboard/subscriptions/${encodeURIComponent(id)}`,
  label: "Subscription"
})

const modes = [
  ["live", "Live: calls the API itself, and counts"],
  ["test", "Test: calls its sandbox, and is never billed"]
] as const

export const NewKeyPage = ({ parameters: { id = "" } }: PageProps) => {
  const subscription = useResource((signal) => readSubscription(id, signal), [id])
  const [name, setName] = useState("")
  const [mode, setMode] = useState<(typeof modes)[number][0]>("live")
  const [made, setMade] = useState<Made>()
  const parent = parentOf(id)
  if (made !== undefined && subscription.state.kind === "ready") {
    return (
      <KeyMade
        title="Your new key"
        intro={`“${made.apiKey.name}” works from now on.`}
        made={made}
        apiId={subscription.state.value.api_id}
      />
    )
  }
  return (
    <Page title="Create a key" parent={parent}>
      <MembersOnly>
        <Loaded of={subscription}>
          {({ api }) => (
            <PageForm
              label={`Create a key for ${api.name}`}
              act="Create key"
              back={parent.to}
              onSubmit={async () =>
                setMade(await call("marketplace-keys.create", { path: { id }, body: { name, mode } }))
              }
            >
              <TextField
                name="name"
                label="Name"
                hint={`What will use it to call ${api.name}.`}
                value={name}
                onChange={setName}
              />
              <SelectField
                name="mode"
                label="Kind"
                hint="Test keys call a version’s sandbox. If it has none, they call the API itself, and count towards the plan."
                value={mode}
                choices={modes}
                onChange={setMode}
              />
            </PageForm>
          )}
        </Loaded>
      </MembersOnly>
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
  const [subscription, { apiKeys }] = await Promise.all([
    readSubscription(id, signal),
    call("marketplace-keys.list", { path: { id }, signal })
  ])
  const apiKey = apiKeys.find((known) => known.id === keyId)
  if (apiKey === undefined) throw new ApiFailure(404, "API key not found")
  return { subscription, apiKey }
}

export const RotateKeyPage = ({ parameters: { id = "", keyId = "" } }: PageProps) => {
  const loaded = useResource((signal) => readKey(id, keyId, signal), [id, keyId])
  const [grace, setGrace] = useState<(typeof graces)[number][0]>("86400")
  const [made, setMade] = useState<Made>()
  const parent = parentOf(id)
  if (made !== undefined && loaded.state.kind === "ready") {
    return (
      <KeyMade
        title="Your replacement key"
        intro={
          grace === "0"
            ? "The old one no longer works."
            : "The old one still works for a while. Replace it on your servers before it ends."
        }
        made={made}
        apiId={loaded.state.value.subscription.api_id}
      />
    )
  }
  return (
    <Page
      title="Rotate a key"
      parent={parent}
      intro="Replaces a key without downtime: both keys work for a while."
    >
      <MembersOnly>
        <Loaded of={loaded}>
          {({ apiKey }) =>
            apiKey.activeNow && apiKey.rotated_to === null ? (
              <PageForm
                label={`Rotate ${apiKey.name}`}
                act="Rotate key"
                back={parent.to}
                onSubmit={async () =>
                  setMade(
                    await call("marketplace-keys.rotate", {
                      path: { id: keyId },
                      body: { graceSeconds: Number(grace) }
                    })
                  )
                }
              >
                <p>
                  Replaces “{apiKey.name}” (<code>{apiKey.token_prefix}…</code>).
                </p>
                <SelectField
                  name="graceSeconds"
                  label="How long the old key still works"
                  value={grace}
                  choices={graces}
                  onChange={setGrace}
                />
              </PageForm>
            ) : (
              <Alert tone="info">
                <p>“{apiKey.name}” is revoked, replaced or expired, so it cannot be rotated.</p>
              </Alert>
            )
          }
        </Loaded>
      </MembersOnly>
    </Page>
  )
}
