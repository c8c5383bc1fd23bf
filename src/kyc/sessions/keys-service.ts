import * as SqlClient from "@effect/sql/SqlClient"
import { Duration, Effect, Layer, Option } from "effect"
import { LRUCache } from "lru-cache"
import { transaction } from "../../db/sql.ts"
import { type DataKey, DataKeys, type SealedKey } from "../../secrets/data-keys.ts"
import * as storedKey from "../../secrets/stored-key.ts"
import { OtherSecretKey } from "./errors.ts"
import { SessionKeyRepo } from "./keys-repo.ts"
import type { Mode, SessionKey } from "./model.ts"
import {
  type KeptKey,
  keyOwner,
  noData,
  type OpenedData,
  openData,
  type StoredData
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

/** A session that a browser holds. */
export interface Held {
  readonly key: DataKey
  readonly about: SessionFacts
}

/** What never changes about a session. */
export interface SessionFacts {
  readonly companyId: string
  readonly mode: Mode
  /** The version of its instance; of a session that asks for some steps again, the one with only these. */
  readonly versionId: string
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
    const cached = new LRUCache<string, Held>({ max: capacity, ttl: Duration.toMillis(remembered) })

    /** Undefined: there is no key, because it is destroyed. Throws `DataKeyUnavailable`. */
    const open = ({ company_id, id, sealed_key, sealed_with }: Owner & KeptKey): DataKey | undefined =>
      sealed_key === null || sealed_with === null
        ? undefined
        : dataKeys.open(keyOwner(company_id, id), { sealed_key, sealed_with })

    /** The key of a new session, and as it is stored. */
    const make = (companyId: string, id: string): { readonly key: DataKey; readonly sealed: SealedKey } =>
      dataKeys.make(keyOwner(companyId, id))

    /** Remembers a session that was just created, for what its browser does next. */
    const remember = (key: SessionKey, held: Held): void => {
      cached.set(cacheKey(key), held)
    }

    /**
     * What a read shows of a session's personal data: nulls if its key is destroyed. Throws if it does not open.
     * @param by the browser that reads it, with the facts of the session
     */
    const read = <Row extends Owner & KeptKey & StoredData>(
      { sealed_key, sealed_with, ...rest }: Row,
      by?: SessionKey & { readonly about: SessionFacts }
    ): Omit<Row, keyof KeptKey | keyof StoredData> & (OpenedData | typeof noData) => {
      const known = by === undefined || sealed_key === null ? undefined : cached.get(cacheKey(by))
      const key = known?.key ?? open({ ...rest, sealed_key, sealed_with })
      if (key === undefined) return { ...rest, ...noData }
      if (by !== undefined && known === undefined) remember(by, { key, about: by.about })
      return { ...rest, ...openData(key, rest) }
    }

    const isKnown = (sealedWith: string) => dataKeys.accepted.includes(sealedWith)

    const find = (key: SessionKey): Effect.Effect<Option.Option<Held>> =>
      Effect.map(
        repo.find(key),
        Option.flatMap((found) => {
          const opened = open(found)
          if (opened === undefined) return Option.none()
          const { company_id: companyId, mode, version_id: versionId } = found
          const held = { key: opened, about: { companyId, mode, versionId } }
          remember(key, held)
          return Option.some(held)
        })
      )

    /**
     * The session that a browser holds, to seal what it sends. None: there is no such session, or its key is destroyed.
     * Dies if the `SECRET_KEY` of the session is no longer configured.
     */
    const forHolder = (key: SessionKey): Effect.Effect<Option.Option<Held>> =>
      Effect.suspend(() => {
        const known = cached.get(cacheKey(key))
        return known === undefined ? find(key) : Effect.succeedSome(known)
      })

    /** The key of a company's session. Otherwise like `forHolder`. */
    const ofCompany = (companyId: string, id: string): Effect.Effect<Option.Option<DataKey>> =>
      Effect.map(
        repo.findOfCompany(companyId, id),
        Option.flatMap((found) => Option.fromNullable(open(found)))
      )

    /**
     * How many keys of sessions each `SECRET_KEY` sealed: the present one, others that are configured, and unknown ones; and how many keys
     * belong to no session, because the database was restored to a time before it.
     */
    const secrets = Effect.map(repo.countKeys, (used) => {
      const sum = (some: (sealedWith: string) => boolean) =>
        used.filter(({ sealed_with }) => some(sealed_with)).reduce((total, { keys }) => total + keys, 0)
      return {
        present: sum((one) => one === dataKeys.sealedWith),
        previous: sum((one) => isKnown(one) && one !== dataKeys.sealedWith),
        unknown: sum((one) => !isKnown(one)),
        orphans: used.reduce((total, { orphans }) => total + orphans, 0)
      }
    })

    /** Seals some keys again, and returns how many, and those that do not open although their secret is known. */
    const resealSome = (sealedWith: string, broken: ReadonlyArray<string>) =>
      inTransaction(
        Effect.gen(function* () {
          const found = yield* repo.lockSealedWith(sealedWith, broken, resealedAtOnce)
          const [failed, opened] = yield* Effect.partition(found, ({ company_id, id, ...stored }) =>
            Effect.try({
              try: () => {
                const { sealed_key, sealed_with } = dataKeys.reseal(keyOwner(company_id, id), stored)
                return { id, sealed_key: Buffer.from(sealed_key).toString("hex"), sealed_with }
              },
              catch: () => id
            })
          )
          if (opened.length > 0) yield* repo.reseal(opened)
          return { found: found.length, resealed: opened.length, failed }
        })
      )

    const resealAll = (sealedWith: string) =>
      Effect.iterate(
        { resealed: 0, broken: [] as ReadonlyArray<string>, found: resealedAtOnce },
        {
          while: ({ found }) => found > 0,
          body: ({ broken, resealed }) =>
            Effect.map(resealSome(sealedWith, broken), (some) => ({
              resealed: resealed + some.resealed,
              broken: [...broken, ...some.failed],
              found: some.found
            }))
        }
      )

    return {
      /**
       * Fails if the key of any session is sealed by a `SECRET_KEY` that is not configured, and names one. Keys that belong to no session
       * are not needed.
       */
      mustBeReadable: Effect.gen(function* () {
        const unknown = (yield* repo.secrets)
          .map(({ sealed_with }) => sealed_with)
          .filter((one) => !isKnown(one))
        if (unknown.length === 0) return
        const found = yield* repo.sessionSealedWith(unknown)
        if (Option.isSome(found)) {
          return yield* new OtherSecretKey({ sessionId: found.value.id, sealedWith: found.value.sealed_with })
        }
      }),

      secrets,

      /**
       * Seals with the present `SECRET_KEY` all keys that the previous one sealed. Returns how many, and the ids of sessions whose key does
       * not open. Can be stopped and run again.
       */
      reseal: Effect.map(
        Effect.forEach(
          dataKeys.accepted.filter((one) => one !== dataKeys.sealedWith),
          resealAll
        ),
        (all) => ({
          resealed: all.reduce((sum, { resealed }) => sum + resealed, 0),
          broken: all.flatMap(({ broken }) => broken)
        })
      ),

      make,
      remember,
      read,
      forHolder,
      ofCompany
    }
  }),
  dependencies: [DataKeys.Default]
}) {}

/** How many keys of sessions each `SECRET_KEY` sealed. */
export const sealingState = Effect.flatMap(SessionKeys, ({ secrets }) => secrets).pipe(
  Effect.provide(
    SessionKeys.Default.pipe(Layer.provide(SessionKeyRepo.Default), Layer.provide(storedKey.layer))
  )
)
