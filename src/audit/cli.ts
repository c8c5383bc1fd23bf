import * as Options from "@effect/cli/Options"
import { Effect, Either, Option, Stream } from "effect"
import { companyFrom, onlyCompany } from "../accounts/company-cli.ts"
import { command, group, option } from "../cli/command.ts"
import { type CommandFailed, exitCodes, misused, refused } from "../cli/failures.ts"
import { onDatabase, operatorName } from "../cli/on-database.ts"
import { type Paint, withProgress } from "../cli/output.ts"
import { readEnd, writeEnd } from "./anchor-model.ts"
import type { Anchored } from "./anchored-service.ts"
import {
  type EventPlace,
  furthestOf,
  type Known,
  type KnownPlaces,
  readHead,
  writeHead
} from "./chain-model.ts"
import { describeFault } from "./fault-model.ts"
import { operator } from "./model.ts"
import type { TrailReport } from "./service.ts"

const onTrails = onDatabase(() => import("./cli-layer.ts"))

/** A trail for the report; `--noted` takes the head. */
const shown = ({ companyId, events, fault, head }: TrailReport) => ({
  company_id: companyId,
  ok: fault === null,
  events,
  head: head === null ? null : writeHead(head),
  fault: fault === null ? null : { ...fault, message: describeFault(fault) }
})

/** The existing anchors, or why they cannot be read. */
type ShownAnchors = Effect.Effect.Success<ReturnType<typeof anchorsOf>>["shown"]

const anchorWords = (paint: Paint, anchors: ShownAnchors): string => {
  if ("error" in anchors) return `${paint("red", "failed")}  ${anchors.error}`
  const { first, last, place, unreadable } = anchors
  if (first === null) {
    return `${paint("yellow", "warning")} There are no anchors in ${place}: a tail that was cut off may not be found.`
  }
  return unreadable === 0
    ? `${paint("green", "ok")}      compared with the anchors in ${place}, of ${first} to ${last}`
    : `${paint("yellow", "warning")} ${unreadable} of the anchors in ${place} cannot be read; compared with the others, of ${first} to ${last}`
}

interface Report {
  readonly ok: boolean
  readonly trails: ReadonlyArray<ReturnType<typeof shown>>
  readonly anchors: ShownAnchors
}

const words =
  ({ anchors, trails }: Report) =>
  (paint: Paint) =>
    [
      ...trails.map(({ company_id, events, fault, head }) =>
        fault === null
          ? `${paint("green", "ok")}      ${company_id}  ${events} events, head ${head}`
          : `${paint("red", "failed")}  ${company_id}  ${fault.message}`
      ),
      trails.length === 0
        ? "There are no audit trails, because there is no company."
        : anchorWords(paint, anchors)
    ].join("\n")

const notedFrom = (text: Option.Option<string>): Effect.Effect<ReadonlyArray<Known>, CommandFailed> => {
  if (Option.isNone(text)) return Effect.succeed([])
  const head = readHead(text.value)
  return head === undefined
    ? misused("A --noted head is position:hash, as this command shows it.")
    : Effect.succeed([{ ...head, by: "noted" }])
}

/** The anchored places, and how to show them. If the anchors cannot be read, there are no anchored places. */
const anchorsOf = ({ place, read }: Anchored) =>
  Effect.map(
    Effect.either(read),
    Either.match({
      onLeft: ({ message }) => ({
        places: new Map<string, ReadonlyArray<Known>>(),
        shown: { place, error: `${message}.` }
      }),
      onRight: ({ first = null, last = null, places, unreadable }) => ({
        places,
        shown: { place, first: first?.toISOString() ?? null, last: last?.toISOString() ?? null, unreadable }
      })
    })
  )

