/** Sends a call to this server. A key that is typed here stays in the memory of this tab. */
import { useEffect, useState } from "preact/hooks"
import { isObject, parse } from "../json.ts"
import type { Trial } from "../reference/trial.ts"
import { after } from "../timing.ts"
import { useBusy } from "../ui/busy.ts"
import { Alert, Button, Field } from "../ui/parts.tsx"
import { type Own, own, withOwnInstance } from "./own.ts"
import { type Answer, hourMillis, kept, keptSecret, makeKey, readAnswer, reasonOf } from "./trying.ts"

export const readTrial = (place: HTMLElement): Trial | undefined => {
  const given = parse(place.dataset.trial ?? "")
  // The cast: the server wrote it from the same type.
  return isObject(given) ? (given as unknown as Trial) : undefined
}

/** The value that a parameter begins with: only reads begin with ids of the company's own things. */
const beginning = ({ method, path }: Trial, name: string, values: Own | undefined): string => {
  if (method !== "GET" || name !== "id") return ""
  if (path.startsWith("/api/kyc/instances/")) return values?.instance?.id ?? ""
  return path.startsWith("/api/kyc/sessions/") ? (values?.sessionId ?? "") : ""
}

interface TryFormProps {
  readonly trial: Trial
  /** Undefined if nobody is signed in. */
  readonly values: Own | undefined
}

