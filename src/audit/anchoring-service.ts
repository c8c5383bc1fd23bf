import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { sha256Text } from "../secrets/digest.ts"
import { SecretKey } from "../secrets/secret-key.ts"
import { anchoredBy, writeAnchor } from "./anchor-model.ts"
import { AnchorStore } from "./anchor-store.ts"
import { type Head, type KnownPlaces, keyOfSeal, sealOf, writeHead } from "./chain-model.ts"
import { AuditRepo, type EndRow } from "./repo.ts"
import { Audit } from "./service.ts"

/**
 * After the first anchor, for how long trails and events without a seal are sealed: as long as processes of the version before, which
 * seals nothing, may be replaced. After that an event without a seal is one that doorlock did not write.
 */
const upgradeGrace = Duration.toMillis("1 day")

/** Trails of which the log says more than their number, at most. */
const loggedHeads = 100

/** What is remembered outside the database of the trails of companies. */
export class Anchored extends Effect.Service<Anchored>()("Anchored", {
  effect: Effect.gen(function* () {
    const repo = yield* AuditRepo
    const store = yield* AnchorStore

    /** What all anchors say. */
    const read = Effect.map(store.read, anchoredBy)

    /**
     * How many trails have events of more than two hours ago that no anchor has, and how many anchors there are; fails when they
     * cannot be read or added.
     */
    const lack = Effect.gen(function* () {
      yield* store.check
      const texts = yield* store.read
      const { places } = anchoredBy(texts)
      const old = yield* repo.oldEnds
      const missing = old.filter(
        ({ company_id, position }) =>
          !(places.get(company_id) ?? []).some((known) => known.position >= position)
      )
      return { trails: missing.length, anchors: texts.length }
    })

    return { place: store.place, read, lack }
  })
}) {}

/**
 * Remembers outside the database where the trails of companies end (docs/audit.md), so that a tail that was cut off, a trail that was
 * put back with an older seal, and a company that is gone are found. Several processes may do so at once: an anchor says what is so, and
 * takes nothing from another.
 */
export class Anchoring extends Effect.Service<Anchoring>()("Anchoring", {
  effect: Effect.gen(function* () {
    const audit = yield* Audit
    const { read } = yield* Anchored
    const repo = yield* AuditRepo
    const store = yield* AnchorStore
    const secretKey = yield* SecretKey
    const sealKeys = secretKey.accepted("audit-seal")

    /** Whether the trail ends with what is sealed. A seal under the previous key is replaced by one under the present. */
    const isSealed = ({
      company_id,
      hash,
      position,
      seal,
      seal_position
    }: EndRow): Effect.Effect<boolean> => {
      if (seal === null || seal_position !== position) return Effect.succeed(false)
      const key = keyOfSeal(sealKeys, company_id, { position, hash }, seal)
      const [present] = sealKeys
      if (key === undefined || present === undefined || key === present) {
        return Effect.succeed(key !== undefined)
      }
      const renewed = sealOf(present, company_id, { position, hash })
      return Effect.as(repo.replaceSeal(company_id, { position, seal }, renewed), true)
    }

    /** Seals what the version before has written, as long as that may be. */
    const upgrade = (ends: ReadonlyArray<EndRow>, places: KnownPlaces) =>
      Effect.forEach(
        ends,
        ({ company_id }) => audit.sealUp(company_id, places.get(company_id) ?? [], false),
        {
          discard: true
        }
      )

    const sealedEnds = Effect.gen(function* () {
      const ends = yield* repo.ends
      const sealed = yield* Effect.forEach(ends, isSealed)
      return {
        sealed: ends.filter((_, index) => sealed[index]),
        unsealed: ends.filter((_, index) => !sealed[index])
      }
    })

    const anchorOrFail = Effect.gen(function* () {
      const { first, places } = yield* read
      const at = yield* Clock.currentTimeMillis
      const found = yield* sealedEnds
      const isUpgraded = first !== undefined && at >= first.getTime() + upgradeGrace
      const { sealed, unsealed } =
        found.unsealed.length === 0 || isUpgraded
          ? found
          : yield* Effect.zipRight(upgrade(found.unsealed, places), sealedEnds)
      if (unsealed.length > 0) {
        yield* Effect.logWarning(
          "Audit trails do not end with what doorlock has sealed, and are not anchored; audit verify says more"
        ).pipe(
          Effect.annotateLogs({
            trails: unsealed.length,
            companies: unsealed
              .slice(0, loggedHeads)
              .map(({ company_id }) => company_id)
              .join(" ")
          })
        )
      }
      const moved = new Map<string, Head>(
        sealed
          .filter(({ company_id, hash, position }) =>
            (places.get(company_id) ?? []).every(
              (known) => known.position !== position || known.hash !== hash
            )
          )
          .map(({ company_id, hash, position }) => [company_id, { position, hash }])
      )
      // The very first is made in any case: from then on, what has no seal is not sealed by the way.
      if (moved.size === 0 && first !== undefined) return
      const text = writeAnchor({ at: new Date(at), heads: moved })
      yield* store.add(new Date(at), text)
      yield* Effect.logInfo("Anchored the audit trails").pipe(
        Effect.annotateLogs({
          trails: moved.size,
          sha256: sha256Text(text),
          ...(moved.size > loggedHeads
            ? {}
            : { heads: [...moved].map(([company, head]) => `${company}:${writeHead(head)}`).join(" ") })
        })
      )
    })

    /** Anchors the trails that have moved on. Never fails: what cannot be done is logged, and done the next time. */
    const anchor: Effect.Effect<void> = Effect.catchAllCause(anchorOrFail, (cause) =>
      Effect.logWarning("The audit trails could not be anchored; it is tried again later", cause)
    )

    return { anchor }
  })
}) {}
