/** Code that makes a call, in several languages. What a publisher wrote cannot break out of its quotes. */

export interface Call {
  /** By default GET. */
  readonly method?: string
  /** Such as `https://gateway.example.com`. */
  readonly base: string
  readonly path: string
  readonly headers?: ReadonlyArray<readonly [name: string, value: string | FromEnvironment]>
  /** A JSON body. */
  readonly json?: unknown
  /** The media type of a body that is a file. */
  readonly file?: string | undefined
  /** How the TypeScript client makes it, if it can. */
  readonly client?: ClientCall | undefined
}

/** A call by a function of the TypeScript client. */
interface ClientCall {
  /** The function, such as `sessions.create`. */
  readonly name: string
  readonly ids: ReadonlyArray<string>
  /** The query or the JSON body; undefined if the function takes none, or a file. */
  readonly input: unknown
  /** The option that has the credential, and whether it belongs to the call instead of the client. */
  readonly credential?:
    | { readonly option: string; readonly variable: string; readonly ofCall: boolean }
    | undefined
}

/** A secret, which does not belong into code. */
interface FromEnvironment {
  /** What stands before it, such as `Bearer `. */
  readonly prefix?: string
  readonly variable: string
}

/** Percent-encodes all but the usual characters of a path, so that a command stays on one line. */
const plainPath = (path: string): string =>
  path.replaceAll(/[^A-Za-z0-9\-._~/{}:@!$&()*+,;=%?]/gu, (character) =>
    character === "'" ? "%27" : encodeURIComponent(character)
  )

const addressOf = ({ base, path }: Call): string => base + plainPath(path)

const headersOf = ({ file, headers = [], json }: Call): NonNullable<Call["headers"]> => {
  const type = json === undefined ? file : "application/json"
  return type === undefined ? headers : [...headers, ["content-type", type]]
}

const indented = (text: string, by: string): string => text.replaceAll("\n", `\n${by}`)

/** A text in single quotes for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The longest body, in characters, that a command has in one line. */
const longestLine = 72

const shellBody = (json: unknown): string => {
  const line = JSON.stringify(json)
  return quoted(line.length > longestLine ? indented(JSON.stringify(json, null, 2), "  ") : line)
}

