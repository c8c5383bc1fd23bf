/** What the lines of a machine-readable zone say. The lines are the specimens of ICAO 9303, parts 4 to 6. */
import { expect, it } from "vitest"
import { checkDigitOf, zoneOf } from "../../../src/kyc/checks/zone-model.ts"

const passport = [
  "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<",
  "L898902C36UTO7408122F1204159ZE184226B<<<<<10"
]
const card = [
  "I<UTOD231458907<<<<<<<<<<<<<<<",
  "7408122F1204159UTO<<<<<<<<<<<6",
  "ERIKSSON<<ANNA<MARIA<<<<<<<<<<"
]
const smallPassport = ["I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6"]

const eriksson = {
  issuer: "UTO",
  nationality: "UTO",
  surname: "ERIKSSON",
  given_names: "ANNA MARIA",
  birth_date: "1974-08-12",
  sex: "F",
  expiry_date: "2012-04-15"
}

it("reads all three formats", () => {
  expect(zoneOf("TD3", passport, 2026)).toMatchObject({
    fields: { ...eriksson, document_number: "L898902C3" },
    wrong: [],
    digits: 5,
    namesFull: false
  })
  expect(zoneOf("TD1", card, 2026)).toMatchObject({
    fields: { ...eriksson, document_number: "D23145890" },
    wrong: [],
    digits: 4
  })
  expect(zoneOf("TD2", smallPassport, 2026)).toMatchObject({
    fields: { ...eriksson, document_number: "D23145890" },
    wrong: [],
    digits: 4
  })
})

it("names the check digit that an altered digit breaks, wherever it is", () => {
  const [names = "", line = ""] = passport
  const broken = (place: number) => {
    const digit = String((Number(line[place]) + 1) % 10)
    return zoneOf("TD3", [names, line.slice(0, place) + digit + line.slice(place + 1)], 2026).wrong
  }
  expect(broken(1)).toEqual(["document_number", "composite"])
  expect(broken(14)).toEqual(["birth_date", "composite"])
  expect(broken(22)).toEqual(["expiry_date", "composite"])
  expect(broken(31)).toEqual(["personal_number", "composite"])
  expect(broken(43)).toEqual(["composite"])
})

it("reads a document number that goes on in the optional data", () => {
  // ICAO 9303 part 5, note j: the number is D23145890734, its check digit 9.
  const optional = "7349<<<<<<<<<<<"
  const upper = `I<UTOD23145890<${optional}`
  const composite = checkDigitOf(`${upper.slice(5)}7408122${"1204159"}${"<".repeat(11)}`)
  const long = [upper, `7408122F1204159UTO<<<<<<<<<<<${composite}`, card[2] ?? ""]
  expect(zoneOf("TD1", long, 2026)).toMatchObject({ fields: { document_number: "D23145890734" }, wrong: [] })
})

it("says nothing of a date that is none, and no future birth", () => {
  const [first = "", second = "", third = ""] = card
  const with_ = (birth: string) => [first, `${birth}${checkDigitOf(birth)}${second.slice(7)}`, third]
  expect(zoneOf("TD1", with_("740230"), 2026).fields.birth_date).toBeUndefined()
  expect(zoneOf("TD1", with_("74<<<<"), 2026).fields.birth_date).toBeUndefined()
  expect(zoneOf("TD1", with_("260101"), 2026).fields.birth_date).toBe("2026-01-01")
  expect(zoneOf("TD1", with_("270101"), 2026).fields.birth_date).toBe("1927-01-01")
})

it("says whether names may have been cut", () => {
  const [, second = ""] = passport
  const cut = zoneOf("TD3", [`P<UTO${"NILAVADHANANANDA<<CHAYAPA<DEJTHAMRONG<KR"}`.slice(0, 44), second], 2026)
  expect(cut.namesFull).toBe(true)
  expect(cut.fields).toMatchObject({ surname: "NILAVADHANANANDA", given_names: "CHAYAPA DEJTHAMRONG K" })
})
