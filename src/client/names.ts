/** What routes are called in the client. Without a row here: as in the contract, in camel case and without `kyc-`. */

/** The client's group of a group of the contract. Several may share one. */
export const groupNames: Readonly<Record<string, string>> = {
  "sign-in": "account",
  acceptance: "invitations",
  "api-catalog": "catalog",
  "api-publishing": "publishing",
  "kyc-captcha-challenges": "captcha",
  "kyc-dedup": "verification",
  "kyc-dedup-matches": "sessions",
  "kyc-file-upload": "verification",
  "kyc-handoff-links": "handoffs",
  "kyc-partner-files": "files",
  "kyc-partner-sessions": "sessions",
  "kyc-readings": "verification",
  "kyc-receipt-keys": "receipts",
  "kyc-redaction": "sessions",
  "kyc-session-creation": "sessions",
  "kyc-session-export": "sessions",
  "kyc-session-lifecycle": "sessions",
  "kyc-sessions": "verification",
  "kyc-test-sessions": "instances",
  "kyc-timeline": "sessions",
  "marketplace-subscriptions": "subscriptions",
  "marketplace-usage": "usage"
}

/** The client's function of a route, within its group. */
export const functionNames: Readonly<Record<string, string>> = {
  "account.sessions": "listSessions",
  "api-catalog.describe": "openapi",
  "api-catalog.describeAll": "openapiOfAll",
  "api-publishing.addApi": "createApi",
  "api-publishing.addPlan": "createPlan",
  "api-publishing.addVersion": "createVersion",
  "api-publishing.changeApi": "updateApi",
  "api-publishing.list": "listApis",
  "api-publishing.publisher": "getPublisher",
  "invitations.invite": "create",
  "kyc-dedup.check": "checkDuplicates",
  "kyc-dedup-matches.list": "matches",
  "kyc-handoffs.follow": "get",
  "kyc-partner-files.read": "download",
  "kyc-readings.get": "getReading",
  "kyc-readings.start": "startReading",
  "kyc-receipt-keys.list": "keys",
  "kyc-session-export.read": "export",
  "kyc-sessions.progress": "saveProgress",
  "kyc-sessions.read": "get",
  "kyc-test-sessions.create": "createTestSession",
  "kyc-timeline.get": "timeline",
  "marketplace-subscriptions.subscribe": "create",
  "marketplace-usage.api": "ofApi",
  "marketplace-usage.subscription": "ofSubscription",
  "webhooks.change": "update",
  "webhooks.deliveries": "listDeliveries",
  "webhooks.delivery": "getDelivery",
  "webhooks.retry": "retryDelivery",
  "webhooks.rotate": "rotateSecret"
}

/** Routes without a function in the client: agents call `/mcp` with clients of their own. */
export const leftOut: ReadonlyArray<string> = ["mcp.send"]

const camel = (name: string): string => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

/**
 * The client's name of a route.
 *
 * @param operationId `<group>.<endpoint>`, as in the contract
 */
export const clientNameOf = (operationId: string): { readonly group: string; readonly name: string } => {
  const [group = "", endpoint = ""] = operationId.split(".")
  return {
    group: groupNames[group] ?? camel(group.replace(/^kyc-/, "")),
    name: functionNames[operationId] ?? endpoint
  }
}

/** The client's function of a route, such as `sessions.create`; undefined if it has none. */
export const clientFunctionOf = (operationId: string): string | undefined => {
  if (leftOut.includes(operationId)) return undefined
  const { group, name } = clientNameOf(operationId)
  return `${group}.${name}`
}
