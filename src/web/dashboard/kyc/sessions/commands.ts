import { apiAddress } from "../../common/surroundings.ts"

/** A command that creates a session. */
export const createSession = (apiKey: string, instanceKey: string): string =>
  [
    `curl ${apiAddress()}/api/kyc/public/sessions \\`,
    `  -H 'x-api-key: ${apiKey}' \\`,
    "  -H 'content-type: application/json' \\",
    `  -d '{"instanceKey":"${instanceKey}","externalReference":"customer-42"}'`
  ].join("\n")

/** A command that reads the sessions, or one by its id. */
export const readSessions = (apiKey: string, id?: string): string =>
  `curl ${apiAddress()}/api/kyc/sessions${id === undefined ? "" : `/${id}`} \\\n  -H 'x-api-key: ${apiKey}'`
