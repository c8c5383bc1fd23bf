/** A new key of a subscription, with its secret, shown once, and an example call. */
import { Alert } from "../../../ui/parts.tsx"
import { ApiFailure, call } from "../../common/call.ts"
import type { Answer } from "../../common/contract.ts"
import { Secret, Snippet } from "../../common/copy.tsx"
import { Page, Section } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link } from "../../common/router.tsx"
import { gatewayAddress } from "../../common/surroundings.ts"
import { curl } from "../catalog/documentation/call.ts"
import { operationsOf, simplest, versionPath } from "../catalog/documentation/document.ts"

/** The path of the newest version's simplest GET, or else of that version; undefined if none can be called. */
const readCallable = async (apiId: string, signal: AbortSignal): Promise<string | undefined> => {
  try {
    const [{ api }, document] = await Promise.all([
      call("api-catalog.get", { path: { apiId }, signal }),
      call("api-catalog.describe", { path: { apiId }, signal })
    ])
    const [newest] = api.versions
    if (newest === undefined) return undefined
    const version = { ...api, version: newest.version }
    return simplest(document, operationsOf(document, version))?.gatewayPath ?? `${versionPath(version)}/`
  } catch (cause) {
    if (cause instanceof ApiFailure && cause.status === 404) return undefined
    throw cause
  }
}

interface KeyMadeProps {
  readonly made: Pick<Answer<"marketplace-keys.create">, "apiKey" | "token">
  readonly apiId: string
  readonly title: string
  readonly intro: string
}

export const KeyMade = ({ apiId, intro, made: { apiKey, token }, title }: KeyMadeProps) => {
  const subscription = `/dashboard/subscriptions/${apiKey.subscription_id}`
  const path = useResource((signal) => readCallable(apiId, signal), [apiId])
  return (
    <Page title={title} parent={{ to: subscription, label: "Subscription" }} intro={intro}>
      <Alert tone="warning" title="Copy it now">
        <p>It is shown only once. Store it where your servers keep secrets.</p>
      </Alert>
      <Section title="Secret">
        <Secret label={apiKey.mode === "test" ? "Test key" : "Key"} text={token} />
      </Section>
      <Section title="Try it">
        <Loaded of={path}>
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
