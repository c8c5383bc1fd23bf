/**
 * KYC and marketplace walked by a partner's program, which has the packed client and nothing else. Compiled with `strict`: what
 * does not compile here, no partner can write.
 */
import { createClient, DoorlockError, type ListedKycSession, userTokenOf } from "doorlock-client"

declare const process: {
  readonly argv: ReadonlyArray<string>
  readonly stdout: { write(text: string): void }
}

const baseUrl = process.argv[2] ?? ""
const check = (holds: boolean, what: string) => {
  if (!holds) throw new Error(what)
}

const email = `walk-${crypto.randomUUID()}@example.com`
const password = "correct horse battery staple"
const stranger = createClient({ baseUrl })
const signup = await stranger.account.signup({ companyName: "Walk", email, password }).withResponse()
check(signup.response.status === 201, `Sign-up answered ${signup.response.status}`)
const user = createClient({ baseUrl, token: userTokenOf(signup.response) })
check((await user.account.me()).user.email === email, "Another user is signed in")

const { token: apiKey } = await user.apiKeys.create({
  name: "walk",
  scopes: ["kyc", "events:read", "webhooks"]
})
const { instance } = await user.instances.create({
  name: "walk",
  workflow: { v: 1, id: "walk", version: 1, steps: [] }
})

const doorlock = createClient({ baseUrl, apiKey })
const idempotencyKey = crypto.randomUUID()
const createOnce = () =>
  doorlock.sessions.create(
    { instanceKey: instance.public_key, externalReference: "customer-1", metadata: { a: 1, b: [2] } },
    { idempotencyKey }
  )
const created = await createOnce()
check((await createOnce()).sessionToken === created.sessionToken, "A retried create made another session")
for (const number of [2, 3])
  await doorlock.sessions.create({ instanceId: instance.id, externalReference: `customer-${number}` })

// What a page of the partner's own could do in the browser, with the token alone.
const { id } = created.session
const token = created.sessionToken
await stranger.verification.saveProgress(id, {
  token,
  status: "running",
  progress: { s_person: { givenName: "Ada" } }
})
const pixel = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="),
  (character) => character.charCodeAt(0)
)
const { file } = await stranger.verification.upload(id, new Blob([pixel], { type: "image/png" }), { token })
await stranger.verification.checkDuplicates(id, { token, keyHash: "a".repeat(64) })
const completed = await stranger.verification.complete(id, { token, result: { outcome: "submitted" } })
check(completed.session.status === "completed", `The session is ${completed.session.status}`)

const { session } = await doorlock.sessions.get(id)
check(session.metadata?.a === 1, "The metadata did not come back")
const picture = await doorlock.files.download(id, file.id)
check(picture.headers.get("content-type") === "image/png", "The file is no PNG")
check((await picture.arrayBuffer()).byteLength > 0, "The file is empty")

const listed: Array<ListedKycSession> = []
for await (const one of doorlock.sessions.list({ instanceId: instance.id, limit: 2 })) listed.push(one)
check(
  listed.map((one) => one.external_reference).join() === "customer-3,customer-2,customer-1",
  `The list has ${listed.length} sessions`
)
const sizes: Array<number> = []
for await (const page of doorlock.sessions.list({ limit: 2 }).pages()) sizes.push(page.sessions.length)
check(sizes.join() === "2,1", `The pages have ${sizes.join()} sessions`)
check((await (await doorlock.sessions.csv()).text()).split("\n").length > 3, "The CSV is short")

const missing = await doorlock.files.download(id, crypto.randomUUID(), { original: true }).result()
if (missing.ok || missing.error.kind !== "api") throw new Error("A file that was not uploaded is there")
// Only codes that the route has can be written here.
check(missing.error.code === "file-not-found", `The code is ${missing.error.code}`)
check(missing.error.status === 404 && missing.error.requestId !== "", "The error lacks its status or id")
try {
  await doorlock.members.list()
  throw new Error("A platform key may list members")
} catch (error) {
  check(error instanceof DoorlockError && error.code === "unauthorized", `${error}`)
}

const { publisher } = await user.publishing.becomePublisher({
  slug: `walk-${signup.data.user.id}`,
  name: "Walk"
})
for (const name of ["first", "second"]) {
  const { api } = await user.publishing.createApi({ slug: name, name })
  // doorlock's own description, published on doorlock's own marketplace.
  const openapi = await (await fetch(`${baseUrl}/openapi.json`)).json()
  await user.publishing.createVersion(api.id, { version: "1", upstreamUrl: baseUrl, openapi })
  const { plan } = await user.publishing.createPlan(api.id, { name: "free" })
  await user.publishing.publish(api.id)
  const subscribed = await user.subscriptions.create(api.id, { planId: plan.id, name })
  const called = await fetch(`${baseUrl}/gateway/${publisher.slug}/${name}/v/1/healthz`, {
    headers: { "x-api-key": subscribed.token }
  })
  check(called.ok, `The gateway answers ${called.status}`)
  await user.marketplaceKeys.rotate(subscribed.apiKey.id)
  await user.subscriptions.cancel(subscribed.subscription.id)
}
const published: Array<string> = []
for await (const api of stranger.catalog.list({ limit: 1 })) published.push(api.slug)
check(published.includes("first") && published.includes("second"), `The catalog has ${published.join()}`)

const types = new Set<string>()
for await (const event of doorlock.events.list({ limit: 5 })) types.add(event.type)
check(types.has("kyc.session.completed") && types.has("marketplace.key.rotated"), [...types].join())
await user.account.logout()

process.stdout.write("walked\n")
