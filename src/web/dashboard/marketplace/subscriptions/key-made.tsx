/** A new key of a subscription, with its secret, shown once, and an example call. */
import { curl } from "../../../reference/calls.ts"
import { simplest } from "../../../reference/document.ts"
import { type Answer, doorlock, failureOf } from "../../common/call.ts"
import { Snippet } from "../../common/copy.tsx"
import { KeyMade } from "../../common/key-made.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { gatewayAddress } from "../../common/surroundings.ts"
import { versionOperations, versionPath } from "../catalog/documentation/version.ts"
import { subscriptionPath } from "./subscriptions.tsx"

/** The path of the newest version's simplest GET, or else of that version; null if none can be called. */
const readCallable = async (subscriptionId: string, signal: AbortSignal): Promise<string | null> => {
  const { subscription } = await doorlock.subscriptions.get(subscriptionId, { signal })
  try {
    const [{ api }, document] = await Promise.all([
      doorlock.catalog.get(subscription.api_id, { signal }),
      doorlock.catalog.openapi(subscription.api_id, { signal })
    ])
    const [newest] = api.versions
    if (newest === undefined) return null
    const version = { ...api, version: newest.version }
    return simplest(document, versionOperations(document, version))?.wholePath ?? `${versionPath(version)}/`
  } catch (cause) {
    if (failureOf(cause).status === 404) return null
    throw cause
  }
}

interface SubscriptionKeyMadeProps {
  readonly made: Pick<Answer<"marketplaceKeys.create">, "apiKey" | "token">
  readonly title: string
  readonly intro: string
}

export const SubscriptionKeyMade = ({ made: { apiKey, token }, ...head }: SubscriptionKeyMadeProps) => {
  const id = apiKey.subscription_id
  const path = useResource((signal) => readCallable(id, signal), [id])
  return (
    <KeyMade
      {...head}
      parent={{ to: subscriptionPath(id), label: "Subscription" }}
      label={apiKey.mode === "test" ? "Test key" : "Key"}
      token={token}
    >
      <Loaded of={path}>
        {(path) =>
          path === null ? (
            <p class="faint">The API cannot be called now: it is not published, or has no version.</p>
          ) : (
            <Snippet
              label="A call with this key"
              text={curl({ base: gatewayAddress(), path, headers: [["x-api-key", token]] })}
            />
          )
        }
      </Loaded>
    </KeyMade>
  )
}
