/** The reader's own values: who is signed in, and the company's key, instance and newest session. */
import { type Json, list, object, objects, text } from "../json.ts"

/** The name of the keys that “Try it” makes. They end in an hour, so they are in no code. */
export const triedName = "Tried in the docs"

export interface Own {
  readonly email: string
  /** Whether the user may create keys. */
  readonly mayWrite: boolean
  /** The visible beginning of a platform key, and its name. */
  readonly key: { readonly prefix: string; readonly name: string } | undefined
  readonly instance: { readonly id: string; readonly publicKey: string } | undefined
  readonly sessionId: string | undefined
}

const read = async (path: string): Promise<Json> => {
  const response = await fetch(path)
  return response.ok ? object(await response.json()) : {}
}

const ask = async (): Promise<Own | undefined> => {
  // Without a session, the question would be an error on the console.
  if (document.querySelector('meta[name="docs:signed-in"]') === null) return undefined
  const user = object((await read("/api/auth/me")).user)
  const email = text(user.email)
  if (email === undefined) return undefined
  const sessions = read("/api/kyc/sessions?limit=1")
  // Reviewers see sessions, and nothing else.
  const [keys, instances] =
    user.role === "reviewer"
      ? [{}, {}]
      : await Promise.all([read("/api/api-keys?limit=50"), read("/api/kyc/instances")])
  const key = objects(keys.apiKeys).find(({ activeNow, name }) => activeNow === true && name !== triedName)
  const instance = objects(instances.instances).find(({ disabled_at }) => disabled_at === null)
  const prefix = text(key?.token_prefix)
  const [id, publicKey] = [text(instance?.id), text(instance?.public_key)]
  return {
    email,
    mayWrite: user.role === "owner" || user.role === "member",
    key: prefix === undefined ? undefined : { prefix, name: text(key?.name) ?? "" },
    instance: id === undefined || publicKey === undefined ? undefined : { id, publicKey },
    sessionId: text(object(list((await sessions).sessions)[0]).id)
  }
}

let asked: Promise<Own | undefined> | undefined

/** Undefined if nobody is signed in. Asks once. */
export const own = (): Promise<Own | undefined> => {
  asked ??= ask().catch(() => undefined)
  return asked
}

/** The public key of an instance in an example. */
const exampleInstance = /kyc_pk_\w+/g

export const withOwnInstance = (source: string, values: Own | undefined): string =>
  values?.instance === undefined ? source : source.replaceAll(exampleInstance, values.instance.publicKey)

/** Puts the reader's values into the code. */
export const fillIn = (within: HTMLElement, values: Own | undefined) => {
  for (const samples of within.querySelectorAll<HTMLElement>(".samples")) {
    for (const code of samples.querySelectorAll("code"))
      code.textContent = withOwnInstance(code.textContent, values)
    if (values?.key === undefined || !samples.textContent.includes("DOORLOCK_API_KEY")) continue
    const note = document.createElement("p")
    note.className = "own-key"
    const prefix = document.createElement("code")
    prefix.textContent = `${values.key.prefix}…`
    note.append(
      "DOORLOCK_API_KEY is a platform key of your company, such as ",
      prefix,
      ` (${values.key.name}).`
    )
    samples.append(note)
  }
}
