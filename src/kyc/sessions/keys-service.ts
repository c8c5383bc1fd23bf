import * as SqlClient from "@effect/sql/SqlClient"
import { Duration, Effect, Option } from "effect"
import { LRUCache } from "lru-cache"
import { transaction } from "../../db/sql.ts"
import { type DataKey, DataKeys, type SealedKey } from "../../secrets/data-keys.ts"
import { OtherSecretKey } from "./errors.ts"
import { SessionKeyRepo, type UnsealedRow } from "./keys-repo.ts"
import type { SessionKey } from "./model.ts"
import {
  type KeptKey,
  keyOwner,
  noData,
  type OpenedData,
  openData,
  plainData,
  type StoredData,
  sealMetadata,
  sealProgress,
  sealResult
} from "./sealing-model.ts"

/** For how many sessions the key is cached, and for how long: until then, a process remembers a key that was destroyed. */
const capacity = 10_000
const remembered = Duration.minutes(15)

/** How many keys one transaction of a rotation seals again. */
const resealedAtOnce = 500

/** The ids of a session. */
interface Owner {
  readonly id: string
  readonly company_id: string
}

/** By the token too: whether a session is cached must not depend on its id alone, or a timing would tell that the session exists. */
const cacheKey = ({ id, tokenHash }: SessionKey): string =>
  `${id} ${Buffer.from(tokenHash).toString("latin1")}`

