import * as SqlClient from "@effect/sql/SqlClient"
import { Context, Effect, Layer, Redacted } from "effect"
import { AccountRepo } from "../accounts/repo.ts"
import { Accounts } from "../accounts/service.ts"
import { operator } from "../audit/model.ts"
import { Config, type Configuration } from "../config.ts"
import { orDie, transaction } from "../db/sql.ts"
import { demoInstance } from "../kyc/instances/demo.ts"
import { Instances } from "../kyc/instances/service.ts"
import { publishDemo } from "../marketplace/catalog/demo.ts"
import { notice } from "../observability/notice.ts"
import { randomBase62 } from "../secrets/token.ts"

const firstStart = "first start"

/** Arbitrary. Of processes that start together, the second waits and finds the first's company. */
const firstStartLock = 0x646f6f72

/** Prints the sign-in details, if this process created the first user. */
export class FirstUser extends Context.Tag("FirstUser")<
  FirstUser,
  { readonly announce: Effect.Effect<void> }
>() {}

const framed = (lines: ReadonlyArray<string>): string => {
  const width = Math.max(...lines.map((line) => Bun.stringWidth(line)))
  const edge = "─".repeat(width + 4)
  const inside = lines.map((line) => `│  ${line}${" ".repeat(width - Bun.stringWidth(line))}  │`)
  return [`┌${edge}┐`, ...inside, `└${edge}┘`].join("\n")
}

const announcement = ({ adminEmail, adminPassword, appUrl }: Configuration, password: string) => {
  const address = `${appUrl}/dashboard`
  const shown = adminPassword === undefined ? password : "the one in ADMIN_PASSWORD"
  const once = adminPassword === undefined ? ["", "The password is shown only once."] : []
  return notice(
    `Created the first user. Sign in at ${address} as ${adminEmail}, password: ${shown}`,
    framed([`Sign in at  ${address}`, `Email       ${adminEmail}`, `Password    ${shown}`, ...once])
  )
}

/** For a process that creates no company. */
export const none = Layer.succeed(FirstUser, { announce: Effect.void })

/**
 * Creates the demo company on an empty database (contract.md#first-start). A generated password is not
 * stored, but printed at the end of the start, even of a failed one, so that it stays on the screen.
 */
export const layer = Layer.scoped(
  FirstUser,
  Effect.gen(function* () {
    const config = yield* Config
    if (!config.seedDemo) return { announce: Effect.void }
    const sql = yield* SqlClient.SqlClient
    const accounts = yield* Accounts
    const instances = yield* Instances
    const { anyCompany } = yield* AccountRepo

    const password = config.adminPassword ?? Redacted.make(randomBase62(20))
    const announce = yield* Effect.once(
      Effect.provideService(announcement(config, Redacted.value(password)), Config, config)
    )
    const make = Effect.gen(function* () {
      yield* orDie(sql`select pg_advisory_xact_lock(${firstStartLock})`)
      if (yield* anyCompany) return false
      const { company } = yield* accounts.register(firstStart, {
        companyName: "Demo",
        email: config.adminEmail,
        password
      })
      const by = operator(company.id, firstStart)
      yield* instances.create(by, demoInstance)
      yield* publishDemo(by)
      return true
    }).pipe(transaction(sql), Effect.orDie)

    const made = yield* Effect.acquireRelease(make, (made) => (made ? announce : Effect.void))
    return { announce: made ? announce : Effect.void }
  })
)
