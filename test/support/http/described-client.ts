/** A client built at run time from nothing but an OpenAPI description, as a generator would write it. */

type Json = Readonly<Record<string, unknown>>

const object = (value: unknown): Json => (typeof value === "object" && value !== null ? { ...value } : {})

const first = (value: unknown): Json => object(Array.isArray(value) ? value[0] : undefined)

/** A call by operation id: path parameters by name, and the body if there is one. */
export type Call = (parameters?: Readonly<Record<string, string>>, body?: unknown) => Promise<Response>

/** The operations of the description, by id. `key` is sent as its security scheme says. */
export const clientOf = (description: unknown, key: string): ReadonlyMap<string, Call> => {
  const { components, paths, security, servers } = object(description)
  const [scheme = ""] = Object.keys(first(security))
  const credential = object(object(object(components).securitySchemes)[scheme])
  if (credential.type !== "apiKey" || credential.in !== "header") throw new Error("No key in a header")
  const headers = { [String(credential.name)]: key }
  return new Map(
    Object.entries(object(paths)).flatMap(([path, item]) =>
      Object.entries(object(item)).flatMap(([method, operation]) => {
        const { operationId } = object(operation)
        if (typeof operationId !== "string") return []
        const call: Call = (parameters = {}, body) =>
          fetch(
            first(servers).url +
              path.replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
                encodeURIComponent(parameters[name] ?? "")
              ),
            { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
          )
        return [[operationId, call] as const]
      })
    )
  )
}
