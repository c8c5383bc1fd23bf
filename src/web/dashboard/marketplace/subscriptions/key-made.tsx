/** A new key of a subscription, with its secret, which is shown once, and a call that works with it. */
import { Alert } from "../../../ui/parts.tsx"
import type { Answer } from "../../common/contract.ts"
import { Secret, Snippet } from "../../common/copy.tsx"
import { Page, Section } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link } from "../../common/router.tsx"
import { gatewayAddress } from "../../common/surroundings.ts"
import { curl } from "../catalog/documentation/call.ts"
import { readCallable } from "../catalog/reading.ts"

interface KeyMadeProps {
  readonly made: Pick<Answer<"marketplace-keys.create">, "apiKey" | "token">
  /** The API of the subscription. */
  readonly apiId: string
  readonly title: string
  readonly intro: string
}

export const KeyMade = ({ apiId, intro, made: { apiKey, token }, title }: KeyMadeProps) => {
  const subscription = `/dashboard/subscriptions/${apiKey.subscription_id}`
  const call = useResource((signal) => readCallable(apiId, signal), [apiId])
  return (
    <Page title={title} parent={{ to: subscription, label: "Subscription" }} intro={intro}>
      <Alert tone="warning" title="Copy it now">
        <p>It is shown only once. Store it where your servers keep secrets.</p>
      </Alert>
      <Section title="Secret">
        <Secret label={apiKey.mode === "test" ? "Test key" : "Key"} text={token} />
      </Section>
      <Section title="Try it">
        <Loaded of={call}>
          {(path) =>
            path === undefined ? (
              <p class="faint">The API cannot be called now: it is not published, or has no version.</p>
            ) : (
              <Snippet
                label="A call with this key"
                text={curl({ gateway: gatewayAddress(), path, key: token })}
              />
            )
          }
        </Loaded>
      </Section>
      <p>
        <Link to={subscription} class="button">
          I have copied it
        </Link>
      </p>
    </Page>
  )
}