const TryForm = ({ trial, values }: TryFormProps) => {
  const { body, credentials, method, parameters, path, scope } = trial
  const usesSession = values !== undefined && credentials.includes("dashboardCookie")
  const kind = credentials.includes("sessionBearer")
    ? "session"
    : credentials.includes("apiKey") && !usesSession
      ? "key"
      : undefined
  // Never a key that may do more than this call needs.
  const scopeOfKey = kind === "key" && values?.mayWrite === true ? scope : undefined
  const keptAs = kind === "key" ? `key ${scope ?? ""}` : kind
  const needsSignIn = credentials.length > 0 && kind === undefined && !usesSession

  const [given, setGiven] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(parameters.map(({ name }) => [name, beginning(trial, name, values)]))
  )
  const [json, setJson] = useState(() =>
    body?.json === undefined ? "" : withOwnInstance(JSON.stringify(body.json, null, 2), values)
  )
  const [file, setFile] = useState<File>()
  const [held, hold] = useState(() => (keptAs === undefined ? undefined : keptSecret(keptAs)))
  const { busy, run } = useBusy()
  const [answer, setAnswer] = useState<Answer | string>()

  const forget = () => {
    if (keptAs !== undefined) kept.delete(keptAs)
    hold(undefined)
  }
  const keep = (secret: string) => {
    if (keptAs === undefined) return
    if (secret === "") return forget()
    const fresh = { secret, until: Date.now() + hourMillis }
    kept.set(keptAs, fresh)
    hold(fresh)
  }

  useEffect(() => {
    if (held === undefined) return
    return after(held.until - Date.now(), forget).cancel
  }, [held])

  const addressed = () => {
    const query = new URLSearchParams()
    let address = path
    for (const { in: place, name } of parameters) {
      const value = given[name] ?? ""
      if (place === "path") address = address.replace(`{${name}}`, encodeURIComponent(value))
      else if (place === "query" && value !== "") query.set(name, value)
    }
    return query.size === 0 ? address : `${address}?${query}`
  }

  const send = async () => {
    const headers = new Headers()
    for (const { in: place, name } of parameters) {
      const value = given[name] ?? ""
      if (place === "header" && value !== "") headers.set(name, value)
    }
    if (json !== "") headers.set("content-type", "application/json")
    if (file !== undefined) headers.set("content-type", file.type)
    let token = held?.secret ?? ""
    if (token === "" && scopeOfKey !== undefined) {
      token = await makeKey(scopeOfKey)
      keep(token)
    }
    if (token !== "")
      headers.set(kind === "key" ? "x-api-key" : "authorization", kind === "key" ? token : `Bearer ${token}`)
    const content = json === "" ? file : json
    const response = await fetch(addressed(), {
      method,
      headers,
      ...(content === undefined ? {} : { body: content }),
      credentials: usesSession ? "same-origin" : "omit"
    })
    if (response.status === 401) forget()
    return readAnswer(response)
  }

  if (needsSignIn) {
    return (
      <p>
        Only a signed-in user can call this. <a href="/dashboard">Sign in</a>, then reload this page.
      </p>
    )
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (busy) return
        setAnswer(undefined)
        void run(send).then(setAnswer, (error: unknown) => setAnswer(reasonOf(error)))
      }}
    >
      {usesSession ? <p class="faint">The call is made as {values.email}.</p> : null}
      {kind === undefined ? null : (
        <Field
          id="try-secret"
          label={kind === "key" ? "Platform key" : "Token of the KYC session"}
          hint={
            scopeOfKey !== undefined
              ? `If you leave this empty, doorlock makes a key with the scope ${scopeOfKey} that expires in an hour.`
              : "It stays in this tab's memory, for an hour at most."
          }
        >
          <input
            id="try-secret"
            type="password"
            autocomplete="off"
            spellcheck={false}
            required={scopeOfKey === undefined}
            aria-describedby="try-secret-hint"
            value={held?.secret ?? ""}
            onInput={(event) => keep(event.currentTarget.value.trim())}
          />
        </Field>
      )}
      {parameters.map(({ choices, name, required }) => {
        const id = `try-${name}`
        const change = (value: string) => setGiven({ ...given, [name]: value })
        return (
          <Field key={name} id={id} label={name} optional={required ? undefined : "optional"}>
            {choices.length === 0 ? (
              <input
                id={id}
                autocomplete="off"
                required={required}
                value={given[name] ?? ""}
                onInput={(event) => change(event.currentTarget.value)}
              />
            ) : (
              <select
                id={id}
                required={required}
                value={given[name] ?? ""}
                onChange={(event) => change(event.currentTarget.value)}
              >
                <option value="" />
                {choices.map(String).map((choice) => (
                  <option key={choice}>{choice}</option>
                ))}
              </select>
            )}
          </Field>
        )
      })}
      {body?.json === undefined ? null : (
        <Field id="try-body" label="Body" optional={body.required ? undefined : "optional"}>
          <textarea
            id="try-body"
            rows={Math.min(14, json.split("\n").length + 1)}
            spellcheck={false}
            value={json}
            onInput={(event) => setJson(event.currentTarget.value)}
          />
        </Field>
      )}
      {body?.file === undefined ? null : (
        <Field id="try-file" label="File">
          <input
            id="try-file"
            type="file"
            required
            onChange={(event) => setFile(event.currentTarget.files?.[0])}
          />
        </Field>
      )}
      {method === "GET" ? null : <p class="faint">This sends a real request, and its changes are kept.</p>}
      <Button look="primary" submits busy={busy}>
        Send
      </Button>
      <div role="status" class="answered">
        {typeof answer === "object" ? (
          <>
            <p class="status">
              <strong>{answer.status}</strong> {answer.code === undefined ? null : <code>{answer.code}</code>}
            </p>
            {answer.body === "" ? null : (
              <pre>
                <code>{answer.body}</code>
              </pre>
            )}
          </>
        ) : null}
      </div>
      {typeof answer === "string" ? <Alert>{answer}</Alert> : null}
    </form>
  )
}

export const Try = ({ trial }: { readonly trial: Trial }) => {
  const [asked, setAsked] = useState<{ readonly values: Own | undefined }>()
  useEffect(() => {
    void own().then((values) => setAsked({ values }))
  }, [])
  return (
    <section class="try" aria-labelledby="try-title">
      <h2 id="try-title">Try it</h2>
      {asked === undefined ? null : <TryForm trial={trial} values={asked.values} />}
    </section>
  )
}
