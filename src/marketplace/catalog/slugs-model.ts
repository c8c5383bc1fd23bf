/** Rejects slugs that impersonate a known company or the service's operator. */

const wordsOf = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

/** Company names that are not common words. They mislead even as a part of a slug: `stripe-support`. */
const brands = wordsOf(`
  doorlock stripe paypal mastercard amex americanexpress klarna adyen revolut coinbase binance metamask westernunion
  moneygram venmo alipay google gmail youtube icloud microsoft office365 github gitlab bitbucket aws amazonaws facebook
  instagram whatsapp twitter tiktok linkedin netflix spotify dropbox openai chatgpt anthropic salesforce shopify ebay
  twilio sendgrid okta auth0 cloudflare docusign onfido jumio veriff sumsub experian equifax transunion interpol europol`)

/** Company names that are common words. They are only refused alone: anybody may be `apple-tree`. */
const commonWords = wordsOf("apple azure amazon android adobe alibaba kraken telegram visa")

/** Roles that speak for the operator. Without one of these, roles may be combined: `login-security`. */
const authorities = wordsOf(`
  admin administrator root superuser sysadmin operator owner staff team official support help helpdesk moderator webmaster
  postmaster hostmaster`)

/** Roles of the service's operator. Others may combine them with other words: `acme-support`, `health-api`. */
const roles = [
  ...authorities,
  ...wordsOf(`
    system contact security secure safety abuse trust login signin signup logout auth oauth sso account accounts password
    verify verification billing payment payments legal privacy terms compliance api apis gateway developer developers docs
    dashboard console marketplace status health metrics www noreply localhost internal null undefined`)
]

export const builtInWords = [...brands, ...commonWords, ...roles]

/** Brands that other words begin with: `revolution`, `interpolate`, `twittering`. */
const beginnings = ["revolut", "interpol", "twitter"]

/** Letters after a brand that make a separate word: `stripecheckout` is refused, `striped` is not. */
const leastBehind = 3

/** Words that impostors attach directly to a brand's name. */
const affixes = wordsOf(`
  get use try my the go hq inc ltd llc pay app io ai eu us uk id cloud online official support api apis dev team help
  login secure s`)

/** The shortest brand that is searched for inside a word. Shorter names are too often part of other words. */
const leastGlued = 6

const letterOf: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "l",
  "2": "z",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "8": "b",
  "9": "g",
  i: "l"
}

/** What a 6 resembles. Not in the stored look, where `acme-6` would become the same as `acme-8`. */
const lettersOfSix = ["g", "b"]

/**
 * The same for two slugs that a reader would confuse: without hyphens, with letters for similar digits, and
 * `l` for `i`, because a `1` resembles both. No two digits become the same letter, so numbered names stay
 * distinct. The look is stored: changing this rule needs a migration.
 */
export const lookOf = (slug: string): string =>
  slug.replaceAll("-", "").replaceAll(/[012345798i]/g, (character) => letterOf[character] ?? character)

/** Coarser than `lookOf`: different words may have the same, such as `corner` and `comer`. */
const glanceOf = (text: string): string =>
  lookOf(text)
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")
    .replaceAll(/(.)\1+/g, "$1")

/** All that a text may be read as at a glance. */
const glancesOf = (text: string): ReadonlyArray<string> =>
  lettersOfSix.map((letter) => glanceOf(text.replaceAll("6", letter)))

const glancesOfRole = (role: string): ReadonlyArray<string> => [role, `${role}s`].flatMap(glancesOf)

/** Whether the text is one of the words, or several of them joined without separators. */
const consistsOf = (words: ReadonlyArray<string>, text: string): boolean => {
  const reached = [true, ...Array<boolean>(text.length).fill(false)]
  for (let at = 0; at < text.length; at++) {
    if (reached[at]) for (const word of words) if (text.startsWith(word, at)) reached[at + word.length] = true
  }
  return reached[text.length] === true
}

const withoutNumber = (text: string): string => text.replaceAll(/^\d+|\d+$/g, "")

interface SlugRules {
  /** Slugs that are refused like brands. */
  readonly reserved: ReadonlyArray<string>
  /** Slugs that are accepted, whatever they look like. */
  readonly allowed: ReadonlyArray<string>
}

/** Every run of adjacent parts, joined: for `a-b-c` also `ab`, `bc` and `abc`. */
const runsOf = (slug: string): ReadonlyArray<string> => {
  const parts = slug.split("-").filter((part) => part !== "")
  return parts.flatMap((_, from) =>
    parts.slice(from).map((_, length) => parts.slice(from, from + length + 1).join(""))
  )
}

/**
 * Returns a function that recognises the slugs that nobody may have:
 * - names in punycode, which browsers display in letters of other scripts
 * - slugs that look like a reserved word as a whole: `str1pe`, `admin-2`, `admins`
 * - slugs made only of roles, at least one of which speaks for the operator: `security-team`
 * - slugs with parts that look like a brand, with or without affixes: `stripe-anything`, `getstripe`,
 * `my-stripesupport`
 * - slugs with a part that begins with a brand and continues with any word: `stripecheckout`
 */
export const reservedSlugs = ({ allowed, reserved }: SlugRules): ((slug: string) => boolean) => {
  const believed = new Set([...brands, ...reserved].flatMap(glancesOf))
  const speaking = new Set(authorities.flatMap(glancesOfRole))
  const roleGlances = new Set(roles.flatMap(glancesOfRole))
  const alone = new Set([...believed, ...commonWords.flatMap(glancesOf), ...roleGlances])
  const glued = [...brands, ...reserved.map((slug) => slug.replaceAll("-", ""))]
    .filter((brand) => brand.length >= leastGlued)
    .flatMap(glancesOf)
  const begun = glued.filter((brand) => !beginnings.flatMap(glancesOf).includes(brand))
  const around = [...affixes.flatMap(glancesOf), ...roleGlances]

  /** Whether any reading of the text passes. */
  const reads = (text: string, passes: (glance: string) => boolean) =>
    [text, withoutNumber(text)].filter((form) => form !== "").some((form) => glancesOf(form).some(passes))
  const isOf = (words: ReadonlySet<string>) => (text: string) => reads(text, (glance) => words.has(glance))
  /** Whether the first occurrence of the brand has only affixes and roles around it. */
  const hasGlued = (glance: string) => (brand: string) => {
    const at = glance.indexOf(brand)
    const rests = [glance.slice(0, at), glance.slice(at + brand.length)]
    return at !== -1 && rests.every((rest) => consistsOf(around, rest))
  }
  const isBelieved = (text: string) =>
    reads(text, (glance) => believed.has(glance) || glued.some(hasGlued(glance)))
  const beginsWithBrand = (part: string) =>
    reads(part, (glance) =>
      begun.some((brand) => glance.startsWith(brand) && glance.length >= brand.length + leastBehind)
    )
  return (slug) => {
    if (allowed.includes(slug)) return false
    const parts = slug.split("-").filter((part) => withoutNumber(part) !== "")
    return (
      /(?:^|-)xn--/.test(slug) ||
      isOf(alone)(slug.replaceAll("-", "")) ||
      (parts.every(isOf(roleGlances)) && parts.some(isOf(speaking))) ||
      parts.some(beginsWithBrand) ||
      runsOf(slug).some(isBelieved)
    )
  }
}
