import { copyFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { temporaryFolder } from "../postgres.ts"

const migrations = join(import.meta.dirname, "../../../migrations")

/** A folder with the migrations before this one. */
export const migrationsBefore = (next: string) =>
  Effect.map(temporaryFolder, (folder) => {
    for (const name of readdirSync(migrations)
      .sort()
      .filter((file) => file < next))
      copyFileSync(join(migrations, name), join(folder, name))
    return folder
  })
