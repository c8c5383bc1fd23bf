import { randomBytes } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { openedFile, sealFile } from "../../src/secrets/sealed-file.ts"
import { temporaryFolder } from "../support/postgres.ts"

const key = randomBytes(32)
const chunk = 65_536
const header = 32
const sealedChunk = chunk + 16

/** A stream whose parts have odd lengths. */
const streamOf = (bytes: Uint8Array, part = 50_001) =>
  new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (let at = 0; at < bytes.length; at += part) controller.enqueue(bytes.subarray(at, at + part))
      controller.close()
    }
  })

const opened = async (sealed: Uint8Array, as = { key, name: "a" }): Promise<Buffer> =>
  Buffer.from(await new Response(await openedFile(as.key, as.name, streamOf(sealed))).bytes())

const sealed = (bytes: Uint8Array, name = "a") =>
  Effect.flatMap(temporaryFolder, (folder) =>
    Effect.promise(async () => {
      await sealFile(key, name, streamOf(bytes), join(folder, "sealed"))
      return readFile(join(folder, "sealed"))
    })
  )

it.scoped("opens what was sealed, of any length around a chunk", () =>
  Effect.gen(function* () {
    for (const length of [1, chunk - 1, chunk, chunk + 1, 2 * chunk, 3 * chunk + 7]) {
      const bytes = randomBytes(length)
      const file = yield* sealed(bytes)
      expect(file.length).toBe(header + length + 16 * Math.ceil(length / chunk))
      if (length > 1) expect(file.includes(bytes.subarray(0, 100))).toBe(false)
      expect((yield* Effect.promise(() => opened(file))).equals(bytes)).toBe(true)
    }
  })
)

it.scoped("does not open what was truncated, extended, reordered, repeated, swapped or changed", () =>
  Effect.gen(function* () {
    const file = yield* sealed(randomBytes(3 * chunk))
    const another = yield* sealed(randomBytes(3 * chunk))
    const chunks = (of: Buffer) =>
      [0, 1, 2].map((at) => of.subarray(header + at * sealedChunk, header + (at + 1) * sealedChunk))
    const [first, second, third] = chunks(file) as [Buffer, Buffer, Buffer]
    const head = file.subarray(0, header)
    const changed = (at: number) => {
      const copy = Buffer.from(file)
      copy.writeUInt8(copy.readUInt8(at) ^ 1, at)
      return copy
    }
    const bad: Readonly<Record<string, Buffer>> = {
      "without its last chunk": Buffer.concat([head, first, second]),
      "without its last byte": file.subarray(0, -1),
      "only its header": head,
      "more bytes": Buffer.concat([file, Buffer.alloc(1)]),
      "a chunk more": Buffer.concat([file, third]),
      "two chunks in another order": Buffer.concat([head, second, first, third]),
      "a chunk twice": Buffer.concat([head, first, first, third]),
      "without its first chunk": Buffer.concat([head, second, third]),
      "a chunk of another file": Buffer.concat([head, first, chunks(another)[1] ?? first, third]),
      "another salt": changed(20),
      "a changed byte": changed(header + sealedChunk + 5),
      "a changed tag": changed(file.length - 1),
      "no mark": changed(0)
    }
    for (const [what, bytes] of Object.entries(bad)) {
      yield* Effect.promise(() => expect(opened(bytes), what).rejects.toThrow())
    }
    yield* Effect.promise(async () => {
      await expect(opened(file, { key: randomBytes(32), name: "a" })).rejects.toThrow()
      await expect(opened(file, { key, name: "b" })).rejects.toThrow()
    })
  })
)

it("does not open what was never sealed", async () => {
  for (const length of [1, 20, 100_000]) {
    await expect(opened(randomBytes(length))).rejects.toThrow("a is not sealed")
  }
})

it.scoped("reads ahead at most a chunk, and ends its source when it is cancelled", () =>
  Effect.gen(function* () {
    const file = yield* sealed(randomBytes(20 * chunk))
    yield* Effect.promise(async () => {
      let read = 0
      let cancelled = false
      const stored = new ReadableStream<Uint8Array>(
        {
          pull: (controller) => {
            controller.enqueue(file.subarray(read, read + chunk))
            read += chunk
          },
          cancel: () => {
            cancelled = true
          }
        },
        { highWaterMark: 0 }
      )
      const content = await openedFile(key, "a", stored)
      const reader = content.getReader()
      for (let i = 0; i < 5; i++) await reader.read()
      expect(read).toBeLessThanOrEqual(7 * chunk)
      await reader.cancel()
      expect(cancelled).toBe(true)
    })
  })
)
