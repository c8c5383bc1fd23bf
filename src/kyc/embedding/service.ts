import { Effect, Option } from "effect"
import { hmacSha256, sameText } from "../../secrets/digest.ts"
import { parseId } from "../../secrets/identifier.ts"
import { SecretKey } from "../../secrets/secret-key.ts"
import { embeddingOrigins } from "../instances/config-model.ts"
import { sessionKey } from "../sessions/service.ts"
import { EmbeddingRepo } from "./repo.ts"

interface Opening {
  readonly sessionId: string
  readonly token: string | undefined
  /** The ticket from an earlier response. The page keeps it in its address after it has removed the token. */
  readonly ticket: string | undefined
}

interface Embeddable {
  /** The origins that may frame the page; at least one. */
  readonly origins: ReadonlyArray<string>
  /** Proves the right to read the origins of this session again. It grants nothing else. */
  readonly ticket: string
}

/**
 * Which origins may frame a session's hosted page: `embed.allowedOrigins` of its config. Only holders of its
 * token, or of a ticket issued to one, learn them; to everybody else every session looks unknown
 * (contract.md#indistinguishable). Nothing is written.
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

    /** None also if the database fails: the page still loads and reports that, as it does any status. */
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
