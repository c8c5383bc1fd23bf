import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { describeFault, type Head, readHead, writeHead } from "../audit/chain-model.ts"
import type { TrailReport } from "../audit/service.ts"
import { command, group, onlyCompany, option } from "./command.ts"
import { exitCodes, misused } from "./failures.ts"
import { companyFrom, onDatabase } from "./on-database.ts"
import { type Paint, withProgress } from "./output.ts"

/** A trail as it is reported: the head as it is noted, the fault in words too. */
const shown = ({ companyId, events, fault, head }: TrailReport) => ({
  company_id: companyId,
  ok: fault === null,
  events,
  head: head === null ? null : writeHead(head),
  fault: fault === null ? null : { ...fault, message: describeFault(fault) }
})

const words = (trails: ReadonlyArray<ReturnType<typeof shown>>) => (paint: Paint) =>
  trails.length === 0
    ? "There is no trail: no company was ever made."
    : trails
        .map(({ company_id, events, fault, head }) =>
          fault === null
            ? `${paint("green", "ok")}      ${company_id}  ${events} events, head ${head}`
            : `${paint("red", "failed")}  ${company_id}  ${fault.message}`
        )
        .join("\n")

const notedFrom = (text: Option.Option<string>) => {
  if (Option.isNone(text)) return Effect.succeed(undefined)
  const head = readHead(text.value)
  return head === undefined
    ? Effect.fail(misused("A --noted head is position:hash, as this command shows it."))
    : Effect.succeed(head)
}

const verify = command(
  "verify",
  "Look for events that were changed, removed or added in the audit trails. Shows each trail's head, to be noted elsewhere.",
  {
    company: onlyCompany,
    noted: option(
      "noted",
      "position:hash",
      "A head noted earlier of the --company, which is checked too."
    ).pipe(Options.optional)
  },
  (given) =>
    Effect.gen(function* () {
      const head: Head | undefined = yield* notedFrom(given.noted)
      const trails = yield* onDatabase((features) =>
        Effect.gen(function* () {
          const audit = yield* features.Audit
          if (given.company === undefined && head === undefined) {
            return yield* Stream.runCollect(audit.verify())
          }
          const { id } = yield* companyFrom(features, given.company)
          return yield* Stream.runCollect(
            audit.verify(id, head === undefined ? new Map() : new Map([[id, head]]))
          )
        })
      ).pipe(withProgress("Verifying"))
      const reports = [...trails].map(shown)
      const ok = reports.every((trail) => trail.ok)
      return {
        value: { ok, trails: reports },
        words: words(reports),
        exitCode: ok ? exitCodes.done : exitCodes.refused
      }
    })
)

export const audit = group("audit", "The audit trail.", [verify])
