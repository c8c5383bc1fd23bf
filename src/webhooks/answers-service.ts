import { Effect, Option } from "effect"
import { SessionKeys } from "../kyc/sessions/keys-service.ts"
import { type DataKey, isSealedText, openText, sealText } from "../secrets/data-keys.ts"
import { SecretKey } from "../secrets/secret-key.ts"
import type { JsonObject } from "../shared/schemas.ts"

/** What an endpoint answered to. */
interface Asked {
  readonly companyId: string
  readonly deliveryId: string
  readonly eventType: string
  readonly data: JsonObject
}

const place = ({ deliveryId }: Asked): string => `answer to delivery ${deliveryId}`

/**
 * The bodies of answers, sealed: an endpoint may answer with what it knows about a person. Those to events of a session are sealed by the
 * session's key, so nobody can read them once its data is destroyed.
 */
export class WebhookAnswers extends Effect.Service<WebhookAnswers>()("WebhookAnswers", {
  effect: Effect.gen(function* () {
    const { ofCompany } = yield* SessionKeys
    const secretKey = yield* SecretKey
    const own = secretKey.accepted("webhook-answer")

    /** The key to seal with, then others that may have sealed an earlier answer. None: the session's data is destroyed. */
    const keysOf = ({ companyId, data, eventType }: Asked): Effect.Effect<ReadonlyArray<DataKey>> =>
      eventType.startsWith("kyc.")
        ? ofCompany(companyId, String(data.id)).pipe(
            Effect.map(Option.toArray),
            // An answer is worth no second delivery, and no failure of a page: it may have been sealed under an earlier `SECRET_KEY`.
            Effect.catchAllDefect(() => Effect.succeed([]))
          )
        : Effect.succeed(own)

    /** As it is stored; null if nothing is to be kept. */
    const seal = (asked: Asked, answer: string | null): Effect.Effect<string | null> =>
      answer === null || answer === ""
        ? Effect.succeed(answer)
        : Effect.map(keysOf(asked), ([key]) =>
            key === undefined ? null : sealText(key, place(asked), answer)
          )

    /** Opens what `seal` has made of the answers to one delivery; null if it cannot be read any more. */
    const open = (
      asked: Asked,
      stored: ReadonlyArray<string | null>
    ): Effect.Effect<ReadonlyArray<string | null>> => {
      const openBy = (keys: ReadonlyArray<DataKey>) => (answer: string | null) =>
        isSealedText(answer)
          ? Option.getOrNull(
              Option.firstSomeOf(keys.map((key) => Option.liftThrowable(openText)(key, place(asked), answer)))
            )
          : answer
      return stored.some(isSealedText)
        ? Effect.map(keysOf(asked), (keys) => stored.map(openBy(keys)))
        : Effect.succeed(stored)
    }

    return { seal, open }
  })
}) {}
