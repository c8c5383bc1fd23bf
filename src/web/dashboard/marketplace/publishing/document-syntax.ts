/** An OpenAPI document as text, JSON or YAML. The API takes JSON. */
import { useEffect, useState } from "preact/hooks"
import type { Json } from "../../../json.ts"
import { after, dashboardTimes } from "../../../timing.ts"
import { ApiFailure } from "../../common/call.ts"
import { json, type Syntax } from "../../common/json/syntax.ts"

/** Like the command line: what begins with a bracket is JSON. */
const isYaml = (text: string): boolean => !/^\s*(?:[{[]|$)/.test(text)

const loadYaml = async () => {
  try {
    return await import("./yaml.ts")
  } catch {
    throw new ApiFailure(0, "What reads YAML could not be loaded. Check your connection, then try again.")
  }
}

/** In characters. Reading takes some milliseconds for each thousand, so larger documents are read only when the form is sent. */
const mostRead = 50_000

/** How the text is to be read; null until what reads it has arrived, or if it is long. */
export const useDocumentSyntax = (text: string): Syntax | null => {
  const [read, setRead] = useState<{ readonly text: string; readonly yaml: Syntax }>()
  useEffect(() => {
    if (!isYaml(text) || text.length > mostRead) return undefined
    return after(dashboardTimes.readDocument, () => {
      // If it does not arrive, that is said when the form is sent.
      void loadYaml().then(
        ({ yaml }) => setRead({ text, yaml }),
        () => undefined
      )
    }).cancel
  }, [text])
  if (!isYaml(text)) return json
  return read?.text === text ? read.yaml : null
}

/** The document as the API takes it, or undefined if there is none. Fails with what is wrong with the text. */
export const documentOf = async (text: string): Promise<Json | undefined> => {
  if (text.trim() === "") return undefined
  if (isYaml(text)) {
    const { content, problem } = (await loadYaml()).readYaml(text)
    if (content === undefined) throw new ApiFailure(400, `openapi must be YAML or JSON. ${problem?.sentence}`)
    return content
  }
  const problem = json.problemIn(text)
  if (problem !== undefined) throw new ApiFailure(400, `openapi must be YAML or JSON. ${problem.sentence}`)
  return JSON.parse(text)
}
