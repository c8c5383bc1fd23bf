/** What the lines of a machine-readable zone say. The lines are the specimens of ICAO 9303, parts 4 to 6. */
import { expect, it } from "vitest"
import { checkDigitOf, fieldParts, zoneOf } from "../../../src/kyc/checks/zone-model.ts"
import { isZone } from "../../../src/kyc/checks/zone-reading.ts"

const passport = [
  "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<",
  "L898902C36UTO7408122F1204159ZE184226B<<<<<10"
]
const card = [
  "I<UTOD231458907<<<<<<<<<<<<<<<",
  "7408122F1204159UTO<<<<<<<<<<<6",
  "ERIKSSON<<ANNA<MARIA<<<<<<<<<<"
]
const largerCard = ["I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6"]

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
  expect(zoneOf("TD2", largerCard, 2026)).toMatchObject({
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

it("is no zone if the reader is unsure of most characters, even if two check digits are right by chance", () => {
  // From the photo of a letter.
  const letter = zoneOf(
    "TD3",
    ["AHMMRPNURBURNBNPSHRBMNRBBBHENNVBBRRNBNPUNPBA", "UNBH6UNBH8RNB8999908M6890898RMHMRHRMMNMPHH98"],
    2026
  )
  expect([letter.digits, letter.wrong.length]).toEqual([5, 3])
  expect(isZone({ sureness: 0.628, zone: letter })).toBe(false)
  // A reflection hides the document number and the date of birth: two check digits are right.
  const [names = "", line = ""] = passport
  const hidden = zoneOf("TD3", [names, `L8B89<2C36UTO7908122${line.slice(20)}`], 2026)
  expect([hidden.digits, hidden.wrong.length]).toEqual([5, 3])
  expect(isZone({ sureness: 0.8, zone: hidden })).toBe(true)
  const altered = zoneOf("TD3", [names, line.replace("7408122", "7408132")], 2026)
  expect(altered.wrong).toEqual(["birth_date", "composite"])
  expect(isZone({ sureness: 0.99, zone: altered })).toBe(true)
  expect(isZone({ sureness: 0.99, zone: zoneOf("TD3", [names, "<".repeat(44)], 2026) })).toBe(false)
})

it("reads a document number that goes on in the optional data", () => {
  // ICAO 9303 part 5, note j: the number is D23145890734, its check digit 9.
  const optional = "7349<<<<<<<<<<<"
  const upper = `I<UTOD23145890<${optional}`
  const composite = checkDigitOf(`${upper.slice(5)}7408122${"1204159"}${"<".repeat(11)}`)
  const long = [upper, `7408122F1204159UTO<<<<<<<<<<<${composite}`, card[2] ?? ""]
  const zone = zoneOf("TD1", long, 2026)
  expect(zone).toMatchObject({ fields: { document_number: "D23145890734" }, wrong: [] })
  // The reader has to be sure of all of it.
  const whole = fieldParts(zone).document_number.map(({ from, line, to }) => long[line]?.slice(from, to))
  expect(whole.join("")).toBe("D23145890<7349")
  const short = fieldParts(zoneOf("TD1", card, 2026)).document_number
  expect(short.map(({ from, line, to }) => card[line]?.slice(from, to))).toEqual(["D23145890"])
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
