import { join } from "node:path"
import { deflateSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { bounded } from "../../../src/kyc/files/examination.ts"
import { maxFileBytes, maxPixels } from "../../../src/kyc/files/examination-model.ts"
import { scansOf } from "../../../src/kyc/files/jpeg.ts"
import { isSafePdf } from "../../../src/kyc/files/pdf.ts"
import { withoutProfile } from "../../../src/kyc/files/profiles.ts"
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
import { download, filesBelow, Given, samples, sha256, upload } from "../../support/kyc/files.ts"
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
const spellings = [
  ...[
    "?original=true",
    "?original=%74rue",
    "?%6friginal=true",
    "?+original=true",
    "?original=true+",
    "?&&original=true&"
  ],
  ...[
    "?#&original=true",
    "?x#&original=true",
    "?original=false#&original=true",
    "#?original=true",
    "#&original=true"
  ],
  ...[
    "?original=true#",
    "?original=true#&original=false",
    "??original=true",
    "?x?original=true",
    "?a=%&original=true"
  ],
  ...[
    "?a=%ff&original=true",
    "?x;original=true",
    ";?original=true",
    "?original[]=true",
    "?original=true&original=false"
  ],
  ...[
    "?original=false&original=true",
    "?original=true&original=true",
    "?original=true%00",
    "?__proto__=x&original=true"
  ]
]

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

suite(Given.layer)("Images", (it) => {
  for (const [type, bytes] of [
    ["image/jpeg", jpegWith(jpeg, 6)],
    ["image/png", pngWith(png, 6)],
    ["image/webp", webpWith(webp, 48, 32, 6)]
  ] as const) {
    it.effect(`${type}: read as an upright copy without metadata; the original stays unchanged`, () =>
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
        expect(yield* sizeOf(copy.bytes)).toEqual([32, 48])
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

  it.effect("the copy of a WebP of more than 16 megapixels is scaled down", () =>
    Effect.gen(function* () {
      const large = new Bun.Image(png).resize(8192, 4096)
      const { path } = yield* uploaded(yield* Effect.promise(() => large.webp().bytes()))
      expect(yield* sizeOf((yield* read(path)).bytes)).toEqual([5792, 2896])
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
        for (const query of ["original=maybe", "original=true&original=false", "original="]) {
          expect([query, (yield* statusOf(`${path}?${query}`, { cookie })) === 200]).toEqual([query, false])
        }
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

  it.effect("400 original must be true or false", () =>
    Effect.gen(function* () {
      const { asPartner } = yield* Given
      const { path } = yield* uploaded(samples.pdf)
      for (const value of ["maybe", "", "TRUE", "1"]) {
        expect(statusAndBody(yield* asPartner(`${path}?original=${value}`))).toStrictEqual(
          refusal(400, "original must be true or false")
        )
      }
    })
  )

  it.effect("415 for a PDF that is active or encrypted; any other is read unchanged", () =>
    Effect.gen(function* () {
      const { server } = yield* Given
      const session = yield* newSession
      const active = latin("%PDF-1.7\n1 0 obj\n<< /S /JavaScript /JS (app.alert\\(1\\)) >>\nendobj\n")
      expect(statusAndBody(yield* upload(server, session, active))).toStrictEqual(
        refusal(415, "PDF must not be encrypted or contain scripts, actions or attached files")
      )
      const { path } = yield* uploaded(samples.pdf)
      for (const query of ["", "?original=true"]) {
        expect(sha256((yield* read(path + query)).bytes)).toBe(sha256(samples.pdf))
      }
    })
  )
})

/** A PDF with these objects. */
const pdf = (...objects: ReadonlyArray<string | Buffer>): Buffer =>
  Buffer.concat([
    latin("%PDF-1.7\n"),
    ...objects.map((object) => (typeof object === "string" ? latin(object) : object))
  ])

/**
 * An object stream (ISO 32000-2, section 7.5.7) with these dictionary entries. Its one object starts at offset `at` of the
 * text.
 */
const objectStream = (entries: string, text: string, at = 0, number = 1): Buffer =>
  Buffer.concat([
    latin(`7 0 obj\n<< ${entries} /N 1 /First 4 >>\nstream\r\n`),
    deflateSync(latin(`${number} ${at} ${text}`)),
    latin("\nendstream\nendobj\n")
  ])

const compressed = "/Type /ObjStm /Filter /FlateDecode"

const script = "<< /S /JavaScript /JS (app.alert\\(1\\)) >>"
const address = "<< /S /URI /URI (https://x.test/) >>"

describe("Active PDFs", () => {
  for (const [what, ...files] of [
    ["a script", pdf(`1 0 obj ${script} endobj`)],
    ["a script, its name in hex digits", pdf("1 0 obj << /S /Java#53cript >> endobj")],
    ["a program to be started", pdf("1 0 obj << /S /Launch /F (cmd.exe) >> endobj")],
    ["an attached file", pdf("1 0 obj << /Type /EmbeddedFile >> stream\nx\nendstream")],
    ["a name tree of attached files", pdf("1 0 obj << /Names << /EmbeddedFiles 2 0 R >> >> endobj")],
    ["a form that is submitted", pdf("1 0 obj << /S/SubmitForm/F(https://x.test)>> endobj")],
    ["a form with scripts of its own", pdf("1 0 obj << /AcroForm << /XFA 2 0 R >> >> endobj")],
    ["an encrypted one", pdf("trailer << /Encrypt 5 0 R /Root 1 0 R >>")],
    ["a script in an object stream", pdf(objectStream("/Type /ObjStm /Filter /FlateDecode", script))],
    [
      "a script in an object stream, names in hex",
      pdf(objectStream("/T#79pe /Obj#53tm /Filter /Flate#44ecode", script))
    ],
    [
      "an object stream whose type is elsewhere",
      pdf(objectStream("/Type 9 0 R /Filter /FlateDecode", script))
    ],
    [
      "an object stream behind a comment",
      pdf(latin("7 0 obj %\n%<<\n"), objectStream("/Type/ObjStm/Filter/FlateDecode", script).subarray(8))
    ],
    [
      "an object stream with an end in a string",
      pdf(objectStream("/X (>> endobj) /Type /ObjStm /Filter /FlateDecode", script))
    ],
    [
      "an object stream in two filters",
      pdf(objectStream("/Type /ObjStm /Filter [/FlateDecode /FlateDecode]", "x"))
    ],
    ["an object stream whose filter is elsewhere", pdf(objectStream("/Type /ObjStm /Filter 9 0 R", "x"))],
    [
      "an object stream with an unsupported filter",
      pdf(objectStream("/Type /ObjStm /Filter /LZWDecode", "x"))
    ],
    [
      "an object stream with a predictor",
      pdf(objectStream("/Type /ObjStm /Filter /FlateDecode /DecodeParms << /Predictor 12 >>", "x"))
    ],
    [
      "an object stream that becomes too long",
      pdf(objectStream("/Type /ObjStm /Filter /FlateDecode", "x".repeat(17_000_000)))
    ],
    [
      "an object stream that is invalid",
      pdf("7 0 obj << /Type /ObjStm /Filter /FlateDecode >> stream\nnot compressed")
    ],
    ["a script that stands where a link could", pdf("1 0 obj << /URI (1 0 obj<</S/JavaScript>>) >> endobj")],
    ["nested dictionaries", pdf("obj<<".repeat(100_000))],
    ["dictionaries nested too deeply", pdf(`1 0 obj ${"<</A".repeat(200)} 1 ${">>".repeat(200)}`)],
    ...[")", ">", "<41<42>", "[ >> ]", "{", "(x"].map(
      (stray) =>
        [
          `an object stream with ${stray} in its dictionary`,
          pdf(objectStream(`/Type /ObjStm /X ${stray} /Filter /FlateDecode`, script))
        ] as const
    ),
    ["a script behind a stray bracket", pdf("1 0 obj << /A [ >> ] /S /JavaScript /JS (x) >> endobj")],
    ["an object stream without a stream", pdf("7 0 obj << /Type /ObjStm /N 1 /First 4 >> x")],
    [
      "an object stream that begins where another says",
      pdf(objectStream("/Type /ObjStm /First 9 /Filter /FlateDecode", script))
    ],
    ["a script in a string of an object stream", pdf(objectStream("/Filter /FlateDecode", `(${script})`, 1))],
    ["a script in an array", pdf("1 0 obj [ << /S /JavaScript >> ] endobj")],
    ["a name that another object refers to", pdf("1 0 obj /JavaScript endobj")],
    ["a script in the trailer", pdf("trailer << /Root << /OpenAction << /S /JavaScript >> >> >>")],
    ["an attached file without a type", pdf("1 0 obj << /F (x.exe) /EF << /F 8 0 R >> >> endobj")],
    ...["FileAttachment", "Movie", "Sound"].map(
      (name) => [name, pdf(`1 0 obj << /Type /Annot /Subtype /${name} >> endobj`)] as const
    ),
    ...["GoToR", "GoToE", "Rendition", "ImportData"].map(
      (name) => [name, pdf(`1 0 obj << /A << /S /${name} >> >> endobj`)] as const
    ),
    ["a script of a 3D model", pdf("1 0 obj << /Subtype /U3D /OnInstantiate 9 0 R >> endobj")],
    ["an address that opens by itself", pdf(`1 0 obj << /OpenAction ${address} >> endobj`)],
    [
      "an address that opens by itself, elsewhere",
      pdf(`1 0 obj << /OpenAction 5 0 R >> endobj 5 0 obj ${address} endobj`)
    ],
    [
      "an address that opens after another action",
      pdf(`1 0 obj << /OpenAction << /S /GoTo /Next [5 0 R] >> >> endobj 5 0 obj ${address} endobj`)
    ],
    ["an address that a page opens", pdf(`1 0 obj << /Type /Page /AA << /O ${address} >> >> endobj`)],
    [
      "an address that a page opens, elsewhere",
      pdf(
        `1 0 obj << /AA 4 0 R >> endobj 4 0 obj << /O 5 0 R >> endobj`,
        objectStream(compressed, address, 0, 5)
      )
    ],
    ...(
      [
        [
          "a name tree of scripts, behind its name",
          (byte) => pdf(`1 0 obj <</Names<</JavaScript${byte}<</Names[]>>>>>>endobj`)
        ],
        ["a script, behind its name", (byte) => pdf(`1 0 obj <</S/JavaScript${byte}/JS(x)>>endobj`)],
        ["a script, in front of it", (byte) => pdf(`1 0 obj${byte}${script} endobj`)],
        [
          "a script, in front of it, its number before a comment",
          (byte) => pdf(`1 0 %x\nobj${byte}${script} endobj`)
        ],
        [
          "a script behind a word, before its word obj",
          (byte) => pdf(`1${byte}0${byte}obj x ${script} endobj`)
        ],
        [
          "a program to be started, behind its name",
          (byte) => pdf(`1 0 obj <</S/Launch${byte}/F(x)>>endobj`)
        ],
        [
          "attached files, behind their name",
          (byte) => pdf(`1 0 obj <</Names<</EmbeddedFiles${byte}<<>>>>>>endobj`)
        ],
        ["an attached file, behind its name", (byte) => pdf(`1 0 obj <</F(x)/EF${byte}<</F 2 0 R>>>>endobj`)],
        [
          "a form with scripts of its own, behind its name",
          (byte) => pdf(`1 0 obj <</AcroForm<</XFA${byte}4 0 R>>>>endobj`)
        ],
        ["an encrypted one, behind its name", (byte) => pdf(`trailer${byte}<</Encrypt${byte}4 0 R>>`)],
        [
          "an address that opens by itself, behind its name",
          (byte) => pdf(`1 0 obj <</OpenAction${byte}4 0 R>>endobj 4 0 obj ${address} endobj`)
        ],
        [
          "an address that a page opens, behind its name",
          (byte) => pdf(`1 0 obj <</Type/Page/AA${byte}<</O ${address}>>>>endobj`)
        ],
        [
          "a script in an object stream, behind its type",
          (byte) => pdf(objectStream(`/Type/ObjStm${byte}/Filter/FlateDecode`, script))
        ],
        [
          "a script in an object stream, behind its name",
          (byte) => pdf(objectStream(compressed, `<</S/JavaScript${byte}/JS(x)>>`))
        ],
        ["an object, for a word", (byte) => pdf(`1 0 obj <</A ${byte} /B 1>>endobj`)]
      ] satisfies ReadonlyArray<readonly [string, (byte: string) => Buffer]>
    ).map(
      ([what, write]) => [`an odd byte: ${what}`, ...Array.from("\x80\xff\x0b\x01\x7f\xa0", write)] as const
    ),
    ["a name tree of scripts, in an object that has no number", pdf("x obj <</JavaScript\x80<</Names[]>>>>")],
    ["a script with U+0000 in its name", pdf("1 0 obj <</S/JavaScript#00/JS(x)>>endobj")],
    ["a script behind a word", pdf(`1 0 obj x ${script} endobj`)],
    ["something behind a word", pdf("1 0 obj x << >> endobj")],
    ["something behind a word in an object stream", pdf(objectStream(compressed, "x << >>"))],
    ["something behind a word, its number before two comments", pdf("1 0 %a\n  %b\r\nobj x << >> endobj")],
    [
      "something behind a word, its number far before",
      pdf(`1${" ".repeat(500)}0${"\n".repeat(500)}obj x << >> endobj`)
    ],
    ...[")", ">", "{", "]", ">>"].map(
      (stray) => [`something behind a stray ${stray}`, pdf(`1 0 obj ${stray} << >> endobj`)] as const
    ),
    ["an article in another file", pdf("1 0 obj <</S/Thread/F(x.pdf)/D 0>>endobj")],
    [
      "a stream that is at an address",
      pdf("1 0 obj <</Length 0/F<</FS/URL/F(https://x.test)>>>>stream\n\nendstream")
    ],
    [
      "an address of a file, elsewhere",
      pdf("1 0 obj <</FS 2 0 R/UF(https://x.test)>>endobj 2 0 obj/URL endobj")
    ],
    ["a stream that is in another file", pdf("1 0 obj <</Length 0/F(x)>>\x80stream\n\nendstream")],
    [
      "a stream with a filter of another file",
      pdf("1 0 obj <</Length 0/FFilter/FlateDecode>>stream\n\nendstream")
    ],
    ["a page of another file", pdf("1 0 obj <</Subtype/Form/Ref<</F(x.pdf)/Page 0>>>>stream\n\nendstream")],
    ["a page of another file, elsewhere", pdf("1 0 obj <</Subtype/Form/Ref 2 0 R>>stream\n\nendstream")],
    [
      "an image that a printing press takes from elsewhere",
      pdf("1 0 obj <</OPI<</1.3<</F(x)>>>>>>stream\n\nendstream")
    ],
    ...(
      [
        ["after another action, in a list with nothing", `[null ${address}]`],
        ["after another action, in a list with a text", "[(a) 5 0 R]"],
        ["after another action, in a list with a name and a number", "[/Fit 1 5 0 R]"],
        ["after another action, in a list that begins like a place", "[5 0 R /Fit]"],
        ["after another action, behind what looks like a place", `[3 0 R /Fit ${address}]`],
        ["after another action, in a list within a list", `[null [null 5 0 R]]`],
        ["after another action, by way of two references", "6 0 R"],
        ["after another action, by way of a list that begins like a place", "7 0 R"],
        ["after another action, by way of a reference as a place", "[6 0 R /Fit]"]
      ] as const
    ).map(
      ([where, next]) =>
        [
          `an address that opens by itself ${where}`,
          pdf(
            `1 0 obj << /OpenAction << /S /GoTo /D [3 0 R /Fit] /Next ${next} >> >> endobj `,
            `3 0 obj << /Type /Page >> endobj 5 0 obj ${address} endobj 6 0 obj %\n5 %\n0\nR endobj `,
            "7 0 obj [ 5 0 R /Fit ] endobj"
          )
        ] as const
    ),
    ...["4 0 R endobj", "4 0 Rendobj", "4%x\r0%y\nR%z\nendobj", "[[4 0 R]] endobj", "4 0 R\x80endobj"].map(
      (object) =>
        [
          `an address that opens by itself, by way of an object that is ${JSON.stringify(object)}`,
          pdf(`1 0 obj << /OpenAction 3 0 R >> endobj 3 0 obj ${object} 4 0 obj ${address} endobj`)
        ] as const
    ),
    [
      "an address that opens by itself, by way of a reference in an object stream",
      pdf(
        `1 0 obj << /OpenAction 1 0 R >> endobj 4 0 obj ${address} endobj `,
        objectStream(compressed, "4 0 R")
      )
    ],
    [
      "an address that opens by itself, of an object without a number",
      pdf(`1 0 obj << /OpenAction 5 0 R >> endobj 5 %\n0 obj ${address} endobj`)
    ]
  ] as const) {
    it(`refused: ${what}`, () => expect(files.map(isSafePdf)).toEqual(files.map(() => false)))
  }

  for (const [what, bytes] of [
    ["the beginning of one", samples.pdf],
    ["pages", pdf("1 0 obj << /Type /Page /Contents 2 0 R /OpenAction [3 0 R /Fit] >> endobj")],
    [
      "an object stream without actions",
      pdf(objectStream("/Type /ObjStm /Filter /FlateDecode", "<< /Type /Page >>"))
    ],
    ["an outline", pdf("1 0 obj << /First 2 0 R /Last 3 0 R >> endobj")],
    [
      "a table of offsets with a predictor",
      pdf(
        "1 0 obj << /Type /XRef /Filter /FlateDecode /DecodeParms << /Predictor 12 >> >> stream\nx\nendstream"
      )
    ],
    [
      "words that only resemble them",
      pdf("1 0 obj << /Title (JavaScript) /EncryptMetadata false /Launches 1 >> endobj")
    ],
    ["a title about scripts", pdf("1 0 obj << /Title (HTML/CSS/JavaScript \\(a\\)/Launch) >> endobj")],
    ["a title in hex digits", pdf("1 0 obj << /Title <2F4A6176615363726970740A> >> endobj")],
    ["metadata about scripts", pdf("<dc:title>HTML/JavaScript object [obj] (obj)</dc:title>")],
    ["a page about scripts", pdf("1 0 obj << /Length 9 >> stream\n(HTML/JavaScript ) Tj\nendstream endobj")],
    [
      "a title about scripts in an object stream",
      pdf(objectStream(compressed, "<< /Title (HTML/JavaScript) >>"))
    ],
    [
      "an object stream that is not compressed",
      pdf("7 0 obj << /Type /ObjStm /N 1 /First 4 >> stream\n1 0 << /Type /Page >>\nendstream endobj")
    ],
    [
      "links on the page where it opens",
      pdf(
        "1 0 obj << /OpenAction 2 0 R >> endobj 2 0 obj << /S /GoTo /D [3 0 R /Fit] >> endobj ",
        `3 0 obj << /Type /Page /Annots [4 0 R] >> endobj 4 0 obj << /Subtype /Link /A ${address} >> endobj`
      )
    ],
    [
      "a place to open it at that stands elsewhere, of a page with links",
      pdf(
        "1 0 obj << /OpenAction 2 0 R >> endobj 2 0 obj [3 0 R /XYZ 0 792 null] endobj ",
        `3 0 obj << /Type /Page /Annots [4 0 R] >> endobj 4 0 obj << /Subtype /Link /A ${address} >> endobj`
      )
    ],
    ["a length that stands elsewhere", pdf("1 0 obj 59 endobj 2 0 obj 4 0 R endobj 4 0 obj 1 endobj")],
    [
      "names with bytes above 0x7F",
      pdf("1 0 obj << /Font << /Gr\xc3\xbc\xdfe 2 0 R /\x96\xbe\x92\xa9 3 0 R >> >> endobj")
    ],
    ["a number and the end in one word", pdf("1 0 obj\n59endobj\n2 0 obj null endobj 3 0 obj endobj")],
    ["a word alone", pdf("1 0 obj x endobj")],
    [
      "what looks like an object in a picture",
      pdf("1 0 obj << >> stream\n\x80 obj\x01x)\xff<<>>\nendstream endobj")
    ],
    ["strings and comments of any bytes", pdf("1 0 obj % \x80\xff\n<< /Title (\x80\xff\x01) >> endobj")],
    ["places that a text refers to", pdf("1 0 obj << /S /Ref /Ref [2 0 R] >> endobj")],
    [
      "a glyph and a font by short names",
      pdf("1 0 obj << /FS 2 0 R /GS 3 0 R >> endobj 4 0 obj << /F 5 0 R >> endobj")
    ],
    ["a link", pdf("1 0 obj << /S /URI /URI (https://x.test/Launch/JavaScript?a=1) >> endobj")]
  ] as const) {
    it(`accepted: ${what}`, () => expect(isSafePdf(bytes)).toBe(true))
  }
})

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

const plain = { "image/jpeg": jpeg, "image/png": png, "image/webp": webp } as const

describe("An image redrawn without its colour profile", () => {
  for (const type of ["image/jpeg", "image/png", "image/webp"] as const) {
    it.effect(type, () =>
      Effect.gen(function* () {
        const bytes = withProfile[type]
        expect(bytes.includes(secretPlace)).toBe(true)
        const bare = withoutProfile(bytes, type)
        expect(bare.includes(secretPlace)).toBe(false)
        expect(sha256(yield* pixelsOf(bare))).toBe(sha256(yield* pixelsOf(plain[type])))
      })
    )
  }
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

  it.live("is charged for its CPU time, even if it is killed or its client leaves", () =>
    Effect.gen(function* () {
      const spent: Array<number> = []
      const spend = (cpuMillis: number) => void spent.push(cpuMillis)
      yield* bounded(program("process.exit(0)"), plenty, spend)
      yield* bounded(program("for (;;) {}"), { ...plenty, millis: 200 }, spend)
      yield* Effect.timeoutOption(bounded(program("for (;;) {}"), plenty, spend), "200 millis")
      yield* eventually(
        "all three are counted",
        Effect.sync(() => spent.length === 3)
      )
      for (const cpuMillis of spent) expect(cpuMillis).toBeGreaterThan(0)
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
