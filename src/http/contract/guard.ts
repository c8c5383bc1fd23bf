/** Guards: middleware that lets some requests in and refuses others. Each tag says for the description whom it lets in. */
import type * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import type { Context, Schema } from "effect"

/** How a request carries a credential, in OpenAPI's words. */
type SecurityScheme =
  | {
      readonly type: "apiKey"
      readonly in: "cookie" | "header"
      readonly name: string
      readonly description: string
    }
  | { readonly type: "http"; readonly scheme: "bearer"; readonly description: string }

/** A credential: every way in which a request may carry it, by the name that the description gives it. */
export type Credential = Readonly<Record<string, SecurityScheme>>

/** What a guard says of itself. */
export interface Guard<Provided = never> {
  /** One of these lets a request in; none for a guard that asks for no credential. */
  readonly credentials: ReadonlyArray<Credential>
  /** Whom it lets in: a sentence of the description. */
  readonly who: string
  /** The company whose credential was presented: what the server holds of the request counts against this company. */
  readonly companyOf?: (provided: Provided) => string
}

export interface Guarded {
  readonly guard: Guard
}

/** What the middleware of a tag provides to the handler. */
type ProvidedBy<T> = T extends { readonly provides: Context.Tag<infer _Id, infer Provided> }
  ? Provided
  : never

/** A middleware tag that says whom it lets in. A route behind a tag that does not say so stops the start (`reflection`). */
export const guard = <T extends { readonly failure: Schema.Schema.All }>(
  tag: T,
  says: Guard<ProvidedBy<T>>
): T & Guarded => Object.assign(tag, { guard: says })

/** What the tag says of itself, or undefined when it was not made by `guard`. */
export const guardOf = (tag: HttpApiMiddleware.TagClassAny): Guard | undefined =>
  // The cast: only `guard` writes this property.
  "guard" in tag ? (tag.guard as Guard) : undefined

/** RFC 9110, section 15.5.2: a 401 says which credential is wanted. */
export const bearerChallenge = { headers: { "www-authenticate": 'Bearer realm="doorlock"' } }