const verify = command(
  "verify",
  "Look for events that were changed, removed or added in the audit trails, and compare them with their anchors. Shows each trail's head (the position and hash of its last event), so that you can store it elsewhere.",
  {
    company: onlyCompany,
    noted: option(
      "noted",
      "position:hash",
      "An earlier head of the --company, as this command showed it, to check that it is still in the trail."
    ).pipe(Options.optional)
  },
  (given) =>
    Effect.gen(function* () {
      const noted = yield* notedFrom(given.noted)
      const isOfAll = given.company === undefined && noted.length === 0
      const { anchors, found } = yield* onTrails(({ anchored, audit }) =>
        Effect.gen(function* () {
          const { places, shown: anchors } = yield* anchorsOf(anchored)
          const id = isOfAll ? undefined : (yield* companyFrom(given.company)).id
          const known = id === undefined ? places : new Map([[id, [...noted, ...(places.get(id) ?? [])]]])
          return { anchors, found: [...(yield* Stream.runCollect(audit.verify(id, known)))] }
        })
      ).pipe(withProgress("Verifying"))
      const trails = found.map(shown)
      const ok = !("error" in anchors) && trails.every((trail) => trail.ok)
      const report: Report = { ok, trails, anchors }
      return { value: report, words: words(report), exitCode: ok ? exitCodes.done : exitCodes.refused }
    })
)

/** The events that only a new seal would vouch for, and the end of the trail, which `--yes` takes. */
const unsealedPart =
  (places: KnownPlaces) =>
  ({ companyId, events, fault, head }: TrailReport) =>
    head !== null && (fault?.kind === "unsealed" || fault?.kind === "resealed")
      ? [
          {
            company_id: companyId,
            // A seal that does not match says nothing about the events before it.
            from: Math.max(
              fault.kind === "unsealed" ? fault.position : 1,
              // The last anchored event was sealed then: the anchors vouch for everything up to it.
              furthestOf(places.get(companyId) ?? []) + 1
            ),
            to: events,
            end: writeEnd({ companyId, ...head }),
            fault: { ...fault, message: describeFault(fault) }
          }
        ]
      : []

const endsFrom = (texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<EventPlace>, CommandFailed> =>
  Effect.forEach(texts, (text) => {
    const end = readEnd(text)
    return end === undefined
      ? misused("--yes takes the end of a trail, company:position:hash, as this command lists it.")
      : Effect.succeed(end)
  })

const seal = command(
  "seal",
  "Reseal the intact audit trails that match their anchors but not their seals, as after the loss of SECRET_KEY. Without --yes, only lists the events that it would vouch for, by trail. Records an event in each trail that it seals.",
  {
    company: onlyCompany,
    yes: option(
      "yes",
      "end",
      "Seal the trail that ends so, as the list says. The command cannot tell who wrote the events: look at them first. May be repeated."
    ).pipe(Options.repeated)
  },
  (given) =>
    Effect.gen(function* () {
      const ends = yield* endsFrom(given.yes)
      const { sealed, unsealed } = yield* onTrails(({ anchored, audit }) =>
        Effect.gen(function* () {
          const { places, shown: anchors } = yield* anchorsOf(anchored)
          if ("error" in anchors)
            return yield* refused(`Without the anchors nothing is sealed. ${anchors.error}`)
          const id = given.company === undefined ? undefined : (yield* companyFrom(given.company)).id
          const other = ends.find(({ companyId }) => id !== undefined && companyId !== id)
          if (other !== undefined)
            return yield* misused(`--yes names the trail of another company, ${other.companyId}.`)
          const looked = Effect.map(Stream.runCollect(audit.verify(id, places)), (reports) =>
            [...reports].flatMap(unsealedPart(places))
          )
          const sealed = yield* Effect.filter(ends, ({ companyId, ...head }) =>
            audit.sealUp(companyId, places.get(companyId) ?? [], operator(companyId, operatorName()), head)
          )
          return { sealed: sealed.map(({ companyId }) => companyId), unsealed: yield* looked }
        })
      ).pipe(withProgress(ends.length > 0 ? "Sealing" : "Verifying"))
      const lines = [
        ...sealed.map((id) => `sealed    ${id}`),
        ...unsealed.map(
          ({ end, fault, from, to }) =>
            `unsealed  ${end}  ${from > to ? "no event" : `events ${from} to ${to}`}. ${fault.message}`
        )
      ]
      return {
        value: { sealed, unsealed },
        words: () =>
          lines.length === 0
            ? "There is nothing to seal."
            : [
                ...lines,
                ...(unsealed.length === 0
                  ? []
                  : [
                      "Look at these events. If doorlock wrote them, repeat the command with --yes and the end of the trail (company:position:hash). A trail that has grown since is not sealed."
                    ])
              ].join("\n"),
        exitCode: unsealed.length === 0 ? exitCodes.done : exitCodes.refused
      }
    })
)

export const audit = {
  commands: [group("audit", "The audit trail.", [verify, seal])],
  checks: () => import("./checks.ts")
}
