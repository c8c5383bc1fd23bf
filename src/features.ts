import { accounts } from "./accounts/feature.ts"
import { audit } from "./audit/feature.ts"
import { events } from "./events/feature.ts"
import { gateway } from "./gateway/feature.ts"
import { keys } from "./keys/feature.ts"
import { captcha } from "./kyc/captcha/feature.ts"
import { checks } from "./kyc/checks/feature.ts"
import { dedup } from "./kyc/dedup/feature.ts"
import { embedding } from "./kyc/embedding/feature.ts"
import { exports } from "./kyc/export/feature.ts"
import { figures } from "./kyc/figures/feature.ts"
import { files } from "./kyc/files/feature.ts"
import { handoffs } from "./kyc/handoffs/feature.ts"
import { instances } from "./kyc/instances/feature.ts"
import { receipts } from "./kyc/receipts/feature.ts"
import { redaction } from "./kyc/redaction/feature.ts"
import { reviews } from "./kyc/reviews/feature.ts"
import { sessions } from "./kyc/sessions/feature.ts"
import { timeline } from "./kyc/timeline/feature.ts"
import { catalog } from "./marketplace/catalog/feature.ts"
import { limits } from "./marketplace/limits/feature.ts"
import { subscriptions } from "./marketplace/subscriptions/feature.ts"
import { usage } from "./marketplace/usage/feature.ts"
import { mcp } from "./mcp/feature.ts"
import { operations } from "./operations/feature.ts"
import { pages } from "./pages/feature.ts"
import { webhooks } from "./webhooks/feature.ts"
import { work } from "./work/feature.ts"

/** In the order of the OpenAPI document, and each feature after those that provide its services. */
export const features = [
  work,
  accounts,
  keys,
  instances,
  embedding,
  sessions,
  reviews,
  timeline,
  captcha,
  figures,
  dedup,
  files,
  checks,
  exports,
  receipts,
  handoffs,
  redaction,
  events,
  gateway,
  catalog,
  subscriptions,
  usage,
  limits,
  webhooks,
  audit,
  mcp,
  operations,
  pages
] as const