export const curl = (call: Call): string => {
  const { file, json, method = "GET" } = call
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(addressOf(call))}`,
    ...headersOf(call).map(([name, value]) =>
      typeof value === "string"
        ? `-H ${quoted(`${name}: ${value}`)}`
        : `-H "${name}: ${value.prefix ?? ""}$${value.variable}"`
    ),
    ...(json === undefined ? [] : [`-d ${shellBody(json)}`]),
    ...(file === undefined ? [] : ["--data-binary @file"])
  ].join(" \\\n  ")
}

interface Style {
  readonly none: string
  readonly yes: string
  readonly no: string
  readonly name: (name: string) => string
}

/** A JSON value as a literal of a language, over several lines. */
const literal = (value: unknown, style: Style, indent = ""): string => {
  const deeper = `${indent}  `
  const block = (open: string, lines: ReadonlyArray<string>, close: string) =>
    lines.length === 0
      ? open + close
      : `${open}\n${lines.map((line) => deeper + line).join(",\n")}\n${indent}${close}`
  if (value === null || value === undefined) return style.none
  if (typeof value === "boolean") return value ? style.yes : style.no
  if (Array.isArray(value)) {
    return block(
      "[",
      value.map((item) => literal(item, style, deeper)),
      "]"
    )
  }
  if (typeof value === "object") {
    return block(
      "{",
      Object.entries(value).map(([name, inner]) => `${style.name(name)}: ${literal(inner, style, deeper)}`),
      "}"
    )
  }
  return JSON.stringify(value)
}

const scriptStyle: Style = {
  none: "null",
  yes: "true",
  no: "false",
  name: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))
}

const pythonStyle: Style = { none: "None", yes: "True", no: "False", name: (name) => JSON.stringify(name) }

const clientScript = ({ base, file }: Call, { credential, ids, input, name }: ClientCall): string => {
  const secret = credential && `${credential.option}: process.env.${credential.variable} ?? ""`
  const given = [
    ...ids.map((id) => JSON.stringify(id)),
    ...(input === undefined ? [] : [literal(input, scriptStyle)]),
    ...(file === undefined ? [] : [`new Blob([await readFile("file")], { type: ${JSON.stringify(file)} })`]),
    ...(credential?.ofCall === true ? [`{ ${secret} }`] : [])
  ]
  const options = [
    `baseUrl: ${JSON.stringify(base)}`,
    ...(secret === undefined || credential?.ofCall === true ? [] : [secret])
  ]
  return [
    ...(file === undefined ? [] : ['import { readFile } from "node:fs/promises"']),
    'import { createClient } from "doorlock-client"',
    "",
    `const doorlock = createClient({\n  ${options.join(",\n  ")}\n})`,
    `const answer = await doorlock.${name}(${given.join(", ")})`,
    "console.log(answer)"
  ].join("\n")
}

const typescript = (call: Call): string => {
  if (call.client !== undefined) return clientScript(call, call.client)
  const { file, json, method = "GET" } = call
  const headers = headersOf(call).map(([name, value]) => {
    const written =
      typeof value === "string"
        ? JSON.stringify(value)
        : value.prefix === undefined
          ? `process.env.${value.variable} ?? ""`
          : `\`${value.prefix}\${process.env.${value.variable}}\``
    return `${scriptStyle.name(name)}: ${written}`
  })
  const options = [
    ...(method === "GET" ? [] : [`method: ${JSON.stringify(method)}`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(", ")} }`]),
    ...(json === undefined ? [] : [`body: JSON.stringify(${literal(json, scriptStyle, "  ")})`]),
    ...(file === undefined ? [] : ['body: await readFile("file")'])
  ]
  const given = options.length === 0 ? "" : `, {\n  ${options.join(",\n  ")}\n}`
  return [
    ...(file === undefined ? [] : ['import { readFile } from "node:fs/promises"', ""]),
    `const response = await fetch(${JSON.stringify(addressOf(call))}${given})`,
    "console.log(response.status, await response.text())"
  ].join("\n")
}

const python = (call: Call): string => {
  const { file, json, method = "GET" } = call
  const headers = headersOf(call).map(([name, value]) => {
    const written =
      typeof value === "string"
        ? JSON.stringify(value)
        : `${value.prefix === undefined ? "" : `${JSON.stringify(value.prefix)} + `}os.environ["${value.variable}"]`
    return `${JSON.stringify(name)}: ${written}`
  })
  const isSecret = headersOf(call).some(([, value]) => typeof value !== "string")
  const options = [
    JSON.stringify(addressOf(call)),
    ...(method === "GET" ? [] : [`method=${JSON.stringify(method)}`]),
    ...(headers.length === 0 ? [] : [`headers={${headers.join(", ")}}`]),
    ...(json === undefined ? [] : [`data=json.dumps(${literal(json, pythonStyle, "    ")}).encode()`]),
    ...(file === undefined ? [] : ['data=open("file", "rb").read()'])
  ]
  return [
    ...(json === undefined ? [] : ["import json"]),
    ...(isSecret ? ["import os"] : []),
    "import urllib.request",
    "",
    `request = urllib.request.Request(\n    ${options.join(",\n    ")},\n)`,
    "with urllib.request.urlopen(request) as response:",
    "    print(response.status, response.read().decode())"
  ].join("\n")
}

/** Go's raw texts have no escapes. */
const goText = (text: string): string => (text.includes("`") ? JSON.stringify(text) : `\`${text}\``)

const goCheck = "if err != nil {\n\tlog.Fatal(err)\n}"

const go = (call: Call): string => {
  const { file, json, method = "GET" } = call
  const headers = headersOf(call)
  const isSecret = headers.some(([, value]) => typeof value !== "string")
  const body = json === undefined ? (file === undefined ? "nil" : "file") : "body"
  const packages = [
    "fmt",
    "io",
    "log",
    "net/http",
    ...(isSecret || file !== undefined ? ["os"] : []),
    ...(json === undefined ? [] : ["strings"])
  ]
  const lines = [
    ...(json === undefined ? [] : [`body := strings.NewReader(${goText(JSON.stringify(json, null, 2))})`]),
    ...(file === undefined ? [] : ['file, err := os.Open("file")', goCheck]),
    `request, err := http.NewRequest(${JSON.stringify(method)}, ${JSON.stringify(addressOf(call))}, ${body})`,
    goCheck,
    ...headers.map(([name, value]) => {
      const written =
        typeof value === "string"
          ? JSON.stringify(value)
          : `${value.prefix === undefined ? "" : `${JSON.stringify(value.prefix)}+`}os.Getenv("${value.variable}")`
      return `request.Header.Set(${JSON.stringify(name)}, ${written})`
    }),
    "response, err := http.DefaultClient.Do(request)",
    goCheck,
    "defer response.Body.Close()",
    "answer, err := io.ReadAll(response.Body)",
    goCheck,
    "fmt.Println(response.StatusCode, string(answer))"
  ]
  // The body is a raw text, whose own lines must stay as they are.
  const within = lines.map((line) => `\t${line.startsWith("body :=") ? line : indented(line, "\t")}`)
  return [
    "package main",
    "",
    `import (\n${packages.map((name) => `\t"${name}"`).join("\n")}\n)`,
    "",
    "func main() {",
    ...within,
    "}"
  ].join("\n")
}

/** The languages, the first one by default. */
export const languages = [
  { id: "curl", label: "curl", write: curl },
  { id: "typescript", label: "TypeScript", write: typescript },
  { id: "python", label: "Python", write: python },
  { id: "go", label: "Go", write: go }
] as const
