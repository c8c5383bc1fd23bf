import type * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { type Effect, Layer, type Schema } from "effect"
import type { WorkKind } from "./work/model.ts"

type AnyLayer = Layer.Layer<never, unknown, unknown>

/** What one feature adds to the server. Commands are in `command-line.ts`. */
export interface Feature {
  /** In the order of the OpenAPI document. */
  readonly contract?: ReadonlyArray<HttpApiGroup.HttpApiGroup.Any>
  /** What it sends to webhook endpoints, by type of event: for the OpenAPI document. */
  readonly webhooks?: Readonly<
    Record<
      string,
      { readonly description: string; readonly schema: Schema.Schema.Any; readonly example: unknown }
    >
  >
  /** Used by the services of all features; depends on no other foundation. */
  readonly foundation?: AnyLayer
  /** Its services, which may use those of earlier features in the list. */
  readonly services?: AnyLayer
  /** Its handlers and its pages. */
  readonly routes?: AnyLayer
  /** What it does outside requests, all the time. */
  readonly background?: AnyLayer
  /** Authentication, for the routes of all features. */
  readonly credentials?: AnyLayer
  /** Hourly tasks, by their name in the log. */
  readonly housekeeping?: Readonly<Record<string, Effect.Effect<unknown, unknown, unknown>>>
  /** Kinds of work that is done later (`work/README.md`). */
  readonly work?: ReadonlyArray<WorkKind>
}

type PartOf<F, Part extends keyof Feature> = F extends { readonly [P in Part]: infer Value }
  ? Extract<Value, NonNullable<Feature[Part]>>
  : never

const partsOf = <Fs extends ReadonlyArray<Feature>, Part extends keyof Feature>(
  features: Fs,
  part: Part
): ReadonlyArray<PartOf<Fs[number], Part>> =>
  // The cast is safe: the filter removes undefined.
  features.map((feature) => feature[part]).filter((found) => found !== undefined) as never

type OutOf<L> = L extends Layer.Layer<infer Out, infer _E, infer _In> ? Out : never
type ErrorOf<L> = L extends Layer.Layer<infer _Out, infer E, infer _In> ? E : never
type InOf<L> = L extends Layer.Layer<infer _Out, infer _E, infer In> ? In : never

type Merged<L> = Layer.Layer<OutOf<L>, ErrorOf<L>, InOf<L>>

/** Merges the layers of all features. None of them needs another. */
export const mergedLayers = <
  Fs extends ReadonlyArray<Feature>,
  Part extends "background" | "credentials" | "foundation" | "routes"
>(
  features: Fs,
  part: Part
): Merged<PartOf<Fs[number], Part>> =>
  // The cast is safe: the types are those of `Layer.mergeAll`, which takes no array.
  partsOf(features, part).reduce<AnyLayer>((all, one) => Layer.merge(all, one), Layer.empty) as never

/** Each layer may use those before it. */
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

export const servicesOf = <const Fs extends ReadonlyArray<Feature>>(
  features: Fs
): Stacked<
  Fs,
  OutOf<PartOf<Fs[number], "foundation">>,
  ErrorOf<PartOf<Fs[number], "foundation">>,
  InOf<PartOf<Fs[number], "foundation">>
> =>
  // The cast is safe: `Stacked` describes this fold.
  partsOf(features, "services").reduce<AnyLayer>(
    (below, one) => Layer.provideMerge(one, below),
    mergedLayers(features, "foundation")
  ) as never

export const allGroups = <Fs extends ReadonlyArray<Feature>>(
  features: Fs
): ReadonlyArray<PartOf<Fs[number], "contract">[number]> => partsOf(features, "contract").flat() as never

export const allWebhooks = (features: ReadonlyArray<Feature>): NonNullable<Feature["webhooks"]> =>
  Object.assign({}, ...partsOf(features, "webhooks"))

export const withGroups = <Id extends string, E, R, Group extends HttpApiGroup.HttpApiGroup.Any>(
  api: HttpApi.HttpApi<Id, never, E, R>,
  groups: ReadonlyArray<Group>
): HttpApi.HttpApi<Id, Group, E, R> =>
  groups.reduce<HttpApi.HttpApi<Id, Group, E, R>>((extended, group) => extended.add(group), api)

/** Throws if two tasks have the same name, because one would replace the other. */
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

type NeedsOf<Kind> = Kind extends WorkKind<infer R> ? R : never

/** Throws if two kinds have the same name. */
export const allWork = <Fs extends ReadonlyArray<Feature>>(
  features: Fs
): ReadonlyArray<WorkKind<NeedsOf<PartOf<Fs[number], "work">[number]>>> => {
  const kinds = partsOf(features, "work").flat()
  if (new Set(kinds.map(({ name }) => name)).size < kinds.length)
    throw new Error("Two kinds of work have the same name")
  // The cast is safe: the kinds need what those of each feature need.
  return kinds as never
}
