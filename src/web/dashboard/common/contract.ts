/** The types of the server's routes by name, such as `api-keys.create`. They add nothing to the bundle. */
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import type { Api } from "../../../api.ts"
import type { JsonObject, JsonText } from "../../../shared/schemas.ts"

/** A value as JSON: dates are ISO 8601 text; objects that the server stores as text are objects. */
type Wire<T> = T extends Date
  ? string
  : T extends JsonText
    ? JsonObject
    : T extends ReadonlyArray<infer Item>
      ? ReadonlyArray<Wire<Item>>
      : T extends object
        ? { readonly [Key in keyof T]: Wire<T[Key]> }
        : T

type Groups = (typeof Api.groups)[string]
type GroupName = HttpApiGroup.HttpApiGroup.Name<Groups>
type EndpointsOf<G extends GroupName> = HttpApiGroup.HttpApiGroup.EndpointsWithName<Groups, G>

/** `group.endpoint`, as in the contract. */
export type RouteName = {
  [G in GroupName]: `${G}.${HttpApiEndpoint.HttpApiEndpoint.Name<EndpointsOf<G>>}`
}[GroupName]

type Endpoint<N extends RouteName> = N extends `${infer G extends GroupName}.${infer E}`
  ? HttpApiEndpoint.HttpApiEndpoint.WithName<EndpointsOf<G>, E>
  : never

/** The response body. */
export type Answer<N extends RouteName> = Wire<HttpApiEndpoint.HttpApiEndpoint.Success<Endpoint<N>>>

type Body<N extends RouteName> = Wire<HttpApiEndpoint.HttpApiEndpoint.Payload<Endpoint<N>>>

/** Undefined and empty parameters are not sent. */
type Query<N extends RouteName> = {
  readonly [Key in keyof HttpApiEndpoint.HttpApiEndpoint.UrlParams<Endpoint<N>>]?: string | number | undefined
}

type PathOf<N extends RouteName> = HttpApiEndpoint.HttpApiEndpoint.PathParsed<Endpoint<N>>

export type RouteAddress<N extends RouteName> = ([PathOf<N>] extends [never]
  ? { readonly path?: never }
  : { readonly path: { readonly [Key in keyof PathOf<N>]: string } }) & { readonly query?: Query<N> }

/** The body is optional if all its fields are. */
type Content<N extends RouteName> = [Body<N>] extends [never]
  ? { readonly body?: never }
  : Record<never, never> extends Body<N>
    ? { readonly body?: Body<N> }
    : { readonly body: Body<N> }

export type Call<N extends RouteName> = RouteAddress<N> &
  Content<N> & {
    readonly headers?: Readonly<Record<string, string>>
    readonly signal?: AbortSignal
    /** Whether the request goes on after the page is closed; its body is then limited to 64 KiB. */
    readonly keepalive?: boolean
  }

/** The arguments after the name; they are optional if nothing is required. */
export type Arguments<T> = Record<never, never> extends T ? [given?: T] : [given: T]
