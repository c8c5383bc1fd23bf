import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { hmacSha256, sameText } from "../../secrets/digest.ts"
import { parseId } from "../../secrets/identifier.ts"
import { SecretKey } from "../../secrets/secret-key.ts"
import { embeddingOrigins } from "../instances/config-model.ts"
import { sessionKey } from "../sessions/service.ts"
import { EmbeddingRepo } from "./repo.ts"

/** What a browser asks for the page with. */
interface Opening {
  readonly sessionId: string
  /** The session's token, as `verificationUrl` carries it. */
  readonly token: string | undefined
  /** The ticket of an earlier answer, which the page keeps in its address when the token has been taken out of it. */
  readonly ticket: string | undefined
}

/** A session's page may be shown in frames. */
export interface Embeddable {
  /** By pages of these origins; at least one. */
  readonly origins: ReadonlyArray<string>
  /** Proves, for this session, the right to learn them again. It gives no other right. */
  readonly ticket: string
}

/**
 * Who may show a session's hosted page in a frame: the origins of `embed.allowedOrigins` in the config that the session was
 * created with. Their names are told only to who has the session's token, or a ticket that was made for one who had it, so
 * that to everybody else every session is like an unknown one (contract.md#indistinguishable). Nothing is ever written.
 */
export class Embedding extends Effect.Service<Embedding>()("Embedding", {
  effect: Effect.gen(function* () {
    const repo = yield* EmbeddingRepo
    const secretKey = yield* SecretKey
    const acceptedKeys = secretKey.accepted("frame-ticket")
    const key = secretKey.derive("frame-ticket")

    const ticketUnder = (ticketKey: Uint8Array, id: string): string =>
      Buffer.from(hmacSha256(ticketKey, id)).toString("base64url")
    const ticketOf = (id: string): string => ticketUnder(key, id)
    const isTicketOf = (id: string, ticket: string): boolean =>
      acceptedKeys.some((accepted) => sameText(ticket, ticketUnder(accepted, id)))

    /** The `embed` of the session, to who may know it. */
    const findEmbed = Effect.fnUntraced(function* ({ sessionId, ticket, token }: Opening) {
      if (token !== undefined) {
        const access = yield* Effect.option(sessionKey({ sessionId, token }))
        return Option.isSome(access) ? yield* repo.findByToken(access.value) : Option.none()
      }
      const id = parseId(sessionId)
      return id !== undefined && ticket !== undefined && isTicketOf(id, ticket)
        ? yield* repo.find(id)
        : Option.none()
    })

    /**
     * None: for a session that no other page may show, for who proves no right to know, and while the database fails, for
     * then the page can still say so. Whatever has become of the session: the page tells that itself.
     */
    const find = Effect.fnUntraced(
      function* (opening: Opening) {
        const found = Option.getOrUndefined(yield* findEmbed(opening))
        const origins = embeddingOrigins(found?.embed)
        return found === undefined || origins.length === 0
          ? Option.none<Embeddable>()
          : Option.some<Embeddable>({ origins, ticket: ticketOf(found.id) })
      },
      Effect.catchAllCause((cause) =>
        Effect.as(
          Effect.logError("Whether the KYC page may be in a frame is unknown, so it may not", cause),
          Option.none<Embeddable>()
        )
      )
    )

    return { find }
  })
}) {}
