/** One KYC instance: its name, how to use it, and whether it is in use. */
import { useState } from "preact/hooks"
import { Alert, Button } from "../../../ui/parts.tsx"
import { useMayWrite } from "../../common/account.ts"
import { call } from "../../common/call.ts"
import { Copy, Snippet } from "../../common/copy.tsx"
import { Confirm } from "../../common/dialog.tsx"
import { TextField } from "../../common/fields.tsx"
import { Form, Submit } from "../../common/form.tsx"
import type { PageProps } from "../../common/page.ts"
import { Facts, Page, Section } from "../../common/parts.tsx"
import { Loaded, type Resource, useResource } from "../../common/resource.tsx"
import { Link } from "../../common/router.tsx"
import { apiAddress } from "../../common/surroundings.ts"
import { Time } from "../../common/time.tsx"
import { TestSession } from "../sessions/test-session.tsx"
import { type Instance, InstanceState, instancePath } from "./instances.tsx"

const creating = ({ public_key }: Instance): string =>
  [
    `curl ${apiAddress()}/api/kyc/public/sessions \\`,
    "  -H 'x-api-key: YOUR_API_KEY' \\",
    "  -H 'content-type: application/json' \\",
    `  -d '{"instanceKey":"${public_key}","externalReference":"customer-42"}'`
  ].join("\n")

const embedding = (): string =>
  [
    '<div id="kyc"></div>',
    `<script src="${apiAddress()}/kyc/embed.js"></script>`,
    "<script>",
    '  doorlock.mount("#kyc", { verificationUrl })',
    "</script>"
  ].join("\n")

const reading = (): string =>
  [`curl ${apiAddress()}/api/kyc/sessions/SESSION_ID \\`, "  -H 'x-api-key: YOUR_API_KEY'"].join("\n")

interface ShownProps {
  readonly instance: Instance
  readonly onChange: (instance: Instance) => void
}

const Rename = ({ instance, onChange }: ShownProps) => {
  const [name, setName] = useState(instance.name)
  const [renamed, setRenamed] = useState(false)
  return (
    <Section title="Rename it">
      <Form
        onSubmit={async () => {
          const changed = await call("kyc-instances.update", {
            path: { id: instance.id },
            body: {
              name
            }
          })
          setName(changed.instance.name)
          setRenamed(true)
          onChange(changed.instance)
        }}
      >
        <TextField
          name="name"
          label="Name"
          hint="Your users do not see it."
          value={name}
          onChange={(text) => {
            setRenamed(false)
            setName(text)
          }}
        />
        <div class="actions-row">
          <Submit>Rename</Submit>
          <span role="status" class="copied">
            {renamed ? "Renamed" : ""}
          </span>
        </div>
      </Form>
    </Section>
  )
}

const Disable = ({ instance, onChange }: ShownProps) => {
  const [asking, setAsking] = useState(false)
  const disabled = instance.disabled_at !== null
  const change = async () => {
    const { instance: changed } = await call("kyc-instances.update", {
      path: { id: instance.id },
      body: { disabled: !disabled }
    })
    onChange(changed)
  }
  return (
    <Section
      title={disabled ? "Enable it again" : "Disable it"}
      intro={
        disabled
          ? "Sessions can then be created of it as before."
          : "No session can be created of it any more. Those that exist go on."
      }
    >
      <Button look={disabled ? "secondary" : "danger"} onClick={() => setAsking(true)}>
        {disabled ? "Enable" : "Disable"}
      </Button>
      {asking ? (
        <Confirm
          title={disabled ? `Enable “${instance.name}”?` : `Disable “${instance.name}”?`}
          act={disabled ? "Enable" : "Disable"}
          danger={!disabled}
          onConfirm={change}
          onClose={() => setAsking(false)}
        >
          <p>
            {disabled
              ? "Your servers can create sessions of it again."
              : "Your servers' calls that create sessions of it are answered with 404 from now on. You can enable it again at any time."}
          </p>
        </Confirm>
      ) : null}
    </Section>
  )
}

const InstanceShown = ({ instance, onChange }: ShownProps) => {
  const mayWrite = useMayWrite()
  return (
    <>
      {instance.disabled_at === null ? null : (
        <Alert tone="warning">
          <p>
            Disabled <Time at={instance.disabled_at} />: no session can be created of it.
          </p>
        </Alert>
      )}
      <Section title="About">
        <Facts
          of={[
            ["State", <InstanceState key="state" instance={instance} />],
            [
              "Public key",
              <span key="key" class="with-copy">
                <code>{instance.public_key}</code> <Copy text={instance.public_key} what="public key" />
              </span>
            ],
            ["Id", <code key="id">{instance.id}</code>],
            ["Created", <Time key="created" at={instance.created_at} precise />]
          ]}
        />
      </Section>
      <Section
        title="Use it"
        intro="Your server creates a session, and sends the user to the verificationUrl of the answer."
      >
        <Snippet label="Create a session" text={creating(instance)} />
        <Snippet label="Show it within a page of yours" text={embedding()} />
        <Snippet label="Read what came of it" text={reading()} />
        <p>
          You need <Link to="/dashboard/keys">an API key</Link>. The whole API is described in{" "}
          <a href="/docs">the documentation</a>.
        </p>
      </Section>
      {mayWrite ? (
        <>
          <Rename instance={instance} onChange={onChange} />
          <Disable instance={instance} onChange={onChange} />
        </>
      ) : null}
    </>
  )
}

const actionsOf = ({ state }: Resource<{ readonly instance: Instance }>, mayWrite: boolean) => {
  if (state.kind !== "ready") return {}
  const { disabled_at, id } = state.value.instance
  return {
    actions: (
      <>
        <Link to={`/dashboard/sessions?instance=${encodeURIComponent(id)}`} class="button">
          Sessions
        </Link>
        {mayWrite && disabled_at === null ? <TestSession instanceId={id} /> : null}
        <Link to={`${instancePath(id)}/edit`} class="button primary">
          {mayWrite ? "Edit page and steps" : "See page and steps"}
        </Link>
      </>
    )
  }
}

export const InstancePage = ({ parameters: { id = "" } }: PageProps) => {
  const mayWrite = useMayWrite()
  const loaded = useResource((signal) => call("kyc-instances.get", { path: { id }, signal }), [id])
  return (
    <Page
      title={loaded.state.kind === "ready" ? loaded.state.value.instance.name : "Instance"}
      parent={{ to: "/dashboard/instances", label: "Instances" }}
      {...actionsOf(loaded, mayWrite)}
    >
      <Loaded of={loaded}>
        {({ instance }) => (
          <InstanceShown
            instance={instance}
            onChange={(changed) => loaded.set(() => ({ instance: changed }))}
          />
        )}
      </Loaded>
    </Page>
  )
}
