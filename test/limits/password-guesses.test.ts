/** How many passwords of one account can be tried: by strangers from many networks, and from a device of the owner. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { type Guesser, passwordGuesses } from "../../src/limits/password-guesses.ts"
import { turnOf } from "../../src/limits/password-turns.ts"

const wrong = Effect.fail("wrong" as const)
const right = Effect.succeed("in" as const)

const guessing = Effect.map(passwordGuesses, ({ ask, limiting }) => {
  const from = (address: string, account = "ada"): Guesser => ({ account, address, as: "stranger" })
  /** The seconds to wait; 0 if the guess was checked. */
  const guess = (guesser: Guesser) =>
    Effect.gen(function* () {
      const asked = yield* Effect.either(ask(guesser))
      const error = yield* Effect.flip(limiting(guesser, wrong))
      // A check in advance gives the same answer, and consumes nothing.
      expect(asked._tag === "Left").toBe(error !== "wrong")
      return error === "wrong" ? 0 : error.retryAfterSeconds
    })
  /** How many of the guesses are checked. */
  const count = (guessers: ReadonlyArray<Guesser>) =>
    Effect.map(Effect.forEach(guessers, guess), (waits) => waits.filter((wait) => wait === 0).length)
  return { count, from, guess, limiting }
})

const times = <A>(count: number, make: (i: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, i) => make(i))

/** Addresses in networks of different holders. */
const holders = (i: number): string => `2001:${i}::1`

