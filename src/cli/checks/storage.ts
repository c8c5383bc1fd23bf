import { randomBytes } from "node:crypto"
import { access, constants, rm, stat, statfs, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { Effect } from "effect"
import { doubtful, type Finding, failed, reason, skipped, well } from "../check.ts"

const mebibyte = 1_048_576

/** In bytes. An upload is stored whole on this disk before it moves elsewhere. */
const free = { needed: 128 * mebibyte, comfortable: 1_024 * mebibyte }

const exists = (path: string) => stat(path).catch(() => undefined)

const nearestThatExists = async (path: string): Promise<string> =>
  (await exists(path)) !== undefined ? path : nearestThatExists(dirname(path))

const inMebibytes = (bytes: number) => `${Math.floor(bytes / mebibyte).toLocaleString("en")} MiB`

/** Whether `DATA_DIR` is writable, and its secret key private. The first start creates a missing folder. */
export const dataFolder = (dataDir: string): Effect.Effect<Finding> =>
  Effect.promise(async () => {
    const folder = resolve(dataDir)
    const advice = "Give the folder to the user that runs doorlock, or choose another DATA_DIR."
    try {
      if ((await exists(folder)) === undefined) {
        await access(await nearestThatExists(folder), constants.W_OK | constants.X_OK)
        return well(`DATA_DIR ${folder} is created at the first start.`)
      }
      const probe = join(folder, `doctor-${randomBytes(8).toString("hex")}`)
      try {
        await writeFile(probe, "", { flag: "wx", mode: 0o600 })
      } finally {
        await rm(probe, { force: true })
      }
      const key = await exists(join(folder, "secret-key"))
      return key === undefined || (key.mode & 0o077) === 0
        ? well(`DATA_DIR ${folder} is writable.`)
        : failed(
            `The file secret-key in DATA_DIR ${folder} can be read by other users of this machine.`,
            "Restrict it to its owner: chmod 600."
          )
    } catch (error) {
      return failed(`DATA_DIR ${folder} cannot be written: ${reason(error)}.`, advice)
    }
  })

export const freeSpace = (dataDir: string): Effect.Effect<Finding> =>
  Effect.promise(async () => {
    try {
      const { bavail, bsize } = await statfs(await nearestThatExists(resolve(dataDir)))
      const left = bavail * bsize
      const message = `${inMebibytes(left)} are free on the disk of DATA_DIR.`
      const advice = "Make room, or move DATA_DIR to another disk."
      if (left < free.needed) return failed(message, advice)
      return left < free.comfortable ? doubtful(message, advice) : well(message)
    } catch (error) {
      return skipped(`The free space on the disk of DATA_DIR is unknown: ${reason(error)}.`)
    }
  })
