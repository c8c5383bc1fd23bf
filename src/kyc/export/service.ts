import { Effect } from "effect"
import type { Actor } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { Readings } from "../checks/readings-service.ts"
import { Files } from "../files/service.ts"
import type { ReviewDetails } from "../reviews/model.ts"
import { SessionNotes } from "../reviews/notes-service.ts"
import { Reviews } from "../reviews/service.ts"
import { consentsOf } from "../sessions/consents-model.ts"
import { AnswerOrigins } from "../sessions/origins-service.ts"
import { PartnerSessions } from "../sessions/partner-service.ts"
import { Timelines } from "../timeline/service.ts"
import { archive } from "./archive.ts"
import { readMe } from "./read-me.ts"
import { ExportRepo } from "./repo.ts"

/** The export goes to the end user, whom the addresses of the company's people do not concern: those who decided have ids. */
const withoutAddresses = ({ claim, decided_by_email, proposal, ...review }: ReviewDetails) => {
  if (proposal === null) return { ...review, proposal }
  const { proposed_by_email, ...proposed } = proposal
  return { ...review, proposal: proposed }
}

/** Everything that is stored about the person of a session, to hand over (contract.md#export). */
export class SessionExport extends Effect.Service<SessionExport>()("SessionExport", {
  dependencies: [ExportRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* ExportRepo
    const audit = yield* Audit
    const sessions = yield* PartnerSessions
    const timelines = yield* Timelines
    const reviews = yield* Reviews
    const sessionNotes = yield* SessionNotes
    const files = yield* Files
    const readings = yield* Readings
    const origins = yield* AnswerOrigins

    /**
     * A ZIP, built while it is read. The export is audited before any content is sent. Fails with `SessionNotFound`, also for
     * a session of another company.
     */
    const open = Effect.fnUntraced(function* (by: Actor, sessionId: string) {
      const session = yield* sessions.get(by.companyId, sessionId)
      const events = yield* timelines.get(by.companyId, session.id)
      const { review } = yield* reviews.get(by.companyId, session.id)
      const notes = yield* sessionNotes.list(by.companyId, session.id)
      const stored = yield* files.stored(by.companyId, session.id)
      const sightings = yield* repo.sightings(by.companyId, session.id)
      const more = yield* repo.unshown(by.companyId, session.id)
      const read = yield* readings.kept(by.companyId, session.id)
      const consents = consentsOf(session, yield* origins.of(session))
      yield* audit.recording(by, () => [
        {
          action: "kyc_session.exported",
          id: session.id,
          name: null,
          details: { files: stored.length }
        }
      ])(Effect.void)
      const content = archive(
        {
          "README.txt": readMe(session.id),
          "session.json": { ...session, ...more },
          "timeline.json": events,
          "consents.json": consents,
          "checks.json": { captcha: session.assurance.captcha, dedup: sightings },
          "readings.json": read,
          "review.json": review === null ? null : withoutAddresses(review),
          "notes.json": notes.map(({ written_by_email, ...note }) => note),
          "files.json": stored.map(({ file, name, original, session_id }) => ({
            name,
            original,
            session_id,
            ...file
          }))
        },
        stored.map(({ file: { sha256 }, name, open }) => ({
          name,
          sha256,
          open: () =>
            Effect.runPromise(
              open.pipe(
                Effect.catchTags({
                  ContentChanged: () => Effect.succeed("changed" as const),
                  StoreFailed: () => Effect.succeed("not found" as const)
                })
              )
            )
        }))
      )
      return { content, id: session.id }
    })

    return { open }
  })
}) {}
