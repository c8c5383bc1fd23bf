import { Effect } from "effect"
import { hmacSha256 } from "../../secrets/digest.ts"
import { SecretKey } from "../../secrets/secret-key.ts"
import type { Mode } from "../sessions/model.ts"
import { bandsOf } from "./bands-model.ts"
import { PhotoBandRepo } from "./duplicates-repo.ts"

interface Session {
  readonly id: string
  readonly company_id: string
  readonly mode: Mode
}

interface HashedPhoto {
  readonly id: string
  /** Its perceptual hash. */
  readonly hash: string
}

/** For each photo that could be compared, the ids of the other sessions with a photo that looks the same. */
type SeenIn = ReadonlyMap<string, ReadonlySet<string>>

/** Finds pictures that were handed in in other sessions of a company, in the same mode (docs/checks.md#duplicates). */
export class Duplicates extends Effect.Service<Duplicates>()("Duplicates", {
  dependencies: [PhotoBandRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* PhotoBandRepo
    const secretKey = yield* SecretKey
    const own = secretKey.derive("photo-hash")
    const accepted = secretKey.accepted("photo-hash")

    // Bands are few enough bits to be guessed, so they are keyed. 64 bits of a MAC are enough, because several bands have to be equal.
    const macsOf = (key: Uint8Array, { company_id, mode }: Session, photos: ReadonlyArray<HashedPhoto>) =>
      photos.flatMap(({ hash, id }) =>
        bandsOf(hash).map((value, band) => ({
          file_id: id,
          band,
          mac: String(Buffer.from(hmacSha256(key, `${company_id}|${mode}|${band}|${value}`)).readBigInt64BE())
        }))
      )

    /**
     * Remembers these photos of a session, then looks for them in others: of two sessions that are looked at together, at least one finds the
     * other. The same photos again change nothing.
     */
    const compare = (session: Session, photos: ReadonlyArray<HashedPhoto>): Effect.Effect<SeenIn> =>
      Effect.gen(function* () {
        if (photos.length === 0) return new Map()
        yield* repo.store(session.company_id, macsOf(own, session, photos))
        const found = yield* repo.find(
          session.company_id,
          session.id,
          accepted.flatMap((key) => macsOf(key, session, photos))
        )
        return new Map(
          photos.map(({ id }) => [
            id,
            new Set(found.filter(({ file_id }) => file_id === id).map(({ session_id }) => session_id))
          ])
        )
      })

    return { compare }
  })
}) {}
