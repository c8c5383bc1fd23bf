import { useState } from "preact/hooks"
import { useMayWrite } from "../../common/account.ts"
import { doorlock } from "../../common/call.ts"
import { Copy, Snippet } from "../../common/copy.tsx"
import { ConfirmButton } from "../../common/dialog.tsx"
import { TextField } from "../../common/fields.tsx"
import { Form, Submit } from "../../common/form.tsx"
import type { PageProps } from "../../common/page.ts"
import { Facts, Page, Section } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link } from "../../common/router.tsx"
import { apiAddress } from "../../common/surroundings.ts"
import { Time } from "../../common/time.tsx"
import { createSession, readSessions } from "../sessions/commands.ts"
import { TestSession } from "../sessions/test-session.tsx"
import { DisabledNotice, type Instance, InstanceState, instancePath } from "./instances.tsx"

const embedding = (): string =>
  [
    '<div id="kyc"></div>',
    `<script src="${apiAddress()}/kyc/embed.js"></script>`,
    "<script>",
    '  doorlock.mount("#kyc", { verificationUrl })',
    "</script>"
  ].join("\n")

interface ShownProps {
  readonly instance: Instance
  readonly onChange: (instance: Instance) => void
}

const Rename = ({ instance: { id, name: known }, onChange }: ShownProps) => {
  const [name, setName] = useState(known)
  const [renamed, setRenamed] = useState(false)
  return (
    <Section title="Rename this instance">
      <Form
        onSubmit={async () => {
          const { instance: changed } = await doorlock.instances.update(id, { name })
          setName(changed.name)
          setRenamed(true)
          onChange(changed)
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
        <div class="row">
          <Submit>Rename</Submit>
          <span role="status" class="copied">
            {renamed ? "Renamed" : ""}
          </span>
        </div>
      </Form>
    </Section>
  )
}

const switches = {
  disable: {
    act: "Disable",
    title: "Disable this instance",
    intro: "No more sessions can be created from this instance. Existing sessions continue.",
    effect: "Your servers get a 404 when they create a session with it. You can enable it again at any time."
  },
  enable: {
    act: "Enable",
    title: "Enable this instance",
    intro: "Sessions can then be created from this instance again.",
    effect: "Your servers can create sessions with it again."
  }
} as const

const Disable = ({ instance: { disabled_at, id, name }, onChange }: ShownProps) => {
  const isActive = disabled_at === null
  const { act, effect, intro, title } = switches[isActive ? "disable" : "enable"]
  return (
    <Section title={title} intro={intro}>
      <ConfirmButton
        label={act}
        look={isActive ? "danger" : "secondary"}
        title={`${act} “${name}”?`}
        act={act}
        danger={isActive}
        onConfirm={async () => {
          const body = { disabled: isActive }
          onChange((await doorlock.instances.update(id, body)).instance)
        }}
      >
        <p>{effect}</p>
      </ConfirmButton>
    </Section>
  )
}

const InstanceShown = ({ instance, onChange }: ShownProps) => {
  const mayWrite = useMayWrite()
  return (
    <>
      <DisabledNotice instance={instance} />
      <div class={mayWrite ? "columns" : undefined}>
        <div>
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
            title="Use this instance"
            intro="Your server creates a session and sends the user to the verificationUrl in the response."
          >
            <Snippet label="Create a session" text={createSession("YOUR_API_KEY", instance.public_key)} />
            <Snippet label="Embed it in your page" text={embedding()} />
            <p>
              Browsers show it only on pages whose origin this instance lists: see <strong>Embedding</strong>{" "}
              among its <Link to={`${instancePath(instance.id)}/edit`}>page settings</Link>.
            </p>
            <Snippet label="Read the result" text={readSessions("YOUR_API_KEY", "SESSION_ID")} />
            <p>
              You need <Link to="/dashboard/keys">an API key</Link>. The whole API is described in{" "}
              <a href="/docs">the documentation</a>.
            </p>
          </Section>
        </div>
        {mayWrite ? (
          <div>
            <Rename instance={instance} onChange={onChange} />
            <Disable instance={instance} onChange={onChange} />
          </div>
        ) : null}
      </div>
    </>
  )
}

const Actions = ({ instance: { disabled_at, id } }: Pick<ShownProps, "instance">) => {
  const mayWrite = useMayWrite()
  return (
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

export const InstancePage = ({ parameters: { id = "" } }: PageProps) => {
  const loaded = useResource((signal) => doorlock.instances.get(id, { signal }), [id])
  const known = loaded.value?.instance
  return (
    <Page
      title={known?.name ?? "Instance"}
      parent={{ to: "/dashboard/instances", label: "Instances" }}
      actions={known && <Actions instance={known} />}
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
