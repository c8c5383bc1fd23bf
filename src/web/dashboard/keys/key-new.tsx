import { useState } from "preact/hooks"
import {
  keyWarnings,
  knownScopes,
  namedScopes,
  permits,
  scopeWarning,
  warningsOf
} from "../../../keys/scopes-model.ts"
import { type Answer, doorlock } from "../common/call.ts"
import { Snippet } from "../common/copy.tsx"
import { CheckField, SelectField, TextField } from "../common/fields.tsx"
import { useFields } from "../common/form.tsx"
import { KeyMade } from "../common/key-made.tsx"
import { PageForm } from "../common/page-form.tsx"
import { Page } from "../common/parts.tsx"
import { Loaded, useResource } from "../common/resource.tsx"
import { Time } from "../common/time.tsx"
import { createSession, readSessions } from "../kyc/sessions/commands.ts"

type Created = Answer<"apiKeys.create">

const parent = { to: "/dashboard/keys", label: "API keys" }

const lifetimes = [
  ["never", "Never"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
  ["at", "On a date"]
] as const

type Lifetime = (typeof lifetimes)[number][0]

const dayMillis = 86_400_000

/** A selected day ends at midnight in the user's time zone. */
const expiry = (lifetime: Lifetime, day: string): { readonly expiresAt?: string } => {
  if (lifetime === "never") return {}
  if (lifetime !== "at")
    return { expiresAt: new Date(Date.now() + Number(lifetime) * dayMillis).toISOString() }
  const end = new Date(`${day}T23:59:59.999`)
  // The API refuses an invalid day.
  return { expiresAt: Number.isNaN(end.getTime()) ? day : end.toISOString() }
}

/** A curl command ready to paste; undefined if the key permits no call that works without an id. */
const curl = ({ apiKey, token }: Created, instanceKey: string | undefined): string | undefined => {
  if (permits(apiKey.scopes, "kyc:sessions:create") && instanceKey !== undefined) {
    return createSession(token, instanceKey)
  }
  return permits(apiKey.scopes, "kyc:sessions:read") ? readSessions(token) : undefined
}

const Made = ({ created }: { readonly created: Created }) => {
  const { apiKey, token } = created
  const instances = useResource((signal) => doorlock.instances.list({ signal }), [])
  return (
    <KeyMade
      title="Your new key"
      parent={parent}
      intro={`“${apiKey.name}” is ready to use.`}
      label="API key"
      token={token}
      note={
        <>
          {apiKey.expiresAt === null || !apiKey.activeNow ? null : (
            <p class="faint">
              It expires <Time at={apiKey.expiresAt} precise />.
            </p>
          )}
          {warningsOf(apiKey.scopes, apiKey).map((code) => (
            <p key={code} class="alert warning">
              {keyWarnings[code]}
            </p>
          ))}
        </>
      }
    >
      <Loaded of={instances}>
        {({ instances: all }) => {
          const call = curl(created, all.find(({ disabled_at }) => disabled_at === null)?.public_key)
          return call === undefined ? (
            <p class="faint">Every call that this key permits needs more input, so there is no example.</p>
          ) : (
            <Snippet label="A call with this key" text={call} />
          )
        }}
      </Loaded>
    </KeyMade>
  )
}

export const NewKeyPage = () => {
  const { field, values } = useFields({
    name: "",
    scopes: "",
    lifetime: "never" as Lifetime,
    expiresAt: ""
  })
  const [everything, setEverything] = useState(false)
  const [scopes, setScopes] = useState<ReadonlyArray<string>>(["kyc:sessions:create", "kyc:sessions:read"])
  const [created, setCreated] = useState<Created>()
  if (created !== undefined) return <Made created={created} />
  const chosen = everything
    ? ["*", ...scopes.filter((scope) => namedScopes.has(scope))]
    : [...scopes, ...values.scopes.split(/[\s,]+/).filter(Boolean)]
  const warning = scopeWarning(chosen)
  return (
    <Page title="Create an API key" parent={parent}>
      <PageForm
        act="Create key"
        back={parent.to}
        dirty={values.name !== ""}
        onSubmit={async () => {
          const body = { name: values.name, scopes: chosen, ...expiry(values.lifetime, values.expiresAt) }
          setCreated(await doorlock.apiKeys.create(body))
        }}
      >
        <TextField {...field("name")} label="Name" hint="What will use the key, such as “sign-up service”." />
        <fieldset class="choices many">
          <legend>Permissions</legend>
          {Object.entries(knownScopes).map(([scope, label]) => (
            <CheckField
              key={scope}
              label={label}
              hint={scope}
              checked={scopes.includes(scope) || (everything && !namedScopes.has(scope))}
              disabled={everything && !namedScopes.has(scope)}
              onChange={(checked) =>
                setScopes(checked ? [...scopes, scope] : scopes.filter((other) => other !== scope))
              }
            />
          ))}
          <CheckField
            label="Everything, including future scopes, except for those about instances, subscriptions and usage, which you choose separately"
            hint="*"
            checked={everything}
            onChange={setEverything}
          />
        </fieldset>
        {everything ? null : (
          <TextField
            {...field("scopes")}
            label="Other scopes"
            optional
            hint="Separated by spaces. kyc:sessions, for example, includes all scopes that begin with it."
            code
          />
        )}
        <div role="status">{warning === undefined ? null : <p class="alert warning">{warning}</p>}</div>
        <SelectField {...field("lifetime")} label="Expires" choices={lifetimes} />
        {values.lifetime === "at" ? <TextField {...field("expiresAt")} label="Last day" type="date" /> : null}
      </PageForm>
    </Page>
  )
}
