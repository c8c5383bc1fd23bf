/** Loads the data for a publisher's pages of its own APIs. */
import { ApiFailure, call } from "../../common/call.ts"
import type { Answer } from "../../common/contract.ts"

export type OwnApi = Answer<"api-publishing.list">["apis"][number]

/** One of the company's APIs; there is no route for a single one. */
export const readOwnApi = async (id: string, signal: AbortSignal): Promise<OwnApi> => {
  const { apis } = await call("api-publishing.list", { signal })
  const api = apis.find((known) => known.id === id)
  if (api === undefined) throw new ApiFailure(404, "API not found")
  return api
}

export const pageOf = (id: string): string => `/dashboard/publishing/${encodeURIComponent(id)}`

/** The parent page of an API's pages. */
export const parentOf = (id: string, api: OwnApi | undefined) => ({
  to: pageOf(id),
  label: api?.name ?? "API"
})

/** A slug derived from a name. */
export const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 63)
    .replace(/^-/, "")
    .replace(/-$/, "")

/**
 * A number field as typed, or no field if nothing was typed. Anything but a whole number is refused here, with the
 * API's message.
 */
export const numberField = <Name extends string>(
  name: Name,
  text: string
): { readonly [_ in Name]?: number } => {
  const trimmed = text.trim()
  if (trimmed === "") return {}
  if (!/^\d{1,15}$/.test(trimmed)) throw new ApiFailure(400, `${name} must be a whole number`)
  const field: { [_ in Name]?: number } = {}
  field[name] = Number(trimmed)
  return field
}
