import type * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Of whatever kind. */
type AnyLayer = Layer.Layer<never, unknown, unknown>

/** What one feature adds to the program. Every part may be left out. */
export interface Feature {
  /** The groups of its routes, in the order in which the description shows them. */
  readonly contract?: ReadonlyArray<HttpApiGroup.HttpApiGroup.Any>
  /** What the use cases of all features may need. It needs those of no other. */
  readonly foundation?: AnyLayer
  /** Its use cases on the database. They may need those of the features before it in the list. */
  readonly services?: AnyLayer
  /** The implementation of its contract, its pages, and what it does beside requests. */
  readonly routes?: AnyLayer
  /** Middleware that says who asks. It is there for the routes of all features. */
  readonly credentials?: AnyLayer
  /** What is done every hour, each under the name that the log gives it. */
  readonly housekeeping?: Readonly<Record<string, Effect.Effect<unknown, unknown, unknown>>>
}

/** A part of those features that have it. */
type PartOf<F, Part extends keyof Feature> = F extends { readonly [P in Part]: infer Value }
  ? Extract<Value, NonNullable<Feature[Part]>>
  : never

/** Of the features that have it, one part each. */
const partsOf = <Fs extends ReadonlyArray<Feature>, Part extends keyof Feature>(
  features: Fs,
  part: Part
): ReadonlyArray<PartOf<Fs[number], Part>> =>
  // The cast: what is not undefined is there.
  features.map((feature) => feature[part]).filter((found) => found !== undefined) as never

type OutOf<L> = L extends Layer.Layer<infer Out, infer _E, infer _In> ? Out : never
type ErrorOf<L> = L extends Layer.Layer<infer _Out, infer E, infer _In> ? E : never
type InOf<L> = L extends Layer.Layer<infer _Out, infer _E, infer In> ? In : never

/** One layer of a union of them. */
type Merged<L> = Layer.Layer<OutOf<L>, ErrorOf<L>, InOf<L>>

/** The layers of all features as one. None of them needs another. */
export const mergedLayers = <
  Fs extends ReadonlyArray<Feature>,
  Part extends "credentials" | "foundation" | "routes"
>(
  features: Fs,
  part: Part
): Merged<PartOf<Fs[number], Part>> =>
  // The cast: the types are those of `Layer.mergeAll`, which takes no array.
  partsOf(features, part).reduce<AnyLayer>((all, one) => Layer.merge(all, one), Layer.empty) as never

/** Layers on top of each other, by their types: each is given those before it, the first one what there is at first. */
type Stacked<Fs, Out, E, In> = Fs extends readonly [infer First, ...infer Rest]
  ? First extends { readonly services: infer L extends AnyLayer }
    ? Stacked<
        Rest,
        Out | Layer.Layer.Success<L>,
        E | Layer.Layer.Error<L>,
        In | Exclude<Layer.Layer.Context<L>, Out>
      >
    : Stacked<Rest, Out, E, In>
  : Layer.Layer<Out, E, In>

/** The use cases of all features, on their foundations. */
export const servicesOf = <const Fs extends ReadonlyArray<Feature>>(
  features: Fs
): Stacked<
  Fs,
  OutOf<PartOf<Fs[number], "foundation">>,
  ErrorOf<PartOf<Fs[number], "foundation">>,
  InOf<PartOf<Fs[number], "foundation">>
> =>
  // The cast: `Stacked` says what this does.
  partsOf(features, "services").reduce<AnyLayer>(
    (below, one) => Layer.provideMerge(one, below),
    mergedLayers(features, "foundation")
  ) as never

/** The groups of all features. */
export const allGroups = <Fs extends ReadonlyArray<Feature>>(
  features: Fs
): ReadonlyArray<PartOf<Fs[number], "contract">[number]> => partsOf(features, "contract").flat() as never

/** Adds groups to a contract. */
export const withGroups = <Id extends string, E, R, Group extends HttpApiGroup.HttpApiGroup.Any>(
  api: HttpApi.HttpApi<Id, never, E, R>,
  groups: ReadonlyArray<Group>
): HttpApi.HttpApi<Id, Group, E, R> =>
  groups.reduce<HttpApi.HttpApi<Id, Group, E, R>>((sum, group) => sum.add(group), api)

/** What is done every hour, of all features. Dies when two have the same name: one would be forgotten. */
export const allHousekeeping = <Fs extends ReadonlyArray<Feature>>(
  features: Fs
): Readonly<
  Record<
    string,
    Effect.Effect<unknown, unknown, Effect.Effect.Context<TaskOf<PartOf<Fs[number], "housekeeping">>>>
  >
> => {
  const tasks = partsOf(features, "housekeeping").flatMap((some) => Object.entries(some))
  const names = new Set(tasks.map(([name]) => name))
  if (names.size < tasks.length) throw new Error("Two features have housekeeping of the same name")
  return Object.fromEntries(tasks) as never
}

type TaskOf<Tasks> = Tasks extends unknown ? Tasks[keyof Tasks] : never
