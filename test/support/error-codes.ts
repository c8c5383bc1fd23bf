/** Every error that doorlock returns, from the contract's routes, the server itself and the gateway. */
import { expect } from "vitest"
import { refusals, upstreamFaults } from "../../src/gateway/faults.ts"
import { errorsOf } from "../../src/http/contract/openapi-errors.ts"
import { ambiguities, bodyRejects, serverRefusals } from "../../src/http/contract/refusals.ts"
import { routes } from "./contract.ts"

export const errors: ReadonlyArray<{
  readonly code: string
  readonly message: string
  readonly status: number
}> = [
  ...routes.flatMap((route) =>
    [...errorsOf(route)].flatMap(([status, all]) => all.map((error) => ({ ...error, status })))
  ),
  ...Object.values(bodyRejects),
  ...Object.values(refusals),
  ...Object.values(upstreamFaults),
  ...Object.values(ambiguities),
  ...Object.values(serverRefusals)
]

const codes = new Map(errors.map(({ code, message }) => [message, code]))

/** The error code of a message; dies if no error has that message. */
export const codeOf = (message: string): string => {
  const code = codes.get(message)
  if (code === undefined) throw new Error(`No error says: ${message}`)
  return code
}

/** The same as a matcher: messages that name a place within a field, or a scope, share a code. */
export const codeFor = (message: string): unknown =>
  codes.get(message) ?? expect.stringMatching(/^[a-z0-9-]+$/)
