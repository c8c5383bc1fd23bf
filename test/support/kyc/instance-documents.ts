/**
 * Valid and invalid configs and workflows as JSON, with the expected message and whether JSON Schema can
 * express the rule.
 */

type Kind = "config" | "workflow"

/** An accepted document. */
export type Good = readonly [kind: Kind, json: string]

/** A refused document and the error message. */
export type Bad = readonly [kind: Kind, json: string, sentence: string]

// Workflows around the part under test.
export const step = (fields: string) => `{"steps":[{"id":"a","type":"form"},${fields}]}`
export const field = (fields: string) => step(`{"id":"b","type":"form","fields":[{"id":"x",${fields}}]}`)
export const rule = (rule: string) =>
  `{"steps":[{"id":"a","type":"form","fields":[{"id":"x","type":"date"}]},{"id":"d","type":"document"}],"rules":[${rule}]}`
export const when = (condition: string) => rule(`{"after":"a","if":{${condition}},"then":{}}`)
export const many = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => item(index))

/** Two documents as partners write them. */
const proposedConfig = `{"v":1,
  "title":{"en":"Acme identity check"},"locales":["en","et","de","fr","es","ar"],"defaultLocale":"en",
  "legal":{"company":"Acme OU","privacyUrl":"https://acme.test/privacy","consentVersion":"2026-11"},
  "theme":{"primary":"#1f5eff","radius":8,"mode":"auto","logoUrl":null},
  "captcha":{"required":true,"provider":"builtin","siteKey":"kyc_site_ab12","minScore":0.5},
  "dedup":{"enabled":true,"scope":"Zk3v-22","strategy":"document","onMatch":"review"},
  "capture":{"sources":["camera","upload"],"mime":["image/jpeg","image/png","application/pdf"],"maxBytes":5242880,
    "maxEdge":2200,"minEdge":900},
  "handoff":{"enabled":true},"embed":{"allowedOrigins":[]},
  "redirect":{"allowedHosts":[],"autoDelayMs":3000,"appendStatus":false}}`

const proposedWorkflow = `{"v":1,"id":"basic-kyc","version":3,"steps":[
  {"id":"consent","type":"consent","items":[
    {"id":"privacy","required":true,"text":{"en":"I agree ..."},"url":"https://acme.test/privacy"}]},
  {"id":"captcha","type":"captcha"},
  {"id":"person","type":"form","fields":[
    {"id":"givenName","type":"text","autocomplete":"given-name","required":true,"max":100},
    {"id":"familyName","type":"text","autocomplete":"family-name","required":true,"max":100},
    {"id":"dateOfBirth","type":"date","autocomplete":"bday","required":true,"minAge":18},
    {"id":"nationality","type":"country","required":true}]},
  {"id":"doc","type":"document","documents":["passport","id_card","driving_licence","residence_permit"],
    "countries":["*"],"sides":{"passport":1,"id_card":2},"ask":["number","expiry"],"mrz":"optional","dedup":true},
  {"id":"selfie","type":"selfie","prompts":2,"skipIfNoCamera":false},
  {"id":"poa","type":"upload","optional":true,"maxFiles":2},
  {"id":"review","type":"review"}],
  "rules":[
    {"after":"person","if":{"path":"person.nationality","op":"in","value":["XX"]},"then":{"fail":"COUNTRY_NOT_SUPPORTED"}},
    {"after":"doc","if":{"path":"doc.type","op":"eq","value":"passport"},"then":{"skip":["poa"]}}]}`

export const good: ReadonlyArray<Good> = [
  ["config", "{}"],
  ["workflow", "{}"],
  ["config", proposedConfig],
  ["workflow", proposedWorkflow],
  ["config", '{"anything":[1,{"else":null}],"theme":{"font":7}}'],
  ["config", '{"title":{"et":"Tere"},"locales":["et"]}'],
  ["config", '{"title":{"pt-BR":"Olá","zh-Hant-TW":"您好"}}'],
  ["config", '{"theme":{"primary":"#FFFF00","onPrimary":"#000000"}}'],
  ["config", '{"theme":{"primary":"#777777"}}'],
  ["config", '{"theme":{"logoUrl":"data:image/png;base64,iVBORw0KGgo="}}'],
  ["config", '{"captcha":{"siteKey":"","minScore":0}}'],
  ["config", '{"captcha":{"siteKey":null,"minScore":null}}'],
  ["config", '{"captcha":{"minScore":0.7}}'],
  ["config", '{"captcha":{"provider":"another","minScore":1}}'],
  ["config", '{"capture":{"mime":["image/webp","image/png"]}}'],
  [
    "config",
    '{"embed":{"allowedOrigins":["https://example.com","http://localhost:5173","https://10.0.0.1:8443"]}}'
  ],
  [
    "config",
    '{"redirect":{"allowedHosts":["shop.example.com","localhost"],"successUrl":"HTTPS://Example.com/a?b#c"}}'
  ],
  ["config", `{"title":{"en":"${"😀".repeat(4000)}"}}`],
  [
    "config",
    '{"checks":{"photos":true,"similarity":true,"sameBrowser":true,"timeZone":"America/Argentina/Buenos_Aires"}}'
  ],
  ["config", '{"checks":{"photos":null,"similarity":null,"timeZone":null}}'],
  ["config", '{"review":{"mode":"none","fourEyes":null,"reasons":[]}}'],
  [
    "config",
    '{"review":{"mode":"manual","fourEyes":true,"reasons":[{"code":"BLURRED","text":"Blurred"},{"code":"too_old-1","text":"Old"}]}}'
  ],
  ["workflow", '{"steps":[],"rules":[]}'],
  ["workflow", step('{"id":"b","type":"liveness","frames":9}')],
  ["workflow", step('{"id":"constructor","type":"constructor"}')],
  ["workflow", field('"type":"text","min":null,"max":null,"label":{"en":"X"},"unknown":true')],
  ["workflow", field('"type":"select","options":[{"value":"1"},{"value":"2","label":{"en":"Two"}}]')],
  ["workflow", when('"path":"a.x","op":"ageLt","value":21')],
  ["workflow", when('"path":"a.x","op":"exists"')],
  ["workflow", when('"path":"a.x","op":"lt","value":"2000-01-01"')],
  ["workflow", when('"path":"d.country","op":"nin","value":["EST",1,true]')],
  ["workflow", `{"steps":[${many(50, (index) => `{"id":"s${index}","type":"form"}`)}]}`]
]

