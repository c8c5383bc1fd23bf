import { Effect, Option } from "effect"
import { hmacSha256, sameText } from "../../secrets/digest.ts"
import { parseId } from "../../secrets/identifier.ts"
import { SecretKey } from "../../secrets/secret-key.ts"
import { embeddingOrigins } from "../instances/config-model.ts"
import { sessionKey } from "../sessions/service.ts"
import { EmbeddingRepo } from "./repo.ts"

/** The parameters of a browser's request for the page. */
interface Opening {
  readonly sessionId: string
  /** The session's token from `verificationUrl`. */
  readonly token: string | undefined
  /** The ticket from an earlier response. The page keeps it in its address after it has removed the token. */
  readonly ticket: string | undefined
}

/** The framing permission of a session's page. */
export interface Embeddable {
  /** The origins that may frame the page; at least one. */
  readonly origins: ReadonlyArray<string>
  /** Proves the right to read the origins of this session again. It grants nothing else. */
  readonly ticket: string
}

/**
 * Determines who may show a session's hosted page in a frame: the origins in `embed.allowedOrigins` of the session's
 * config. Only holders of the session's token, or of a ticket issued to such a holder, learn these origins. To
 * everybody else, every session looks like an unknown one (contract.md#indistinguishable). Nothing is written.
 */
export class Embedding extends Effect.Service<Embedding>()("Embedding", {
  effect: Effect.gen(function* () {
    const repo = yield* EmbeddingRepo
    const secretKey = yield* SecretKey
    const acceptedKeys = secretKey.accepted("frame-ticket")
    const key = secretKey.derive("frame-ticket")

    const ticketOf = (id: string, ticketKey = key): string =>
      Buffer.from(hmacSha256(ticketKey, id)).toString("base64url")
    const isTicketOf = (id: string, ticket: string): boolean =>
      acceptedKeys.some((accepted) => sameText(ticket, ticketOf(id, accepted)))

    /** The session's `embed` setting, for an authorized request. */
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
     * None: no other page may frame the session's page, the request proves no right to know, or the database fails (the
     * page still loads and reports the failure). The session's status does not matter: the page shows it.
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
          Effect.logError("Reading which sites may frame the KYC page failed, so none may", cause),
          Option.none<Embeddable>()
        )
      )
    )

    return { find }
  })
}) {}
