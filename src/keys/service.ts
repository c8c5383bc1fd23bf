import { Effect } from "effect"
import type { Actor } from "../audit/model.ts"
import { Audit } from "../audit/service.ts"
import { Config } from "../config.ts"
import { displayPrefix, newToken, tokenHash } from "../secrets/token.ts"
import { type Cursor, nextCursor } from "../shared/cursor.ts"
import { foundOr, idOr } from "../shared/found.ts"
import { newId } from "../shared/identifier.ts"
import { ApiKeyNotFound, type KeyCollision, type TooManyApiKeys } from "./errors.ts"
import type { ApiKey } from "./model.ts"
import { ApiKeyRepo } from "./repo.ts"
import { KeyVerification } from "./verification.ts"

interface KeyRequest {
  readonly name: string
  /** Default `['*']`; an empty list permits nothing. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** Default never; may be in the past. */
  readonly expiresAt?: Date | undefined
}

const notFound = () => new ApiKeyNotFound()

/** A company's platform API keys (contract.md#platform-api-keys). */
export class ApiKeys extends Effect.Service<ApiKeys>()("ApiKeys", {
  effect: Effect.gen(function* () {
    const repo = yield* ApiKeyRepo
    const { quotas } = yield* Config
    const most = { active: quotas.apiKeys, all: 5 * quotas.apiKeys }
    const audit = yield* Audit
    const verification = yield* KeyVerification

    /** `next_cursor` is null on the last page. */
    const page = Effect.fnUntraced(function* (companyId: string, limit: number, after: Cursor | undefined) {
      const found = yield* repo.page(companyId, limit + 1, after)
      const apiKeys = found.slice(0, limit)
      return { apiKeys, next_cursor: nextCursor(apiKeys, found.length > limit) }
    })

    /** The token appears only in this response. The database stores its hash. */
    const create = Effect.fnUntraced(function* (by: Actor, request: KeyRequest) {
      const token = newToken("dlk_")
      const apiKey = yield* repo
        .insert(
          {
            id: newId(),
            companyId: by.companyId,
            name: request.name,
            scopes: request.scopes ?? ["*"],
            tokenHash: tokenHash(token),
            tokenPrefix: displayPrefix("dlk_", token),
            expiresAt: request.expiresAt ?? null,
            createdBy: by.kind === "user" ? by.id : null
          },
          most
        )
        .pipe(
          audit.recording(by, ({ expiresAt, id, name, scopes, token_prefix }) => [
            { action: "api_key.created", id, name, details: { token_prefix, scopes, expires_at: expiresAt } }
          ])
        )
      return { apiKey, token }
    }) satisfies (
      by: Actor,
      request: KeyRequest
    ) => Effect.Effect<{ readonly apiKey: ApiKey; readonly token: string }, KeyCollision | TooManyApiKeys>

    /** Holds at once in this process, within a second in others. Fails with `ApiKeyNotFound`. */
    const revoke = Effect.fnUntraced(function* (by: Actor, id: string) {
      const known = yield* idOr(id, notFound)
      yield* repo.revoke(by.companyId, known).pipe(
        foundOr(notFound),
        audit.recording(by, ({ name, was_active }) =>
          was_active ? [{ action: "api_key.revoked", id: known, name }] : []
        )
      )
      yield* verification.forget(known)
    })

    return { list: repo.list, page, stats: repo.stats, create, revoke }
  })
}) {}
