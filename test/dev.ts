/**
 * `bun run dev`: runs the service, and starts it again when a file of `src` or `migrations` is saved. `bun --watch` would not do: it
 * misses the files that run in the browser, and leaves the embedded database behind.
 */
import { watch } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")

const start = () =>
  Bun.spawn([process.execPath, "src/main.ts"], { cwd: root, stdio: ["inherit", "inherit", "inherit"] })

let service = start()
let restarting = false

const restart = async () => {
  if (restarting) return
  restarting = true
  // An editor may write a file in several steps.
  await Bun.sleep(100)
  service.kill("SIGTERM")
  await service.exited
  service = start()
  restarting = false
}

for (const folder of ["src", "migrations"]) {
  watch(join(root, folder), { recursive: true }, () => void restart())
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, async () => {
    service.kill(signal)
    process.exit(await service.exited)
  })
}