/** The keys that seal the personal data of sessions. */
export class SessionKeys extends Effect.Service<SessionKeys>()("SessionKeys", {
  effect: Effect.gen(function* () {
    const repo = yield* SessionKeyRepo
    const dataKeys = yield* DataKeys
    const inTransaction = transaction(yield* SqlClient.SqlClient)
    const cached = new LRUCache<string, DataKey>({ max: capacity, ttl: Duration.toMillis(remembered) })

    /** Undefined: there is no key, because the data was stored without one or the key is destroyed. Throws `DataKeyUnavailable`. */
    const open = ({ company_id, id, sealed_key, sealed_with }: Owner & KeptKey): DataKey | undefined =>
      sealed_key === null || sealed_with === null
        ? undefined
        : dataKeys.open(keyOwner(company_id, id), { sealed_key, sealed_with })

    /** The key of a new session, as it is stored, and in the cache for what its browser does next. */
    const make = (
      companyId: string,
      key: SessionKey
    ): { readonly key: DataKey; readonly sealed: SealedKey } => {
      const made = dataKeys.make(keyOwner(companyId, key.id))
      cached.set(cacheKey(key), made.key)
      return made
    }

    /** What a read shows of a session's personal data: nulls if its key is destroyed. Throws if it does not open. */
    const read = <Row extends Owner & KeptKey & StoredData>(
      { sealed, sealed_key, sealed_with, ...rest }: Row,
      by?: SessionKey
    ): Omit<Row, keyof KeptKey | keyof StoredData> & (OpenedData | typeof noData) => {
      if (!sealed) return { ...rest, ...plainData(rest) }
      const known = by === undefined || sealed_key === null ? undefined : cached.get(cacheKey(by))
      const key = known ?? open({ ...rest, sealed, sealed_key, sealed_with })
      if (key === undefined) return { ...rest, ...noData }
      if (by !== undefined && known === undefined) cached.set(cacheKey(by), key)
      return { ...rest, ...openData(key, rest) }
    }

    const seal = (found: ReadonlyArray<UnsealedRow>) =>
      found.length === 0
        ? Effect.succeed(0)
        : repo.seal(
            found.map(({ company_id, id, metadata, progress, result }) => {
              const { key, sealed } = dataKeys.make(keyOwner(company_id, id))
              const plain = plainData({ metadata, progress, result })
              return {
                id,
                progress: sealProgress(key, plain.progress),
                result: sealResult(key, plain.result),
                metadata: sealMetadata(key, plain.metadata),
                sealed_key: Buffer.from(sealed.sealed_key).toString("hex"),
                sealed_with: sealed.sealed_with
              }
            })
          )

    /** Seals what an earlier version stored of the session. If another request does so at the same time, waits for it. */
    const sealStored = (id: string) => inTransaction(Effect.flatMap(repo.lockUnsealed(id), seal))

    /**
     * The key of the session that a browser holds, to seal what it sends. None: there is no such session, or its key is destroyed.
     * Seals the data of a session that an earlier version stored. Dies if the `SECRET_KEY` of the session is no longer configured.
     */
    const forHolder = (key: SessionKey): Effect.Effect<Option.Option<DataKey>> =>
      Effect.suspend(() => {
        const known = cached.get(cacheKey(key))
        if (known !== undefined) return Effect.succeedSome(known)
        return Effect.gen(function* () {
          const found = yield* repo.find(key)
          if (Option.isNone(found)) return Option.none()
          if (!found.value.sealed) {
            yield* sealStored(found.value.id)
            return yield* forHolder(key)
          }
          const opened = open(found.value)
          if (opened !== undefined) cached.set(cacheKey(key), opened)
          return Option.fromNullable(opened)
        })
      })

    /** The key of a company's session, as `forHolder` returns it. */
    const ofCompany = (companyId: string, id: string): Effect.Effect<Option.Option<DataKey>> =>
      Effect.gen(function* () {
        const found = yield* repo.findOfCompany(companyId, id)
        if (Option.isNone(found)) return Option.none()
        if (found.value.sealed) return Option.fromNullable(open(found.value))
        yield* sealStored(id)
        return yield* ofCompany(companyId, id)
      })

    /** How many session keys each `SECRET_KEY` sealed: the present one, others that are configured, and unknown ones. */
    const secrets = Effect.map(repo.secrets(true), (used) => {
      const sum = (some: (sealedWith: string) => boolean) =>
        used.filter(({ sealed_with }) => some(sealed_with)).reduce((total, { keys }) => total + keys, 0)
      const isKnown = (sealedWith: string) => dataKeys.accepted.includes(sealedWith)
      return {
        present: sum((one) => one === dataKeys.sealedWith),
        previous: sum((one) => isKnown(one) && one !== dataKeys.sealedWith),
        unknown: sum((one) => !isKnown(one))
      }
    })

    const resealSome = (sealedWith: string) =>
      inTransaction(
        Effect.flatMap(repo.lockSealedWith(sealedWith, resealedAtOnce), (found) =>
          found.length === 0
            ? Effect.succeed(0)
            : repo.reseal(
                found.map(({ company_id, id, ...stored }) => {
                  const { sealed_key, sealed_with } = dataKeys.reseal(keyOwner(company_id, id), stored)
                  return { id, sealed_key: Buffer.from(sealed_key).toString("hex"), sealed_with }
                })
              )
        )
      )

    return {
      /** Fails if the key of any session is sealed by a `SECRET_KEY` that is not configured. */
      mustBeReadable: Effect.filterOrFail(
        repo.secrets(false),
        (used) => used.every(({ sealed_with }) => dataKeys.accepted.includes(sealed_with)),
        () => new OtherSecretKey()
      ).pipe(Effect.asVoid),

      secrets,

      /** How many sessions and files are not sealed yet. */
      unsealed: repo.unsealed,

      /** Seals with the present `SECRET_KEY` all keys that the previous one sealed. Returns how many. Can be stopped and run again. */
      reseal: Effect.forEach(
        dataKeys.accepted.filter((one) => one !== dataKeys.sealedWith),
        (sealedWith) =>
          Effect.iterate(
            { total: 0, last: resealedAtOnce },
            {
              while: ({ last }) => last > 0,
              body: ({ total }) =>
                Effect.map(resealSome(sealedWith), (last) => ({ total: total + last, last }))
            }
          )
      ).pipe(Effect.map((done) => done.reduce((sum, { total }) => sum + total, 0))),

      make,
      read,
      forHolder,
      ofCompany,

      /** Seals what earlier versions stored of some sessions. Returns of how many; several processes may do so at once. */
      sealSome: (most: number) => inTransaction(Effect.flatMap(repo.lockSomeUnsealed(most), seal))
    }
  }),
  dependencies: [DataKeys.Default]
}) {}
