/** Rejects slugs that impersonate a known company or the service's operator. Spellings with digits for letters are not looked for. */

const wordsOf = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

/** Company names that are not common words. They mislead beside other words, too: `stripe-support`. */
const brands = wordsOf(`
  doorlock stripe paypal mastercard amex americanexpress klarna adyen revolut coinbase binance metamask westernunion
  moneygram venmo alipay google gmail youtube icloud microsoft office365 github gitlab bitbucket aws amazonaws facebook
  instagram whatsapp twitter tiktok linkedin netflix spotify dropbox openai chatgpt anthropic salesforce shopify ebay
  twilio sendgrid okta auth0 cloudflare docusign onfido jumio veriff sumsub experian equifax transunion interpol europol`)

/** Company names that are common words. They are only refused alone: anybody may be `apple-tree`. */
const commonWords = wordsOf("apple azure amazon android adobe alibaba kraken telegram visa")

/** Roles of the service's operator. Others may combine them with other words: `acme-support`, `health-api`. */
const roles = wordsOf(`
  admin administrator root superuser sysadmin operator owner staff team official support help helpdesk moderator webmaster
  postmaster hostmaster system contact security secure safety abuse trust login signin signup logout auth oauth sso account
  accounts password verify verification billing payment payments legal privacy terms compliance api apis gateway developer
  developers docs dashboard console marketplace status health metrics www noreply localhost internal null undefined`)

interface SlugRules {
  /** Slugs that are refused like brands. */
  readonly reserved: ReadonlyArray<string>
  /** Slugs that are accepted nevertheless. */
  readonly allowed: ReadonlyArray<string>
}

/**
 * Whether nobody may have a slug: it is a reserved word, whatever its hyphens (`st-ripe`), has a brand between its hyphens
 * (`stripe-support`), or is in punycode, which browsers display in letters of other scripts.
 */
export const reservedSlugs = ({ allowed, reserved }: SlugRules): ((slug: string) => boolean) => {
  const parts = [...brands, ...reserved]
  const whole = new Set([...parts, ...commonWords, ...roles].map((word) => word.replaceAll("-", "")))
  return (slug) =>
    !allowed.includes(slug) &&
    (/(?:^|-)xn--/.test(slug) ||
      whole.has(slug.replaceAll("-", "")) ||
      parts.some((part) => `-${slug}-`.includes(`-${part}-`)))
}
