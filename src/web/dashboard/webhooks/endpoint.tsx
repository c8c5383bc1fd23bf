import { useRef } from "preact/hooks"
import { Alert } from "../../ui/parts.tsx"
import { useMayWrite } from "../common/account.ts"
import { doorlock } from "../common/call.ts"
import { Copy } from "../common/copy.tsx"
import { ConfirmButton } from "../common/dialog.tsx"
import { useLive } from "../common/live.ts"
import type { PageProps } from "../common/page.ts"
import { Facts, Page, Section } from "../common/parts.tsx"
import { Loaded, useResource } from "../common/resource.tsx"
import { navigate } from "../common/router.tsx"
import { Time } from "../common/time.tsx"
import { WriteAccessLink } from "../common/write-access.tsx"
import { eventTypes } from "../events/event-types.ts"
import { Deliveries } from "./deliveries.tsx"
import { Health } from "./health.tsx"
import { Recover } from "./recover.tsx"
import { signings } from "./signings.ts"
import {
  disabledReasons,
  type Endpoint,
  EndpointReason,
  EndpointState,
  endpointPath,
  loadEndpoint,
  nameOf
} from "./states.tsx"
import { Drill, SendTest } from "./trying.tsx"

const About = ({ endpoint }: { readonly endpoint: Endpoint }) => (
  <Section
    title="About"
    actions={
      <WriteAccessLink to={`${endpointPath(endpoint.id)}/edit`} class="button">
        Edit
      </WriteAccessLink>
    }
  >
    <Facts
      of={[
        [
          "Status",
          <div key="status">
            <EndpointState {...endpoint} />
            <span class="under">
              <EndpointReason {...endpoint} />
            </span>
          </div>
        ],
        ["URL", <code key="url">{endpoint.url}</code>],
        [
          "Events",
          endpoint.event_types === null
            ? "All, including types added later"
            : endpoint.event_types.map((type) => eventTypes[type]).join(", ") || "Only tests"
        ],
        ["Signatures", signings[endpoint.signing].label],
        [
          "Public key",
          endpoint.public_key === null ? undefined : (
            <span key="key" class="with-copy">
              <code>{endpoint.public_key}</code> <Copy text={endpoint.public_key} what="public key" />
            </span>
          )
        ],
        ["Created", <Time key="created" at={endpoint.created_at} precise />],
        ["Id", <code key="id">{endpoint.id}</code>]
      ]}
    />
  </Section>
)

interface SwitchProps {
  readonly endpoint: Endpoint
  readonly reload: () => Promise<unknown>
}

/** One button that enables or disables: it keeps the focus when it becomes the other. */
const Switch = ({ endpoint: { id, status }, reload }: SwitchProps) => {
  const isEnabled = status === "enabled"
  return (
    <ConfirmButton
      label={isEnabled ? "Disable" : "Enable"}
      title={isEnabled ? "Disable this endpoint?" : "Enable this endpoint?"}
      act={isEnabled ? "Disable endpoint" : "Enable endpoint"}
      danger={isEnabled}
      onConfirm={async () => {
        await doorlock.webhooks.update(id, { status: isEnabled ? "disabled" : "enabled" })
        // The question closes first: the answer changes its words.
        void reload()
      }}
    >
      <p>
        {isEnabled
          ? "doorlock sends nothing to this endpoint until you enable it again. Its events are held for 30 days."
          : "New events are sent from now on. To send those that were held meanwhile, recover them on this page."}
      </p>
    </ConfirmButton>
  )
}

const Remove = ({ id, name }: { readonly id: string; readonly name: string }) => (
  <ConfirmButton
    label="Remove"
    title={`Remove “${name}”?`}
    act="Remove endpoint"
    onConfirm={async () => {
      await doorlock.webhooks.remove(id)
      await navigate("/dashboard/webhooks", { replace: true })
    }}
  >
    <p>
      Events that wait for this endpoint will not be sent, and its deliveries will no longer be shown. This
      cannot be undone.
    </p>
  </ConfirmButton>
)

const Secret = ({ endpoint: { id, signing } }: { readonly endpoint: Endpoint }) => {
  const { advice, rotate, title } = signings[signing]
  return (
    <Section title={title} intro={advice}>
      <WriteAccessLink to={`${endpointPath(id)}/rotate`} class="button">
        {rotate}
      </WriteAccessLink>
    </Section>
  )
}

const EndpointShown = ({ endpoint }: { readonly endpoint: Endpoint }) => {
  const mayWrite = useMayWrite()
  const deliveries = useRef<HTMLElement>(null)
  return (
    <>
      {endpoint.disabled_reason === null ? null : (
        <Alert tone="warning" title="Nothing is sent to this endpoint">
          <p>{disabledReasons[endpoint.disabled_reason]}</p>
          <p>Its events are held for 30 days. Once it is enabled, recover them.</p>
        </Alert>
      )}
      <div class={mayWrite ? "endpoint" : undefined}>
        <div>
          <Health endpoint={endpoint} onChoose={() => deliveries.current?.focus()} />
          <About endpoint={endpoint} />
        </div>
        {mayWrite ? (
          <div>
            <Recover id={endpoint.id} />
            <Secret endpoint={endpoint} />
          </div>
        ) : null}
      </div>
      {mayWrite ? <Drill id={endpoint.id} /> : null}
      {/* The last, because it grows while one looks. */}
      <Deliveries endpoint={endpoint} boxRef={deliveries} />
    </>
  )
}

export const EndpointPage = ({ parameters: { id = "" } }: PageProps) => {
  const mayWrite = useMayWrite()
  const loaded = useResource((signal) => loadEndpoint(id, signal), [id])
  useLive(loaded.refresh)
  const known = loaded.value
  return (
    <Page
      title={known === undefined ? "Endpoint" : nameOf(known)}
      parent={{ to: "/dashboard/webhooks", label: "Webhooks" }}
      actions={
        known !== undefined && mayWrite ? (
          <>
            <SendTest id={id} />
            <Switch endpoint={known} reload={loaded.refresh} />
            <Remove id={id} name={nameOf(known)} />
          </>
        ) : undefined
      }
    >
      <Loaded of={loaded}>{(endpoint) => <EndpointShown endpoint={endpoint} />}</Loaded>
    </Page>
  )
}
