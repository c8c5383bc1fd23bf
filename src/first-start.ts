import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { AccountRepo } from "./accounts/repo.ts"
import { Accounts } from "./accounts/service.ts"
import { operator } from "./audit/model.ts"
import { Config } from "./config.ts"
import { orDie, transaction } from "./db/sql.ts"
import { demoInstance } from "./kyc/instances/demo.ts"
import { Instances } from "./kyc/instances/service.ts"
import { publishDemo } from "./marketplace/catalog/demo.ts"
import { notice } from "./observability/notice.ts"
import { randomBase62 } from "./secrets/token.ts"

/** Whom the audit trail names for what it makes. */
const firstStart = "first start"

/** Any number: processes that start at once agree on it, and the second finds the first's company. */
const firstStartLock = 0x646f6f72

/**
 * On an empty database: a company, its owner, one KYC instance and one published API, so that everything can be tried at once
 * (decisions, section 2). A generated password is printed, and kept nowhere.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const config = yield* Config
    if (!config.seedDemo) return
    const sql = yield* SqlClient.SqlClient
    const accounts = yield* Accounts
    const instances = yield* Instances
    const { anyCompany } = yield* AccountRepo

    const password = config.adminPassword ?? Redacted.make(randomBase62(20))
    const made = yield* Effect.gen(function* () {
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

    if (!made) return
    const shown =
      config.adminPassword === undefined
        ? `${Redacted.value(password)} (shown this once)`
        : "the one in ADMIN_PASSWORD"
    yield* notice(`Made the first user: ${config.adminEmail}, password ${shown}`)
  })
)
