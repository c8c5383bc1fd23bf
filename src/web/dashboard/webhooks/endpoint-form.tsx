import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { type Answer, doorlock } from "../common/call.ts"
import { CheckField, RadioField, TextField } from "../common/fields.tsx"
import { useFields } from "../common/form.tsx"
import type { PageProps } from "../common/page.ts"
import { PageForm } from "../common/page-form.tsx"
import { Page } from "../common/parts.tsx"
import { Loaded, useResource } from "../common/resource.tsx"
import { type Event, eventTypes } from "../events/event-types.ts"
import { SecretMade } from "./secret.tsx"
import { signings } from "./signings.ts"
import { type Endpoint, endpointPath, loadEndpoint, nameOf } from "./states.tsx"

type Types = Endpoint["event_types"]

/** Without tests, which every endpoint receives. */
const known = (Object.keys(eventTypes) as ReadonlyArray<Event["type"]>).filter(
  (type) => type !== "webhook.test"
)

interface TypesFieldProps {
  readonly value: Types
  readonly onChange: (types: Types) => void
}

/** Which events an endpoint gets; null means all. */
const TypesField = ({ onChange, value }: TypesFieldProps) => (
  <>
    <fieldset class="choices types">
      <legend>Events</legend>
      <CheckField
        label="All, including types added later"
        checked={value === null}
        onChange={(all) => onChange(all ? null : [])}
      />
      {value === null
        ? null
        : known.map((type) => (
            <CheckField
              key={type}
              label={eventTypes[type]}
              hint={type}
              checked={value.includes(type)}
              onChange={(chosen) =>
                onChange(known.filter((one) => (one === type ? chosen : value.includes(one))))
              }
            />
          ))}
    </fieldset>
    <div role="status">
      {value?.length === 0 ? (
        <p class="alert warning">An endpoint without types receives only tests.</p>
      ) : null}
    </div>
  </>
)

interface EndpointFormProps {
  readonly act: string
  readonly back: string
  readonly initial: Pick<Endpoint, "url" | "description" | "event_types">
  /** More fields. */
  readonly children?: ComponentChildren
  readonly onSave: (
    body: { readonly url: string; readonly description: string | null; readonly eventTypes: Types },
    leave: (to: string) => Promise<void>
  ) => Promise<void>
}

const EndpointForm = ({ act, back, children, initial, onSave }: EndpointFormProps) => {
  const { field, values } = useFields({ url: initial.url, description: initial.description ?? "" })
  const [types, setTypes] = useState<Types>(initial.event_types)
  return (
    <PageForm
      act={act}
      back={back}
      dirty={
        values.url !== initial.url ||
        values.description !== (initial.description ?? "") ||
        String(types) !== String(initial.event_types)
      }
      onSubmit={(leave) =>
        onSave(
          { url: values.url.trim(), description: values.description.trim() || null, eventTypes: types },
          leave
        )
      }
    >
      <TextField
        {...field("url")}
        label="URL"
        type="url"
        placeholder="https://example.com/webhooks/doorlock"
        hint="Your server's address for POST requests. It starts with https; a doorlock on your own computer also accepts http://localhost."
      />
      <TextField
        {...field("description")}
        label="Description"
        optional
        hint="What receives the events, such as “production”."
      />
      <TypesField value={types} onChange={setTypes} />
      {children}
    </PageForm>
  )
}

export const NewEndpointPage = () => {
  const [made, setMade] = useState<Answer<"webhooks.create">>()
  const [signing, setSigning] = useState<Endpoint["signing"]>("v1")
  if (made !== undefined) {
    return (
      <SecretMade
        title="Your new endpoint"
        intro={`doorlock sends events to “${nameOf(made.endpoint)}” from now on.`}
        endpoint={made.endpoint}
        made={{ secret: made.secret, public_key: made.endpoint.public_key ?? undefined }}
      />
    )
  }
  return (
    <Page title="Add an endpoint" parent={{ to: "/dashboard/webhooks", label: "Webhooks" }}>
      <EndpointForm
        act="Add endpoint"
        back="/dashboard/webhooks"
        initial={{ url: "", description: null, event_types: null }}
        onSave={async (body) => setMade(await doorlock.webhooks.create({ ...body, signing }))}
      >
        <RadioField
          name="signing"
          label="Signatures"
          value={signing}
          onChange={setSigning}
          choices={(["v1", "v1a"] as const).map((value) => ({
            value,
            label: signings[value].label,
            hint: signings[value].meaning
          }))}
        />
      </EndpointForm>
    </Page>
  )
}

export const EditEndpointPage = ({ parameters: { id = "" } }: PageProps) => {
  const loaded = useResource((signal) => loadEndpoint(id, signal), [id])
  return (
    <Page title="Edit the endpoint" parent={{ to: endpointPath(id), label: "Endpoint" }}>
      <Loaded of={loaded}>
        {(endpoint) => (
          <EndpointForm
            act="Save"
            back={endpointPath(id)}
            initial={endpoint}
            onSave={async (body, leave) => {
              await doorlock.webhooks.update(id, body)
              await leave(endpointPath(id))
            }}
          />
        )}
      </Loaded>
    </Page>
  )
}
