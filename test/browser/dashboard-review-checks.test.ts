/** The checks of photos on the page of a review: what was found in words, all else in few, on one screen. */
import { expect } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { demoInstance } from "../../src/kyc/instances/demo.ts"
import { signInAs } from "../support/browser/dashboard.ts"
import { photoOfHolder, upright } from "../support/browser/film.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, expectNothingWrong, heading, visitor } from "../support/browser/visit.ts"
import { text } from "../support/client.ts"
import { looked } from "../support/kyc/checks.ts"
import { check, newKeyHash } from "../support/kyc/dedup.ts"
import { sha256, upload } from "../support/kyc/files.ts"
import { companyOn } from "../support/kyc/partner.ts"
import { astronaut } from "../support/kyc/portraits.ts"
import { startServer } from "../support/server.ts"

/** The words that the demo asks an end user to agree to. */
const consent = "I agree that Example Ltd checks my details to verify who I am."

/** A server whose jobs the test can wake. */
class OwnServer extends Context.Tag("OwnServer")<
  OwnServer,
  Effect.Effect.Success<ReturnType<typeof startServer>>
>() {
  static readonly layer = Layer.scoped(OwnServer, Effect.orDie(startServer()))
}

inBrowser(OwnServer.layer)("checks on the page of a review", (test) => {
  test("what was found is said in words, what passed in few; all of it is on one screen", () =>
    Effect.gen(function* () {
      const server = yield* OwnServer
      const company = yield* companyOn(server, demoInstance)
      const session = yield* company.newSession({ externalReference: "customer-1" })
      const received = (photo: Buffer) =>
        Effect.map(upload(server, session, photo), ({ body }) => text(body, "file", "id"))
      const front = yield* received(yield* act(() => photoOfHolder("TD3", upright)))
      const selfie = yield* received(yield* act(() => astronaut().jpeg().toBuffer()))
      yield* company.progress(session, {
        progress: {
          s_consent: { items: [{ id: "privacy", textSha256: sha256(Buffer.from(consent)) }] },
          s_person: {
            givenName: "Anna Maria",
            familyName: "Erikson",
            dateOfBirth: "1974-08-12",
            nationality: "EST",
            occupation: "employed"
          },
          s_document: {
            type: "passport",
            country: "EST",
            number: "L898902C3",
            expiry: "2034-04-15",
            files: [{ id: front, side: "front", document: "passport" }]
          },
          s_selfie: { files: [{ id: selfie, prompt: "straight" }] }
        }
      })
      yield* check(company, session, newKeyHash())
      yield* company.complete(session)
      yield* looked(server, session)

      const visit = yield* visitor(company, { viewport: { width: 1440, height: 900 } })
      yield* signInAs(visit, company.member)
      const { page } = visit
      yield* act(() => page.goto(`${visit.origin}/dashboard/reviews/${session.id}`))
      yield* act(() => heading(page, "customer-1"))
      yield* act(() => page.getByText("Agreed to version 2026-11").waitFor())
      const checks = page.getByRole("region", { name: "Checks" })
      const inWords = "What was typed differs from the machine-readable zone: surname."
      yield* act(() => checks.getByText(inWords).waitFor())
      yield* act(() =>
        expect
          .poll(() =>
            checks.getByRole("list", { name: "Nothing found" }).getByRole("listitem").allInnerTexts()
          )
          .toEqual(
            expect.arrayContaining(["Zone read", "Not expired", "Old enough", "Document not seen before"])
          )
      )
      const passed = "The photo is sharp and evenly lit. (2 times)"
      yield* act(() => expect.poll(() => checks.getByText(passed).count()).toBe(0))
      const cut = () =>
        page
          .locator(".case .section")
          .evaluateAll((parts) =>
            parts.filter((part) => part.scrollHeight > part.clientHeight).map((part) => part.textContent)
          )
      yield* act(() => expect.poll(cut).toEqual([]))

      yield* act(() => checks.getByText("All checks in words").click())
      yield* act(() => checks.getByText(passed).waitFor())
      expectNothingWrong(visit)
    }))
})
