/** Where everything is in the machine-readable zones of travel documents (ICAO 9303, parts 4 to 6). */

export const zoneAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<"

export type ZoneFormat = "TD1" | "TD2" | "TD3"

/** Which characters a place may have: a letter, a digit, either, `M` or `F`; each may be the filler, except the kind of document. */
type Kind = "any" | "digit" | "document" | "letter" | "sex"

/** Places of a line, `to` not included. */
export interface Part {
  readonly line: number
  readonly from: number
  readonly to: number
}

/** A check digit and the parts that it covers, in the order in which they count. */
export interface CheckDigit {
  readonly name: CheckDigitName
  readonly at: Part
  readonly of: ReadonlyArray<Part>
}

export type CheckDigitName =
  | "birth_date"
  | "composite"
  | "document_number"
  | "expiry_date"
  | "personal_number"

interface Layout {
  readonly lines: number
  readonly length: number
  readonly kinds: ReadonlyArray<readonly [Part, Kind]>
  readonly parts: Readonly<
    Record<"birth" | "expiry" | "issuer" | "names" | "nationality" | "number" | "optional" | "sex", Part>
  >
  readonly digits: ReadonlyArray<CheckDigit>
}

const part = (line: number, from: number, to = from + 1): Part => ({ line, from, to })

/** The layout of a zone whose second line has everything but the names: those of TD2 and TD3. */
const twoLines = (length: number, personalNumber: boolean): Layout => {
  const [number, birth, expiry] = [part(1, 0, 9), part(1, 13, 19), part(1, 21, 27)]
  const optional = part(1, 28, personalNumber ? length - 2 : length - 1)
  const parts = {
    issuer: part(0, 2, 5),
    names: part(0, 5, length),
    number,
    nationality: part(1, 10, 13),
    birth,
    sex: part(1, 20),
    expiry,
    optional
  }
  return {
    lines: 2,
    length,
    parts,
    kinds: [
      [part(0, 0), "document"],
      [part(0, 1), "any"],
      [parts.issuer, "letter"],
      [parts.names, "letter"],
      [number, "any"],
      [part(1, 9), "digit"],
      [parts.nationality, "letter"],
      [part(1, 13, 20), "digit"],
      [parts.sex, "sex"],
      [part(1, 21, 28), "digit"],
      [optional, "any"],
      [part(1, optional.to, length), "digit"]
    ],
    digits: [
      { name: "document_number", at: part(1, 9), of: [number] },
      { name: "birth_date", at: part(1, 19), of: [birth] },
      { name: "expiry_date", at: part(1, 27), of: [expiry] },
      ...(personalNumber
        ? [{ name: "personal_number", at: part(1, length - 2), of: [optional] } as const]
        : []),
      {
        name: "composite",
        at: part(1, length - 1),
        of: [part(1, 0, 10), part(1, 13, 20), part(1, 21, length - 1)]
      }
    ]
  }
}

export const zoneLayouts: Readonly<Record<ZoneFormat, Layout>> = {
  TD3: twoLines(44, true),
  TD2: twoLines(36, false),
  TD1: {
    lines: 3,
    length: 30,
    parts: {
      issuer: part(0, 2, 5),
      number: part(0, 5, 14),
      optional: part(0, 15, 30),
      birth: part(1, 0, 6),
      sex: part(1, 7),
      expiry: part(1, 8, 14),
      nationality: part(1, 15, 18),
      names: part(2, 0, 30)
    },
    kinds: [
      [part(0, 0), "document"],
      [part(0, 1), "any"],
      [part(0, 2, 5), "letter"],
      [part(0, 5, 14), "any"],
      [part(0, 14), "digit"],
      [part(0, 15, 30), "any"],
      [part(1, 0, 7), "digit"],
      [part(1, 7), "sex"],
      [part(1, 8, 15), "digit"],
      [part(1, 15, 18), "letter"],
      [part(1, 18, 29), "any"],
      [part(1, 29), "digit"],
      [part(2, 0, 30), "letter"]
    ],
    digits: [
      { name: "document_number", at: part(0, 14), of: [part(0, 5, 14)] },
      { name: "birth_date", at: part(1, 6), of: [part(1, 0, 6)] },
      { name: "expiry_date", at: part(1, 14), of: [part(1, 8, 14)] },
      {
        name: "composite",
        at: part(1, 29),
        of: [part(0, 5, 30), part(1, 0, 7), part(1, 8, 15), part(1, 18, 29)]
      }
    ]
  }
}

const permitted: Readonly<Record<Kind, RegExp>> = {
  any: /[0-9A-Z<]/,
  digit: /[0-9<]/,
  document: /[ACIP]/,
  letter: /[A-Z<]/,
  sex: /[FM<]/
}

const masks = new Map<ZoneFormat, ReadonlyArray<ReadonlyArray<ReadonlyArray<boolean>>>>()

/** By line, by place: whether each character of the alphabet may be there. */
export const permittedIn = (format: ZoneFormat): ReadonlyArray<ReadonlyArray<ReadonlyArray<boolean>>> => {
  const known = masks.get(format)
  if (known !== undefined) return known
  const { kinds, length, lines } = zoneLayouts[format]
  const made = Array.from({ length: lines }, (_, line) =>
    Array.from({ length }, (_, place) => {
      const [, kind] = kinds.find(
        ([{ from, line: of, to }]) => of === line && place >= from && place < to
      ) ?? [undefined, "any" as const]
      return [...zoneAlphabet].map((character) => permitted[kind].test(character))
    })
  )
  masks.set(format, made)
  return made
}
