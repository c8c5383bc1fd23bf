/** What a publisher's pages of its own APIs share. */
import type { ComponentChildren } from "preact"
import { type Answer, ApiFailure, doorlock } from "../../common/call.ts"
import { Page } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"

export type OwnApi = Answer<"publishing.listApis">["apis"][number]

/** Searches the list, because there is no route for a single API. */
export const readOwnApi = async (id: string, signal: AbortSignal): Promise<OwnApi> => {
  const { apis } = await doorlock.publishing.listApis({ signal })
  const api = apis.find((known) => known.id === id)
  if (api === undefined) throw new ApiFailure(404, "API not found")
  return api
}

export const pageOf = (id: string): string => `/dashboard/publishing/${encodeURIComponent(id)}`

export const parentOf = (id: string, api: OwnApi | undefined) => ({
  to: pageOf(id),
  label: api?.name ?? "API"
})

interface OwnApiFormPageProps {
  readonly id: string
  readonly title: string
  readonly intro?: string
  readonly children: (api: OwnApi) => ComponentChildren
}

/** The page of a form that changes one of the company's APIs. */
export const OwnApiFormPage = ({ children, id, ...head }: OwnApiFormPageProps) => {
  const loaded = useResource((signal) => readOwnApi(id, signal), [id])
  return (
    <Page {...head} parent={parentOf(id, loaded.value)}>
      <Loaded of={loaded}>{children}</Loaded>
    </Page>
  )
}

export const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 63)
    .replace(/^-/, "")
    .replace(/-$/, "")

/** A number field of a request, left out if empty. Refuses anything but a whole number, with the API's message. */
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
