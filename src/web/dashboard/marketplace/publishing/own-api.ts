/** What the pages of a publisher's API ask for. */
import { ApiFailure, call } from "../../common/call.ts"
import type { Answer } from "../../common/contract.ts"

export type OwnApi = Answer<"api-publishing.list">["apis"][number]

/** An API of the company; there is no route for one alone. */
export const readOwnApi = async (id: string, signal: AbortSignal): Promise<OwnApi> => {
  const { apis } = await call("api-publishing.list", { signal })
  const api = apis.find((known) => known.id === id)
  if (api === undefined) throw new ApiFailure(404, "API not found")
  return api
}

export const pageOf = (id: string): string => `/dashboard/publishing/${encodeURIComponent(id)}`

/** Where the pages of an API lead back to. */
export const parentOf = (id: string, api: OwnApi | undefined) => ({
  to: pageOf(id),
  label: api?.name ?? "API"
})

/** A slug that a name suggests. */
export const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 63)
    .replace(/^-/, "")
    .replace(/-$/, "")

/** A field with a number as it was typed; without it when nothing was. What is no whole number is refused here, as the API would. */
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
