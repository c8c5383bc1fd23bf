/** The secret of an endpoint, shown once with code to verify signatures, or its public key; and their rotation. */
import type { ComponentProps } from "preact"
import { useState } from "preact/hooks"
import { type Answer, doorlock } from "../common/call.ts"
import { Snippet } from "../common/copy.tsx"
import { SelectField } from "../common/fields.tsx"
import { useFields } from "../common/form.tsx"
import { KeyMade } from "../common/key-made.tsx"
import type { PageProps } from "../common/page.ts"
import { PageForm } from "../common/page-form.tsx"
import { Page, Section } from "../common/parts.tsx"
import { Loaded, useResource } from "../common/resource.tsx"
import { Link } from "../common/router.tsx"
import { signings } from "./signings.ts"
import { type Endpoint, endpointPath, loadEndpoint, nameOf } from "./states.tsx"
import { byKey, bySecret, forgedRequest, signedRequest } from "./verifying.ts"

interface SecretMadeProps extends Pick<ComponentProps<typeof Page>, "title" | "intro"> {
  readonly endpoint: Pick<Endpoint, "id" | "url">
  /** The secret, or the public key with which receivers verify instead. */
  readonly made: { readonly secret?: string | undefined; readonly public_key?: string | undefined }
}

const advice =
  "Anyone can call your address, so refuse requests whose signature is wrong. Verify the body as you received it, before you parse it."

/** The page of a new secret, or of a new public key. */
export const SecretMade = ({ endpoint, made: { public_key, secret }, ...head }: SecretMadeProps) => {
  const parent = { to: endpointPath(endpoint.id), label: "Endpoint" }
  return secret === undefined ? (
    <Page {...head} parent={parent}>
      <Section
        title="Public key"
        intro="Your server verifies signatures with it. It is not a secret, and the endpoint's page shows it too."
      >
        <Snippet label="Public key" text={public_key ?? ""} />
      </Section>
      <Section title="Verify signatures" intro={advice}>
        <Snippet label="TypeScript" text={byKey.typescript} />
        <Snippet label="Python" text={byKey.python} />
        <p>
          Only doorlock can sign, so this request from a terminal is forged, and your code must refuse it. For
          a good one, use “Send a test” on the endpoint's page.
        </p>
        <Snippet label="curl" text={forgedRequest(endpoint.url)} />
      </Section>
      <p>
        <Link to={parent.to} class="button">
          Go to the endpoint
        </Link>
      </p>
    </Page>
  ) : (
    <KeyMade
      {...head}
      parent={parent}
      label="Signing secret"
      token={secret}
      once="The secret is shown only once."
      use="Verify signatures"
    >
      <p>{advice}</p>
      <Snippet label="TypeScript" text={bySecret.typescript} />
      <Snippet label="Python" text={bySecret.python} />
      <p>To try your code, send it a signed request from a terminal:</p>
      <Snippet label="curl" text={signedRequest(endpoint.url, secret)} />
    </KeyMade>
  )
}

const overlaps = [
  ["86400", "In a day"],
  ["0", "At once"],
  ["3600", "In an hour"],
  ["604800", "In a week"]
] as const

type Overlap = (typeof overlaps)[number][0]

interface RotateProps {
  readonly endpoint: Endpoint
  readonly onMade: (made: Answer<"webhooks.rotateSecret">) => void
}

const Rotate = ({ endpoint: { id, signing }, onMade }: RotateProps) => {
  const { field, values } = useFields({ overlapSeconds: "86400" as Overlap })
  const { name, rotate } = signings[signing]
  return (
    <PageForm
      act={rotate}
      back={endpointPath(id)}
      onSubmit={async () => {
        const body = { overlapSeconds: Number(values.overlapSeconds) }
        onMade(await doorlock.webhooks.rotateSecret(id, body))
      }}
    >
      <SelectField
        {...field("overlapSeconds")}
        label={`The old ${name} ends`}
        hint={`Until then, deliveries are signed by both ${name}s, so you can change your server in between.`}
        choices={overlaps}
      />
    </PageForm>
  )
}

export const RotateSecretPage = ({ parameters: { id = "" } }: PageProps) => {
  const loaded = useResource((signal) => loadEndpoint(id, signal), [id])
  const [made, setMade] = useState<Answer<"webhooks.rotateSecret">>()
  const { name } = signings[loaded.value?.signing ?? "v1"]
  if (made !== undefined && loaded.value !== undefined) {
    return (
      <SecretMade
        title={`The new ${name}`}
        intro={`Deliveries to “${nameOf(loaded.value)}” are signed by it from now on.`}
        endpoint={loaded.value}
        made={made}
      />
    )
  }
  return (
    <Page title={`Rotate the ${name}`} parent={{ to: endpointPath(id), label: "Endpoint" }}>
      <Loaded of={loaded}>{(endpoint) => <Rotate endpoint={endpoint} onMade={setMade} />}</Loaded>
    </Page>
  )
}
