/** How the export of a published API names what belongs to one of its versions. */
import { type Json, list, object } from "../../../../json.ts"
import { type Operation, operationsOf, textOf } from "../../../../reference/document.ts"

export interface VersionName {
  readonly publisher_slug: string
  readonly slug: string
  readonly version: string
}

/** The path of a version below the gateway's address. */
export const versionPath = ({ publisher_slug, slug, version }: VersionName): string =>
  `/${publisher_slug}/${slug}/v/${version}`

/** The tag of a version in the export. A publisher's own tag follows it: `publisher/api version: own`. */
const tagOf = ({ publisher_slug, slug, version }: VersionName): string =>
  `${publisher_slug}/${slug} ${version}`

const afterPrefix = (text: string, prefix: string): string | undefined =>
  text.startsWith(prefix) ? text.slice(prefix.length) : undefined

export const versionOperations = (document: Json, version: VersionName): ReadonlyArray<Operation> =>
  operationsOf(document, versionPath(version))

/** The publisher's own tag of an operation; empty if there is none. */
export const groupOf = (version: VersionName, { tag }: Operation): string =>
  afterPrefix(tag, `${tagOf(version)}: `) ?? ""

/** Whether a response is the gateway's own, by what it refers to. */
export const isGateways = ({ reference }: { readonly reference: string }): boolean =>
  reference.startsWith("#/components/responses/Gateway")

/** The publisher's own name of a component, which the export names `publisher_api_version_own`. */
export const componentName = ({ publisher_slug, slug, version }: VersionName, exported: string): string =>
  afterPrefix(exported, `${publisher_slug}_${slug}_${version}_`) ?? exported

export const tagDescription = (document: Json, version: VersionName, own: string): string => {
  const name = own === "" ? tagOf(version) : `${tagOf(version)}: ${own}`
  return textOf(object(list(document.tags).find((tag) => object(tag).name === name)).description)
}
