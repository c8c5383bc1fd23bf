/** The types of the API's routes by name, such as `api-keys.create`. They come from the server's contract and leave nothing in the bundle. */
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import type { Api } from "../../../api.ts"
import type { JsonObject, JsonText } from "../../../model.ts"

/** A value as JSON has it: an instant is ISO 8601 text, and an object that the server keeps as text is an object. */
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

/** `group.endpoint`, as the contract names them. */
export type RouteName = {
  [G in GroupName]: `${G}.${HttpApiEndpoint.HttpApiEndpoint.Name<EndpointsOf<G>>}`
}[GroupName]

type Endpoint<N extends RouteName> = N extends `${infer G extends GroupName}.${infer E}`
  ? HttpApiEndpoint.HttpApiEndpoint.WithName<EndpointsOf<G>, E>
  : never

/** The body that a route answers. */
export type Answer<N extends RouteName> = Wire<HttpApiEndpoint.HttpApiEndpoint.Success<Endpoint<N>>>

/** The body that a route takes. */
type Body<N extends RouteName> = Wire<HttpApiEndpoint.HttpApiEndpoint.Payload<Endpoint<N>>>

/** The query that a route takes. A parameter that is undefined or empty is left out. */
export type Query<N extends RouteName> = {
  readonly [Key in keyof HttpApiEndpoint.HttpApiEndpoint.UrlParams<Endpoint<N>>]?: string | number | undefined
}

type PathOf<N extends RouteName> = HttpApiEndpoint.HttpApiEndpoint.PathParsed<Endpoint<N>>

/** What the address of a route is made of besides its name. */
export type RouteAddress<N extends RouteName> = ([PathOf<N>] extends [never]
  ? { readonly path?: never }
  : { readonly path: { readonly [Key in keyof PathOf<N>]: string } }) & { readonly query?: Query<N> }

/** A body may be left out where every field of it may be. */
type Content<N extends RouteName> = [Body<N>] extends [never]
  ? { readonly body?: never }
  : Record<never, never> extends Body<N>
    ? { readonly body?: Body<N> }
    : { readonly body: Body<N> }

/** What a call of a route is given. */
export type Call<N extends RouteName> = RouteAddress<N> &
  Content<N> & {
    readonly headers?: Readonly<Record<string, string>>
    readonly signal?: AbortSignal
  }

/** The arguments after the name: none are needed where nothing is required. */
export type Arguments<T> = Record<never, never> extends T ? [given?: T] : [given: T]
