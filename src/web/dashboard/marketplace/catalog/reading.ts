/** What the pages of an API of the marketplace ask for. */
import { ApiFailure, call } from "../../common/call.ts"
import { operationsOf, simplest, versionPath } from "./documentation/document.ts"

const callable = async (id: string, signal: AbortSignal) => {
  const [{ api }, document] = await Promise.all([
    call("api-catalog.get", { path: { apiId: id }, signal }),
    call("api-catalog.describe", { path: { apiId: id }, signal })
  ])
  const [newest] = api.versions
  if (newest === undefined) return undefined
  const versionName = { publisher_slug: api.publisher_slug, slug: api.slug, version: newest.version }
  return (
    simplest(document, operationsOf(document, versionName))?.gatewayPath ?? `${versionPath(versionName)}/`
  )
}

/**
 * A path from the gateway's address that can be asked for with a GET as it is: of the newest version the first such operation,
 * else the version itself. Undefined while the API is not published or has no version.
 */
export const readCallable = async (id: string, signal: AbortSignal): Promise<string | undefined> => {
  try {
    return await callable(id, signal)
  } catch (cause) {
    if (cause instanceof ApiFailure && cause.status === 404) return undefined
    throw cause
  }
}

/** The company's active subscription to an API, when it has one. */
const activeSubscription = async (apiId: string, signal: AbortSignal) => {
  const { subscriptions } = await call("marketplace-subscriptions.list", { signal })
  return subscriptions.find(({ api_id, status }) => api_id === apiId && status === "active")
}

/** A published API, and whether the company has subscribed to it. */
export const readOffer = async (id: string, signal: AbortSignal) => {
  const [{ api }, subscription] = await Promise.all([
    call("api-catalog.get", { path: { apiId: id }, signal }),
    activeSubscription(id, signal)
  ])
  return { api, subscription }
}
