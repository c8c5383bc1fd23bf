import { Effect, Option } from "effect"
import { hmacSha256, sameText } from "../../secrets/digest.ts"
import { SecretKey } from "../../secrets/secret-key.ts"
import { foundOr, idOr } from "../../shared/found.ts"
import { embeddingOrigins } from "../instances/settings-model.ts"
import { noSession } from "../sessions/errors.ts"
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
  dependencies: [EmbeddingRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* EmbeddingRepo
    const secretKey = yield* SecretKey
    const acceptedKeys = secretKey.accepted("frame-ticket")
    const key = secretKey.derive("frame-ticket")

    const ticketOf = (id: string, ticketKey = key): string =>
      Buffer.from(hmacSha256(ticketKey, id)).toString("base64url")
    const isTicketOf = (id: string, ticket: string): boolean =>
      acceptedKeys.some((accepted) => sameText(ticket, ticketOf(id, accepted)))

    const findEmbed = Effect.fnUntraced(function* ({ sessionId, ticket = "", token }: Opening) {
      if (token !== undefined) return yield* repo.findByToken(yield* sessionKey({ sessionId, token }))
      const id = yield* idOr(sessionId, noSession)
      return isTicketOf(id, ticket) ? yield* repo.find(id) : Option.none()
    }, foundOr(noSession))

    /** Undefined also if the database fails: the page still loads and reports that, as it does any status. */
    const find = Effect.fnUntraced(
      function* (opening: Opening) {
        const { embed, id } = yield* findEmbed(opening)
        const origins = embeddingOrigins(embed)
        return origins.length === 0 ? undefined : ({ origins, ticket: ticketOf(id) } satisfies Embeddable)
      },
      Effect.catchTag("SessionNotFound", () => Effect.void),
      Effect.catchAllCause((cause) =>
        Effect.asVoid(
          Effect.logError("Could not read which sites may frame the KYC page, so none may", cause)
        )
      )
    )

    return { find }
  })
}) {}
