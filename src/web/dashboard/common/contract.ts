/** The types of the client's results by name, such as `apiKeys.create`. They add nothing to the bundle. */
import type { Client } from "../../../client/package/index.ts"

type Name = {
  [Group in keyof Client]: `${Group}.${keyof Client[Group] & string}`
}[keyof Client]

type ResultOf<Function> = Function extends (...given: never) => Promise<infer Result> ? Result : never

/** What a function of the client resolves to. */
export type Answer<N extends Name> = N extends `${infer Group extends keyof Client}.${infer Function}`
  ? Function extends keyof Client[Group]
    ? ResultOf<Client[Group][Function]>
    : never
  : never