/** Refused for a rule that JSON Schema cannot express: how parts of a document fit together. */
export const badSense: ReadonlyArray<Bad> = [
  [
    "config",
    '{"defaultLocale":"et","locales":["en","de"]}',
    "config.defaultLocale must be one of config.locales"
  ],
  [
    "config",
    '{"title":{"et":"Tere"},"locales":["et","de"]}',
    "config.title must have a text in en, or in every language in use"
  ],
  [
    "config",
    '{"theme":{"primary":"#ffff00","onPrimary":"#ffffff"}}',
    "config.theme.onPrimary must have a contrast of at least 4.5 to config.theme.primary"
  ],
  [
    "config",
    '{"captcha":{"minScore":0.71}}',
    "config.captcha.minScore must be at most 0.7, the score of the built-in captcha, unless config.captcha.provider names another"
  ],
  [
    "config",
    '{"captcha":{"provider":"builtin","minScore":1}}',
    "config.captcha.minScore must be at most 0.7, the score of the built-in captcha, unless config.captcha.provider names another"
  ],
  [
    "config",
    '{"capture":{"mime":["image/webp","application/pdf"]}}',
    "config.capture.mime must have image/jpeg or image/png, which photos are sent as"
  ],
  [
    "config",
    '{"capture":{"mime":[]}}',
    "config.capture.mime must have image/jpeg or image/png, which photos are sent as"
  ],
  [
    "config",
    '{"embed":{"allowedOrigins":["https://example.com:443"]}}',
    "config.embed.allowedOrigins[0] must be an origin like https://example.com"
  ],
  [
    "config",
    '{"redirect":{"successUrl":"https://a.example:99999"}}',
    "config.redirect.successUrl must be an http or https URL"
  ],
  [
    "config",
    '{"checks":{"timeZone":"Europe/Nowhere"}}',
    "config.checks.timeZone must be a time zone like Europe/Berlin"
  ],
  [
    "config",
    '{"review":{"reasons":[{"code":"a","text":"A"},{"code":"b","text":"B"},{"code":"a","text":"C"}]}}',
    "config.review.reasons[2].code must be unique"
  ],
  ["workflow", step('{"id":"a","type":"later"}'), "workflow.steps[1].id must be unique"],
  [
    "workflow",
    step('{"id":"b","type":"form","fields":[{"id":"x","type":"text"},{"id":"x","type":"date"}]}'),
    "workflow.steps[1].fields[1].id must be unique"
  ],
  [
    "workflow",
    field('"type":"select","options":[{"value":"1"},{"value":"1"}]'),
    "workflow.steps[1].fields[0].options[1].value must be unique"
  ],
  [
    "workflow",
    step('{"id":"b","type":"consent","items":[{"id":"i","text":{"en":"A"}},{"id":"i","text":{"en":"A"}}]}'),
    "workflow.steps[1].items[1].id must be unique"
  ],
  [
    "workflow",
    '{"steps":[{"id":"a","type":"form","title":{"en":"A","et":"B"}},{"id":"b","type":"later","title":{"et":"C"}}]}',
    "workflow.steps[1].title must have a text in en, or in every language in use"
  ],
  [
    "workflow",
    rule('{"after":"z","if":{"path":"a.x","op":"exists"},"then":{}}'),
    "workflow.rules[0].after must be the id of a step"
  ],
  [
    "workflow",
    when('"path":"z.x","op":"exists"'),
    "workflow.rules[0].if.path must lead to a step and a field of it"
  ],
  [
    "workflow",
    when('"path":"a.z","op":"exists"'),
    "workflow.rules[0].if.path must lead to a step and a field of it"
  ],
  [
    "workflow",
    when('"path":"d.z","op":"exists"'),
    "workflow.rules[0].if.path must lead to a step and a field of it"
  ],
  [
    "workflow",
    rule('{"after":"a","if":{"path":"a.x","op":"exists"},"then":{"skip":["d","z"]}}'),
    "workflow.rules[0].then.skip[1] must be the id of a step"
  ]
]
