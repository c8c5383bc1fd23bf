import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { bounded } from "../../../src/kyc/files/examination.ts"
import { maxFileBytes, maxPixels } from "../../../src/kyc/files/examination-model.ts"
import { scansOf } from "../../../src/kyc/files/jpeg.ts"
import { auditEvents, eventsOf } from "../../support/audit/trail.ts"
import {
  createInstance,
  createKey,
  createSession,
  join as joinCompany,
  onboard,
  send,
  text
} from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { exchange } from "../../support/http/raw.ts"
import { download, filesBelow, Given, sha256, upload } from "../../support/kyc/files.ts"
import {
  claimingJpeg,
  claimingPng,
  claimingWebp,
  hungryJpeg,
  jpegWith,
  noiseInColours,
  photos,
  pngWith,
  secretPlace,
  webpWith
} from "../../support/kyc/images.ts"
import { refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { pngChunk } from "../../support/kyc/pictures.ts"
import { execute, temporaryFolder } from "../../support/postgres.ts"
import { startServer } from "../../support/server.ts"
import { suite } from "../../support/suite.ts"
import { withTimes } from "../../support/timing.ts"
import { wordsOf } from "../../support/words.ts"

const latin = (text: string) => Buffer.from(text, "latin1")

const { jpeg, png, webp } = await photos()

const anyType = {
  capture: {
    mime: ["image/jpeg", "image/png", "image/webp", "application/pdf"],
    maxBytes: maxFileBytes
  }
}

/** A JPEG with this many scans after its frame header, none with image data. */
const manyScans = (bytes: Uint8Array, scans: number): Buffer => {
  const scan = Buffer.from(bytes).indexOf(Buffer.from([0xff, 0xda]))
  const header = bytes.subarray(scan, scan + 2 + Buffer.from(bytes).readUInt16BE(scan + 2))
  return Buffer.concat([
    bytes.subarray(0, scan),
    ...Array<Uint8Array>(scans).fill(header),
    Buffer.from([0xff, 0xd9])
  ])
}

/** Spellings of `original=true` that URL parsers may read differently. */
const spellings = wordsOf(`
  ?original=true ?original=%74rue ?%6friginal=true ?+original=true ?original=true+ ?&&original=true&
  ?#&original=true ?x#&original=true ?original=false#&original=true #?original=true #&original=true
  ?original=true# ?original=true#&original=false ??original=true ?x?original=true ?a=%&original=true
  ?a=%ff&original=true ?x;original=true ;?original=true ?original[]=true ?original=true&original=false
  ?original=false&original=true ?original=true&original=true ?original=true%00 ?__proto__=x&original=true
`)

const newSession = Effect.gen(function* () {
  const { key, member, server } = yield* Given
  const { id } = yield* createInstance(server, member, { config: anyType })
  return yield* createSession(server, key.token, id)
})

/** The path to read a file, uploaded in its own session. */
const uploaded = (bytes: Uint8Array) =>
  Effect.gen(function* () {
    const { server } = yield* Given
    const session = yield* newSession
    const answer = yield* upload(server, session, bytes)
    expect(answer.status).toBe(201)
    const id = text(answer.body, "file", "id")
    return { id, path: `/api/kyc/sessions/${session.id}/files/${id}` }
  })

const read = (path: string) =>
  Effect.flatMap(Given, ({ key, server }) => download(server, path, { "x-api-key": key.token }))

const sizeOf = (bytes: Uint8Array) =>
  Effect.map(
    Effect.promise(() => new Bun.Image(bytes).metadata()),
    ({ height, width }) => [width, height]
  )

/** Only the upright pixels. */
const pixelsOf = (bytes: Uint8Array) => Effect.promise(() => new Bun.Image(bytes).png().bytes())

/** The image as other programs write it, with a colour profile and a comment. */
const withProfile = {
  "image/jpeg": Buffer.concat([
    jpeg.subarray(0, 2),
    Buffer.from([0xff, 0xe2, 0, 16 + secretPlace.length]),
    latin(`ICC_PROFILE\0\x01\x01${secretPlace}`),
    Buffer.from([0xff, 0xfe, 0, 2 + secretPlace.length]),
    latin(secretPlace),
    jpeg.subarray(2)
  ]),
  "image/png": Buffer.concat([
    png.subarray(0, 33),
    pngChunk("iCCP", latin(`${secretPlace}\0\0`)),
    pngChunk("tEXt", latin(`Comment\0${secretPlace}`)),
    png.subarray(33)
  ]),
  "image/webp": webpWith(webp, 48, 32)
} as const

suite(Given.layer)("Images", (it) => {
  for (const [type, what, bytes, size] of [
    ["image/jpeg", "rotated", jpegWith(jpeg, 6), [32, 48]],
    ["image/png", "rotated", pngWith(png, 6), [32, 48]],
    ["image/webp", "rotated", webpWith(webp, 48, 32, 6), [32, 48]],
    ["image/jpeg", "with a profile", withProfile["image/jpeg"], [48, 32]],
    ["image/png", "with a profile", withProfile["image/png"], [48, 32]],
    ["image/webp", "with a profile", withProfile["image/webp"], [48, 32]]
  ] as const) {
    it.effect(
      `${type}, ${what}: read as an upright copy without metadata; the original stays unchanged`,
      () =>
        Effect.gen(function* () {
          expect(bytes.includes(secretPlace)).toBe(true)
          const { id, path } = yield* uploaded(bytes)
          const copy = yield* read(path)
          expect([copy.status, copy.headers.get("content-type")]).toEqual([200, type])
          expect(copy.headers.get("etag")).toBe(`"${sha256(copy.bytes)}"`)
          expect(copy.headers.get("content-disposition")).toContain(id)
          const kept = Buffer.from(copy.bytes)
          for (const trace of [secretPlace, "Exif", "EXIF", "eXIf", "tEXt"])
            expect(kept.includes(trace)).toBe(false)
          expect(yield* sizeOf(copy.bytes)).toEqual(size)
          const original = yield* read(`${path}?original=true`)
          expect([sha256(original.bytes), original.headers.get("etag")]).toEqual([
            sha256(bytes),
            `"${sha256(bytes)}"`
          ])
          expect(sha256((yield* read(`${path}?original=false`)).bytes)).toBe(sha256(copy.bytes))
        })
    )
  }

  it.effect("a copy that would exceed 20 MiB is scaled down; the original stays unchanged", () =>
    Effect.gen(function* () {
      const bytes = pngWith(noiseInColours(4400), 6)
      expect(bytes.length).toBeLessThan(maxFileBytes)
      const asLarge = yield* Effect.promise(() => new Bun.Image(bytes).png().bytes())
      expect(asLarge.length).toBeGreaterThan(maxFileBytes)
      const { path } = yield* uploaded(bytes)
      const copy = yield* read(path)
      expect(yield* sizeOf(copy.bytes)).toEqual([2236, 2236])
      expect(copy.bytes.length).toBeLessThanOrEqual(maxFileBytes)
      expect(sha256((yield* read(`${path}?original=true`)).bytes)).toBe(sha256(bytes))
    })
  )

  it.effect("the largest image is accepted, even in the encoding that needs the most memory", () =>
    Effect.gen(function* () {
      const edge = Math.sqrt(maxPixels)
      const { path } = yield* uploaded(hungryJpeg(edge))
      expect(yield* sizeOf((yield* read(path)).bytes)).toEqual([edge, edge])
    })
  )

  it.effect("all eight EXIF orientations become upright", () =>
    Effect.gen(function* () {
      const asStored = yield* Effect.promise(() => new Bun.Image(jpeg, { autoOrient: false }).png().bytes())
      const lossless = yield* Effect.promise(() => new Bun.Image(asStored).webp({ lossless: true }).bytes())
      for (let orientation = 1; orientation <= 8; orientation++) {
        // Bun rotates JPEGs only.
        const upright = yield* pixelsOf(jpegWith(jpeg, orientation))
        const { path } = yield* uploaded(pngWith(Buffer.from(asStored), orientation))
        const copy = yield* read(path)
        expect([orientation, sha256(yield* pixelsOf(copy.bytes))]).toEqual([orientation, sha256(upright)])
        const other = yield* uploaded(webpWith(lossless, 48, 32, orientation))
        expect(yield* sizeOf((yield* read(other.path)).bytes)).toEqual(yield* sizeOf(upright))
      }
    })
  )

  it.scoped("503 File could not be examined now, if its examination is killed; the file is not listed", () =>
    Effect.gen(function* () {
      const server = yield* startServer({ DATA_DIR: yield* temporaryFolder }).pipe(
        withTimes({ timeouts: { "kyc.examination": 1 } })
      )
      const { key, session } = yield* onboard(server)
      const answer = yield* upload(server, session, jpeg)
      expect(statusAndBody(answer)).toStrictEqual(refusal(503, "File could not be examined now"))
      expect(answer.headers.get("retry-after")).toBe("10")
      const { body } = yield* send(server, "GET", `/api/kyc/sessions/${session.id}/files`, {
        headers: { "x-api-key": key.token }
      })
      expect(body).toStrictEqual({ files: [] })
      // Nor does the upload count as one of the session's files.
      const begun = "select files_begun from kyc_sessions where id = $1"
      expect(yield* execute(server.databaseUrl, begun, [session.id])).toEqual([{ files_begun: 0 }])

      // But a session with nothing but such uploads soon has to wait.
      for (let time = 1; time < 5; time++) {
        expect((yield* upload(server, session, jpeg)).status).toBe(503)
      }
      const refused = yield* upload(server, session, jpeg)
      expect(refused.status).toBe(429)
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(60)
      expect(yield* execute(server.databaseUrl, begun, [session.id])).toEqual([{ files_begun: 0 }])
    })
  )

  it.effect("413 Image has too many pixels, according to its header, and nothing is kept", () =>
    Effect.gen(function* () {
      const { dataDir, server } = yield* Given
      const session = yield* newSession
      const edge = Math.sqrt(maxPixels)
      for (const bytes of [
        claimingPng(60_000, 60_000),
        claimingPng(edge, edge + 1),
        claimingJpeg(jpeg, 60_000, 60_000),
        claimingWebp(webp)
      ]) {
        expect(statusAndBody(yield* upload(server, session, bytes))).toStrictEqual(
          refusal(413, "Image has too many pixels")
        )
      }
      expect(
        yield* execute(server.databaseUrl, "select id from kyc_file_uploads where session_id = $1", [
          session.id
        ])
      ).toEqual([])
      expect(filesBelow(join(dataDir, "files", "incoming"))).toEqual([])
    })
  )

  it.effect("415 File type is not accepted: begins like an image but cannot be decoded", () =>
    Effect.gen(function* () {
      const { server } = yield* Given
      const session = yield* newSession
      for (const bytes of [
        Buffer.concat([jpeg.subarray(0, 20), latin("<script>alert(1)</script>")]),
        png.subarray(0, 60),
        Buffer.concat([webp.subarray(0, 20), Buffer.alloc(300)]),
        claimingPng(10, 10),
        manyScans(jpeg, 101)
      ]) {
        expect(statusAndBody(yield* upload(server, session, bytes))).toStrictEqual(
          refusal(415, "File type is not accepted")
        )
      }
    })
  )

  it.effect("only keys with the scope kyc:files:original, owners and members can read the original", () =>
    Effect.gen(function* () {
      const { member, server } = yield* Given
      const { id, path } = yield* uploaded(jpegWith(jpeg))
      const statusOf = (address: string, headers: Record<string, string>) =>
        Effect.map(download(server, address, headers), ({ status }) => status)
      for (const [scope, copy, original] of [
        ["*", 200, 200],
        ["kyc:files", 200, 200],
        ["kyc:files:read", 200, 403],
        ["kyc:files:original", 403, 200]
      ] as const) {
        const { token } = yield* createKey(server, member, { scopes: [scope] })
        const headers = { "x-api-key": token }
        expect([scope, yield* statusOf(path, headers)]).toEqual([scope, copy])
        expect([scope, yield* statusOf(`${path}?original=true`, headers)]).toEqual([scope, original])
      }
      for (const [role, original] of [
        ["viewer", 403],
        ["member", 200]
      ] as const) {
        const { cookie } = yield* joinCompany(server, member, role)
        expect([role, yield* statusOf(path, { cookie })]).toEqual([role, 200])
        expect([role, yield* statusOf(`${path}?original=true`, { cookie })]).toEqual([role, original])
      }
      const events = eventsOf(yield* auditEvents(server, member, { resource: id, action: "kyc_file.read" }))
      const originals = events.filter((event) => JSON.stringify(event).includes('"original":true'))
      expect([events.length, originals.length]).toEqual([3 + 3 + 2 + 1, 3 + 1])
    })
  )

  it.effect("no spelling of the query gives the original to someone who may only read copies", () =>
    Effect.gen(function* () {
      const { key, member, server } = yield* Given
      const { path } = yield* uploaded(jpegWith(jpeg))
      const isOriginal = (target: string, line: string) =>
        Effect.map(
          exchange(server, `GET ${target}`, [line]),
          ({ body, status }) => status === 200 && body.includes(secretPlace)
        )
      const { token } = yield* createKey(server, member, { scopes: ["kyc:files:read"] })
      const { cookie } = yield* joinCompany(server, member, "viewer")
      for (const target of spellings.flatMap((query) => [
        path + query,
        `http://elsewhere.test${path}${query}`
      ])) {
        for (const line of [`X-Api-Key: ${token}`, `Cookie: ${cookie}`])
          expect([target, yield* isOriginal(target, line)]).toEqual([target, false])
      }
      expect(yield* isOriginal(`${path}?original=true`, `X-Api-Key: ${key.token}`)).toBe(true)
    })
  )
})

describe("The scans of a JPEG", () => {
  it("are counted up to its end, but not in its metadata", () => {
    const scan = Buffer.from([0xff, 0xda, 0, 2])
    expect(scansOf(Buffer.from(jpeg))).toBe(1)
    expect(scansOf(manyScans(jpeg, 101))).toBe(101)
    expect(scansOf(Buffer.concat([jpeg, scan, scan]))).toBe(1)
    const hidden = Buffer.concat([
      jpeg.subarray(0, 2),
      Buffer.from([0xff, 0xe2, 0, 6]),
      scan,
      jpeg.subarray(2)
    ])
    expect(scansOf(hidden)).toBe(1)
  })
})

describe("The process that examines a file", () => {
  const program = (text: string) => [process.execPath, "-e", text]
  const plenty = { millis: 60_000, cpuMillis: 60_000, bytes: 4_000_000_000 }

  it.live("gets none of the service's settings", () =>
    Effect.gen(function* () {
      const known = 'process.exit(Object.keys(process.env).includes("HOME") || process.cwd() !== "/" ? 1 : 0)'
      expect(yield* bounded(program(known), plenty)).toBe(0)
    })
  )

  it.live("is killed if it takes too long, whatever it does", () =>
    Effect.gen(function* () {
      expect(yield* bounded(program("for (;;) {}"), { ...plenty, millis: 200 })).toBe("SIGKILL")
    })
  )

  it.live.skipIf(process.platform !== "linux")(
    "is killed when it takes too much of a processor's time (needs Linux)",
    () =>
      Effect.gen(function* () {
        expect(yield* bounded(program("for (;;) {}"), { ...plenty, cpuMillis: 200 })).toBe("SIGKILL")
      })
  )

  it.live.skipIf(process.platform !== "linux")("is killed when it takes too much memory (needs Linux)", () =>
    Effect.gen(function* () {
      const hog = "const all = []; setInterval(() => all.push(Buffer.alloc(20_000_000, 1)), 10)"
      expect(yield* bounded(program(hog), { ...plenty, bytes: 200_000_000 })).toBe("SIGKILL")
    })
  )

  it.scopedLive("is killed when nobody waits for it", () =>
    Effect.gen(function* () {
      const note = join(yield* temporaryFolder, "pid")
      const endless = `await Bun.write(${JSON.stringify(note)}, String(process.pid)); for (;;) {}`
      const waiting = yield* Effect.fork(bounded(program(endless), plenty))
      const pid = async () =>
        Number(
          await Bun.file(note)
            .text()
            .catch(() => "")
        )
      yield* eventually(
        "it runs",
        Effect.promise(async () => (await pid()) > 0)
      )
      const running = yield* Effect.promise(pid)
      yield* Fiber.interrupt(waiting)
      const isThere = () => {
        try {
          return process.kill(running, 0)
        } catch {
          return false
        }
      }
      yield* eventually(
        "it has ended",
        Effect.sync(() => !isThere())
      )
    })
  )
})
