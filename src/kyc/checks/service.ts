import { DateTime, Effect, Option } from "effect"
import { Config } from "../../config.ts"
import { sealText } from "../../secrets/data-keys.ts"
import { newId } from "../../shared/identifier.ts"
import { Files } from "../files/service.ts"
import { SessionKeys } from "../sessions/keys-service.ts"
import { PartnerSessions } from "../sessions/partner-service.ts"
import { answersIn, comparesFaces, type FileAnswer } from "./answers-model.ts"
import { Duplicates } from "./duplicates-service.ts"
import { findingsOf } from "./findings-model.ts"
import { Looking, type LookUnfinished } from "./looking.ts"
import { type CheckContent, checkPlace } from "./model.ts"
import type { Photo } from "./photo-findings-model.ts"
import { CheckRepo, type SessionChecks } from "./repo.ts"
import { signalsOf } from "./signals-model.ts"
import { contentOf, eachOnce, isLookedAt, type Stored } from "./stored-photos.ts"
import { todayIn } from "./today-model.ts"

/** How often a photo is looked at that breaks the process. */
const tries = 3

/** A photo with a perceptual hash, or nothing. */
const hashed = ({ id, look }: Photo) =>
  typeof look !== "string" && look.found === "picture" && look.hash !== undefined
    ? [{ id, hash: look.hash }]
    : []

/** Checks of sessions: what doorlock itself saw in what a person handed in (contract.md#checks). */
export class Checks extends Effect.Service<Checks>()("Checks", {
  dependencies: [CheckRepo.Default, Duplicates.Default],
  effect: Effect.gen(function* () {
    const repo = yield* CheckRepo
    const sessions = yield* PartnerSessions
    const files = yield* Files
    const keys = yield* SessionKeys
    const { look } = yield* Looking
    const { faceModel } = yield* Config
    const { compare } = yield* Duplicates
    /** One session at a time, so that a process never holds the photos of many. */
    const turn = yield* Effect.makeSemaphore(1)

    const photoOf = Effect.fnUntraced(function* (
      stored: Stored,
      answer: FileAnswer,
      how: { readonly thisYear: number; readonly faceModel: string | undefined }
    ): Effect.fn.Return<Photo, LookUnfinished> {
      const photo = { id: stored.file.id, ...answer }
      if (!isLookedAt(stored)) return { ...photo, look: "type" }
      const read = yield* contentOf(stored)
      if (Option.isNone(read)) return { ...photo, look: "gone" }
      const seen = yield* Effect.retry(look({ ...how, content: read.value, shows: answer.shows }), {
        times: tries - 1,
        while: ({ _tag }) => _tag === "NoLook"
      }).pipe(Effect.catchTag("NoLook", () => Effect.succeed("failed" as const)))
      return { ...photo, look: seen }
    })

    /** Looks at the photos of a session. None: there is no such session, or it is redacted. Fails if the machine is too busy. */
    const make = (
      companyId: string,
      sessionId: string
    ): Effect.Effect<Option.Option<SessionChecks & { readonly lacksFiles: boolean }>, LookUnfinished> =>
      Effect.gen(function* () {
        const session = yield* sessions.get(companyId, sessionId)
        const key = yield* keys.ofCompany(companyId, sessionId)
        if (session.redacted_at !== null || Option.isNone(key)) return Option.none()
        const { claimed, files: named, ...answers } = answersIn(session)
        const today = todayIn(session.instance_config, yield* DateTime.now)
        const comparison = comparesFaces(session.instance_config) ? { model: faceModel } : undefined
        const how = { thisYear: Number(today.slice(0, 4)), faceModel: comparison && faceModel?.path }
        const photos = yield* Effect.forEach(eachOnce(yield* files.stored(companyId, sessionId)), (one) =>
          photoOf(one, named.get(one.file.id) ?? { shows: "other" }, how)
        )
        const seenIn = yield* compare(session, photos.flatMap(hashed))
        const known = Option.getOrElse(yield* repo.known(companyId, sessionId), () => ({
          answered: [],
          seconds: 0,
          handedTo: [],
          sameBrowser: null
        }))
        const at =
          session.completed_at === null ? yield* DateTime.now : DateTime.unsafeMake(session.completed_at)
        const findings = [
          ...findingsOf({ ...answers, photos, seenIn, today, comparison }),
          signalsOf({ ...known, at }, claimed)
        ]
        return Option.some({
          sessionId,
          /** The store did not give some; maybe it does later. */
          lacksFiles: photos.some(({ look }) => look === "gone"),
          checks: findings.map(({ detail, reason, ...finding }) => {
            const id = newId()
            const content: CheckContent = { reason, detail }
            return { ...finding, id, content: sealText(key.value, checkPlace(id), JSON.stringify(content)) }
          })
        })
      }).pipe(
        Effect.catchTag("SessionNotFound", () => Effect.succeedNone),
        turn.withPermits(1)
      )

    return { make, store: repo.store, forgetMarks: repo.forgetMarks }
  })
}) {}

/** Who wants photos to be looked at. */
export class CheckDemand extends Effect.Service<CheckDemand>()("CheckDemand", {
  dependencies: [CheckRepo.Default],
  effect: Effect.map(CheckRepo, ({ instances }) => ({
    /** How many instances of all companies have `checks.photos` on. */
    instances
  }))
}) {}