describe("guesses at a password", () => {
  it.effect("of one account: 10 from an address, 20 from an IPv4 /24, 20 from an IPv6 /48", () =>
    Effect.gen(function* () {
      for (const [address, expected] of [
        [() => "203.0.113.1", 10],
        [(i: number) => `203.0.113.${i % 250}`, 20],
        [(i: number) => `2001:db8:1:2::${i}`, 10],
        // The attack that led to this limit: ten guesses from each of 30 /64s in one /48.
        [(i: number) => `2001:db8:1:${i % 30}::1`, 20]
      ] as const) {
        const { count, from } = yield* guessing
        expect(yield* count(times(300, (i) => from(address(i))))).toBe(expected)
      }
    })
  )

  it.effect("of one account from everywhere: 960, then one in two seconds", () =>
    Effect.gen(function* () {
      const { count, from, guess } = yield* guessing
      expect(yield* count(times(1_100, (i) => from(holders(i))))).toBe(960)
      expect(yield* guess(from("198.51.100.1"))).toBe(2)
      expect(yield* guess(from("198.51.100.1", "grace"))).toBe(0)
      yield* TestClock.adjust("60 seconds")
      expect(yield* count(times(500, (i) => from(holders(2_000 + i))))).toBe(30)
    })
  )

  it.effect(
    "of one account from networks that keep guessing: little more than 60, the rest is for other networks",
    () =>
      Effect.gen(function* () {
        const { count, from, limiting } = yield* guessing
        // Each of the eight networks has twelve guesses, the share of a network with hardly any failures.
        const attack = count(times(100, (i) => from(`198.${i % 8}.0.${i % 100}`)))
        expect(yield* attack).toBeLessThanOrEqual(60 + 8 * 12)
        for (let minute = 0; minute < 40; minute++) {
          // A new device of the owner in another network; the owner mistypes the password five times.
          const owner = from(`203.${minute}.113.1`)
          expect(yield* count(times(5, () => owner))).toBe(5)
          expect(yield* limiting(owner, right)).toBe("in")
          yield* TestClock.adjust("60 seconds")
          expect(yield* attack).toBeLessThanOrEqual(30)
        }
      })
  )

  for (const [what, address] of [
    ["the /48s of an IPv6 /40", (i: number) => `2001:db8:${(i % 256).toString(16)}:${i.toString(16)}::1`],
    ["the /48s of an IPv6 /32", (i: number) => `2001:db8:${i.toString(16)}::1`],
    ["the /24s of an IPv4 /16", (i: number) => `198.51.${i % 256}.${i % 250}`],
    [
      "24 IPv4 /16s and IPv6 /32s",
      (i: number) => (i % 2 ? `198.${i % 24}.${i % 256}.1` : `2001:${i % 24}:${i.toString(16)}::1`)
    ]
  ] as const) {
    it.effect(`of one account from ${what}: the rest lets others in, however long this continues`, () =>
      Effect.gen(function* () {
        const { count, from, limiting } = yield* guessing
        let tried = 0
        const attack = (guesses: number) =>
          Effect.suspend(() => count(times(guesses, () => from(address(tried++)))))
        yield* attack(800)
        for (let minute = 0; minute < 30; minute++) {
          const owner = from(`203.0.113.${minute}`, "ada")
          expect(yield* limiting(owner, right)).toBe("in")
          yield* TestClock.adjust("60 seconds")
          yield* attack(100)
        }
        expect(yield* count(times(6, () => from("203.0.113.1")))).toBe(6)
        expect(yield* limiting(from("203.0.114.1"), right)).toBe("in")
      })
    )
  }

  it.effect(
    "a user who mistypes five times gets in while eight networks guess, whatever a neighbour got wrong",
    () =>
      Effect.gen(function* () {
        const { count, from, limiting } = yield* guessing
        const attack = count(times(400, (i) => from(`198.${i % 8}.0.${i % 200}`)))
        // More guesses than one address in the owner's network may make.
        const neighbour = times(20, () => from("203.0.113.200"))
        const neighbours = times(20, (i) => from(`203.0.${i % 2}.${i}`))
        const owner = from("203.0.113.9")
        yield* attack
        expect(yield* count(neighbour)).toBe(6)
        expect(yield* count(times(5, () => owner))).toBe(5)
        expect(yield* limiting(owner, right)).toBe("in")
        yield* attack
        expect(yield* count(neighbours)).toBe(20)
        expect(yield* limiting(owner, right)).toBe("in")
      })
  )

  it.effect("a holder whose networks fail still gets in from its others, while few holders fail", () =>
    Effect.gen(function* () {
      const { count, from, limiting } = yield* guessing
      const attack = count(times(400, (i) => from(`198.${i % 8}.0.${i % 200}`)))
      yield* count(times(100, (i) => from(`203.0.${i}.1`)))
      yield* attack
      expect(yield* limiting(from("203.0.113.1"), right)).toBe("in")
    })
  )

  describe("a client that has used up its access to the reserved parts", () => {
    const spent = Effect.gen(function* () {
      const made = yield* guessing
      const { count, from } = made
      const attack = count(times(400, (i) => from(`198.${i % 8}.0.${i % 200}`)))
      const owner = from("203.0.113.9")
      expect(yield* count(times(6, () => owner))).toBe(6)
      yield* attack
      return { ...made, attack, owner }
    })

    it.effect("is told when it gets access again, and then gets in", () =>
      Effect.gen(function* () {
        const { attack, guess, limiting, owner } = yield* spent
        expect(yield* guess(owner)).toBe(600)
        for (let i = 0; i < 20; i++) {
          yield* TestClock.adjust("30 seconds")
          yield* attack
          if (i === 9) expect([300, 301]).toContain(yield* guess(owner))
        }
        expect(yield* limiting(owner, right)).toBe("in")
      })
    )

    it.effect("waits for the common part, if nobody else takes it", () =>
      Effect.gen(function* () {
        const { guess, owner } = yield* spent
        // The eight networks have also used 42 of the reserve.
        yield* TestClock.adjust("60 seconds")
        expect(yield* guess(owner)).toBe(26)
        yield* TestClock.adjust("26 seconds")
        expect([yield* guess(owner), yield* guess(owner)]).toEqual([0, 2])
      })
    )

    it.effect("is told the time of the known devices' budget, if that is sooner", () =>
      Effect.gen(function* () {
        const { attack, count, guess, owner } = yield* spent
        const device: Guesser = { ...owner, as: "known device" }
        expect(yield* count(times(10, () => device))).toBe(10)
        yield* attack
        expect(yield* guess(device)).toBe(12)
      })
    )
  })

  it.effect("a network that failed counts like any other two hours later", () =>
    Effect.gen(function* () {
      const { count, from, guess } = yield* guessing
      const network = times(12, (i) => from(`203.0.113.${i}`))
      expect(yield* count(network)).toBe(12)
      // The rest of the common budget.
      expect(yield* count(times(48, (i) => from(holders(i))))).toBe(48)
      expect(yield* guess(from("203.0.113.99"))).toBe(2)
      expect(yield* guess(from("192.0.2.1"))).toBe(0)
      yield* TestClock.adjust("2 hours")
      // The common budget is full again; networks without failures use it up.
      expect(yield* count(times(60, (i) => from(holders(100 + i))))).toBe(60)
      expect(yield* count(network)).toBe(12)
    })
  )

  it.effect("of many accounts: 50 from an address, 200 from a network", () =>
    Effect.gen(function* () {
      const { count, from } = yield* guessing
      expect(yield* count(times(300, (i) => from("203.0.113.1", `user ${i}`)))).toBe(50)
      expect(yield* count(times(300, (i) => from(`203.0.113.${i % 200}`, `other ${i}`)))).toBe(150)
    })
  )

  it.effect("all known devices of an account share one budget, whatever strangers do", () =>
    Effect.gen(function* () {
      const { count, from, limiting } = yield* guessing
      yield* count(times(1_100, (i) => from(holders(i))))
      const device = (i: number): Guesser => ({ ...from(holders(i)), as: "known device" })
      expect(yield* limiting(device(1), right)).toBe("in")
      expect(yield* count(times(30, device))).toBe(10)
      yield* TestClock.adjust("12 seconds")
      expect(yield* limiting(device(1), right)).toBe("in")
    })
  )

  it.effect("a known device counts as a stranger if another one has used up their budget", () =>
    Effect.gen(function* () {
      const { count, from, limiting } = yield* guessing
      const device = (address: string): Guesser => ({ ...from(address), as: "known device" })
      // Ten from the budget of known devices, and ten from the address's budget.
      expect(yield* count(times(30, () => device("203.0.113.1")))).toBe(20)
      expect(yield* limiting(device("198.51.100.1"), right)).toBe("in")
    })
  )

  it.effect("a signed-in user has only the budget of the session", () =>
    Effect.gen(function* () {
      const { count, from, limiting } = yield* guessing
      const signedIn: Guesser = { ...from("203.0.113.1"), as: "signed in", session: "stolen" }
      expect(yield* count(times(30, (i) => ({ ...signedIn, address: `198.51.${i}.1` })))).toBe(10)
      // A stolen session does not use up the owner's budget: not at the same address, not at another one, and not as another
      // account.
      for (const address of ["203.0.113.1", "192.0.2.1"]) {
        expect(yield* limiting({ ...signedIn, address, session: "owner's" }, right)).toBe("in")
      }
      expect(yield* count([signedIn, { ...signedIn, session: "another" }])).toBe(1)
      expect(yield* count(times(30, () => ({ ...signedIn, as: "known device" })))).toBe(20)
    })
  )

  it.effect("that are right: 600 of an account in a row, from anywhere, then one a second", () =>
    Effect.gen(function* () {
      const { count, from, limiting } = yield* guessing
      const kinds = ["stranger", "known device", "signed in"] as const
      const letIn = (guessers: ReadonlyArray<Guesser>) =>
        Effect.map(
          Effect.forEach(guessers, (guesser) => Effect.either(limiting(guesser, right))),
          (all) => all.filter(({ _tag }) => _tag === "Right").length
        )
      const many = (account: string, address: (i: number) => string) =>
        times(700, (i): Guesser => ({ ...from(address(i), account), as: kinds[i % 3] ?? "stranger" }))
      expect(yield* letIn(many("ada", holders))).toBe(600)
      expect(yield* letIn(many("grace", () => "127.0.0.1"))).toBe(600)
      // Wrong passwords use none of this budget.
      yield* count(times(30, (i) => from(holders(i), "alan")))
      expect(yield* letIn(many("alan", (i) => holders(3_000 + i)))).toBe(600)
      yield* TestClock.adjust("10 seconds")
      expect(yield* letIn(many("ada", holders))).toBe(10)
    })
  )

  it.effect("from loopback, which may stand for many clients, count only by account", () =>
    Effect.gen(function* () {
      const { count, from, guess } = yield* guessing
      for (const address of ["127.0.0.1", "::1"]) {
        expect(yield* count(times(100, (i) => from(address, `user ${i}`)))).toBe(100)
      }
      expect(yield* count(times(100, () => from("127.0.0.1")))).toBe(60)
      yield* TestClock.adjust("2 seconds")
      expect(yield* guess(from("127.0.0.1"))).toBe(0)
    })
  )
})

describe("the turn of a guess", () => {
  it.each([
    ["IPv4: by /24 and address", "203.0.113.9", { network: "203.0.113", lane: "203.0.113.9", bounded: true }],
    [
      "IPv6: by /48 and /64",
      "2001:db8:1:2::9",
      { network: "8193:3512:1", lane: "8193:3512:1:2", bounded: true }
    ],
    ["loopback: without a bound", "127.0.0.1", { network: "127.0.0", lane: "127.0.0.1", bounded: false }]
  ])("%s; known devices have a lane per account", (_, address, expected) => {
    expect(turnOf({ account: "ada", address, as: "stranger" })).toEqual({ ...expected, known: false })
    for (const as of ["known device", "signed in"] as const) {
      expect(turnOf({ account: "ada", address, as })).toEqual({ ...expected, known: true, lane: "ada" })
    }
  })
})
