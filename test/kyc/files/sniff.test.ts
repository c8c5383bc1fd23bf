/** What the first bytes of a file say it is, and what only seems to be. */
import { describe, expect, it } from "@effect/vitest"
import { sniff, sniffedBytes } from "../../../src/kyc/files/sniff.ts"
import { samples } from "../../support/kyc/files.ts"

const latin = (text: string) => Buffer.from(text, "latin1")

const jfif = (length: string, thumbnail = "\x00\x00") =>
  latin(`\xff\xd8\xff\xe0${length}JFIF\x00\x01\x01\x00\x00\x01\x00\x01${thumbnail}`)

describe("sniff", () => {
  for (const [name, bytes, type] of [
    ["JPEG, JFIF", samples.jpeg, "image/jpeg"],
    ["JPEG, Exif", samples.exif, "image/jpeg"],
    ["JPEG, JFIF with a thumbnail of 2 by 3", jfif("\x00\x22", "\x02\x03"), "image/jpeg"],
    ["JPEG, quantization table first", latin("\xff\xd8\xff\xdb\x00\x43"), "image/jpeg"],
    ["PNG", samples.png, "image/png"],
    ["WebP", samples.webp, "image/webp"],
    ["WebP, lossless", latin("RIFF\x24\x00\x00\x00WEBPVP8L\x18\x00\x00\x00"), "image/webp"],
    ["PDF", samples.pdf, "application/pdf"],
    ["PDF 2.0", latin("%PDF-2.0\r\n"), "application/pdf"]
  ] as const) {
    it(`${name}: ${type}`, () => {
      expect(sniff(bytes)).toBe(type)
      expect(sniff(Buffer.concat([Buffer.from(bytes), Buffer.alloc(300)]).subarray(0, sniffedBytes))).toBe(
        type
      )
    })
  }

  for (const [name, bytes] of [
    ["nothing", ""],
    ["one byte", "\xff"],
    ["the first bytes of a JPEG only", "\xff\xd8\xff"],
    ["the first bytes of a PNG only", "\x89PNG\r\n\x1a\n"],
    ["HTML", "<!doctype html><script>alert(1)</script>"],
    ["HTML behind a byte order mark", "\xef\xbb\xbf<html>"],
    ["ZIP", "PK\x03\x04\x14\x00\x00\x00"],
    ["GIF that is JavaScript", "GIF89a/*\x00\x00*/=1;alert(1)"],
    ["HEIC", "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"],
    ["MP4", "\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp42"],
    ["text with a JPEG inside", `hello ${samples.jpeg.toString("latin1")}`],
    ["HTML with a PDF inside", `<html>${samples.pdf.toString("latin1")}`],
    ["PDF behind a space", " %PDF-1.7\n"],
    ["PDF of no version", "%PDF-<script>"],
    ["JPEG that is JavaScript", jfif("/*").toString("latin1")],
    ["JPEG with a JFIF segment of another length than its thumbnail", jfif("\x00\x11").toString("latin1")],
    ["JPEG with application data of nobody", "\xff\xd8\xff\xe0\x00\x10HTML<script>alert(1)"],
    ["JPEG with HTML in place of Exif", "\xff\xd8\xff\xe1\x00\x10<script>alert(1)"],
    ["JPEG with its end first", "\xff\xd8\xff\xd9\x00\x00\x00\x00"],
    ["PNG without a header", "\x89PNG\r\n\x1a\n<script>alert(1)</script>"],
    ["RIFF that is no WebP", "RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00"],
    ["WebP that is JavaScript", "RIFF/*  WEBPVP8 */=1;alert(1)"]
  ] as const) {
    it(`${name}: none`, () => {
      expect(sniff(latin(bytes))).toBeUndefined()
    })
  }
})
