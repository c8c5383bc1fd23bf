export type { Call, Failure, PagedCall, Result } from "./calls.ts"
export {
  type Answer,
  type CallOptions,
  type ClientOptions,
  type Connection,
  connect,
  type IdempotentOptions,
  type SessionTokenOptions,
  userTokenOf,
  type Warning
} from "./connection.ts"
export { ApiError, ConnectionError, DoorlockError, TimeoutError, type UnknownCode } from "./errors.ts"
export * from "./generated/groups.ts"
export type * from "./generated/types.ts"
export {
  verifyWebhook,
  WebhookError,
  type WebhookOptions,
  type WebhookProblem,
  type WebhookRequest
} from "./webhook.ts"
