import { userInfo } from "node:os"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ArrayFormatter } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { CompanyAmbiguous } from "../accounts/administration-errors.ts"
import type { Company } from "../accounts/model.ts"
import { type Actor, operator } from "../audit/model.ts"
import { Config } from "../config.ts"
import { type CommandFailed, misused, refused } from "./failures.ts"
import { oneLine } from "./output.ts"
import { Surroundings } from "./surroundings.ts"

export type Features = typeof import("./features.ts")

/** Runs what needs the features on the database. */
export const onDatabase = <A, E, R extends Layer.Layer.Success<Features["layer"]> | Config>(
  use: (features: Features) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const { environment } = yield* Surroundings
    const features = yield* Effect.promise(() => import("./features.ts"))
    return yield* Effect.provide(use(features), Layer.provideMerge(features.layer, Config.layer(environment)))
  })

/** A value by the rule that the API has for it; fails with the sentence that the API refuses it with. */
export const checked = <A, I>(schema: Schema.Schema<A, I>, value: unknown): Effect.Effect<A, CommandFailed> =>
  Effect.mapError(Schema.decodeUnknown(schema)(value), (error) =>
    misused(ArrayFormatter.formatErrorSync(error)[0]?.message ?? error.message)
  )

const ambiguous = ({ companies, named }: CompanyAmbiguous) => {
  const which = companies.map(({ id, name }) => `${id} (${oneLine(name)})`).join(", ")
  return misused(
    named === undefined
      ? `There are several companies, say which with --company: ${which}.`
      : `Several companies have this name, say which by its id: ${which}.`
  )
}

/** Who runs the command, as the audit trail names them. */
export const operatorName = (): string => {
  try {
    return userInfo().username
  } catch {
    // A container may run as a user that has no name.
    return `uid ${process.getuid?.() ?? "unknown"}`
  }
}

/** Whoever runs the command, as they act for a company. */
export const actingFor = ({ id }: Company): Actor => operator(id, operatorName())

/** The company that `--company` names, or the only one. */
export const companyFrom = ({ Administration }: Features, named: string | undefined) =>
  Effect.flatMap(Administration, ({ company }) => company(named)).pipe(
    Effect.catchTags({
      CompanyNotFound: () => Effect.fail(refused(`There is no company ${oneLine(named ?? "")}.`)),
      CompanyAmbiguous: (error) => Effect.fail(ambiguous(error)),
      NoCompany: () => Effect.fail(refused("There is no company yet; the command company create makes one."))
    })
  )
