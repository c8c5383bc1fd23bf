/** Loads the data for the pages of a marketplace API. */
import { ApiFailure, call } from "../../common/call.ts"
import { operationsOf, simplest, versionPath } from "./documentation/document.ts"

const callable = async (id: string, signal: AbortSignal) => {
  const [{ api }, document] = await Promise.all([
    call("api-catalog.get", { path: { apiId: id }, signal }),
    call("api-catalog.describe", { path: { apiId: id }, signal })
  ])
  const [newest] = api.versions
  if (newest === undefined) return undefined
  const versionName = { ...api, version: newest.version }
  return (
    simplest(document, operationsOf(document, versionName))?.gatewayPath ?? `${versionPath(versionName)}/`
  )
}

/**
 * A path below the gateway's address for a GET without input: the newest version's first such operation, or else the
 * version itself. Undefined if the API is not published or has no version.
 */
export const readCallable = async (id: string, signal: AbortSignal): Promise<string | undefined> => {
  try {
    return await callable(id, signal)
  } catch (cause) {
    if (cause instanceof ApiFailure && cause.status === 404) return undefined
    throw cause
  }
}

/** The company's active subscription to an API, if any. */
const activeSubscription = async (apiId: string, signal: AbortSignal) => {
  const { subscriptions } = await call("marketplace-subscriptions.list", { signal })
  return subscriptions.find(({ api_id, status }) => api_id === apiId && status === "active")
}

/** A published API, and the company's subscription to it, if any. */
export const readOffer = async (id: string, signal: AbortSignal) => {
  const [{ api }, subscription] = await Promise.all([
    call("api-catalog.get", { path: { apiId: id }, signal }),
    activeSubscription(id, signal)
  ])
  return { api, subscription }
}
