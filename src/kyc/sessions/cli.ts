import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { Effect, Option } from "effect"
import { actingFor, companyFrom } from "../../accounts/company-cli.ts"
import { command, fields, group } from "../../cli/command.ts"
import { checked, onDatabase } from "../../cli/on-database.ts"
import { oneLine, type Paint, table } from "../../cli/output.ts"
import type { TimelineEvent } from "../timeline/model.ts"
import type { CheckedSession } from "./model.ts"
import type { PartnerSessions } from "./partner-service.ts"

const onSessions = onDatabase(() => import("./cli-layer.ts"))

const sessionId = Args.text({ name: "id" }).pipe(Args.withDescription("The id of a session of any company."))

/** What the operator sees of a session: nothing that its end user entered or its partner attached. */
const told = (session: CheckedSession) => ({
  id: session.id,
  instance_id: session.instance_id,
  company_id: session.company_id,
  mode: session.mode,
  status: session.status,
  external_reference: session.external_reference,
  expires_at: session.expires_at,
  created_at: session.created_at,
  started_at: session.started_at,
  updated_at: session.updated_at,
  completed_at: session.completed_at,
  redacted_at: session.redacted_at,
  assurance: session.assurance
})

const captcha = ({ at, score, verified }: CheckedSession["assurance"]["captcha"]): string =>
  verified ? `passed ${at?.toISOString()}${score === null ? "" : `, score ${score}`}` : "not passed"

const seenBefore = ({
  earlierCompleted,
  matchFound,
  seenCount
}: CheckedSession["assurance"]["dedup"]): string => {
  if (seenCount === 0) return "not checked"
  if (!matchFound) return "no"
  return `yes, in ${seenCount} sessions; ${earlierCompleted ? "an" : "no"} earlier one was completed`
}

const timeline = (events: ReadonlyArray<TimelineEvent>) => (paint: Paint) =>
  table(
    events.map(({ at, type, ...detail }) => [
      paint("dim", at.toISOString()),
      type,
      oneLine(
        Object.entries(detail)
          .filter(([, value]) => value !== null)
          .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(", ") : value}`)
          .join(", ")
      )
    ])
  )

const show = command(
  "show",
  "Show the status and the events of a KYC session, without what its end user entered.",
  { id: sessionId },
  ({ id }) =>
    Effect.gen(function* () {
      const { company, events, instance, session } = yield* onSessions(({ instances, sessions, timelines }) =>
        Effect.gen(function* () {
          const session = yield* sessions.find(id)
          const company = yield* companyFrom(session.company_id)
          const { name } = yield* instances.get(company.id, session.instance_id)
          const events = yield* timelines.get(company.id, session.id)
          return { session, company, instance: { id: session.instance_id, name }, events }
        })
      )
      const { assurance } = session
      const hasExpired = events.some(({ type }) => type === "expired")
      const shown = fields({
        session: session.id,
        status: hasExpired ? `expired (${session.status})` : session.status,
        mode: session.mode,
        company: company.name,
        instance: instance.name,
        reference: session.external_reference ?? "none",
        expires: session.expires_at.toISOString(),
        captcha: captcha(assurance.captcha),
        "seen before": seenBefore(assurance.dedup),
        "missing steps": assurance.missingSteps.join(", ") || "none",
        "failed rules": session.failed_rules.join(", ") || "none"
      })
      return {
        value: { session: told(session), company, instance, events },
        words: (paint) => `${shown(paint)}\n\n${timeline(events)(paint)}`
      }
    })
)

/** Finds the session of any company, and who acts for that company at this terminal. */
const found = (id: string, sessions: PartnerSessions) =>
  Effect.gen(function* () {
    const session = yield* sessions.find(id)
    return { session, by: actingFor(yield* companyFrom(session.company_id)) }
  })

const cancel = command(
  "cancel",
  "Cancel a KYC session that is not finished. This is final.",
  { id: sessionId },
  ({ id }) =>
    Effect.map(
      onSessions(({ lifecycle, sessions }) =>
        Effect.flatMap(found(id, sessions), ({ by, session }) => lifecycle.cancel(by, session.id))
      ),
      (session) => ({ value: { session }, words: fields({ session: session.id, status: session.status }) })
    )
)

const resume = command(
  "resume",
  "Create a new link for a KYC session that is not finished. The previous link stops working.",
  {
    id: sessionId,
    expiresIn: Options.integer("expires-in").pipe(
      Options.withPseudoName("seconds"),
      Options.withDescription("How long the session lasts from now on. An expired session needs it."),
      Options.optional
    )
  },
  ({ expiresIn, id }) =>
    Effect.gen(function* () {
      const { ResumeSession } = yield* Effect.promise(() => import("./lifecycle-api.ts"))
      const request = yield* checked(ResumeSession, {
        expiresInSeconds: Option.getOrNull(expiresIn)
      })
      const resumed = yield* onSessions(({ lifecycle, sessions }) =>
        Effect.flatMap(found(id, sessions), ({ by, session }) =>
          lifecycle.resume(by, session.id, request.expiresInSeconds ?? undefined)
        )
      )
      return {
        value: resumed,
        words: fields({
          session: resumed.session.id,
          link: resumed.verificationUrl,
          expires: resumed.session.expires_at.toISOString()
        })
      }
    })
)

export const sessions = {
  commands: [group("session", "KYC sessions.", [show, cancel, resume])]
}
