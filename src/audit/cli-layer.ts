/** What commands do with the audit trails of companies. */
export { layer } from "../accounts/cli-layer.ts"
export { Anchored } from "./anchoring-service.ts"
export { Audit } from "./service.ts"
