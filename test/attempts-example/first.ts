import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Whether this is called with the name for the first time in a run of the example, in whichever process. */
export const isFirst = (name: string): boolean => {
  const file = join(process.env.EXAMPLE_FOLDER ?? "", name)
  if (existsSync(file)) return false
  writeFileSync(file, "")
  return true
}
